/*
 * Who ran while a few intervals were under way, from the kernel's switches: on the processors where
 * each began and ended, and instead of it where it left a processor; and who woke it. Uses nothing
 * but the kernel's records.
 */
#ifndef SWT_DECODER_REPORT_SLOWEST_RAN_H
#define SWT_DECODER_REPORT_SLOWEST_RAN_H

#include "../../model/hooks/switches.h"
#include "overlaps.h"
#include "wakers.h"

enum {
	RAN_THREADS = 64,	/* of an interval; the rest count as others */
	RAN_STRETCHES = 100000, /* of an interval's thread; with more, nothing is shown */
};

/* Why the switches do not cover an interval. Partial results have these numbers. */
enum ran_why {
	RAN_COVERED,
	RAN_OTHER_NUMBER,
	RAN_TOO_MANY,
	RAN_NOT_COVERED,
	RAN_CONTRADICTED,
	RAN_WHYS, /* their number */
};

struct ran_thread {
	uint32_t pid, tid; /* tid 0: idle */
	uint64_t seen;	   /* ticks: it ran then */
	bool has_name;
	char name[KERNEL_NAME_BYTES + 1];
	/* Time on the processor that the interval's thread had left, while it was away; and during
	 * the interval, on the processor where it began, and where it ended. */
	double instead_ns, start_cpu_ns, cpu_ns;
};

/* The interval's thread on a processor. */
struct ran_stretch {
	uint64_t start, end; /* ticks */
	uint32_t cpu;
	bool is_left;	/* at its end; else what came then is not known */
	bool preempted; /* then */
};

struct ran {
	const struct interval *iv;
	struct ran_stretch *stretches;
	size_t nstretches, stretches_room;
	struct ran_thread *threads; /* by time on these processors, the longest first */
	size_t count, room;
	struct ran_thread others;
	uint64_t lost;	      /* records, in its time */
	bool has_lost;	      /* some, or a number that is not known */
	bool has_lost_number; /* `lost` is all of them */
	bool has_gap;	      /* of a processor there are no records for a part of it */
	enum ran_why why;     /* RAN_COVERED: the following are valid */
	uint64_t switches;
	double preempted_ns, waiting_ns; /* away: it could have gone on, or waited for something */
	struct wakers wakers;		 /* who ended its waits */
	/* The interval's time on these processors without kernel records. */
	double start_cpu_unknown_ns, cpu_unknown_ns;
};

/* Starts zeroed but for trace and overlaps, which stay as long. */
struct ran_walk {
	const struct trace *trace;
	const struct overlaps *overlaps;
	struct ran *at; /* as overlaps->at */
	struct switch_names names;
	struct switch_cpus cpus;   /* group: the machine */
	struct waits waits;	   /* those that wake-ups may have ended */
	uint32_t *wakeup_machines; /* with wake-ups, each once */
	size_t nwakeup_machines, wakeup_machines_room;
};

/* Reads the trace twice. Finds nothing in a trace without switches. Returns 0 or a CPIDECODE_E
 * code. */
int ran_read(struct ran_walk *w, bool (*progress)(void *ctx, uint64_t done, uint64_t total),
	void *progress_ctx);
/* NULL: nothing is recorded of it. */
const struct ran *ran_find(const struct ran_walk *w, const struct interval *iv);
void ran_free(struct ran_walk *w);

#endif
