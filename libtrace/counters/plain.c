/*
 * The usual start and end of an interval: only the clock, the thread's activity and its own
 * counters that user mode reads are wanted, and its page shows that it did not leave its processor.
 * source.c handles the rest.
 */
#include "plain.h"

#include <errno.h>

#include "choice.h"
#include "perf/page.h"
#include "../core/clock.h"
#include "source.h"

/* The online processors at the start show later whether one came or went; checked no more often
 * than they are read. */
static void plain_note_online(struct counter_sample *s, uint64_t now)
{
	uint64_t at;
	const struct cpu_set *online = cpu_set_online_lately(now, &at);

	if (s->cpus && s->online_at == at)
		return;
	sample_clear_cpus(s);
	sample_set_online(s, online);
	s->online_at = at;
}

/* Opens the page, or asks the kernel. */
static __attribute__((noinline)) void plain_read(
	struct counter_sample *s, struct activity_wants activity, uint64_t now)
{
	int saved = errno;

	s->activity = COUNTER_NO_ACTIVITY;
	s->activity_source = INTERVAL_TIME_NONE;
	s->activity_ticks = 0;
	s->page = 0;
	s->page_faults = NOT_MEASURED;
	if (!activity_read_start(thread_self(), activity, s, now))
		now = clock_now();
	s->ticks = now;
	errno = saved;
}

/* Hardware counters of the thread that are open, on cores of one type, and read in user mode. */
static bool plain_counts_thread(const struct thread_self *self)
{
	return thread_group_counts(self) && self->group->count == 1 &&
	       self->group->perf[0].group.mapped &&
	       perf_has(&self->group->perf[0], PERF_INSTRUCTIONS) &&
	       perf_has(&self->group->perf[0], PERF_CYCLES);
}

static void plain_read_thread(struct counter_sample *s, const struct thread_self *self)
{
	const struct perf_counters *c;
	struct perf_group_reading now;
	int saved = errno;

	s->thread_opening = 0;
	s->thread_has_snapshots = false;
	s->source[COUNTER_THREAD_INSTRUCTIONS] = s->source[COUNTER_THREAD_CYCLES] = CPI_SOURCE_NONE;
	if (plain_counts_thread(self) &&
		perf_group_read_here(&self->group->perf[0].group, &now) == 0) {
		c = &self->group->perf[0];
		s->thread_opening = self->group->opening;
		s->thread_instructions = now.count[c->at[PERF_INSTRUCTIONS]];
		s->thread_cycles = now.count[c->at[PERF_CYCLES]];
		s->thread_enabled = now.enabled;
		s->thread_running = now.running;
		s->thread_running_on[c->core_type] = now.running;
		s->thread_read_at = s->ticks;
		s->thread_since[0] = s->thread_since[1] = 0;
		s->thread_user_only = c->user_only;
		s->thread_has_snapshots =
			now.in_user_mode && now.snapshot[c->at[PERF_INSTRUCTIONS]].page;
		if (s->thread_has_snapshots) {
			s->thread_snapshot[0] = now.snapshot[c->at[PERF_INSTRUCTIONS]];
			s->thread_snapshot[1] = now.snapshot[c->at[PERF_CYCLES]];
		}
		s->source[COUNTER_THREAD_INSTRUCTIONS] = s->source[COUNTER_THREAD_CYCLES] =
			now.in_user_mode ? CPI_SOURCE_COUNTER_USER : CPI_SOURCE_COUNTER;
	}
	errno = saved;
}

/* The fields that no plain reading sets stay as the first one cleared them. */
static inline __attribute__((always_inline)) void plain_start(
	const struct counter_choice *c, struct counter_sample *s, unsigned want, uint64_t now)
{
	const struct thread_self *self = thread_self();
	const struct thread_group *g = self->group;
	const bool all = want & COUNTER_QUALITY_BIT, time = want & c->of[FROM_THREAD_CLOCK],
		   freely = c->switch_pages && want & COUNTER_TIME_BIT;

	if (!s->plain)
		sample_clear(s);
	s->plain = true;
	s->thread = self->id;
	s->ticks = now;
	if (all)
		plain_note_online(s, now);
	else
		s->cpus = 0;
	if (!freely || !g || !g->page.page || (all && !g->page.has_faults) ||
		!activity_recall(g, all ? ACTIVITY_ALL : ACTIVITY_TIME, s, now))
		plain_read(s, (struct activity_wants){.all = all, .time = time, .freely = freely},
			now);
	s->page_thread = s->activity_source == INTERVAL_TIME_PAGE ? self->id : NOT_MEASURED;
	s->source[COUNTER_THREAD_CYCLES] = time && s->activity_source != INTERVAL_TIME_NONE
						   ? CPI_SOURCE_THREAD_CLOCK
						   : CPI_SOURCE_NONE;
}

/* A function of its own: the usual start keeps fewer registers. */
static __attribute__((noinline)) void plain_start_counted(
	const struct counter_choice *c, struct counter_sample *s, unsigned want, uint64_t now)
{
	const struct thread_self *self = thread_self();
	int saved = errno;

	if (want & c->counted & ~COUNTER_THREAD_BITS || want & COUNTER_QUALITY_BIT ||
		want & c->of[FROM_THREAD_CLOCK] || !plain_counts_thread(self)) {
		counters_read(s, want, COUNTER_START);
	} else {
		plain_start(c, s, want, now);
		s->thread_is_wanted = true;
		/* Last: what the library does until here is not counted. */
		plain_read_thread(s, self);
	}
	errno = saved;
}

void counters_start(struct counter_sample *s, unsigned want, uint64_t now)
{
	const struct counter_choice *c = counter_choice();

	if (want & c->counted)
		plain_start_counted(c, s, want, now);
	else
		plain_start(c, s, want, now);
}

/* Counts since the snapshots of the calling thread's own sample. False: their counters no longer
 * count this thread. */
static inline bool plain_count_since(
	const struct counter_sample *s, const struct thread_self *self, uint64_t count[2])
{
	return s->thread_has_snapshots && !self->group_rests &&
	       s->thread_opening == self->group->opening &&
	       perf_pair_count(s->thread_snapshot, count);
}

bool plain_start_counted_again(struct counter_sample *s)
{
	const struct thread_self *self = &counters_self;

	if (plain_count_since(s, self, s->thread_since))
		return true;
	if (!plain_counts_thread(self))
		return false;
	plain_read_thread(s, self);
	return true;
}

bool plain_count_thread_again(const struct counter_sample *from, struct counter_interval *out)
{
	uint64_t count[2];

	if (!plain_is_own(from) || !plain_count_since(from, &counters_self, count))
		return false;
	out->thread_instructions = count[0] - from->thread_since[0];
	out->thread_cycles = count[1] - from->thread_since[1];
	return true;
}

void plain_settle(struct counter_sample *s)
{
	uint64_t ns;

	if (!s->plain || !s->thread_is_wanted || !s->thread_has_snapshots)
		return;
	ns = rate_ns_of_ticks(s->ticks - s->thread_read_at);
	s->thread_instructions += s->thread_since[0];
	s->thread_cycles += s->thread_since[1];
	s->thread_enabled += ns;
	s->thread_running += ns;
	for (int i = 0; i < 2; i++) {
		s->thread_snapshot[i].value += s->thread_since[i];
		s->thread_since[i] = 0;
	}
	s->thread_read_at = s->ticks;
}

void counters_end_thread(struct counter_sample *to)
{
	plain_read_thread(to, thread_self());
}

bool counters_thread_between(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out)
{
	/* Counters that were opened again, or that share their time, take the usual way. */
	if (from->thread_opening != to->thread_opening ||
		to->thread_enabled - from->thread_enabled !=
			to->thread_running - from->thread_running ||
		to->thread_instructions < from->thread_instructions ||
		to->thread_cycles < from->thread_cycles)
		return false;
	out->thread_instructions = to->thread_instructions - from->thread_instructions;
	out->thread_cycles = to->thread_cycles - from->thread_cycles;
	return true;
}

bool counters_have_stayed(const struct counter_sample *from, unsigned want, uint64_t now,
	struct counter_interval *out)
{
	const bool all = want & COUNTER_QUALITY_BIT;
	uint64_t at;

	if (!plain_has_stayed(from, now))
		return false;
	out->cpus = cpu_set_online_lately(now, &at)->end;
	/* Without its faults, or if the processors may have changed, all is to be read. */
	if (all && (from->page_faults == NOT_MEASURED || from->online_at != at))
		return false;
	out->flags = 0;
	out->thread_instructions = out->thread_cycles = out->unexplained_ns = NOT_MEASURED;
	out->activity_source = INTERVAL_TIME_PAGE;
	out->page = from->page;
	out->page_lock = from->page_lock;
	out->activity.cpu = from->activity.cpu;
	out->stayed = out->thread_known = true;
	out->counted = false;
	out->activity.switches = 0;
	if (!all)
		return true;
	for (int q = 0; q < COUNTER_QUANTITIES; q++)
		out->quality[q] = (struct counter_quality){CPI_SOURCE_NONE, 0, 0};
	return plain_fill_quality(from, now, out);
}
