/* Processors' usage between two samples. Pure functions. */
#include "../../include/perfutil.h"
#include "../core/clock.h"
#include "proc_stat.h"
#include "rate.h"
#include "usage.h"

static uint64_t usage_subtract_clamped(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static uint64_t usage_count_between(uint64_t from, uint64_t to)
{
	return from == CPI_NONE || to == CPI_NONE ? CPI_NONE : usage_subtract_clamped(from, to);
}

static uint64_t ticks_of_ns(uint64_t ns)
{
	return rate_scale(ns, clock_ticks_per_second(), 1000000000u);
}

/* --------------------------------------------------------------------- what was counted */

/* In ticks, as the accounts have them: they may be more than the time that passed. */
struct counts {
	uint64_t elapsed;
	uint64_t awake, idle; /* one of them */
	uint64_t intr, steal;
	bool scaled;
};

/* Scales a count from the running time to the enabled time. */
static uint64_t usage_scale_count(uint64_t from, uint64_t to, const struct usage_cpu *a,
	const struct usage_cpu *b, bool *was_scaled)
{
	uint64_t enabled = usage_subtract_clamped(a->enabled, b->enabled),
		 running = usage_subtract_clamped(a->running, b->running);

	if (from == CPI_NONE || to == CPI_NONE || to < from)
		return CPI_NONE;
	if (enabled == running)
		return to - from;
	if (running == 0 || running > enabled)
		return CPI_NONE;
	*was_scaled = true;
	return rate_scale(to - from, enabled, running);
}

/* The frequency is that of both ends' mean, as it may change between them. */
static uint64_t ticks_of_cycles(uint64_t cycles, uint64_t from_hz, uint64_t to_hz)
{
	if (cycles == CPI_NONE || from_hz == CPI_NONE || to_hz == CPI_NONE)
		return CPI_NONE;
	return rate_scale(cycles, clock_ticks_per_second(), from_hz / 2 + to_hz / 2);
}

/* An account of the kernel, right within `slack` ns at either end, of `whole` ticks. */
static uint64_t account(uint64_t from, uint64_t to, uint64_t whole, uint64_t slack, bool of_its_own)
{
	if (from == CPI_NONE || to == CPI_NONE)
		return CPI_NONE;
	/* Shorter than twice the error: the figure would be meaningless. */
	if (of_its_own && (whole == 0 || whole / 2 < ticks_of_ns(2 * slack)))
		return CPI_NONE;
	return ticks_of_ns(usage_subtract_clamped(from, to));
}

static void count_accounts(const struct usage_sample *from, const struct usage_sample *to,
	const struct usage_cpu *a, const struct usage_cpu *b, bool of_its_own, struct counts *c)
{
	uint64_t whole = usage_subtract_clamped(from->stat_at, to->stat_at),
		 slack = stat_resolution() / 2;

	if (to->method == AI_METHOD_SCRIPT) {
		c->intr = usage_count_between(a->intr, b->intr);
		c->steal = 0;
		return;
	}
	c->intr = account(a->intr, b->intr, whole, slack, of_its_own);
	c->steal = account(a->steal, b->steal, whole, slack, of_its_own);
	if (c->steal == CPI_NONE)
		c->steal = 0;
}

static void count_cpu(const struct usage_sample *from, const struct usage_sample *to,
	const struct usage_cpu *a, const struct usage_cpu *b, bool of_its_own, struct counts *c)
{
	*c = (struct counts){
		usage_subtract_clamped(a->ticks, b->ticks), CPI_NONE, CPI_NONE, CPI_NONE, 0, false};
	count_accounts(from, to, a, b, of_its_own, c);
	switch (to->method) {
	case AI_METHOD_IDLE_FINE:
	case AI_METHOD_IDLE_TICK:
		c->idle = account(a->idle, b->idle, c->elapsed, (a->idle_slack + b->idle_slack) / 2,
			of_its_own);
		break;
	case AI_METHOD_CYCLES:
		c->awake = ticks_of_cycles(
			usage_scale_count(a->unhalted, b->unhalted, a, b, &c->scaled), a->hz,
			b->hz);
		break;
	default:
		c->awake = usage_scale_count(a->unhalted, b->unhalted, a, b, &c->scaled);
		break;
	}
}

/* ------------------------------------------------------------------------- the partition */

/* At most `room` of what there is; a step that came early waits, but for no longer than the
 * accounts can be wrong. */
static uint64_t usage_take_carry(uint64_t *carry, uint64_t more, uint64_t room)
{
	const uint64_t bound = ticks_of_ns(2 * stat_resolution());
	uint64_t all = *carry + more, part = all < room ? all : room;

	*carry = all - part < bound ? all - part : bound;
	return part;
}

static void usage_split_interval(
	const struct counts *c, struct usage_carry *carry, struct usage_interval_cpu *out)
{
	uint64_t awake;

	out->elapsed = c->elapsed;
	if (c->elapsed == CPI_NONE || (c->awake == CPI_NONE && c->idle == CPI_NONE))
		return;
	if (c->awake != CPI_NONE) {
		awake = usage_take_carry(&carry->main, c->awake, c->elapsed);
		out->idle = c->elapsed - awake;
		out->idle -= usage_take_carry(&carry->steal, c->steal, out->idle);
	} else {
		out->idle = usage_take_carry(&carry->main, c->idle, c->elapsed);
		awake = c->elapsed - out->idle;
		awake -= usage_take_carry(&carry->steal, c->steal, awake);
	}
	out->busy = awake;
	if (c->intr != CPI_NONE) {
		out->intr = usage_take_carry(&carry->intr, c->intr, awake);
		out->busy -= out->intr;
	}
}

/* ------------------------------------------------------------------- actual performance */

static void difference_performance(const struct usage_sample *to, const struct usage_cpu *a,
	const struct usage_cpu *b, const struct counts *c, struct usage_interval_cpu *out)
{
	bool ignored = false;

	out->core = usage_scale_count(a->core, b->core, a, b, &ignored);
	out->reference = usage_scale_count(a->reference, b->reference, a, b, &ignored);
	/* No counter has the nominal clock: what it would have counted while awake. */
	if (to->method == AI_METHOD_CYCLES && c->awake != CPI_NONE)
		out->reference = rate_cycles_of_ticks(c->awake);
	if (out->core == CPI_NONE || out->reference == CPI_NONE)
		out->core = out->reference = CPI_NONE;
}

/* ------------------------------------------------------------------------------ together */

/* Whether it was online at both ends and all the time between, by its counters or else the
 * kernel. */
static bool usage_is_continuous(const struct usage_cpu *a, const struct usage_cpu *b)
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

static const struct usage_cpu *usage_find_cpu(const struct usage_sample *s, uint32_t cpu)
{
	static const struct usage_cpu absent;

	return cpu < s->cpus ? &s->cpu[cpu] : &absent;
}

static bool usage_difference_cpu(const struct usage_sample *from, const struct usage_sample *to,
	uint32_t cpu, struct usage_interval_cpu *out, struct usage_carry *carry)
{
	const struct usage_cpu *a = usage_find_cpu(from, cpu), *b = usage_find_cpu(to, cpu);
	struct usage_carry none = {0};
	struct counts c;

	*out = (struct usage_interval_cpu){CPI_NONE, CPI_NONE, CPI_NONE, CPI_NONE, CPI_NONE,
		CPI_NONE, CPI_NONE, CPI_NONE, b->online, usage_is_continuous(a, b)};
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

/* The clock against the one that goes on while the machine is suspended. */
static bool clock_slowed(const struct usage_sample *from, const struct usage_sample *to)
{
	uint64_t passed = usage_subtract_clamped(from->pair_boot, to->pair_boot);
	uint64_t ticked = rate_scale(usage_subtract_clamped(from->pair_ticks, to->pair_ticks),
		1000000000u, clock_ticks_per_second());
	uint64_t apart = ticked > passed ? ticked - passed : passed - ticked;

	return to->method != AI_METHOD_SCRIPT && apart > passed / 100 + 1000000u;
}

void usage_difference(const struct usage_sample *from, const struct usage_sample *to,
	struct usage_interval *out, struct usage_carry *carry)
{
	out->method = to->method;
	out->flags = clock_slowed(from, to) ? CPUUTIL_DATA_FLAG_SLOWTSC : 0;
	out->cpus = to->cpus;
	for (uint32_t cpu = 0; cpu < to->cpus; cpu++)
		if (usage_difference_cpu(from, to, cpu, &out->cpu[cpu], carry))
			out->flags |= CPUUTIL_DATA_FLAG_SCALED;
	for (uint32_t cpu = 0; cpu < from->cpus || cpu < to->cpus; cpu++) {
		const struct usage_cpu *a = usage_find_cpu(from, cpu), *b = usage_find_cpu(to, cpu);

		if ((a->online || b->online) && !usage_is_continuous(a, b))
			out->flags |= CPUUTIL_DATA_FLAG_CPUS_CHANGED;
	}
}

static void usage_add_saturating(uint64_t *sum, uint64_t term)
{
	if (*sum == CPI_NONE || term == CPI_NONE)
		*sum = CPI_NONE;
	else
		*sum = term < CPI_NONE - 1 - *sum ? *sum + term : CPI_NONE - 1;
}

void usage_sums(const struct usage_interval *i, struct usage_interval_cpu *sum)
{
	*sum = (struct usage_interval_cpu){0};
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++) {
		const struct usage_interval_cpu *c = &i->cpu[cpu];

		if (!c->stayed)
			continue;
		sum->online = sum->stayed = true;
		usage_add_saturating(&sum->elapsed, c->elapsed);
		usage_add_saturating(&sum->busy, c->busy);
		usage_add_saturating(&sum->idle, c->idle);
		usage_add_saturating(&sum->intr, c->intr);
		usage_add_saturating(&sum->core, c->core);
		usage_add_saturating(&sum->reference, c->reference);
		usage_add_saturating(&sum->switches, c->switches);
		usage_add_saturating(&sum->interrupts, c->interrupts);
	}
	if (!sum->stayed)
		*sum = (struct usage_interval_cpu){CPI_NONE, CPI_NONE, CPI_NONE, CPI_NONE, CPI_NONE,
			CPI_NONE, CPI_NONE, CPI_NONE, false, false};
}
