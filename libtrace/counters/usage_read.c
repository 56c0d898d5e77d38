/* Samples how processors spend their time. */
#include <string.h>
#include <time.h>

#include "../../formats/base/time_ns.h"
#include "../../include/perfutil.h"
#include "choice.h"
#include "../core/clock.h"
#include "frequency.h"
#include "idle.h"
#include "../core/online.h"
#include "perf.h"
#include "proc_stat.h"
#include "rate.h"
#include "thread.h"
#include "usage.h"

size_t usage_sample_size(uint32_t room)
{
	return sizeof(struct usage_sample) + room * sizeof(struct usage_cpu);
}

size_t usage_interval_size(uint32_t room)
{
	return sizeof(struct usage_interval) + room * sizeof(struct usage_interval_cpu);
}

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

static void usage_clear_sample(struct usage_sample *s, const struct cpu_set *online)
{
	s->stat_at = 0;
	s->cpus = online->end < s->room ? online->end : s->room;
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
		s->cpu[cpu] = (struct usage_cpu){.unhalted = CPI_NONE,
			.core = CPI_NONE,
			.reference = CPI_NONE,
			.hz = CPI_NONE,
			.idle = CPI_NONE,
			.intr = CPI_NONE,
			.steal = CPI_NONE,
			.switches = CPI_NONE,
			.interrupts = CPI_NONE,
			.online = cpu_set_has(online, cpu)};
}

/* Reads both clocks as close together as a few tries allow. */
static void read_pair(struct usage_sample *s)
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

static void usage_set_ticks(struct usage_sample *s, uint64_t ticks)
{
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
		s->cpu[cpu].ticks = ticks;
}

/* Opens counters for processors that came online. */
static void usage_renew_cpus(enum perf_set set, const struct cpu_set *online)
{
	if (!perf_cpus_complete(set))
		perf_renew_cpus(set, online);
}

static void take_counts(int method, const struct perf_reading *r, struct usage_cpu *to)
{
	to->opening = r->opening;
	to->enabled = r->enabled;
	to->running = r->running;
	to->core = r->count[PERF_CYCLES];
	switch (method) {
	case AI_METHOD_REFERENCE:
		to->unhalted = to->reference = r->count[PERF_REF_CYCLES];
		break;
	case AI_METHOD_MPERF:
		to->unhalted = to->reference = r->count[PERF_MPERF];
		if (r->count[PERF_APERF] != CPI_NONE)
			to->core = r->count[PERF_APERF];
		break;
	default:
		to->unhalted = r->count[PERF_CYCLES];
		break;
	}
}

/* Each with its own time, so that its ticks match its counts: reading a processor that is far
 * away takes microseconds. */
static void read_ticks(struct usage_sample *s, const struct cpu_set *online)
{
	usage_renew_cpus(PERF_HARDWARE, online);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		struct usage_cpu *to = &s->cpu[cpu];
		enum perf_cpu_state state;
		struct perf_reading r;

		if (!to->online)
			continue;
		if (s->method == AI_METHOD_CYCLES)
			to->hz = frequency_of(cpu);
		state = perf_read_cpu(PERF_HARDWARE, cpu, &r);
		to->ticks = clock_now();
		if (state == PERF_CPU_READ)
			take_counts(s->method, &r, to);
		else if (state == PERF_CPU_DEAD)
			to->opening = COUNTER_DEAD;
	}
}

static void read_switches(struct usage_sample *s, const struct cpu_set *online)
{
	usage_renew_cpus(PERF_SOFTWARE, online);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		struct usage_cpu *to = &s->cpu[cpu];
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
static bool usage_read_stat(struct usage_sample *s)
{
	const bool idle = s->method == AI_METHOD_IDLE_TICK;
	struct stat_cpu stat[ONLINE_MAX];

	if (!stat_read(stat, s->cpus, &s->stat_at))
		return false;
	if (idle)
		usage_set_ticks(s, s->stat_at);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		struct usage_cpu *to = &s->cpu[cpu];

		to->intr = stat[cpu].intr;
		to->steal = stat[cpu].steal;
		if (idle) {
			to->idle = stat[cpu].idle;
			to->idle_slack = stat_resolution() / 2;
		}
	}
	return idle;
}

static bool read_fine(struct usage_sample *s)
{
	struct idle_cpu idle[ONLINE_MAX];
	uint64_t at, ticks = clock_now(), before = time_ns_monotonic();

	if (!idle_read(idle, s->cpus, &at))
		return false;
	if (at > before)
		ticks += rate_scale(at - before, clock_ticks_per_second(), 1000000000u);
	usage_set_ticks(s, ticks);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		s->cpu[cpu].idle = idle[cpu].ns;
		s->cpu[cpu].idle_slack = idle[cpu].slack;
	}
	return true;
}

/* Without counters of its own to tell. */
static void read_presence(struct usage_sample *s)
{
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		struct usage_cpu *to = &s->cpu[cpu];

		if (to->online && !to->opening && !to->switches_opening)
			to->presence = cpu_presence(cpu);
	}
}

bool usage_read(struct usage_sample *s)
{
	const struct usage_choice *u = usage_choice();
	struct script *script = counter_choice()->script;
	struct cpu_set online;
	bool good = u->ticks;

	s->method = u->method;
	cpu_set_online(&online);
	usage_clear_sample(s, &online);
	read_pair(s);
	s->ticks = clock_now();
	usage_set_ticks(s, s->ticks);
	if (s->method == AI_METHOD_SCRIPT) {
		script_read_usage(script, s);
		return true;
	}
	if (u->switches)
		read_switches(s, &online);
	if (u->ticks)
		read_ticks(s, &online);
	if (u->stat)
		good |= usage_read_stat(s);
	if (s->method == AI_METHOD_IDLE_FINE)
		good |= read_fine(s);
	read_presence(s);
	return good;
}
