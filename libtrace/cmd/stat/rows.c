/*
 * stat: turns values of targets (threads or processors) into an event's report row.
 */
#include "stat.h"

struct sums {
	uint64_t count, enabled, running; /* count: scaled, for processors */
	unsigned targets, measured;
};

static uint64_t stat_rise_since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* A target's increase since `from`. */
static struct count_value stat_value_difference(
	const struct count_value *from, const struct count_value *to, size_t index)
{
	struct count_value v = to[index];

	if (!from || !v.known)
		return v;
	v.known = from[index].known;
	v.count = stat_rise_since(v.count, from[index].count);
	v.enabled = stat_rise_since(v.enabled, from[index].enabled);
	v.running = stat_rise_since(v.running, from[index].running);
	return v;
}

/* Counters of an offline processor stop, and do not resume when it comes back. */
static bool was_offline(const struct count_value *v, uint64_t least)
{
	return v->enabled + least / 20 + 10000000 < least;
}

/* Adds a target. Threads are scaled as one sum, because a thread that ran only briefly may never
 * have been on a counter. A processor that was never on one counts as unmeasured. */
static void add_target(struct sums *s, const struct count *c, struct count_value v, uint64_t least)
{
	s->targets++;
	if (!v.known || (c->processors && v.running == 0 && v.enabled > 0))
		return;
	if (!c->processors || !was_offline(&v, least))
		s->measured++;
	s->count += c->processors ? count_scale(v.count, v.enabled, v.running) : v.count;
	s->enabled += v.enabled;
	s->running += v.running;
}

static struct stat_row row_of(
	const struct count *c, const struct count_event *e, const struct sums *s, int cpu)
{
	struct stat_row row = {
		.event = e, .cpu = cpu, .user_only = e->user_only, .targets = s->targets};

	stat_event_name(e, row.name);
	if (s->measured == 0)
		row.why = e->error ? e->why : "its counters were not available all the time";
	else if (s->running == 0 && s->enabled > 0)
		row.why = "other users held the counters all the time";
	row.measured = !row.why;
	row.count = row.enabled = row.running = UINT64_MAX;
	row.running_percent = NAN;
	if (!row.measured)
		return row;
	row.count = c->processors ? s->count : count_scale(s->count, s->enabled, s->running);
	row.enabled = s->enabled;
	row.running = s->running;
	row.running_percent = s->enabled ? 100.0 * (double)s->running / (double)s->enabled : 100.0;
	row.unit = stat_event_is_time(e) ? "ns" : NULL;
	row.measured_targets = s->measured;
	return row;
}

/* ---------------------------------------------------------------------------- figures */

static bool is_event(const struct stat_row *row, uint32_t type, uint64_t config)
{
	return row->event->event.type == type && row->event->event.config == config &&
	       row->event->event.origin == CPC_EVENT_GENERIC;
}

/* Whether two rows can be divided: same modes and same processors. */
static bool is_peer(const struct stat_row *a, const struct stat_row *b)
{
	return b->measured && a->cpu == b->cpu && a->targets == b->targets &&
	       a->measured_targets == b->measured_targets &&
	       a->event->user_only == b->event->user_only &&
	       a->event->event.user == b->event->event.user &&
	       a->event->event.kernel == b->event->event.kernel;
}

/* config: of a hardware event. */
static const struct stat_row *stat_find_peer(
	const struct stat_report *r, const struct stat_row *of, uint64_t config)
{
	for (unsigned i = 0; i < r->rows; i++)
		if (is_event(&r->row[i], PERF_TYPE_HARDWARE, config) && is_peer(of, &r->row[i]) &&
			r->row[i].count)
			return &r->row[i];
	return NULL;
}

static void set_figure(struct stat_row *row, double figure, const char *unit, unsigned decimals)
{
	row->figure = cell_real(figure, decimals);
	row->figure_unit = unit;
}

/* The processor time of the targets. Modes do not apply to a clock. */
static const struct stat_row *task_clock(const struct stat_report *r, const struct stat_row *of)
{
	for (unsigned i = 0; i < r->rows; i++)
		if (is_event(&r->row[i], PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK) &&
			r->row[i].measured && r->row[i].count && r->row[i].cpu == of->cpu &&
			of->measured_targets == of->targets)
			return &r->row[i];
	return NULL;
}

struct ratio {
	uint64_t part, whole;
	double factor;
	const char *unit;
};

static bool set_ratio(const struct stat_report *r, struct stat_row *row)
{
	static const struct ratio ratios[] = {
		{PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100,
			"% of branches"},
		{PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES, 100,
			"% of cache references"},
	};

	for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
		const struct stat_row *whole = is_event(row, PERF_TYPE_HARDWARE, ratios[i].part)
						       ? stat_find_peer(r, row, ratios[i].whole)
						       : NULL;

		if (!whole)
			continue;
		set_figure(row, ratios[i].factor * (double)row->count / (double)whole->count,
			ratios[i].unit, 2);
		return true;
	}
	return false;
}

/* A frequency is valid only if the cycles cover all of the task clock: user and kernel mode,
 * without idle time. */
static bool is_of_all_time(const struct count *c, const struct count_event *e)
{
	return !c->processors && !e->user_only && e->event.user && e->event.kernel;
}

static void set_figure_of(const struct count *c, const struct stat_report *r, struct stat_row *row)
{
	const struct stat_row *other;

	if (!row->measured || r->elapsed == 0)
		return;
	if (stat_event_is_time(row->event)) {
		set_figure(row, (double)row->count / (double)r->elapsed, "CPUs utilised", 3);
	} else if (is_event(row, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS) && row->count &&
		   (other = stat_find_peer(r, row, PERF_COUNT_HW_CPU_CYCLES))) {
		set_figure(row, (double)other->count / (double)row->count, "CPI", 4);
	} else if (is_event(row, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) &&
		   is_of_all_time(c, row->event) && (other = task_clock(r, row))) {
		set_figure(row, (double)row->count / (double)other->count, "GHz", 3);
	} else if (!set_ratio(r, row)) {
		set_figure(row, (double)row->count * TIME_SECOND_NS / (double)r->elapsed, "/s", 1);
	}
}

/* ---------------------------------------------------------------------------- all rows */

static void add_rows(const struct count *c, unsigned event, const struct count_value *from,
	const struct count_value *to, bool per_cpu, struct stat_report *r)
{
	const struct count_event *e = &c->event[event];
	struct sums all = {0};

	for (unsigned p = 0; p < c->targets; p++) {
		struct sums one = {0};

		if (e->fd[p] == COUNT_FOREIGN && !e->error)
			continue;
		struct count_value v =
			stat_value_difference(from, to, (size_t)event * c->targets + p);
		add_target(&all, c, v, r->least);
		add_target(&one, c, v, r->least);
		if (per_cpu)
			r->row[r->rows++] = row_of(c, e, &one, c->target[p]);
	}
	r->row[r->rows++] = row_of(c, e, &all, -1);
}

void stat_rows(const struct count *c, const struct count_value *from, const struct count_value *to,
	bool per_cpu, struct stat_report *r)
{
	r->rows = 0;
	for (unsigned i = 0; i < c->events; i++)
		add_rows(c, i, from, to, per_cpu, r);
	for (unsigned i = 0; i < r->rows; i++)
		set_figure_of(c, r, &r->row[i]);
}
