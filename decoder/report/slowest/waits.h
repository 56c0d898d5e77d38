/*
 * Waits of the slowest intervals' threads, and which wake-up ended each, by the kernel's records.
 * Intervals of one thread that are within each other share its waits, so that memory is bounded
 * however many they are.
 */
#ifndef SWT_DECODER_REPORT_SLOWEST_WAITS_H
#define SWT_DECODER_REPORT_SLOWEST_WAITS_H

#include "../../model/hooks/wakeups.h"

/* With this many gaps, or more than half as many waits of all intervals, wakers are unknown. */
enum { WAITS_MOST = 1 << 19 };

/* From `left` to `back` (ticks) the thread was away. A wake-up in (from, back] ended that. */
struct wait {
	uint64_t from, left, back;
	uint32_t machine, tid;
	uint64_t at; /* of the wake-up; 0: none so far */
	uint32_t pid, by, how;
};

/* A time of which wake-ups of some processor are missing. */
struct waits_gap {
	uint32_t machine;
	uint64_t start, end; /* ticks; both included */
};

/* Starts zeroed. */
struct waits {
	struct wait *at; /* by machine, thread and time */
	size_t count, room;
	size_t compacted; /* how many there were after the last sorting */
	bool is_full;
	struct waits_gap *gaps; /* by machine and time, apart */
	size_t ngaps, gaps_room;
	struct switch_cpus chains; /* of each processor's hooks of wake-ups; group: the machine */
};

/* First, each hook; others are passed over. 0 or CPIDECODE_ENOMEM. */
int waits_add_hook(struct waits *w, const struct hook *h);
/* Second, each wait; the thread began to run before it at `began`. 0 or CPIDECODE_ENOMEM. */
int waits_add(struct waits *w, const struct trace_file *f, const struct wait *wait, uint64_t began);
/* Third, after the last wait. */
void waits_sort(struct waits *w);
/* Fourth, each wake-up. */
void waits_add_wakeup(struct waits *w, const struct wakeup *wakeup);

/* At last: what ended a wait of that machine and thread. NULL: it is not known. */
const struct wait *waits_find(const struct waits *w, const struct wait *wait);
void waits_free(struct waits *w);

#endif
