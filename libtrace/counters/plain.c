/*
 * The usual start and end of an interval: nothing is wanted but the clock and what the thread did,
 * and its page tells that it did not leave its processor. All else is source.c's.
 */
#include "source.h"

#include <errno.h>

#include "choice.h"
#include "../core/clock.h"
#include "../core/online.h"
#include "thread/life.h"
#include "machine/rate.h"
#include "thread/thread.h"

/* Who is online at the start tells whether one went or came; looked at no more often than it is
 * read. */
static void plain_note_online(struct counter_sample *s, uint64_t now)
{
	uint64_t at;
	const struct cpu_set *online = cpu_set_online_lately(now, &at);

	if (s->cpus && s->online_at == at)
		return;
	sample_clear_cpus(s);
	sample_mark_online(s, online);
	s->online_at = at;
}

/* Opens the page, or asks the kernel. */
static __attribute__((noinline)) void plain_read(
	struct counter_sample *s, struct life_wants life, uint64_t now)
{
	int saved = errno;

	s->life = COUNTER_NO_LIFE;
	s->life_source = INTERVAL_TIME_NONE;
	s->life_ticks = 0;
	s->page = 0;
	s->page_faults = CPI_NONE;
	if (!life_read_start(thread_self(), life, s, now))
		now = clock_now();
	s->ticks = now;
	errno = saved;
}

/* The fields that no plain reading sets stay as the first one cleared them. */
void counters_start(struct counter_sample *s, unsigned want, uint64_t now)
{
	const struct counter_choice *c = counter_choice();
	const struct thread_self *self = thread_self();
	const struct thread_group *g = self->group;
	const bool all = want & COUNTER_QUALITY_BIT, time = want & c->of[FROM_THREAD_CLOCK],
		   freely = c->switch_pages && want & COUNTER_TIME_BIT;

	if (want & c->counted) {
		int saved = errno;

		counters_read(s, want, COUNTER_START);
		errno = saved;
		return;
	}
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
		!life_recall(g, all ? LIFE_ALL : LIFE_TIME, s, now))
		plain_read(s, (struct life_wants){.all = all, .time = time, .freely = freely}, now);
	s->source[COUNTER_THREAD_CYCLES] = time && s->life_source != INTERVAL_TIME_NONE
						   ? CPI_SOURCE_THREAD_CLOCK
						   : CPI_SOURCE_NONE;
}

/* The calling thread has read this sample and not left its processor since, and what it then knew
 * of the thread holds. */
static inline bool plain_has_stayed(
	const struct counter_sample *from, const struct thread_self *self, uint64_t now)
{
	const struct thread_group *g = self->group;

	return from->plain && from->life_source == INTERVAL_TIME_PAGE && from->thread == self->id &&
	       life_lasts(g, from->life_ticks, now) && life_page_is(g, from->page, from->page_lock);
}

/* What the quality hook tells. False: a signal handler has just closed the page. */
static bool plain_fill_quality(const struct counter_sample *from, const struct thread_group *g,
	uint64_t now, struct counter_interval *out)
{
	uint64_t ran = rate_ns_of_ticks(now - from->ticks);

	out->life.on_cpu_ns = ran;
	out->life.migrations = from->life.migrations == CPI_NONE ? CPI_NONE : 0;
	out->life.faults = switch_page_faults(&g->page) - from->page_faults;
	for (int q = 0; q < COUNTER_QUANTITIES; q++)
		out->quality[q] = (struct counter_quality){CPI_SOURCE_NONE, 0, 0};
	if (from->source[COUNTER_THREAD_CYCLES] == CPI_SOURCE_THREAD_CLOCK)
		out->quality[COUNTER_THREAD_CYCLES] =
			(struct counter_quality){CPI_SOURCE_THREAD_CLOCK, ran, ran};
	return g->page_number == from->page;
}

bool counters_have_stayed(const struct counter_sample *from, unsigned want, uint64_t now,
	struct counter_interval *out)
{
	const struct thread_self *self = thread_self();
	const bool all = want & COUNTER_QUALITY_BIT;
	uint64_t at;

	if (!plain_has_stayed(from, self, now))
		return false;
	out->cpus = cpu_set_online_lately(now, &at)->end;
	/* Without its faults, or if the processors may have changed, all is to be read. */
	if (all && (from->page_faults == CPI_NONE || from->online_at != at))
		return false;
	out->flags = 0;
	out->thread_instructions = out->thread_cycles = out->unexplained_ns = CPI_NONE;
	out->life_source = INTERVAL_TIME_PAGE;
	out->stayed = out->thread_known = true;
	out->counted = false;
	out->life.switches = 0;
	return !all || plain_fill_quality(from, self->group, now, out);
}
