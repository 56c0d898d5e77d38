#include "missing.h"

#include <errno.h>
#include <string.h>

#include "../../../formats/scope_hooks.h"
#include "../rows.h"
#include "../values/events.h"

/* NEED_ names, in the order of the line. */
#define DOCTOR " (swtrace doctor says what is missing)"
#define NEEDS(X)                                                                                      \
	X(NOTHING, NULL)                                                                              \
	X(INTERVALS, "intervals of CpiGetAndTrace")                                                   \
	X(DATA, "CPI_TYPE_TRACE_SUMMARY or CPI_TYPE_TRACE_DETAILED")                                  \
	X(PMU, "a machine with a PMU, or a guest whose host shows it, and the right to count" DOCTOR) \
	X(ALL_CPUS, "the right to count on all processors" DOCTOR)                                    \
	X(RATE, "a known frequency of the processors (SWTRACE_CPU_HZ)")                               \
	X(CYCLES, "a count of cycles above 0")                                                        \
	X(SCALED, "CPI_TYPE_SCALED in CpiInit (and readable idle time)")                              \
	X(ONTHREAD, "CPI_TYPE_ONTHREAD in CpiInit")                                                   \
	X(ONTHREAD_PMU, "CPI_TYPE_ONTHREAD in CpiInit and a PMU")                                     \
	X(THREAD_COUNTERS, "the thread's counters" DOCTOR)                                            \
	X(DETAILED, "CPI_TYPE_TRACE_DETAILED")                                                        \
	X(QUALITY, "CPI_TYPE_TRACE_QUALITY in CpiInit")                                               \
	X(QUALITY_INIT, "CPI_TYPE_TRACE_QUALITY in CpiInit as well, and CpiStart and "                \
			"CpiGetAndTrace on one thread")                                               \
	X(TASKS, "threads' names in the trace")                                                       \
	X(RINGS, "hooks in rings of processors (these are of guest rings, or unfinished)")            \
	X(KERNEL, "the right to count in the kernel" DOCTOR)                                          \
	X(EVERY, "the same figures in every interval of the middle and the tail")                     \
	X(DIFFERENCE, "a tail that differs from the middle")                                          \
	X(METHOD, "a better method or longer intervals (swtrace ai says why)")

enum missing_need {
#define NEED_ENUM(name, text) NEED_##name,
	NEEDS(NEED_ENUM) NEED_COUNT
};

static const char *const needs[] = {
#define NEED_TEXT(name, text) text,
	NEEDS(NEED_TEXT)};

struct missing_figure {
	const char *name;
	bool has; /* somewhere in the report */
	enum missing_need need;
	const char *column; /* that shows it; NULL: none */
};

/* Whether the figure is n/a in all of a report that shows it. */
static bool missing_is_shown(const struct report *r, const struct missing_figure *f)
{
	return !f->has && (!f->column || rows_lists(r, f->column, strlen(f->column)));
}

/* Events whose names the line has. */
enum { MISSING_EVENTS_NAMED = 8 };

static int missing_add_events(struct event_names *names, const struct tally *t, bool counted)
{
	int rc = 0;

	for (size_t i = 0; i < t->count && !rc; i++)
		for (const struct tally_event *e = tally_extra(t->groups[i])->events; e && !rc;
			e = e->next)
			if ((e->known != 0) == counted)
				rc = event_names_add(names, e->name, e->length);
	return rc;
}

/* Finds the events that no interval of the tally counted. */
static int missing_find_events(struct event_names *names, const struct tally *t)
{
	int rc = missing_add_events(names, t, true);
	const size_t counted = names->count;

	if (!rc)
		rc = missing_add_events(names, t, false);
	names->count -= counted;
	if (names->count)
		memmove(names->at, names->at + counted, names->count * sizeof *names->at);
	event_names_sort(names);
	return rc;
}

static void missing_write_events(struct out *o, const struct event_names *events)
{
	const size_t n = events->count, named = n < MISSING_EVENTS_NAMED ? n : MISSING_EVENTS_NAMED;

	out_str(o, n == 1 ? "the event " : "the events ");
	for (size_t i = 0; i < named; i++) {
		if (i)
			out_str(o, i + 1 == n ? " and " : ", ");
		value_spell_text(o, events->at[i].text, events->at[i].length);
	}
	if (n > named)
		out_printf(o, " and %zu more", n - named);
	out_printf(o, " %s a machine that counts such events, and the right to count them" DOCTOR,
		n == 1 ? "needs" : "need");
}

/* tally: with events that the report shows; NULL: none. */
static void missing_write_line(const struct report *r, const struct missing_figure *figures,
	unsigned n, const struct tally *tally)
{
	struct out *o = r->out;
	struct event_names events = {.at = NULL};
	const char *between = "# n/a: ";

	for (unsigned need = NEED_NOTHING + 1; need < NEED_COUNT; need++) {
		unsigned left = 0, all;

		for (unsigned i = 0; i < n; i++)
			left += figures[i].need == need && missing_is_shown(r, &figures[i]);
		all = left;
		for (unsigned i = 0; i < n && left; i++) {
			if (figures[i].need != need || !missing_is_shown(r, &figures[i]))
				continue;
			out_printf(o, "%s%s", between, figures[i].name);
			between = --left == 1 ? " and " : ", ";
		}
		if (!all)
			continue;
		out_printf(o, " %s %s", all == 1 ? "needs" : "need", needs[need]);
		between = "; ";
	}
	if (tally && missing_find_events(&events, tally))
		o->error = ENOMEM;
	if (events.count) {
		out_str(o, between);
		missing_write_events(o, &events);
		between = ";";
	}
	event_names_free(&events);
	if (*between == ';')
		out_char(o, '\n');
}

static void missing_gather(struct missing_facts *f, const struct tally *t)
{
	struct columns_reader reader;
	struct sums scratch;

	*f = (struct missing_facts){.seen = t->seen, .has_util = t->has_util};
	for (size_t i = 0; i < t->count; i++) {
		const struct tally_group *g = t->groups[i];
		const struct sums *s = tally_sums(g, &scratch);

		f->busy |= !isnan(ratios_busy(&s->ratios));
		if (tally_is_util(g)) {
			const struct ratio *util = tally_util(g, &reader);

			for (unsigned k = 0; k < COLUMN_UTIL_RATIOS; k++)
				f->util[k] |= util[k].measured != 0;
			continue;
		}
		if (g->major == SCOPE_MAJOR)
			continue;
		f->has_cpi_groups = true;
		f->raw |= !isnan(ratio_cpi(&s->ratios.raw));
		f->scaled |= !isnan(ratio_cpi(&s->ratios.scaled));
		f->thread |= !isnan(ratio_cpi(&s->ratios.thread));
		sums_merge(&f->sums, s);
	}
}

/* A need that all figures of CPI share. */
static enum missing_need missing_hooks(const struct missing_facts *f)
{
	if (!f->has_cpi_groups)
		return NEED_INTERVALS;
	return f->seen && !(f->seen & (IV_SUMMARY | IV_DETAILED)) ? NEED_DATA : NEED_NOTHING;
}

/* What a CPI of the processors needs, whose fields were in the group. */
static enum missing_need missing_counts(const struct missing_facts *f, const struct ratio *cpi)
{
	if (cpi->measured)
		return NEED_CYCLES;
	if (f->sums.instructions.measured || f->sums.ratios.scaled.measured)
		return NEED_RATE;
	return f->sums.thread_instructions.measured || f->sums.ratios.thread.measured
		       ? NEED_ALL_CPUS
		       : NEED_PMU;
}

static enum missing_need missing_thread(const struct missing_facts *f)
{
	const struct sums *s = &f->sums;

	if (missing_hooks(f))
		return missing_hooks(f);
	if (s->ratios.thread.measured)
		return NEED_CYCLES;
	if (s->thread_instructions.measured)
		return NEED_THREAD_COUNTERS;
	if (!(f->seen & TALLY_SEEN_THREAD))
		return f->seen ? NEED_ONTHREAD : NEED_ONTHREAD_PMU;
	return s->instructions.measured || s->ratios.raw.measured ? NEED_THREAD_COUNTERS : NEED_PMU;
}

static void missing_write_columns(const struct report *r, const struct missing_facts *f,
	struct missing_columns has, const struct tally *tally)
{
	const enum missing_need hooks = missing_hooks(f);
	const enum missing_need time = f->has_cpi_groups ? NEED_QUALITY : NEED_INTERVALS;
	const bool flag = f->sums.ratios.busy.measured || f->sums.ratios.scaled.measured;
	const struct missing_figure figures[] = {
		{"raw CPI", f->raw, hooks ? hooks : missing_counts(f, &f->sums.ratios.raw),
			"raw_cpi"},
		{"scaled CPI", f->scaled,
			hooks	? hooks
			: !flag ? NEED_SCALED
				: missing_counts(f, &f->sums.ratios.scaled),
			"scaled_cpi"},
		{"thread CPI", f->thread, missing_thread(f), "thread_cpi"},
		{"busy%", f->busy,
			!f->has_cpi_groups ? f->has_util ? NEED_METHOD : NEED_INTERVALS
			: hooks		   ? hooks
			: !flag		   ? NEED_SCALED
					   : NEED_RATE,
			"busy_pct"},
		{"idle%", f->util[COLUMN_IDLE] || !f->has_util, NEED_METHOD, "idle_pct"},
		{"intr%", f->util[COLUMN_INTR] || !f->has_util, NEED_METHOD, "intr_pct"},
		{"perf%", f->util[COLUMN_PERF] || !f->has_util, NEED_METHOD, "actual_perf_pct"},
		{"off CPU", has.off_cpu, time, "off_cpu_ns"},
		{"switches", has.switches, time, "ctx_switches"},
		{"migr", has.migrations, time, "migrations"},
		{"faults", has.faults, time, "faults"},
		{"unexplained", has.unexplained, time, "unexplained_ns"},
		{"task", has.task, NEED_TASKS, "task"}, {"cpu", has.cpu, NEED_RINGS, "cpu"}};

	missing_write_line(r, figures, sizeof figures / sizeof *figures, tally);
}

void missing_summary_line(const struct report *r, const struct tally *t)
{
	struct missing_facts f;

	missing_gather(&f, t);
	/* A partial result does not have it, and its report the same bytes. */
	f.seen = 0;
	if (t->count)
		missing_write_columns(r, &f,
			(struct missing_columns){true, true, true, true, true, true, true},
			r->columns ? NULL : t);
}

void missing_add_interval(struct missing_facts *f, const struct interval *iv)
{
	const double util[] = {[COLUMN_IDLE] = iv->idle_pct,
		[COLUMN_INTR] = iv->intr_pct,
		[COLUMN_PERF] = iv->actual_perf_pct};

	f->busy |= !isnan(iv->busy_pct);
	if (iv->major == CPUUTIL_MAJOR) {
		f->has_util = true;
		for (unsigned i = COLUMN_IDLE; i < COLUMN_UTIL_RATIOS; i++)
			f->util[i] |= !isnan(util[i]);
	} else if (iv->major == CPI_MAJOR) {
		f->has_cpi_groups = true;
		f->raw |= !isnan(iv->raw_cpi);
		f->scaled |= !isnan(iv->scaled_cpi);
		f->thread |= !isnan(iv->thread_cpi);
		sums_add(&f->sums, iv);
	} else {
		f->has_others = true;
	}
}

void missing_intervals_line(
	const struct report *r, const struct missing_facts *f, struct missing_columns has)
{
	if (f->has_cpi_groups || f->has_util || f->has_others)
		missing_write_columns(r, f, has, NULL);
}

static enum missing_need missing_off(const struct missing_facts *f)
{
	if (f->seen & TALLY_SEEN_ON_CPU)
		return NEED_EVERY;
	if (!f->has_cpi_groups)
		return NEED_INTERVALS;
	return f->seen & IV_QUALITY ? NEED_QUALITY_INIT : NEED_QUALITY;
}

/* What terms need that take the thread's counts and the time of a cycle. */
static enum missing_need missing_split(
	const struct missing_facts *f, const struct missing_why *found)
{
	if (!found->counts && f->sums.ratios.thread.counted)
		return NEED_EVERY;
	if (!found->counts)
		return f->sums.ratios.thread.measured ? NEED_DETAILED : missing_thread(f);
	if (!f->thread)
		return NEED_CYCLES;
	if (!found->off)
		return missing_off(f);
	return f->seen & IV_USER_ONLY ? NEED_KERNEL : NEED_EVERY;
}

void missing_why_line(
	const struct report *r, const struct tally *t, const struct missing_why *found)
{
	struct missing_facts f;

	missing_gather(&f, t);
	if (!t->count)
		return;
	const enum missing_need split = missing_split(&f, found);
	/* Values without differences. */
	const char *first = found->counts ? "differences by instructions" : "instructions";
	const struct missing_figure figures[] = {{first, found->split, split, NULL},
		{"CPI", found->split, split, NULL},
		{"cycles_per_ns", found->frequency, split, NULL},
		{"off CPU", found->off, missing_off(&f), NULL},
		{"%", found->difference, NEED_DIFFERENCE, NULL}};

	missing_write_line(r, figures, sizeof figures / sizeof *figures, t);
}
