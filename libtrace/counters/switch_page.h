/*
 * A page by which a thread sees, without a system call, that it did not leave its processor: the
 * first page of an event of its own, whose `lock` the kernel moves whenever the thread comes back
 * to a processor. Two equal values have no context switch between them. Two different ones prove
 * nothing: the kernel knows.
 *
 * The event counts nothing, so that it opens without rights and without a PMU. It costs the thread
 * about a microsecond a context switch. The descriptor is closed once the page is mapped. A
 * process takes at most half of the locked memory that its user has for such pages.
 *
 * Threads: a page belongs to the thread that opened it. A child of fork does not have it.
 */
#ifndef SWT_COUNTERS_SWITCH_PAGE_H
#define SWT_COUNTERS_SWITCH_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct switch_page {
	const struct perf_event_mmap_page *page; /* NULL: none */
};

/* False: the kernel refuses, or the share of locked memory is taken. */
bool switch_page_open(struct switch_page *p);

/* forked: in a child, which has no mapping to remove. */
void switch_page_close(struct switch_page *p, bool forked);

/* Acquire, for what is read next must not have been read before it. */
static inline uint32_t switch_page_lock(const struct switch_page *p)
{
	return __atomic_load_n(&p->page->lock, __ATOMIC_ACQUIRE);
}

#endif
