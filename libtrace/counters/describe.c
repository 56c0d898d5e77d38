/* Describes the counters in use, for doctor, META and info. */
#include "describe.h"

#include <string.h>

#include "../../formats/base/text.h"
#include "choice.h"
#include "machine/idle.h"
#include "machine/rate.h"

static void describe_idle_source(char *text, size_t size)
{
	double ms = (double)idle_resolution() / 1e6;

	if (idle_kind() == IDLE_TIMER_LIST)
		text_append(text, size,
			"idle time in /proc/timer_list, exact where a processor's tick is stopped, else within %.3g ms",
			ms);
	else
		text_append(text, size,
			"idle time in /proc/stat, in steps of %.3g ms: intervals shorter than %.3g ms are not measured",
			ms, 2 * ms);
}

static void say_busy(const struct counter_choice *c, char *text, size_t size)
{
	switch (c->busy) {
	case CPI_SOURCE_REF_CYCLES:
		text_append(text, size, ": unhalted reference cycles");
		break;
	case CPI_SOURCE_MPERF:
		text_append(text, size, ": mperf, through the msr PMU");
		break;
	default:
		text_append(text, size, ": unhalted cycles");
		break;
	}
	if (!c->busy_share_of_idle)
		return;
	text_append(text, size, "; the percentage from ");
	if (idle_kind() == IDLE_NOTHING)
		text_append(text, size, "nothing");
	else
		describe_idle_source(text, size);
}

static void say_perf(const struct counter_choice *c, int q, char *text, size_t size)
{
	bool of_thread = COUNTER_BIT(q) & COUNTER_THREAD_BITS;

	text_append(text, size, "hardware counter");
	if (of_thread && c->pmu.user_read)
		text_append(text, size, ", read in user mode");
	if (of_thread && c->pmu.user_only)
		text_append(text, size, ", user mode only (kernel.perf_event_paranoid is above 1)");
	if (q == COUNTER_BUSY)
		say_busy(c, text, size);
	if (q == COUNTER_INSTRUCTIONS && rate_hz() == 0)
		text_append(text, size,
			", but no raw CPI: the processor's nominal frequency is unknown; set SWTRACE_CPU_HZ");
	if (c->pmu.core_types > 1)
		text_append(text, size, ", of %u types of core", c->pmu.core_types);
}

static void say_measured(const struct counter_choice *c, int q, char *text, size_t size)
{
	switch (c->from[q]) {
	case FROM_PERF:
		say_perf(c, q, text, size);
		break;
	case FROM_IDLE:
		describe_idle_source(text, size);
		break;
	case FROM_THREAD_CLOCK:
		text_append(text, size, "CLOCK_THREAD_CPUTIME_ID at %llu MHz",
			(unsigned long long)((rate_hz() + 500000u) / 1000000u));
		break;
	default:
		text_append(text, size, "scripted, not measured");
		break;
	}
}

static void say_missing(const struct counter_choice *c, int q, char *text, size_t size)
{
	bool instructions = q == COUNTER_INSTRUCTIONS || q == COUNTER_THREAD_INSTRUCTIONS;

	if (c->rc)
		text_append(text, size, "%s", c->trouble);
	else if (c->asked == KIND_NONE)
		text_append(text, size, "SWTRACE_COUNTERS=none");
	else if (c->asked == KIND_SCRIPTED)
		text_append(text, size, "the script does not mention it");
	else if (c->asked == KIND_SOFTWARE && instructions)
		text_append(
			text, size, "SWTRACE_COUNTERS=software: only hardware counts instructions");
	else if (q == COUNTER_BUSY)
		text_append(text, size, "neither /proc/timer_list nor /proc/stat can be read");
	else if (q == COUNTER_THREAD_CYCLES && rate_hz() == 0)
		text_append(text, size,
			"the processor's nominal frequency is unknown; set SWTRACE_CPU_HZ");
	else
		text_append(text, size, "%s%s%s", c->pmu.why, *c->pmu.advice ? "; " : "",
			c->pmu.advice);
}

void counters_describe(struct counters_description *d)
{
	const struct counter_choice *c = counter_choice();

	memset(d, 0, sizeof *d);
	d->rc = c->rc;
	d->source = c->source;
	d->source_flags = counter_choice_flags(c);
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		d->quantity[q].name = counter_quantity_name((enum counter_quantity)q);
		d->quantity[q].measured = c->from[q] != FROM_NOTHING;
		if (d->quantity[q].measured)
			say_measured(c, q, d->quantity[q].how, sizeof d->quantity[q].how);
		else
			say_missing(c, q, d->quantity[q].how, sizeof d->quantity[q].how);
	}
	if (c->rc)
		text_append(d->line, sizeof d->line, "%s", c->trouble);
	else
		shm_source_name(d->source, d->source_flags, d->line, sizeof d->line);
}
