/*
 * What is in use, in words: for doctor, META and info.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "choice.h"
#include "idle.h"
#include "rate.h"

static const char *const quantity_name[COUNTER_QUANTITIES] = {
	[COUNTER_INSTRUCTIONS] = "instructions",
	[COUNTER_BUSY] = "busy",
	[COUNTER_THREAD_INSTRUCTIONS] = "thread instructions",
	[COUNTER_THREAD_CYCLES] = "thread cycles",
};

__attribute__((format(printf, 3, 4))) static void append(
	char *text, size_t size, const char *format, ...)
{
	size_t have = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + have, size - have, format, args);
	va_end(args);
}

static const char *source_word(uint32_t source)
{
	switch (source) {
	case SHM_SOURCE_NONE:
		return "none";
	case SHM_SOURCE_SOFTWARE:
		return "software";
	case SHM_SOURCE_PERF:
		return "perf_event";
	case SHM_SOURCE_SCRIPTED:
		return "scripted";
	default:
		return "unknown";
	}
}

/* "": nothing to add. */
static const char *busy_word(uint32_t flags)
{
	switch ((flags & COUNTER_FLAG_BUSY_MASK) >> COUNTER_FLAG_BUSY_SHIFT) {
	case CPI_SOURCE_REF_CYCLES:
		return " from ref-cycles";
	case CPI_SOURCE_MPERF:
		return " from mperf";
	case CPI_SOURCE_CYCLES:
		return " from cycles";
	case CPI_SOURCE_TIMER_LIST:
		return " from /proc/timer_list";
	case CPI_SOURCE_PROC_STAT:
		return " from /proc/stat";
	default:
		return "";
	}
}

static const char *detail(int q, uint32_t flags)
{
	if (q == COUNTER_BUSY)
		return busy_word(flags);
	if (COUNTER_BIT(q) & COUNTER_THREAD_BITS && flags & COUNTER_FLAG_USER_ONLY)
		return " in user mode";
	return "";
}

const char *counters_source_name(uint32_t source, uint32_t flags, char *text, size_t size)
{
	const char *between = " (";

	if (size == 0)
		return text;
	*text = 0;
	append(text, size, "%s", source_word(source));
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		if (!(flags & COUNTER_BIT(q)))
			continue;
		append(text, size, "%s%s%s", between, quantity_name[q], detail(q, flags));
		between = ", ";
	}
	if (*between == ',' && flags & COUNTER_FLAG_CORE_TYPES)
		append(text, size, "; several types of core");
	if (*between == ',')
		append(text, size, ")");
	return text;
}

static void say_idle(char *text, size_t size)
{
	double ms = (double)idle_resolution() / 1e6;

	if (idle_kind() == IDLE_TIMER_LIST)
		append(text, size,
			"idle time in /proc/timer_list, exact where a processor's tick is stopped, "
			"else within %.3g ms",
			ms);
	else
		append(text, size,
			"idle time in /proc/stat, in steps of %.3g ms: intervals shorter than "
			"%.3g ms are not measured",
			ms, 2 * ms);
}

static void say_busy(const struct counter_choice *c, char *text, size_t size)
{
	switch (c->busy) {
	case CPI_SOURCE_REF_CYCLES:
		append(text, size, ": unhalted reference cycles");
		break;
	case CPI_SOURCE_MPERF:
		append(text, size, ": mperf, through the msr PMU");
		break;
	default:
		append(text, size, ": unhalted cycles");
		break;
	}
	if (!c->busy_share_of_idle)
		return;
	append(text, size, "; the percentage from ");
	if (idle_kind() == IDLE_NOTHING)
		append(text, size, "nothing");
	else
		say_idle(text, size);
}

static void say_perf(const struct counter_choice *c, int q, char *text, size_t size)
{
	bool of_thread = COUNTER_BIT(q) & COUNTER_THREAD_BITS;

	append(text, size, "hardware counter");
	if (of_thread && c->pmu.user_read)
		append(text, size, ", read in user mode");
	if (of_thread && c->pmu.user_only)
		append(text, size, ", user mode only (kernel.perf_event_paranoid is above 1)");
	if (q == COUNTER_BUSY)
		say_busy(c, text, size);
	if (q == COUNTER_INSTRUCTIONS && rate_hz() == 0)
		append(text, size,
			", but no raw CPI: the processor's nominal frequency is unknown; set "
			"SWTRACE_CPU_HZ");
	if (c->pmu.core_types > 1)
		append(text, size, ", of %u types of core", c->pmu.core_types);
}

static void say_measured(const struct counter_choice *c, int q, char *text, size_t size)
{
	switch (c->from[q]) {
	case FROM_PERF:
		say_perf(c, q, text, size);
		break;
	case FROM_IDLE:
		say_idle(text, size);
		break;
	case FROM_THREAD_CLOCK:
		append(text, size, "CLOCK_THREAD_CPUTIME_ID at %llu MHz",
			(unsigned long long)((rate_hz() + 500000u) / 1000000u));
		break;
	default:
		append(text, size, "scripted, not measured");
		break;
	}
}

static void say_missing(const struct counter_choice *c, int q, char *text, size_t size)
{
	bool instructions = q == COUNTER_INSTRUCTIONS || q == COUNTER_THREAD_INSTRUCTIONS;

	if (c->rc)
		append(text, size, "%s", c->trouble);
	else if (c->asked == KIND_NONE)
		append(text, size, "SWTRACE_COUNTERS=none");
	else if (c->asked == KIND_SCRIPTED)
		append(text, size, "the script does not mention it");
	else if (c->asked == KIND_SOFTWARE && instructions)
		append(text, size, "SWTRACE_COUNTERS=software: only hardware counts instructions");
	else if (q == COUNTER_BUSY)
		append(text, size, "neither /proc/timer_list nor /proc/stat can be read");
	else if (q == COUNTER_THREAD_CYCLES && rate_hz() == 0)
		append(text, size,
			"the processor's nominal frequency is unknown; set SWTRACE_CPU_HZ");
	else
		append(text, size, "%s%s%s", c->pmu.why, *c->pmu.advice ? "; " : "", c->pmu.advice);
}

void counters_describe(struct counters_description *d)
{
	const struct counter_choice *c = counter_choice();

	memset(d, 0, sizeof *d);
	d->rc = c->rc;
	d->source = c->source;
	d->source_flags = counter_choice_flags(c);
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		d->quantity[q].name = quantity_name[q];
		d->quantity[q].measured = c->from[q] != FROM_NOTHING;
		if (d->quantity[q].measured)
			say_measured(c, q, d->quantity[q].how, sizeof d->quantity[q].how);
		else
			say_missing(c, q, d->quantity[q].how, sizeof d->quantity[q].how);
	}
	if (c->rc)
		append(d->line, sizeof d->line, "%s", c->trouble);
	else
		counters_source_name(d->source, d->source_flags, d->line, sizeof d->line);
}
