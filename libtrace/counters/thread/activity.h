/*
 * The calling thread's activity so far: the time it ran, its context switches, migrations and page
 * faults; and whether it left its processor in an interval.
 *
 * With a switch page (switch_page.h) nothing is asked of the kernel unless there was a switch. The
 * thread's figures are read once and hold while the page says that it did not leave its
 * processor: only the time goes on, and page faults, which the page counts where the rights are
 * enough. They are read again after a millisecond, in which a hypervisor may have stolen time that
 * the clock of the processor counts. An interval of all figures that begins with such a reading
 * ends with one, and so shows how much was taken.
 *
 * Without one, or for all figures without the faults, the kernel is asked at both ends: getrusage
 * and the thread's clock; migrations are an event of perf's, where the rights are enough to count
 * it in the kernel, where they happen. Figures without a source are NOT_MEASURED.
 */
#ifndef SWT_COUNTERS_THREAD_ACTIVITY_H
#define SWT_COUNTERS_THREAD_ACTIVITY_H

#include <stdatomic.h>

#include "../../core/clock.h"
#include "../machine/rate.h"
#include "../sample.h"
#include "thread.h"

/* Opens what the thread needs, once, which ends with the thread (struct thread_group); asks the
 * kernel. Of the calling thread only. */
void activity_read(struct thread_self *self, struct counter_activity *activity);

/* Figures of the thread that a sample needs. */
struct activity_wants {
	bool all;    /* each figure, if need be by system calls at both ends */
	bool time;   /* the time it ran, if need be by a system call */
	bool freely; /* the time it ran and its switches, where that costs no system call */
	bool ask;    /* at the end: by a system call, as at the start */
};

/*
 * Reads the thread's figures of a sample. At the start of an interval before its ticks are set, at
 * its end after that: so what a reading costs is never time off the processor.
 * activity_read_start returns true if it made no system call: then the interval may begin at `now`,
 * a time before the call, since the thread did not leave its processor meanwhile.
 */
bool activity_read_start(struct thread_self *self, struct activity_wants wants,
	struct counter_sample *s, uint64_t now);
void activity_read_end(struct thread_self *self, struct activity_wants wants,
	struct counter_sample *s, uint32_t lock);
/* The lock in the thread's page, for activity_read_end: read before the sample's ticks. A thread
 * that was switched between them and the reading has both at one moment, the later one. */
uint32_t activity_read_lock(const struct thread_self *self);

/* Closes what the thread opened: every context switch pays for it. True if there was anything. */
bool activity_rest(struct thread_self *self);

/* True if activity_rest would do nothing. */
static inline bool activity_rests(const struct thread_self *self)
{
	const struct thread_group *g = self->group;

	return !(self->page_tried | self->faults_tried | self->activity_tried) &&
	       !(g && (g->page_number % 2 || g->activity.count));
}

/* Closes the page alone. As activity_rest, also for a signal handler that comes while it is read.
 */
void activity_rest_page(struct thread_self *self);

/* Whether page `number`, in which the lock was this, is open, and the thread has not left its
 * processor since. The number comes last: a signal handler may close the page. */
static inline bool activity_page_is(const struct thread_group *g, uint32_t number, uint32_t lock)
{
	return switch_page_lock(&g->page) == lock && g->page_number == number;
}

/* activity_stays by the kernel's count of switches. True if it was not read at the end. */
bool activity_count_stays(const struct counter_interval *i);

/* Whether the calling thread, whose interval it is, has not left its processor since its end, as
 * far as that was known then. Without a page a system call. */
static inline bool activity_stays(const struct counter_interval *i)
{
	const struct thread_group *g = counters_self.group;

	if (!i->page)
		return activity_count_stays(i);
	return g && activity_page_is(g, i->page, i->page_lock);
}

/* ns that the calling thread, whose interval it is, ran since its end; 0: unknown. */
uint64_t activity_time_since_end(const struct counter_interval *i);

/* Copies a valid reading. Faults are read again: they advance without a switch. Copies members,
 * because compilers copy structures by a slow string instruction. */
static inline void activity_fill(
	const struct thread_group *g, const struct activity_reading *r, struct counter_sample *s)
{
	s->activity.on_cpu_ns = r->activity.on_cpu_ns;
	s->activity.switches = r->activity.switches;
	s->activity.migrations = r->activity.migrations;
	s->activity.faults = NOT_MEASURED;
	s->activity.opening = r->activity.opening;
	s->activity.cpu = r->activity.cpu;
	s->activity_ticks = r->ticks;
	s->page_lock = r->lock;
	s->page = r->number;
	s->page_faults = g->page.has_faults ? switch_page_faults(&g->page) : NOT_MEASURED;
}

static inline bool activity_lasts(const struct thread_group *g, uint64_t ticks, uint64_t now)
{
	return now - ticks < g->reading_lasts;
}

/*
 * The thread's last reading, if the page shows that it is valid at `now`. Requires a page. False:
 * invalid, or a signal handler has just replaced it.
 */
static inline bool activity_recall(const struct thread_group *g, enum activity_reach reach,
	struct counter_sample *s, uint64_t now)
{
	const struct activity_reading *r = &g->last[reach];
	unsigned version = g->version;

	atomic_signal_fence(memory_order_acq_rel);
	if (version % 2 || !activity_lasts(g, r->ticks, now) ||
		!activity_page_is(g, r->number, r->lock))
		return false;
	activity_fill(g, r, s);
	s->activity_source = INTERVAL_TIME_PAGE;
	atomic_signal_fence(memory_order_acq_rel);
	return g->version == version;
}

/* Like activity_recall, for a sample that has a reading of this reach, from a page. While that one
 * is valid, only the faults advance. */
static inline bool activity_recall_again(const struct thread_group *g, enum activity_reach reach,
	struct counter_sample *s, uint64_t now)
{
	if (activity_lasts(g, s->activity_ticks, now)) {
		s->page_faults = g->page.has_faults ? switch_page_faults(&g->page) : NOT_MEASURED;
		if (activity_page_is(g, s->page, s->page_lock))
			return true;
	}
	return activity_recall(g, reach, s, now);
}

/* A light interval's data of its start. */
struct activity_start {
	uint64_t on_cpu_ns, ticks; /* the reading that held then */
	const struct thread_group *group;
	uint32_t lock, page;	/* page 0: nothing is known */
	uint32_t switches, cpu; /* of that reading: modulo 2^32; COUNTER_NO_CPU */
};

/* Fills *s from page `number` if it is still open and its reading is valid. s->lock is set. */
static inline bool activity_note_start(
	const struct thread_group *g, struct activity_start *s, uint32_t number, uint64_t now)
{
	const struct activity_reading *r = &g->last[ACTIVITY_TIME];
	unsigned version = g->version;

	atomic_signal_fence(memory_order_acq_rel);
	if (version % 2 || r->number != number || r->lock != s->lock ||
		!activity_lasts(g, r->ticks, now))
		return false;
	s->page = number;
	s->on_cpu_ns = r->activity.on_cpu_ns;
	s->switches = r->switches;
	s->cpu = r->cpu;
	s->ticks = r->ticks;
	atomic_signal_fence(memory_order_acq_rel);
	return g->version == version && g->page_number == number;
}

/* Begins an interval of the calling thread, now: returns the clock. Asks the kernel as a CpiStart
 * that reads freely does. */
uint64_t activity_begin(struct activity_start *s);

/* Inline fast path, if the thread's last reading is valid. 0: it is not, and nothing has begun. */
static inline uint64_t activity_begin_again(struct activity_start *s)
{
	const struct thread_group *g = counters_self.group;
	uint32_t number;
	uint64_t start;

	if (!g || !thread_is_met())
		return 0;
	number = g->page_number;
	atomic_signal_fence(memory_order_acq_rel);
	if (number % 2 == 0)
		return 0;
	s->group = g;
	/* Read the page before the clock: a switch in between belongs to the interval. */
	s->lock = switch_page_lock(&g->page);
	start = clock_read();
	return activity_note_start(g, s, number, start) ? start : 0;
}

/* Whether the calling thread, which began it, has not left its processor since. */
static inline bool activity_stayed_since(const struct activity_start *s)
{
	return s->page && activity_page_is(s->group, s->page, s->lock);
}

/* Whether its page has stopped: a switch that the kernel counted since did not change it. */
bool activity_page_stopped(const struct activity_start *s);

/* activity_stayed_since, at the end of an interval of this length. A page may have stopped, so the
 * kernel is asked too once the reading of the start is too old. */
static inline bool activity_stayed_for(const struct activity_start *s, uint64_t elapsed)
{
	return activity_stayed_since(s) &&
	       (elapsed < s->group->reading_lasts || !activity_page_stopped(s));
}

/* A thread's activity from a light interval's start until `ticks`. */
struct activity_since {
	uint64_t switches, on_cpu_ns, ticks;
	uint32_t page, lock; /* then: a page with the faults may have replaced that of the start */
};

/* Asks the kernel, after a switch in an interval from the ticks `start` on. False: nothing is
 * known. */
bool activity_read_since(
	const struct activity_start *s, uint64_t start, struct activity_since *since);

/* Extends a reading to `end`, a later moment: what came after it, such as the first access to a
 * page of the ring, is time on the processor; after another switch nothing is known. */
static inline void activity_extend_since(
	const struct activity_start *s, struct activity_since *since, uint64_t end)
{
	if (!activity_page_is(s->group, since->page, since->lock)) {
		since->switches = since->on_cpu_ns = NOT_MEASURED;
	} else if (end > since->ticks) {
		since->on_cpu_ns += rate_ns_of_ticks(end - since->ticks);
		since->ticks = end;
	}
}

/* to - from, each; NOT_MEASURED where either was not read. */
void activity_difference(const struct counter_activity *from, const struct counter_activity *to,
	struct counter_activity *out);

/* A thread's activity between two samples of it. Without a switch it ran all the time. */
void activity_of_interval(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out);
/* Nothing is known. */
void activity_of_none(struct counter_interval *out);

#endif
