/*
 * Inline fast path for an interval like the previous one: same instance, thread and wants, both
 * ends read from the thread's page (thread/activity.h), hardware counters read in user mode. If a
 * function here returns false, use its counterpart in source.h, which handles every case with the
 * same result.
 */
#ifndef SWT_COUNTERS_PLAIN_H
#define SWT_COUNTERS_PLAIN_H

#include "../core/online.h"
#include "machine/rate.h"
#include "thread/activity.h"
#include "thread/thread.h"

/* True if the calling thread took this sample at a plain start, from its page. */
static inline bool plain_is_own(const struct counter_sample *s)
{
	return s->page_thread == counters_self.id && thread_is_met();
}

/* True if, further, it has not been switched out since and its reading is still valid. */
static inline bool plain_has_stayed(const struct counter_sample *from, uint64_t now)
{
	const struct thread_group *g = counters_self.group;

	return plain_is_own(from) && activity_lasts(g, from->activity_ticks, now) &&
	       activity_page_is(g, from->page, from->page_lock);
}

/* True if the calling thread's last reading of the online processors is still valid. */
static inline bool plain_knows_online(uint64_t now)
{
	return now - cpu_set_lately.at < cpu_set_lately.lasts;
}

/* The rest of plain_start_again if the thread is counted. */
bool plain_start_counted_again(struct counter_sample *s);

/* Completes the sample of a plain start, before counters_thread_between and counters_difference. */
void plain_settle(struct counter_sample *s);

/* Fast counters_end_thread and counters_thread_between, by the snapshots of the start. While the
 * kernel has not touched the counters, the count is the difference of their registers. */
bool plain_count_thread_again(const struct counter_sample *from, struct counter_interval *out);

/* Fast counters_start. s: the sample of the previous start with the same wants. all: they include
 * COUNTER_QUALITY_BIT. */
static inline bool plain_start_again(struct counter_sample *s, bool all, uint64_t now)
{
	const struct thread_group *g = counters_self.group;

	if (!plain_is_own(s))
		return false;
	if (all && (!g->page.has_faults || !plain_knows_online(now) ||
			   s->online_at != cpu_set_lately.at))
		return false;
	s->ticks = now;
	if (!activity_recall_again(g, all ? ACTIVITY_ALL : ACTIVITY_TIME, s, now))
		return false;
	return __builtin_expect(!s->thread_is_wanted, 1) || plain_start_counted_again(s);
}

/* Fills in the values of the quality hook. False: a signal handler has just closed the page. */
static inline bool plain_fill_quality(
	const struct counter_sample *from, uint64_t now, struct counter_interval *out)
{
	const struct thread_group *g = counters_self.group;
	const enum cpi_source cycles = from->source[COUNTER_THREAD_CYCLES];
	uint64_t ran = rate_ns_of_ticks(now - from->ticks);

	out->flags = 0;
	out->activity.on_cpu_ns = ran;
	out->activity.switches = 0;
	out->activity.migrations = from->activity.migrations == NOT_MEASURED ? NOT_MEASURED : 0;
	out->activity.faults = switch_page_faults(&g->page) - from->page_faults;
	if (cycles != CPI_SOURCE_THREAD_CLOCK)
		ran = 0;
	out->quality[COUNTER_THREAD_CYCLES] = (struct counter_quality){cycles, ran, ran};
	return g->page_number == from->page;
}

/* Fast counters_have_stayed for an interval that began with plain_start_again, measured on `cpus`
 * processors. Leaves members of *out that are equal in all such intervals unchanged. */
static inline bool plain_stayed_again(const struct counter_sample *from, bool all, uint32_t cpus,
	uint64_t now, struct counter_interval *out)
{
	if (!plain_has_stayed(from, now) || !plain_knows_online(now) ||
		cpu_set_lately.set.end != cpus)
		return false;
	out->page = from->page;
	out->page_lock = from->page_lock;
	out->activity.cpu = from->activity.cpu;
	return !all || (from->page_faults != NOT_MEASURED && from->online_at == cpu_set_lately.at &&
			       plain_fill_quality(from, now, out));
}

#endif
