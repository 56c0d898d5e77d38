/* Which hooks and intervals a report is about. */
#ifndef SWT_DECODER_FILTER_H
#define SWT_DECODER_FILTER_H

#include "../model/trace/trace.h"
#include "../sink/out.h"

enum { FILTER_CPUS = 1024 };

struct filter {
	const char *label; /* a pattern (glob.h); NULL: any */
	bool by_minor, by_cpu, by_tid, by_pid;
	bool guests;   /* by_cpu: guest rings too */
	bool by_major; /* of hooks only */
	uint8_t major;
	uint32_t minor, tid, pid;
	uint8_t cpus[FILTER_CPUS / 8];
	int64_t from, to; /* CLOCK_REALTIME ns; INT64_MIN, INT64_MAX: open */
};

/* The group whose label start hook was last seen on a ring: its other hooks go with it. */
struct filter_group {
	const struct trace *trace; /* set by the caller; the rest starts zeroed */
	uint64_t ticks;
	uint32_t ring, tid, machine;
	uint8_t major, mm;
	bool known, matches;
};

void filter_init(struct filter *f);

/* An interval is taken when any part of it lies between from and to. */
bool filter_interval(const struct filter *f, const struct interval *iv);

/* Whether a ring, or a processor, is among those that were asked for. */
bool filter_takes_ring(const struct filter *f, uint32_t ring);

/* Nothing was asked for: every hook and interval is taken. */
bool filter_takes_all(const struct filter *f);

/* Hooks have to be shown to it in order. */
bool filter_hook(const struct filter *f, const struct hook *h, struct filter_group *group);

/*
 * All that it says of intervals, as text, times first: equal filters have equal texts. Compensated
 * intervals (struct report) are others than those that are not. where: the text of --where, or
 * NULL.
 */
void filter_describe(const struct filter *f, bool compensated, const char *where, struct out *o);

#define FILTER_COMPENSATED "compensated; "

#endif
