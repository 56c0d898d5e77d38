/* A counter's register, read while its page had this lock value; see page.h. */
#ifndef SWT_COUNTERS_PERF_SNAPSHOT_H
#define SWT_COUNTERS_PERF_SNAPSHOT_H

#include <stdint.h>

struct perf_event_mmap_page;

/* Reads a register by the index that the page has for it. */
typedef uint64_t perf_register(uint32_t index);

struct perf_snapshot {
	const struct perf_event_mmap_page *page;
	perf_register *read; /* that of `index` */
	uint64_t value;
	uint32_t lock, index;
	uint32_t unused; /* bits of `value` above the register */
};

#endif
