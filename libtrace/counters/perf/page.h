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

/* The processor's instructions, so that tests can stand in for them. */
struct perf_registers {
	bool (*counter)(uint32_t index, uint64_t *value); /* false: there is none of this number */
	uint64_t (*ticks)(void);			  /* what a page's time fields are about */
};

extern struct perf_registers perf_registers;

/* Whether this process may meet those instructions: there are some for this processor, and
 * nothing simulates it that does not know them (valgrind). */
bool perf_registers_usable(void);

enum perf_page_state {
	PERF_PAGE_COUNTING, /* on the counters now */
	PERF_PAGE_RESTING,  /* not on the counters now: what was counted before */
	PERF_PAGE_UNKNOWN,  /* the pages do not tell */
};

/* Reads all the members, all at one moment: the kernel touched no page meanwhile, and where the
 * leader counts instructions, no interrupt came between them. Sets r unless the pages do not tell.
 * Resting, times are right only for a group that is enabled. */
enum perf_page_state perf_pages_read(
	const struct perf_member *member, unsigned count, struct perf_group_reading *r);

/* The members' counts since these marks, the first of which counts instructions. False: the kernel
 * has updated a page since, e.g. on a context switch, and may have moved or stopped the counter; or
 * an interrupt came between reading one and the next. If true, the members counted all the time. */
bool perf_marks_count(const struct perf_mark *mark, unsigned marks, uint64_t *count);

#endif
