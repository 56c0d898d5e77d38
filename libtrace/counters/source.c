/*
 * Samples: reading each quantity from where it comes, and the counts between two of them.
 */
#include "source.h"

#include "../../include/perfutil.h"
#include "choice.h"
#include "clock.h"
#include "idle.h"
#include "online.h"
#include "perf.h"
#include "rate.h"
#include "thread.h"

static bool wanted_from(const struct counter_choice *c, unsigned want, enum counter_provider from)
{
	for (int q = 0; q < COUNTER_QUANTITIES; q++)
		if (want & COUNTER_BIT(q) && c->from[q] == from)
			return true;
	return false;
}

static bool wants_perf_cpus(const struct counter_choice *c, unsigned want)
{
	return wanted_from(c, want & COUNTER_CPU_BITS, FROM_PERF);
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
	return perf_hold_cpus(&online) == PERF_OPEN ? 0 : PU_ERROR_INSUFFICIENT_RESOURCES;
}

void counters_drop(unsigned want)
{
	if (wants_perf_cpus(counter_choice(), want))
		perf_drop_cpus();
}

uint32_t counters_room(void)
{
	return cpus_possible();
}

size_t counters_sample_size(uint32_t room)
{
	return sizeof(struct counter_sample) + room * sizeof(struct counter_cpu);
}

size_t counters_interval_size(uint32_t room)
{
	return sizeof(struct counter_interval) + room * sizeof(struct counter_interval_cpu);
}

/* --------------------------------------------------------------------------- reading */

static void clear(struct counter_sample *s)
{
	s->cycles = CPI_NONE;
	s->idle_at = 0;
	s->thread = 0;
	s->thread_instructions = s->thread_cycles = CPI_NONE;
	s->thread_enabled = s->thread_running = 0;
	s->cpus = 0;
}

static void read_online(struct counter_sample *s)
{
	struct cpu_set online;

	cpu_set_online(&online);
	s->cpus = online.end < s->room ? online.end : s->room;
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
		s->cpu[cpu] = (struct counter_cpu){.instructions = CPI_NONE,
			.busy = CPI_NONE,
			.idle_ns = CPI_NONE,
			.online = cpu_set_has(&online, cpu)};
}

static void read_idle(struct counter_sample *s)
{
	struct idle_cpu idle[ONLINE_MAX];

	if (!idle_read(idle, s->cpus, &s->idle_at))
		return;
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		s->cpu[cpu].idle_ns = idle[cpu].ns;
		s->cpu[cpu].idle_slack = idle[cpu].slack;
	}
}

static void set_ticks(struct counter_sample *s, uint64_t ticks)
{
	s->ticks = ticks;
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
		s->cpu[cpu].ticks = ticks;
}

static void read_ticks(struct counter_sample *s)
{
	set_ticks(s, clock_now());
}

/* Each with its own time, so that its cycles match its counts: reading a processor that is
 * far away takes microseconds. */
static void read_perf_cpus(const struct counter_choice *c, struct counter_sample *s)
{
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		struct counter_cpu *to = &s->cpu[cpu];
		struct perf_reading r;

		if (!to->online)
			continue;
		if (!perf_read_cpu(cpu, &r))
			continue;
		to->ticks = clock_now();
		to->enabled = r.enabled;
		to->running = r.running;
		to->instructions = r.instructions;
		if (c->from[COUNTER_BUSY] == FROM_PERF)
			to->busy = r.second;
	}
}

static void read_thread(const struct counter_choice *c, struct counter_sample *s, unsigned want)
{
	struct thread_self *self = thread_self();
	struct perf_reading r;

	s->thread = self->id;
	if (wanted_from(c, want, FROM_THREAD_CLOCK)) {
		uint64_t ns = thread_time_ns();

		if (ns != CPI_NONE)
			s->thread_cycles = rate_cycles_of_ns(ns);
	}
	if (wanted_from(c, want, FROM_PERF) && thread_open_group(self) == PERF_OPEN &&
		perf_read_group(&self->group->perf, &r)) {
		s->thread_instructions = r.instructions;
		s->thread_cycles = r.second;
		s->thread_enabled = r.enabled;
		s->thread_running = r.running;
	}
}

struct needs {
	bool perf, idle;
	unsigned thread;
};

/* The slow readings first, so that what they cost is not part of the interval. */
static void read_start(const struct counter_choice *c, struct counter_sample *s, struct needs n)
{
	/* A thread's first time takes system calls. */
	if (wanted_from(c, n.thread, FROM_PERF))
		thread_open_group(thread_self());
	/* Who is online matters here only for counts to subtract later. */
	if (n.perf || n.idle || c->script)
		read_online(s);
	if (n.idle)
		read_idle(s);
	read_ticks(s);
	if (n.perf)
		read_perf_cpus(c, s);
	if (n.thread)
		read_thread(c, s, n.thread);
}

static void read_get(const struct counter_choice *c, struct counter_sample *s, struct needs n)
{
	uint64_t ticks;

	if (n.thread)
		read_thread(c, s, n.thread);
	ticks = clock_now();
	read_online(s);
	if (n.perf) {
		read_ticks(s);
		read_perf_cpus(c, s);
		s->ticks = clock_now();
	} else {
		set_ticks(s, ticks);
	}
	if (n.idle)
		read_idle(s);
}

void counters_read(struct counter_sample *s, unsigned want, enum counter_end end)
{
	const struct counter_choice *c = counter_choice();
	const struct needs n = {
		.perf = wants_perf_cpus(c, want),
		.idle = wanted_from(c, want & COUNTER_CPU_BITS, FROM_IDLE),
		.thread = want & COUNTER_THREAD_BITS,
	};

	clear(s);
	if (end == COUNTER_START)
		read_start(c, s, n);
	else
		read_get(c, s, n);
	if (c->script) {
		s->thread = counters_thread();
		script_read(c->script, s);
	}
}

/* ------------------------------------------------------------------------ difference */

/* What a group counted while it was enabled, from what it counted while it ran. */
static uint64_t scaled(uint64_t from, uint64_t to, uint64_t enabled, uint64_t running)
{
	if (from == CPI_NONE || to == CPI_NONE || to < from)
		return CPI_NONE;
	if (enabled == running)
		return to - from;
	if (running == 0 || running > enabled)
		return CPI_NONE;
	return rate_scale(to - from, enabled, running);
}

static uint64_t since(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static void busy_from_idle(const struct counter_sample *from, const struct counter_sample *to,
	uint32_t cpu, struct counter_interval_cpu *out)
{
	const struct counter_cpu *a = &from->cpu[cpu], *b = &to->cpu[cpu];
	uint64_t whole = since(from->idle_at, to->idle_at), idle;

	if (a->idle_ns == CPI_NONE || b->idle_ns == CPI_NONE || whole == 0)
		return;
	/* Shorter than twice the error: the number would say nothing. */
	if (whole / 2 < a->idle_slack + b->idle_slack)
		return;
	idle = since(a->idle_ns, b->idle_ns);
	out->busy_whole = whole;
	out->busy_part = idle < whole ? whole - idle : 0;
}

static void difference_cpu(const struct counter_sample *from, const struct counter_sample *to,
	uint32_t cpu, struct counter_interval_cpu *out)
{
	const struct counter_cpu *b = &to->cpu[cpu];
	const struct counter_cpu *a = cpu < from->cpus ? &from->cpu[cpu] : NULL;
	uint64_t enabled, running, busy;

	*out = (struct counter_interval_cpu){
		CPI_NONE, CPI_NONE, CPI_NONE, CPI_NONE, CPI_NONE, b->online};
	if (!b->online)
		return;
	if (from->cycles != CPI_NONE && to->cycles != CPI_NONE)
		out->cycles = since(from->cycles, to->cycles);
	else
		out->cycles = rate_cycles_of_ticks(since(a ? a->ticks : from->ticks, b->ticks));
	if (!a || !a->online) /* came meanwhile, or nothing was read at the start */
		return;
	enabled = since(a->enabled, b->enabled);
	running = since(a->running, b->running);
	out->instructions = scaled(a->instructions, b->instructions, enabled, running);
	busy = scaled(a->busy, b->busy, enabled, running);
	if (busy != CPI_NONE && out->cycles != CPI_NONE && out->cycles != 0) {
		out->busy_part = busy < out->cycles ? busy : out->cycles;
		out->busy_whole = out->cycles;
	} else {
		busy_from_idle(from, to, cpu, out);
	}
	if (out->busy_whole != CPI_NONE && out->cycles != CPI_NONE)
		out->busy = rate_scale(out->cycles, out->busy_part, out->busy_whole);
}

void counters_difference(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out)
{
	uint64_t enabled = since(from->thread_enabled, to->thread_enabled);
	uint64_t running = since(from->thread_running, to->thread_running);

	out->cpus = to->cpus;
	for (uint32_t cpu = 0; cpu < to->cpus; cpu++)
		difference_cpu(from, to, cpu, &out->cpu[cpu]);
	out->thread_known = from->thread != 0 && from->thread == to->thread;
	out->thread_instructions = out->thread_cycles = CPI_NONE;
	if (!out->thread_known)
		return;
	out->thread_instructions =
		scaled(from->thread_instructions, to->thread_instructions, enabled, running);
	out->thread_cycles = scaled(from->thread_cycles, to->thread_cycles, enabled, running);
}
