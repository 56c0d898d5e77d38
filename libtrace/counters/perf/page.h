/*
 * Counters read in user mode: from the pages that the kernel shares for a thread's events,
 * under the sequence lock that linux/perf_event.h describes, and the processor's counter
 * registers. By the thread that the events count only.
 */
#ifndef SWT_COUNTERS_PERF_PAGE_H
#define SWT_COUNTERS_PERF_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "group.h"

/* The processor's instructions, so that tests can replace them. */
struct perf_registers {
	perf_register *(*counter)(uint32_t index); /* NULL: there is none of this number */
	uint64_t (*ticks)(void);		   /* what a page's time fields are about */
};

extern struct perf_registers perf_registers;

/* Whether this process may meet those instructions: there are some for this processor, and
 * nothing simulates it that does not know them (valgrind). */
bool perf_registers_usable(void);

enum perf_page_state {
	PERF_PAGE_COUNTING, /* on the counters now */
	PERF_PAGE_RESTING,  /* not on the counters now: earlier counts */
	PERF_PAGE_UNKNOWN,  /* the pages have no counts: only a system call does */
};

/* Reads all the members, all at one moment: the kernel touched no page meanwhile, and where the
 * leader counts instructions, no interrupt came between them. Sets r unless the result is
 * PERF_PAGE_UNKNOWN. Resting, times are right only for a group that is enabled. */
enum perf_page_state perf_pages_read(
	const struct perf_member *member, unsigned count, struct perf_group_reading *r);

/*
 * Relaxed loads between compiler barriers, as in linux/perf_event.h. No fence is needed: the kernel
 * writes a page on the processor of the thread that reads it, or while that thread is off the
 * processors, and an interrupt is precise.
 */
#define PERF_PAGE_LOAD(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

/* The bytes that the kernel ever wrote to the buffer behind a page. Acquire: pairs with its barrier
 * between a record and data_head. */
static inline uint64_t perf_page_head(const struct perf_event_mmap_page *page)
{
	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

/* Release: the kernel may overwrite what was read before. */
static inline void perf_page_set_tail(struct perf_event_mmap_page *page, uint64_t tail)
{
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

static inline void perf_page_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline bool perf_snapshot_holds(const struct perf_snapshot *snapshot)
{
	return PERF_PAGE_LOAD(snapshot->page->lock) == snapshot->lock;
}

/* The register's count since the snapshot, which still holds. */
static inline uint64_t perf_snapshot_count(const struct perf_snapshot *snapshot)
{
	return (snapshot->read(snapshot->index) - snapshot->value) << snapshot->unused >>
	       snapshot->unused;
}

/*
 * An interrupt that does not switch the thread touches no page. Between two reads of registers it
 * would add thousands of instructions and cycles to the later count, but not to the earlier one. To
 * detect it, read the instructions once more after the others. Limit of instructions to read one
 * register:
 */
enum { PERF_READ_INSTRUCTIONS = 64 };

/*
 * The counts since the snapshots of two members of a group, of which the first counts instructions.
 * False: the kernel has updated a page since, e.g. on a context switch, and may have moved or
 * stopped the counter; or an interrupt came between reading one and the other. If true, the members
 * counted all the time.
 */
static inline bool perf_pair_count(const struct perf_snapshot snapshot[2], uint64_t count[2])
{
	uint64_t again;

	/* Check first: the registers may be gone. One snapshot suffices: the kernel schedules a
	 * group as a whole. */
	if (!perf_snapshot_holds(&snapshot[0]))
		return false;
	perf_page_barrier();
	count[0] = perf_snapshot_count(&snapshot[0]);
	count[1] = perf_snapshot_count(&snapshot[1]);
	again = perf_snapshot_count(&snapshot[0]);
	perf_page_barrier();
	return again - count[0] <= 2 * PERF_READ_INSTRUCTIONS &&
	       perf_snapshot_holds(&snapshot[0]) && perf_snapshot_holds(&snapshot[1]);
}

#endif
