/* Chooses how a process measures busy and idle time, and explains why no better way works. */
#include <pthread.h>
#include <stdio.h>

#include "../../../formats/base/text.h"
#include "../../../include/perfutil.h"
#include "../choice.h"
#include "../../core/clock.h"
#include "../machine/frequency.h"
#include "../machine/idle.h"
#include "../perf/perf.h"
#include "../machine/proc_stat.h"
#include "usage.h"

/* The most that a sample may cost a processor, ns: a finer account that costs more is not used.
 */
enum { FINE_COST_NS = 10000 };

static const char *const names[] = {
	[AI_METHOD_NONE] = "not measured",
	[AI_METHOD_REFERENCE] = "unhalted reference clock ticks (perf)",
	[AI_METHOD_MPERF] = "unhalted reference clock ticks (mperf)",
	[AI_METHOD_CYCLES] = "unhalted core clock ticks over the actual frequency (perf)",
	[AI_METHOD_IDLE_FINE] = "the kernel's idle time (/proc/timer_list)",
	[AI_METHOD_IDLE_TICK] = "the kernel's idle time (/proc/stat)",
	[AI_METHOD_SCRIPT] = "scripted, not measured",
};

const char *usage_method_name(int method)
{
	const int count = sizeof names / sizeof *names;

	return method >= 0 && method < count ? names[method] : "unknown";
}

void usage_frequency_source(int method, char *text, size_t size)
{
	if (method == AI_METHOD_CYCLES)
		frequency_sources(text, size);
	else
		snprintf(text, size, "%s", method == AI_METHOD_SCRIPT ? "" : clock_rate_source());
}

static uint64_t first_frequency(void)
{
	struct cpu_set online;

	cpu_set_online(&online);
	for (uint32_t cpu = 0; cpu < online.end; cpu++)
		if (cpu_set_has(&online, cpu))
			return frequency_of(cpu);
	return NOT_MEASURED;
}

static int method_of_counters(const struct counter_choice *c)
{
	if (c->from[COUNTER_BUSY] != FROM_PERF)
		return AI_METHOD_NONE;
	switch (c->busy) {
	case CPI_SOURCE_REF_CYCLES:
		return AI_METHOD_REFERENCE;
	case CPI_SOURCE_MPERF:
		return AI_METHOD_MPERF;
	case CPI_SOURCE_CYCLES:
		return first_frequency() == NOT_MEASURED ? AI_METHOD_NONE : AI_METHOD_CYCLES;
	default:
		return AI_METHOD_NONE;
	}
}

static bool stat_is_there(void)
{
	struct stat_cpu cpu[1];
	uint64_t at;

	return stat_read(cpu, 1, &at);
}

static bool fine_is_cheap(void)
{
	return idle_cost() <= (uint64_t)FINE_COST_NS * cpus_possible();
}

static int method_of_idle(const struct usage_choice *u)
{
	if (idle_kind() == IDLE_TIMER_LIST && fine_is_cheap())
		return AI_METHOD_IDLE_FINE;
	return u->stat ? AI_METHOD_IDLE_TICK : AI_METHOD_NONE;
}

static void say_counters(struct usage_choice *u, const struct counter_choice *c)
{
	if (c->asked == KIND_SOFTWARE)
		snprintf(u->why, sizeof u->why, "SWTRACE_COUNTERS=software");
	else if (c->busy == CPI_SOURCE_CYCLES)
		snprintf(u->why, sizeof u->why,
			"unhalted clock ticks are counted, but the processors' actual frequency is unknown (no cpufreq); set SWTRACE_CPU_HZ if it never changes");
	else if (*c->pmu.why)
		snprintf(u->why, sizeof u->why, "%s%s%s", c->pmu.why, *c->pmu.advice ? "; " : "",
			c->pmu.advice);
	else
		snprintf(u->why, sizeof u->why,
			"this machine's PMU counts no unhalted clock ticks of a known rate");
}

static void usage_append_idle_cost(struct usage_choice *u)
{
	if (idle_kind() == IDLE_TIMER_LIST)
		text_append(u->why, sizeof u->why,
			"; /proc/timer_list is finer, but takes too long to read (%llu us a processor)",
			(unsigned long long)(idle_cost() / 1000 / cpus_possible()));
}

static void choose_measured(struct usage_choice *u, const struct counter_choice *c)
{
	u->stat = stat_is_there();
	u->switches = true;
	u->method = method_of_counters(c);
	u->ticks = u->method != AI_METHOD_NONE;
	if (u->ticks)
		return;
	u->method = method_of_idle(u);
	say_counters(u, c);
	if (u->method == AI_METHOD_IDLE_TICK)
		usage_append_idle_cost(u);
	if (u->method == AI_METHOD_NONE)
		text_append(u->why, sizeof u->why, "; /proc/stat cannot be read");
}

void usage_choose_for(struct usage_choice *u, const struct counter_choice *c)
{
	*u = (struct usage_choice){.rc = c->rc, .method = AI_METHOD_NONE};
	if (c->rc) {
		snprintf(u->why, sizeof u->why, "%s", c->trouble);
	} else if (c->asked == KIND_NONE) {
		snprintf(u->why, sizeof u->why, "SWTRACE_COUNTERS=none");
	} else if (c->asked != KIND_SCRIPTED) {
		choose_measured(u, c);
	} else if (c->from[COUNTER_BUSY] == FROM_SCRIPT) {
		u->method = AI_METHOD_SCRIPT;
		snprintf(u->why, sizeof u->why, "SWTRACE_COUNTERS=scripted");
	} else {
		snprintf(u->why, sizeof u->why, "the script does not mention busy");
	}
}

static struct usage_choice usage_chosen;
static pthread_once_t usage_choice_once = PTHREAD_ONCE_INIT;

static void usage_choose_sources(void)
{
	usage_choose_for(&usage_chosen, counter_choice());
}

const struct usage_choice *usage_choice(void)
{
	pthread_once(&usage_choice_once, usage_choose_sources);
	return &usage_chosen;
}
