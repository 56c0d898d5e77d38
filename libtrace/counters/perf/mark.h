/* A counter's register, read while its page had this lock value; see page.h. */
#ifndef SWT_COUNTERS_PERF_MARK_H
#define SWT_COUNTERS_PERF_MARK_H

#include <stdint.h>

struct perf_event_mmap_page;

struct perf_mark {
	const struct perf_event_mmap_page *page;
	uint64_t value;
	uint32_t lock, index;
	uint32_t width; /* bits of the register */
};

#endif
