/* The counts between two samples. Pure functions. */
#include "difference.h"
#include "thread/activity.h"
#include "machine/rate.h"
#include "source.h"

uint64_t difference_scale_count(uint64_t from, uint64_t to, struct span s)
{
	if (from == NOT_MEASURED || to == NOT_MEASURED || to < from)
		return NOT_MEASURED;
	if (s.enabled == s.running)
		return to - from;
	if (s.running == 0 || s.running > s.enabled)
		return NOT_MEASURED;
	return rate_scale(to - from, s.enabled, s.running);
}

static void add_quality(struct counter_interval *out, enum counter_quantity q, struct span s)
{
	out->quality[q].enabled += s.enabled;
	out->quality[q].running += s.running;
	if (s.running != s.enabled)
		out->flags |= CPI_QUALITY_MULTIPLEXED;
}

/* ---------------------------------------------------------------------- processors */

static void share_of_idle(const struct counter_sample *from, const struct counter_sample *to,
	uint32_t cpu, struct counter_interval_cpu *c)
{
	const struct counter_cpu *a = &from->cpu[cpu], *b = &to->cpu[cpu];
	uint64_t whole = difference_subtract_clamped(from->idle_at, to->idle_at), idle;

	if (a->idle_ns == NOT_MEASURED || b->idle_ns == NOT_MEASURED || whole == 0)
		return;
	/* Shorter than twice the error: the figure would be meaningless. */
	if (whole / 2 < a->idle_slack + b->idle_slack)
		return;
	idle = difference_subtract_clamped(a->idle_ns, b->idle_ns);
	c->busy_whole = whole;
	c->busy_part = idle < whole ? whole - idle : 0;
}

static void share_of_cycles(struct counter_interval_cpu *c, uint64_t busy)
{
	c->busy_part = busy < c->cycles ? busy : c->cycles;
	c->busy_whole = c->cycles;
}

static bool has_cycles(const struct counter_interval_cpu *c)
{
	return c->cycles != NOT_MEASURED && c->cycles != 0;
}

/*
 * Unhalted cycles are busy ones as they are, where the processor's rate is unknown too, and
 * may be more than the nominal ones. All else is a share of the time, and busy that share of
 * the nominal cycles.
 */
static void difference_busy(const struct counter_sample *from, const struct counter_sample *to,
	uint32_t cpu, uint64_t busy, struct counter_interval_cpu *c)
{
	if (busy != NOT_MEASURED && to->source[COUNTER_BUSY] == CPI_SOURCE_CYCLES)
		c->busy = busy;
	if (busy != NOT_MEASURED && has_cycles(c))
		share_of_cycles(c, busy);
	else
		share_of_idle(from, to, cpu, c);
	if (c->busy == NOT_MEASURED && c->busy_whole != NOT_MEASURED && c->cycles != NOT_MEASURED)
		c->busy = rate_scale(c->cycles, c->busy_part, c->busy_whole);
}

bool difference_is_continuous(const struct counter_cpu *a, const struct counter_cpu *b)
{
	if (!a->online || !b->online)
		return false;
	if (a->opening && b->opening && a->opening != b->opening)
		return false;
	if (a->switches_opening && b->switches_opening &&
		a->switches_opening != b->switches_opening)
		return false;
	return a->presence == b->presence || a->presence == 0 || b->presence == 0;
}

const struct counter_cpu *difference_find_cpu(const struct counter_sample *s, uint32_t cpu)
{
	static const struct counter_cpu absent;

	return cpu < s->cpus ? &s->cpu[cpu] : &absent;
}

static void difference_quality(const struct counter_sample *to, struct span s,
	const struct counter_interval_cpu *c, struct counter_interval *out)
{
	bool idle = to->source[COUNTER_BUSY] == CPI_SOURCE_TIMER_LIST ||
		    to->source[COUNTER_BUSY] == CPI_SOURCE_PROC_STAT;
	struct span all = {c->busy_whole, c->busy_whole};

	if (c->instructions != NOT_MEASURED)
		add_quality(out, COUNTER_INSTRUCTIONS, s);
	if (idle && c->busy_whole != NOT_MEASURED)
		add_quality(out, COUNTER_BUSY, all);
	else if (!idle && c->busy != NOT_MEASURED)
		add_quality(out, COUNTER_BUSY, s);
}

static void difference_of_cpu(const struct counter_sample *from, const struct counter_sample *to,
	uint32_t cpu, struct counter_interval *out)
{
	const struct counter_cpu *a = difference_find_cpu(from, cpu),
				 *b = difference_find_cpu(to, cpu);
	struct counter_interval_cpu *c = &out->cpu[cpu];
	/* Nothing was read at the start: the processors online then are unknown. */
	bool known = from->cpus > 0;
	struct span s = difference_span(a, b);

	c->instructions = c->cycles = c->busy = c->busy_part = c->busy_whole = NOT_MEASURED;
	c->online = b->online;
	if (!b->online || (known && !difference_is_continuous(a, b)))
		return;
	if (from->cycles != NOT_MEASURED && to->cycles != NOT_MEASURED)
		c->cycles = difference_subtract_clamped(from->cycles, to->cycles);
	else
		c->cycles = rate_cycles_of_ticks(difference_subtract_clamped(
			known && !from->plain ? a->ticks : from->ticks, b->ticks));
	/* A group that was not enabled between the samples counts nothing any more. */
	if (!known || (b->opening && s.enabled == 0))
		return;
	c->instructions = difference_scale_count(a->instructions, b->instructions, s);
	difference_busy(from, to, cpu, difference_scale_count(a->busy, b->busy, s), c);
	difference_quality(to, s, c, out);
}

static void difference_cpus(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out)
{
	unsigned types = 0;

	out->cpus = to->cpus;
	for (uint32_t cpu = 0; cpu < to->cpus; cpu++) {
		difference_of_cpu(from, to, cpu, out);
		if (out->cpu[cpu].instructions != NOT_MEASURED)
			types |= 1u << to->cpu[cpu].core_type;
	}
	/* The sums mix several core types. */
	if (types & (types - 1))
		out->flags |= CPI_QUALITY_CORE_TYPES;
	for (uint32_t cpu = 0; from->cpus && (cpu < from->cpus || cpu < to->cpus); cpu++) {
		const struct counter_cpu *a = difference_find_cpu(from, cpu),
					 *b = difference_find_cpu(to, cpu);

		if ((a->online || b->online) && !difference_is_continuous(a, b))
			out->flags |= CPI_QUALITY_CPUS_CHANGED;
	}
}

/* ---------------------------------------------------------------------- the thread */

/*
 * A hybrid machine's groups run one at a time, each on its own cores, and together all the time,
 * except for the time between reading one group and reading the next.
 */
static struct span thread_span(
	const struct counter_sample *from, const struct counter_sample *to, unsigned *types)
{
	struct span s = {difference_subtract_clamped(from->thread_enabled, to->thread_enabled),
		difference_subtract_clamped(from->thread_running, to->thread_running)};
	uint64_t apart = s.running > s.enabled ? s.running - s.enabled : s.enabled - s.running;
	unsigned groups = 0;

	*types = 0;
	for (int type = 0; type < COUNTER_CORE_TYPES; type++) {
		groups += to->thread_running_on[type] != 0;
		*types += to->thread_running_on[type] > from->thread_running_on[type];
	}
	if (groups > 1 && apart < s.enabled / 1000 + 20000)
		s.running = s.enabled;
	return s;
}

/* The time that the thread ran, at the nominal rate. */
static uint64_t difference_thread_clock(const struct counter_sample *from,
	const struct counter_sample *to, const struct counter_interval *out, struct span *s)
{
	if (out->activity.on_cpu_ns == NOT_MEASURED)
		return NOT_MEASURED;
	s->enabled = s->running = out->activity.on_cpu_ns;
	return out->stayed
		       ? rate_cycles_of_ticks(difference_subtract_clamped(from->ticks, to->ticks))
		       : rate_cycles_of_ns(out->activity.on_cpu_ns);
}

static void difference_thread(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out)
{
	unsigned types;
	struct span s = thread_span(from, to, &types);

	if (from->thread_opening == to->thread_opening) {
		out->thread_instructions = difference_scale_count(
			from->thread_instructions, to->thread_instructions, s);
		out->thread_cycles =
			difference_scale_count(from->thread_cycles, to->thread_cycles, s);
	}
	if (from->source[COUNTER_THREAD_CYCLES] == CPI_SOURCE_THREAD_CLOCK &&
		to->source[COUNTER_THREAD_CYCLES] == CPI_SOURCE_THREAD_CLOCK)
		out->thread_cycles = difference_thread_clock(from, to, out, &s);
	if (out->thread_instructions != NOT_MEASURED)
		add_quality(out, COUNTER_THREAD_INSTRUCTIONS, s);
	if (out->thread_cycles != NOT_MEASURED)
		add_quality(out, COUNTER_THREAD_CYCLES, s);
	if (types > 1)
		out->flags |= CPI_QUALITY_CORE_TYPES;
	if (to->thread_user_only && out->thread_instructions != NOT_MEASURED)
		out->flags |= CPI_QUALITY_USER_ONLY;
}

/* ------------------------------------------------------------------------ together */

/* Read in user mode at one end only: counts as read by system calls. */
static enum cpi_source source_of(
	const struct counter_sample *from, const struct counter_sample *to, enum counter_quantity q)
{
	if (from->source[q] == CPI_SOURCE_NONE)
		return CPI_SOURCE_NONE;
	return from->source[q] == CPI_SOURCE_COUNTER ? CPI_SOURCE_COUNTER : to->source[q];
}

static bool difference_is_measured(const struct counter_interval *out, enum counter_quantity q)
{
	if (q == COUNTER_THREAD_INSTRUCTIONS)
		return out->thread_instructions != NOT_MEASURED;
	if (q == COUNTER_THREAD_CYCLES)
		return out->thread_cycles != NOT_MEASURED;
	for (uint32_t cpu = 0; cpu < out->cpus; cpu++) {
		const struct counter_interval_cpu *c = &out->cpu[cpu];

		if ((q == COUNTER_INSTRUCTIONS ? c->instructions : c->busy) != NOT_MEASURED ||
			(q == COUNTER_BUSY && c->busy_whole != NOT_MEASURED))
			return true;
	}
	return false;
}

void counters_difference(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out)
{
	out->flags = 0;
	for (int q = 0; q < COUNTER_QUANTITIES; q++)
		out->quality[q] = (struct counter_quality){CPI_SOURCE_NONE, 0, 0};
	difference_cpus(from, to, out);
	out->thread_known = from->thread != 0 && from->thread == to->thread;
	out->thread_instructions = out->thread_cycles = NOT_MEASURED;
	activity_of_none(out);
	if (out->thread_known) {
		activity_of_interval(from, to, out);
		difference_thread(from, to, out);
	}
	out->counted = difference_is_measured(out, COUNTER_INSTRUCTIONS) ||
		       difference_is_measured(out, COUNTER_BUSY);
	for (int q = 0; q < COUNTER_QUANTITIES; q++)
		if (difference_is_measured(out, (enum counter_quantity)q))
			out->quality[q].source = source_of(from, to, (enum counter_quantity)q);
}
