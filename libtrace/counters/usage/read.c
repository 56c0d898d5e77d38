/* Samples how processors spend their time. */
#include <time.h>

#include "../../../formats/base/time_ns.h"
#include "../../../include/perfutil.h"
#include "../choice.h"
#include "../../core/clock.h"
#include "../machine/frequency.h"
#include "../machine/idle.h"
#include "../../core/online.h"
#include "../perf/perf.h"
#include "../machine/proc_stat.h"
#include "../machine/rate.h"
#include "../source.h"
#include "../thread/thread.h"
#include "usage.h"

/* --------------------------------------------------------------------------- holding */

int usage_hold(void)
{
	const struct usage_choice *u = usage_choice();
	struct cpu_set online;

	thread_self(); /* which handles forks */
	cpu_set_online(&online);
	if (u->ticks && perf_hold_cpus(PERF_HARDWARE, &online) != PERF_OPEN)
		return PU_ERROR_INSUFFICIENT_RESOURCES;
	if (u->switches)
		perf_hold_cpus(PERF_SOFTWARE, &online);
	return 0;
}

void usage_drop(void)
{
	const struct usage_choice *u = usage_choice();

	if (u->ticks)
		perf_drop_cpus(PERF_HARDWARE);
	if (u->switches)
		perf_drop_cpus(PERF_SOFTWARE);
}

/* --------------------------------------------------------------------------- reading */

/* Reads both clocks as close together as a few tries allow. */
static void read_pair(struct counter_sample *s)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 3 && best > clock_ticks_per_second() / 100000; i++) {
		uint64_t before = clock_now(), boot = time_ns_now(CLOCK_BOOTTIME);
		uint64_t after = clock_now();

		if (after - before >= best)
			continue;
		best = after - before;
		s->pair_ticks = before + best / 2;
		s->pair_boot = boot;
	}
}

/* Opens counters for processors that came online. */
static void usage_renew_cpus(enum perf_set set, const struct cpu_set *online)
{
	if (!perf_cpus_complete(set))
		perf_renew_cpus(set, online);
}

static void read_ticks(struct counter_sample *s, const struct cpu_set *online)
{
	usage_renew_cpus(PERF_HARDWARE, online);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		if (!s->cpu[cpu].online)
			continue;
		if (s->method == AI_METHOD_CYCLES)
			s->cpu[cpu].hz = frequency_of(cpu);
		sample_read_cpu(s, cpu);
	}
}

static void read_switches(struct counter_sample *s, const struct cpu_set *online)
{
	usage_renew_cpus(PERF_SOFTWARE, online);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		struct counter_cpu *to = &s->cpu[cpu];
		enum perf_cpu_state state;
		struct perf_reading r;

		if (!to->online)
			continue;
		state = perf_read_cpu(PERF_SOFTWARE, cpu, &r);
		if (state == PERF_CPU_READ) {
			to->switches = r.count[PERF_SWITCHES];
			to->switches_opening = r.opening;
		} else if (state == PERF_CPU_DEAD) {
			to->switches_opening = COUNTER_DEAD;
		}
	}
}

/* True if the idle times were read. */
static bool usage_read_stat(struct counter_sample *s)
{
	const bool idle = s->method == AI_METHOD_IDLE_TICK;
	struct stat_cpu stat[ONLINE_MAX];

	if (!stat_read(stat, s->cpus, &s->stat_at))
		return false;
	if (idle)
		sample_set_cpu_ticks(s, s->stat_at);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		struct counter_cpu *to = &s->cpu[cpu];

		to->intr = stat[cpu].intr;
		to->steal = stat[cpu].steal;
		if (idle) {
			to->idle_ns = stat[cpu].idle;
			to->idle_slack = stat_resolution() / 2;
		}
	}
	return idle;
}

static bool read_fine(struct counter_sample *s, const struct cpu_set *online)
{
	struct idle_cpu idle[ONLINE_MAX];
	uint64_t at, ticks = clock_now(), before = time_ns_monotonic();

	if (!idle_read(idle, online->end, &at))
		return false;
	if (at > before)
		ticks += rate_scale(at - before, clock_ticks_per_second(), TIME_SECOND_NS);
	sample_set_cpu_ticks(s, ticks);
	for (uint32_t cpu = 0; cpu < s->cpus && cpu < online->end; cpu++) {
		s->cpu[cpu].idle_ns = idle[cpu].ns;
		s->cpu[cpu].idle_slack = idle[cpu].slack;
	}
	return true;
}

/* Without counters of its own. */
static void read_presence(struct counter_sample *s)
{
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		struct counter_cpu *to = &s->cpu[cpu];

		if (to->online && !to->opening && !to->switches_opening)
			to->presence = cpu_presence(cpu);
	}
}

bool usage_read(struct counter_sample *s)
{
	const struct usage_choice *u = usage_choice();
	struct cpu_set online;
	bool good = u->ticks;

	cpu_set_online(&online);
	sample_clear(s);
	sample_clear_cpus(s);
	sample_set_online(s, &online);
	s->method = u->method;
	s->stat_at = 0;
	read_pair(s);
	s->ticks = clock_now();
	sample_set_cpu_ticks(s, s->ticks);
	if (s->method == AI_METHOD_SCRIPT) {
		script_read(counter_choice()->script, s);
		return true;
	}
	if (u->switches)
		read_switches(s, &online);
	if (u->ticks)
		read_ticks(s, &online);
	if (u->stat)
		good |= usage_read_stat(s);
	if (s->method == AI_METHOD_IDLE_FINE)
		good |= read_fine(s, &online);
	read_presence(s);
	return good;
}
