/*
 * An interval like the one before it, in place: of the same instance and thread, with the same
 * wants, both ends by the thread's page (thread/life.h), hardware counters read in user mode. Where
 * these functions return false, those of source.h do all, with the same result.
 */
#ifndef SWT_COUNTERS_PLAIN_H
#define SWT_COUNTERS_PLAIN_H

#include "../core/online.h"
#include "machine/rate.h"
#include "thread/life.h"
#include "thread/thread.h"

/* The calling thread has read this sample at a plain start, by its page. */
static inline bool plain_is_own(const struct counter_sample *s)
{
	return s->plain && s->life_source == INTERVAL_TIME_PAGE && s->thread == counters_self.id;
}

/* And has not left its processor since, and what it then knew of the thread holds. */
static inline bool plain_has_stayed(const struct counter_sample *from, uint64_t now)
{
	const struct thread_group *g = counters_self.group;

	return plain_is_own(from) && life_lasts(g, from->life_ticks, now) &&
	       life_page_is(g, from->page, from->page_lock);
}

/* The calling thread's last reading of the online processors holds. */
static inline bool plain_knows_online(uint64_t now)
{
	return now - cpu_set_lately.at < cpu_set_lately.lasts;
}

/* The rest of plain_start_again where the thread is counted. */
bool plain_start_counted_again(struct counter_sample *s);

/* counters_end_thread and counters_thread_between, by the marks of the start: the kernel has not
 * touched the counters since, so that the difference of their registers is what they counted. */
bool plain_count_thread_again(const struct counter_sample *from, struct counter_interval *out);

/* counters_start. s: of the start before, which had the same wants. all: COUNTER_QUALITY_BIT is
 * among them. */
static inline bool plain_start_again(struct counter_sample *s, bool all, uint64_t now)
{
	const struct thread_group *g = counters_self.group;

	if (!plain_is_own(s))
		return false;
	if (all && (!g->page.has_faults || !plain_knows_online(now) ||
			   s->online_at != cpu_set_lately.at))
		return false;
	s->ticks = now;
	if (!life_recall(g, all ? LIFE_ALL : LIFE_TIME, s, now))
		return false;
	return __builtin_expect(!s->thread_is_wanted, 1) || plain_start_counted_again(s);
}

/* What the quality hook tells. False: a signal handler has just closed the page. */
static inline bool plain_fill_quality(
	const struct counter_sample *from, uint64_t now, struct counter_interval *out)
{
	const struct thread_group *g = counters_self.group;
	const enum cpi_source cycles = from->source[COUNTER_THREAD_CYCLES];
	uint64_t ran = rate_ns_of_ticks(now - from->ticks);

	out->flags = 0;
	out->life.on_cpu_ns = ran;
	out->life.switches = 0;
	out->life.migrations = from->life.migrations == CPI_NONE ? CPI_NONE : 0;
	out->life.faults = switch_page_faults(&g->page) - from->page_faults;
	if (cycles != CPI_SOURCE_THREAD_CLOCK)
		ran = 0;
	out->quality[COUNTER_THREAD_CYCLES] = (struct counter_quality){cycles, ran, ran};
	return g->page_number == from->page;
}

/* counters_have_stayed, of an interval that began with plain_start_again and is measured to have
 * `cpus` processors. *out: what is known of every such interval is left as it is. */
static inline bool plain_stayed_again(const struct counter_sample *from, bool all, uint32_t cpus,
	uint64_t now, struct counter_interval *out)
{
	if (!plain_has_stayed(from, now) || !plain_knows_online(now) ||
		cpu_set_lately.set.end != cpus)
		return false;
	return !all || (from->page_faults != CPI_NONE && from->online_at == cpu_set_lately.at &&
			       plain_fill_quality(from, now, out));
}

#endif
