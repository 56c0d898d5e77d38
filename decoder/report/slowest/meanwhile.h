/*
 * Other threads' work while a few intervals ran: the intervals that overlap each, by name. Fed
 * with all intervals of a trace, in any order.
 */
#ifndef SWT_DECODER_REPORT_SLOWEST_MEANWHILE_H
#define SWT_DECODER_REPORT_SLOWEST_MEANWHILE_H

#include "kin.h"
#include "overlaps.h"

enum { MEANWHILE_NAMES = 64 /* of an interval; the rest count as others */ };

/* A name on a processor: counts only intervals known to have begun or ended there. */
struct meanwhile_name {
	struct kin_name name;
	uint64_t count;
	double overlap_ns;
	double start_cpu_ns, cpu_ns; /* of it on the processor where the interval began, ended */
};

struct meanwhile {
	struct meanwhile_name *names;
	size_t count, room;
	struct meanwhile_name others; /* without a name */
};

/* Starts zeroed but for trace and overlaps, which stay as long. */
struct meanwhile_walk {
	const struct trace *trace;
	const struct overlaps *overlaps;
	struct meanwhile *at; /* as overlaps->at */
	struct intern memory;
};

/* 0 or CPIDECODE_ENOMEM. */
int meanwhile_begin(struct meanwhile_walk *w);
int meanwhile_add(struct meanwhile_walk *w, const struct interval *iv);
/* After the last one: names by overlap, the longest first. */
void meanwhile_end(struct meanwhile_walk *w);
/* NULL: not asked for. */
const struct meanwhile *meanwhile_find(const struct meanwhile_walk *w, const struct interval *iv);
void meanwhile_free(struct meanwhile_walk *w);

/* The processor where it began; false: unknown. */
bool meanwhile_start_cpu(const struct interval *iv, uint32_t *cpu);

#endif
