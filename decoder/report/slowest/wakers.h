/*
 * Who ended the waits of an interval's thread, by the kernel's records of wake-ups: how long the
 * thread waited for each waker, and how long until it ran then. A wait without a record of its end
 * has no waker.
 */
#ifndef SWT_DECODER_REPORT_SLOWEST_WAKERS_H
#define SWT_DECODER_REPORT_SLOWEST_WAKERS_H

#include "../../model/hooks/switches.h"
#include "waits.h"

enum { WAKERS_MOST = 64 /* of an interval; the rest count as others */ };

struct waker {
	bool is_interrupt; /* all interrupts, whatever ran then; pid, tid, has_name: 0 */
	uint32_t pid, tid; /* tid 0: idle */
	uint64_t seen;	   /* ticks: it ran then */
	bool has_name;
	char name[KERNEL_NAME_BYTES + 1];
	uint64_t waits;
	double waited_ns; /* in all: from leaving a processor to running again */
	double to_run_ns; /* of that, from being woken to running */
};

/* Starts zeroed. */
struct wakers {
	bool is_recorded; /* the machine has wake-ups; else the rest is zero */
	struct waker *at; /* by time, the longest first */
	size_t count, room;
	struct waker others, unknown; /* unknown: waits without a waker */
};

/* Adds a wait of the interval's thread; f: of the interval. 0 or CPIDECODE_ENOMEM. */
int wakers_add_wait(struct wakers *w, const struct trace_file *f, const struct waits *waits,
	const struct wait *wait);

/* After the last wait; names: of the machine's threads. */
void wakers_end(struct wakers *w, const struct switch_names *names, uint32_t machine);
void wakers_free(struct wakers *w);

#endif
