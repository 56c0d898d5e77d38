/* Processors' usage between two samples. Pure functions. */
#include "../../../formats/base/time_ns.h"
#include "../../../include/perfutil.h"
#include "../../core/clock.h"
#include "../difference.h"
#include "../machine/proc_stat.h"
#include "../machine/rate.h"
#include "../source.h"
#include "usage.h"

static uint64_t usage_count_between(uint64_t from, uint64_t to)
{
	return from == NOT_MEASURED || to == NOT_MEASURED ? NOT_MEASURED
							  : difference_subtract_clamped(from, to);
}

static uint64_t ticks_of_ns(uint64_t ns)
{
	return rate_scale(ns, clock_ticks_per_second(), TIME_SECOND_NS);
}

/* --------------------------------------------------------------------- counts */

/* In ticks, as the accounts have them: they may be more than the time that passed. */
struct counts {
	uint64_t elapsed;
	uint64_t awake, idle; /* one of them */
	uint64_t intr, steal;
	bool scaled;
};

/* The frequency is that of both ends' mean, as it may change between them. */
static uint64_t ticks_of_cycles(uint64_t cycles, uint64_t from_hz, uint64_t to_hz)
{
	if (cycles == NOT_MEASURED || from_hz == NOT_MEASURED || to_hz == NOT_MEASURED)
		return NOT_MEASURED;
	return rate_scale(cycles, clock_ticks_per_second(), from_hz / 2 + to_hz / 2);
}

/* An account of the kernel, right within `slack` ns at either end, of `whole` ticks. */
static uint64_t difference_bound_account(
	uint64_t from, uint64_t to, uint64_t whole, uint64_t slack, bool of_its_own)
{
	if (from == NOT_MEASURED || to == NOT_MEASURED)
		return NOT_MEASURED;
	/* Shorter than twice the error: the figure would be meaningless. */
	if (of_its_own && (whole == 0 || whole / 2 < ticks_of_ns(2 * slack)))
		return NOT_MEASURED;
	return ticks_of_ns(difference_subtract_clamped(from, to));
}

static void count_accounts(const struct counter_sample *from, const struct counter_sample *to,
	const struct counter_cpu *a, const struct counter_cpu *b, bool of_its_own, struct counts *c)
{
	uint64_t whole = difference_subtract_clamped(from->stat_at, to->stat_at),
		 slack = stat_resolution() / 2;

	if (to->method == AI_METHOD_SCRIPT) {
		c->intr = usage_count_between(a->intr, b->intr);
		c->steal = 0;
		return;
	}
	c->intr = difference_bound_account(a->intr, b->intr, whole, slack, of_its_own);
	c->steal = difference_bound_account(a->steal, b->steal, whole, slack, of_its_own);
	if (c->steal == NOT_MEASURED)
		c->steal = 0;
}

static void count_cpu(const struct counter_sample *from, const struct counter_sample *to,
	const struct counter_cpu *a, const struct counter_cpu *b, bool of_its_own, struct counts *c)
{
	struct span s = difference_span(a, b);

	*c = (struct counts){difference_subtract_clamped(a->ticks, b->ticks), NOT_MEASURED,
		NOT_MEASURED, NOT_MEASURED, 0, false};
	count_accounts(from, to, a, b, of_its_own, c);
	if (to->method == AI_METHOD_IDLE_FINE || to->method == AI_METHOD_IDLE_TICK) {
		c->idle = difference_bound_account(a->idle_ns, b->idle_ns, c->elapsed,
			(a->idle_slack + b->idle_slack) / 2, of_its_own);
		return;
	}
	c->awake = difference_scale_count(a->busy, b->busy, s);
	c->scaled = c->awake != NOT_MEASURED && s.running != s.enabled;
	if (to->method == AI_METHOD_CYCLES)
		c->awake = ticks_of_cycles(c->awake, a->hz, b->hz);
}

/* ------------------------------------------------------------------------- the partition */

/* At most `room` of the carried time; a step that came early waits, but for no longer than the
 * accounts can be wrong. */
static uint64_t usage_spend_carry(uint64_t *carry, uint64_t more, uint64_t room)
{
	const uint64_t bound = ticks_of_ns(2 * stat_resolution());
	uint64_t all = *carry + more, part = all < room ? all : room;

	*carry = all - part < bound ? all - part : bound;
	return part;
}

static void usage_split_interval(
	const struct counts *c, struct usage_carry *carry, struct counter_usage *out)
{
	uint64_t awake;

	out->elapsed = c->elapsed;
	if (c->elapsed == NOT_MEASURED || (c->awake == NOT_MEASURED && c->idle == NOT_MEASURED))
		return;
	if (c->awake != NOT_MEASURED) {
		awake = usage_spend_carry(&carry->main, c->awake, c->elapsed);
		out->idle = c->elapsed - awake;
		out->idle -= usage_spend_carry(&carry->steal, c->steal, out->idle);
	} else {
		out->idle = usage_spend_carry(&carry->main, c->idle, c->elapsed);
		awake = c->elapsed - out->idle;
		awake -= usage_spend_carry(&carry->steal, c->steal, awake);
	}
	out->busy = awake;
	if (c->intr != NOT_MEASURED) {
		out->intr = usage_spend_carry(&carry->intr, c->intr, awake);
		out->busy -= out->intr;
	}
}

/* ------------------------------------------------------------------- actual performance */

static void difference_performance(const struct counter_sample *to, const struct counter_cpu *a,
	const struct counter_cpu *b, const struct counts *c, struct counter_usage *out)
{
	struct span s = difference_span(a, b);

	out->core = difference_scale_count(a->core, b->core, s);
	out->reference = difference_scale_count(a->reference, b->reference, s);
	/* No counter has the nominal clock: computes its count while awake. */
	if (to->method == AI_METHOD_CYCLES && c->awake != NOT_MEASURED)
		out->reference = rate_cycles_of_ticks(c->awake);
	if (out->core == NOT_MEASURED || out->reference == NOT_MEASURED)
		out->core = out->reference = NOT_MEASURED;
}

/* ------------------------------------------------------------------------------ together */

static const struct counter_usage unmeasured = {.elapsed = NOT_MEASURED,
	.busy = NOT_MEASURED,
	.idle = NOT_MEASURED,
	.intr = NOT_MEASURED,
	.core = NOT_MEASURED,
	.reference = NOT_MEASURED,
	.switches = NOT_MEASURED,
	.interrupts = NOT_MEASURED};

static bool usage_difference_cpu(const struct counter_sample *from, const struct counter_sample *to,
	uint32_t cpu, struct counter_usage *out, struct usage_carry *carry)
{
	const struct counter_cpu *a = difference_find_cpu(from, cpu),
				 *b = difference_find_cpu(to, cpu);
	struct usage_carry none = {0};
	struct counts c;

	*out = unmeasured;
	out->stayed = difference_is_continuous(a, b);
	if (!out->stayed) {
		if (carry)
			carry[cpu] = none;
		return false;
	}
	count_cpu(from, to, a, b, !carry, &c);
	usage_split_interval(&c, carry ? &carry[cpu] : &none, out);
	difference_performance(to, a, b, &c, out);
	out->switches = usage_count_between(a->switches, b->switches);
	out->interrupts = usage_count_between(a->interrupts, b->interrupts);
	return c.scaled;
}

/* The clock against the one that continues while the machine is suspended. */
static bool clock_slowed(const struct counter_sample *from, const struct counter_sample *to)
{
	uint64_t passed = difference_subtract_clamped(from->pair_boot, to->pair_boot);
	uint64_t ticked = rate_scale(difference_subtract_clamped(from->pair_ticks, to->pair_ticks),
		TIME_SECOND_NS, clock_ticks_per_second());
	uint64_t apart = ticked > passed ? ticked - passed : passed - ticked;

	return to->method != AI_METHOD_SCRIPT && apart > passed / 100 + 1000000u;
}

void usage_difference(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out, struct usage_carry *carry)
{
	counters_difference(from, to, out);
	out->method = to->method;
	out->usage_flags = clock_slowed(from, to) ? CPUUTIL_DATA_FLAG_SLOWTSC : 0;
	if (out->flags & CPI_QUALITY_CPUS_CHANGED)
		out->usage_flags |= CPUUTIL_DATA_FLAG_CPUS_CHANGED;
	for (uint32_t cpu = 0; cpu < to->cpus; cpu++)
		if (usage_difference_cpu(from, to, cpu, &out->cpu[cpu].usage, carry))
			out->usage_flags |= CPUUTIL_DATA_FLAG_SCALED;
}

void usage_sums(const struct counter_interval *i, struct counter_usage *sum)
{
	*sum = (struct counter_usage){0};
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++) {
		const struct counter_usage *c = &i->cpu[cpu].usage;

		if (!c->stayed)
			continue;
		sum->stayed = true;
		counters_add(&sum->elapsed, c->elapsed);
		counters_add(&sum->busy, c->busy);
		counters_add(&sum->idle, c->idle);
		counters_add(&sum->intr, c->intr);
		counters_add(&sum->core, c->core);
		counters_add(&sum->reference, c->reference);
		counters_add(&sum->switches, c->switches);
		counters_add(&sum->interrupts, c->interrupts);
	}
	if (!sum->stayed)
		*sum = unmeasured;
}
