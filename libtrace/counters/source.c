/* Reads samples: each quantity from its source. */
#include "source.h"

#include <string.h>

#include "../../include/perfutil.h"
#include "choice.h"
#include "../core/clock.h"
#include "machine/idle.h"
#include "thread/activity.h"
#include "../core/online.h"
#include "perf/perf.h"
#include "thread/thread.h"

static bool wanted_from(const struct counter_choice *c, unsigned want, enum counter_provider from)
{
	return want & c->of[from];
}

static bool wants_perf_cpus(const struct counter_choice *c, unsigned want)
{
	return wanted_from(c, want & COUNTER_CPU_BITS, FROM_PERF);
}

static bool wants_idle(const struct counter_choice *c, unsigned want)
{
	return wanted_from(c, want & COUNTER_CPU_BITS, FROM_IDLE) ||
	       (want & COUNTER_BIT(COUNTER_BUSY) && c->busy_share_of_idle);
}

int counters_hold(unsigned want)
{
	const struct counter_choice *c = counter_choice();
	struct cpu_set online;

	if (wanted_from(c, want & COUNTER_THREAD_BITS, FROM_PERF) &&
		thread_open_group(thread_self()) == PERF_NO_DESCRIPTORS)
		return PU_ERROR_INSUFFICIENT_RESOURCES;
	if (!wants_perf_cpus(c, want))
		return 0;
	cpu_set_online(&online);
	return perf_hold_cpus(PERF_HARDWARE, &online) == PERF_OPEN
		       ? 0
		       : PU_ERROR_INSUFFICIENT_RESOURCES;
}

void counters_drop(unsigned want)
{
	if (wants_perf_cpus(counter_choice(), want))
		perf_drop_cpus(PERF_HARDWARE);
}

int counters_choose(void)
{
	return counter_choice()->rc;
}

enum shm_source counters_tell_source(uint32_t *flags)
{
	*flags = counter_choice_flags(counter_choice());
	return counter_choice()->source;
}

uint32_t counters_room(void)
{
	return cpus_possible();
}

/* --------------------------------------------------------------------------- reading */

void sample_clear(struct counter_sample *s)
{
	s->plain = false;
	s->page_thread = NOT_MEASURED;
	s->method = AI_METHOD_NONE;
	s->cycles = NOT_MEASURED;
	s->idle_at = 0;
	s->thread = 0;
	s->thread_instructions = s->thread_cycles = NOT_MEASURED;
	s->thread_enabled = s->thread_running = 0;
	s->thread_opening = 0;
	s->thread_is_wanted = false;
	memset(s->thread_running_on, 0, sizeof s->thread_running_on);
	s->thread_user_only = false;
	memset(s->source, CPI_SOURCE_NONE, sizeof s->source);
	s->activity = COUNTER_NO_ACTIVITY;
	s->activity_ticks = 0;
	s->page = s->page_lock = 0;
	s->page_faults = NOT_MEASURED;
	s->activity_source = INTERVAL_TIME_NONE;
	s->online_at = 0;
	s->cpus = 0;
}

void sample_clear_cpus(struct counter_sample *s)
{
	s->cpus = cpus_possible() < s->room ? cpus_possible() : s->room;
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
		s->cpu[cpu] = (struct counter_cpu){.instructions = NOT_MEASURED,
			.busy = NOT_MEASURED,
			.idle_ns = NOT_MEASURED,
			.core = NOT_MEASURED,
			.reference = NOT_MEASURED,
			.hz = NOT_MEASURED,
			.intr = NOT_MEASURED,
			.steal = NOT_MEASURED,
			.switches = NOT_MEASURED,
			.interrupts = NOT_MEASURED};
}

void sample_set_online(struct counter_sample *s, const struct cpu_set *online)
{
	uint32_t end = 0;

	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		s->cpu[cpu].online |= cpu_set_has(online, cpu);
		if (s->cpu[cpu].online)
			end = cpu + 1;
	}
	s->cpus = end;
}

static void sample_read_idle(const struct counter_choice *c, struct counter_sample *s)
{
	struct idle_reading *idle = thread_idle(thread_self());

	if (!idle || !idle_read_lately(idle))
		return;
	s->idle_at = idle->at;
	if (c->from[COUNTER_BUSY] == FROM_IDLE)
		s->source[COUNTER_BUSY] = c->busy;
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		s->cpu[cpu].idle_ns = idle->cpu[cpu].ns;
		s->cpu[cpu].idle_slack = idle->cpu[cpu].slack + idle->age;
		if (s->cpu[cpu].online)
			s->cpu[cpu].presence = idle->cpu[cpu].presence;
	}
}

void sample_set_cpu_ticks(struct counter_sample *s, uint64_t ticks)
{
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
		s->cpu[cpu].ticks = ticks;
}

static void copy_cycles(struct counter_cpu *to, enum cpi_source busy, const struct perf_reading *r)
{
	to->core = r->count[PERF_CYCLES];
	switch (busy) {
	case CPI_SOURCE_REF_CYCLES:
		to->busy = to->reference = r->count[PERF_REF_CYCLES];
		break;
	case CPI_SOURCE_MPERF:
		to->busy = to->reference = r->count[PERF_MPERF];
		if (r->count[PERF_APERF] != NOT_MEASURED)
			to->core = r->count[PERF_APERF];
		break;
	case CPI_SOURCE_CYCLES:
		to->busy = to->core;
		break;
	default:
		break;
	}
}

/* With its own time, so that its cycles match its counts: reading a processor that is far away
 * takes microseconds. */
void sample_read_cpu(struct counter_sample *s, uint32_t cpu)
{
	struct counter_cpu *to = &s->cpu[cpu];
	struct perf_reading r;
	enum perf_cpu_state state = perf_read_cpu(PERF_HARDWARE, cpu, &r);

	to->ticks = clock_now();
	to->opening = state == PERF_CPU_DEAD ? COUNTER_DEAD : 0;
	if (state != PERF_CPU_READ)
		return;
	to->core_type = r.core_type;
	to->online = true;
	to->opening = r.opening;
	to->enabled = r.enabled;
	to->running = r.running;
	to->instructions = r.count[PERF_INSTRUCTIONS];
	copy_cycles(to, counter_choice()->busy, &r);
}

/* True if all were read, so that all are online. */
static bool read_perf_cpus(const struct counter_choice *c, struct counter_sample *s)
{
	bool all = true;

	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		sample_read_cpu(s, cpu);
		all &= s->cpu[cpu].online;
	}
	if (c->from[COUNTER_INSTRUCTIONS] == FROM_PERF)
		s->source[COUNTER_INSTRUCTIONS] = CPI_SOURCE_COUNTER;
	if (c->from[COUNTER_BUSY] == FROM_PERF)
		s->source[COUNTER_BUSY] = c->busy;
	return all;
}

static void read_thread_counters(struct counter_sample *s)
{
	struct thread_self *self = thread_self();
	struct thread_reading r;

	if ((!self->group_tried && thread_open_group(self) != PERF_OPEN) ||
		!thread_read_group(self, &r))
		return;
	s->thread_instructions = r.instructions;
	s->thread_cycles = r.cycles;
	s->thread_enabled = r.enabled;
	s->thread_running = r.running;
	s->thread_opening = r.opening;
	memcpy(s->thread_running_on, r.running_on, sizeof r.running_on);
	s->thread_user_only = r.user_only;
	s->source[COUNTER_THREAD_INSTRUCTIONS] = s->source[COUNTER_THREAD_CYCLES] =
		r.in_user_mode ? CPI_SOURCE_COUNTER_USER : CPI_SOURCE_COUNTER;
}

static void sample_read_thread(
	const struct counter_choice *c, struct counter_sample *s, unsigned want)
{
	s->thread = thread_self()->id;
	if (wanted_from(c, want, FROM_PERF))
		read_thread_counters(s);
}

struct needs {
	bool cpus, perf, idle, online;
	struct activity_wants activity;
	unsigned thread;
};

static bool needs_activity(const struct needs *n)
{
	return n->activity.all || n->activity.time || n->activity.freely;
}

/* The thread's cycles by its clock are the time it ran: difference.c. */
static void sample_set_thread_clock(
	const struct counter_choice *c, struct counter_sample *s, const struct needs *n)
{
	if (wanted_from(c, n->thread, FROM_THREAD_CLOCK) &&
		s->activity_source != INTERVAL_TIME_NONE)
		s->source[COUNTER_THREAD_CYCLES] = CPI_SOURCE_THREAD_CLOCK;
}

/*
 * Marks online processors, and at a start opens counters for processors that came online. If a
 * processor's counters are missing, an earlier reading may be wrong about it.
 */
static void sample_update_online(
	struct counter_sample *s, bool perf, enum counter_end end, uint64_t now)
{
	struct cpu_set online;

	if (!perf) {
		sample_set_online(s, cpu_set_online_lately(now, NULL));
		return;
	}
	cpu_set_online(&online);
	sample_set_online(s, &online);
	if (end == COUNTER_START)
		perf_renew_cpus(PERF_HARDWARE, &online);
}

/* The slow readings first, so that their cost is not part of the interval. */
static void read_start(
	const struct counter_choice *c, struct counter_sample *s, const struct needs *n)
{
	uint64_t now;
	bool all;

	/* A thread's first read costs system calls, as does the first one after a rest. */
	if (wanted_from(c, n->thread, FROM_PERF))
		thread_open_group(thread_self());
	if (n->activity.all && !thread_self()->activity_tried)
		activity_read(thread_self(), &s->activity);
again:
	/* The online state matters here only for counts to subtract later. */
	if (n->perf || n->online)
		sample_clear_cpus(s);
	all = n->perf && perf_cpus_complete(PERF_HARDWARE);
	if ((n->perf || n->online) && !all)
		sample_update_online(s, n->perf, COUNTER_START, n->perf ? 0 : clock_now());
	if (n->idle)
		sample_read_idle(c, s);
	now = clock_now();
	if (needs_activity(n) && !activity_read_start(thread_self(), n->activity, s, now))
		now = clock_now();
	s->ticks = now;
	sample_set_cpu_ticks(s, now);
	/* The first check of a processor that went offline and may be back. */
	if (n->perf && !read_perf_cpus(c, s) && all)
		goto again;
	if (n->thread || needs_activity(n))
		sample_read_thread(c, s, n->thread);
	sample_set_thread_clock(c, s, n);
}

static void read_get(
	const struct counter_choice *c, struct counter_sample *s, const struct needs *n)
{
	uint32_t lock = 0;
	bool all = false;

	if (n->thread || needs_activity(n))
		sample_read_thread(c, s, n->thread);
	if (n->cpus)
		sample_clear_cpus(s);
	if (n->perf)
		all = read_perf_cpus(c, s);
	if (needs_activity(n))
		lock = activity_read_lock(thread_self());
	s->ticks = clock_now();
	if (needs_activity(n))
		activity_read_end(thread_self(), n->activity, s, lock);
	sample_set_thread_clock(c, s, n);
	if (!n->perf)
		sample_set_cpu_ticks(s, s->ticks);
	if (n->cpus && !all)
		sample_update_online(s, n->perf, COUNTER_GET, s->ticks);
	if (n->idle)
		sample_read_idle(c, s);
}

bool counters_rest(bool hardware)
{
	struct thread_self *self = thread_self();

	if (!hardware || !thread_group_counts(self))
		return activity_rest(self);
	thread_rest_group(self);
	activity_rest(self);
	return true;
}

void counters_stamp(struct counter_sample *s, uint64_t ticks)
{
	sample_clear(s);
	s->ticks = ticks;
}

void counters_read(struct counter_sample *s, unsigned want, enum counter_end end)
{
	const struct counter_choice *c = counter_choice();
	const bool idle = wants_idle(c, want), all = c->script || want & COUNTER_QUALITY_BIT;
	const struct needs n = {
		.cpus = all || want & COUNTER_CPU_BITS,
		.perf = wants_perf_cpus(c, want),
		.idle = idle,
		.online = all || idle,
		.activity = {.all = want & COUNTER_QUALITY_BIT,
			.time = wanted_from(c, want, FROM_THREAD_CLOCK),
			.freely = c->switch_pages && want & COUNTER_TIME_BIT,
			.ask = want & COUNTER_ASK_BIT},
		.thread = want & COUNTER_THREAD_BITS,
	};

	sample_clear(s);
	if (end == COUNTER_START)
		read_start(c, s, &n);
	else
		read_get(c, s, &n);
	if (c->script) {
		s->thread = counters_thread();
		for (int q = 0; q < COUNTER_QUANTITIES; q++)
			if (c->from[q] == FROM_SCRIPT)
				s->source[q] = CPI_SOURCE_SCRIPT;
		script_read(c->script, s);
	}
}
