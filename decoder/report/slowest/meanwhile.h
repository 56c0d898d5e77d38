/*
 * What other threads did while a few intervals ran: the intervals that overlap each, by name. Fed
 * with all intervals of a trace, in any order.
 */
#ifndef SWT_DECODER_REPORT_SLOWEST_MEANWHILE_H
#define SWT_DECODER_REPORT_SLOWEST_MEANWHILE_H

#include "kin.h"

enum { MEANWHILE_NAMES = 64 /* of an interval; the rest count as others */ };

/* Of a processor: only the intervals that are known to have begun or ended on it. */
struct meanwhile_name {
	struct kin_name name;
	uint64_t count;
	double overlap_ns;
	double start_cpu_ns, cpu_ns; /* of it on the processor where the interval began, ended */
};

struct meanwhile {
	const struct interval *iv;
	uint64_t latest_end; /* ticks: of it and those before it, of its machine */
	struct meanwhile_name *names;
	size_t count, room;
	struct meanwhile_name others; /* without a name */
};

/* Starts zeroed but for trace. */
struct meanwhile_walk {
	const struct trace *trace;
	struct meanwhile *at; /* by machine, then start */
	size_t count;
	struct intern memory;
};

/* The intervals, which stay as long as the walk. 0 or CPIDECODE_ENOMEM. */
int meanwhile_begin(struct meanwhile_walk *w, const struct kin *const *kins, size_t count);
int meanwhile_add(struct meanwhile_walk *w, const struct interval *iv);
/* After the last one: names by overlap, the longest first. */
void meanwhile_end(struct meanwhile_walk *w);
/* NULL: not asked for. */
const struct meanwhile *meanwhile_find(const struct meanwhile_walk *w, const struct interval *iv);
void meanwhile_free(struct meanwhile_walk *w);

/* The processor where it began; false: unknown. */
bool meanwhile_start_cpu(const struct interval *iv, uint32_t *cpu);

#endif
