/*
 * A page by which a thread sees, without a system call, that it did not leave its processor: the
 * first page of an event of its own, whose `lock` the kernel moves whenever the thread comes back
 * to a processor. Two equal values have no context switch between them. Two different ones prove
 * nothing: the kernel knows.
 *
 * The event counts nothing, so that it opens without rights and without a PMU. It costs the thread
 * about a microsecond a context switch. The descriptor is closed once the page is mapped. A process
 * uses at most half of its user's locked memory for these pages.
 *
 * With the right to count in the kernel, the event may be the thread's page faults, each of which
 * leaves an empty record in a ring behind the page (another page of locked memory). The
 * ring is never read: its head gives their number. An event with a period of 1 is never
 * throttled, and a ring that is mapped read-only never full.
 *
 * A page that is closed becomes zeros, and the next one is opened at the same address: so a signal
 * handler may do either while the interrupted code reads it. The caller informs the readers.
 *
 * Threads: a page belongs to the thread that opened it. A child of fork does not have it.
 */
#ifndef SWT_COUNTERS_THREAD_SWITCH_PAGE_H
#define SWT_COUNTERS_THREAD_SWITCH_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "../perf/page.h"

struct switch_page {
	const struct perf_event_mmap_page *page; /* NULL: never opened */
	bool is_open;
	bool has_faults; /* it counts page faults */
};

/* Replaces the one that is open, if any. False: the kernel refuses, or the share of locked memory
 * is taken; nothing changes. p: all zero at first. */
bool switch_page_open(struct switch_page *p, bool faults);

void switch_page_close(struct switch_page *p);

/* At the thread's end. forked: in a child, which has no mapping to remove. */
void switch_page_free(struct switch_page *p, bool forked);

/* Acquire: later reads must not be done before it. */
static inline uint32_t switch_page_lock(const struct switch_page *p)
{
	return __atomic_load_n(&p->page->lock, __ATOMIC_ACQUIRE);
}

/* Page faults of the thread since the page was opened, if it has them. */
static inline uint64_t switch_page_faults(const struct switch_page *p)
{
	return perf_page_head(p->page) / sizeof(struct perf_event_header);
}

#endif
