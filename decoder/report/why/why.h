/*
 * Explains slow intervals: splits the difference between the mean of the slowest and the mean of
 * the middle ones into terms that the groups measured.
 *
 * decoder/report/why owns the why report. It includes report, base, diff, model, notes, partial,
 * query, sink and values. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_WHY_H
#define SWT_DECODER_REPORT_WHY_H

#include "../tallies.h"

struct why_metrics; /* metrics.h */

enum {
	/* The middle: from this percentile to that one. */
	WHY_MIDDLE_FROM = 45,
	WHY_MIDDLE_TO = 55,
	/* Durations come in tenths of a nanosecond. */
	WHY_PER_NS = 10,
	/* A side's mean is known if all but one in so many of its intervals measured it. */
	WHY_UNKNOWN_AT_MOST = 10,
};

enum why_side {
	WHY_MIDDLE,
	WHY_TAIL,
	WHY_SIDES,
};

/* The terms of the difference of the means. */
enum why_term {
	WHY_INSTRUCTIONS, /* more instructions */
	WHY_CPI,	  /* more cycles per instruction */
	WHY_FREQUENCY,	  /* more time per cycle */
	WHY_OFF_CPU,
	WHY_UNATTRIBUTED, /* the rest: always reported */
	WHY_TERMS,
};

/* Sums over the intervals of one side; each count says how many of them measured the sum. */
struct why_sums {
	uint64_t count;
	exact_sum time; /* in 1/EXACT_PER_NS ns */
	uint64_t tell_off, tell_counts, tell_nominal;
	uint64_t user_only; /* counts of user mode only: no measure of the frequency */
	exact_sum off_ns, instructions, cycles;
	exact_sum nominal; /* the cycles at the nominal rate, in 1/EXACT_PER_NS ns */
};

/* Sums of an event over the intervals of each side that counted it. */
struct why_event {
	const struct tally_event *event;
	uint64_t known[WHY_SIDES];
	exact_sum sum[WHY_SIDES];
	/* The intervals whose instructions were counted, and the instructions. */
	uint64_t counted[WHY_SIDES];
	exact_sum instructions[WHY_SIDES];
};

struct why_group {
	const struct tally_group *group;
	struct why_event *events;		 /* parallel to the group's */
	uint64_t from[WHY_SIDES], to[WHY_SIDES]; /* ns */
	struct why_sums sums[WHY_SIDES];
};

struct why_answer {
	int64_t mean[WHY_SIDES], difference; /* 1/WHY_PER_NS ns */
	bool is_known[WHY_TERMS];
	int64_t term[WHY_TERMS];	    /* they add up to the difference */
	double value[WHY_SIDES][WHY_TERMS]; /* instructions, CPI, cycles per ns, off-CPU ns; NAN */
	bool nominal;			    /* assumes cycles at the nominal rate */
};

/* Computes the answer from sums alone. */
void why_answer(const struct why_sums sums[WHY_SIDES], struct why_answer *a);

/* An event as a candidate of explanation; no part of the difference. */
struct why_candidate {
	const struct tally_event *event;
	bool is_rate; /* per 1000 instructions, else per interval */
	double value[WHY_SIDES];
	double change; /* percent of the middle's; NAN: not known */
};

/* The group's events, what grew most first; all: room for as many as the group has. */
void why_find_candidates(const struct why_group *g, struct why_candidate *all);

/* Percent of the middle's; NAN: not known. */
static inline double why_change(const double value[WHY_SIDES])
{
	return 100 * (value[WHY_TAIL] - value[WHY_MIDDLE]) / value[WHY_MIDDLE];
}

/* Names in CSV of the quantities of every group: no event or metric has one of these names. */
enum { WHY_QUANTITIES = 11 };
extern const char *const why_quantities[WHY_QUANTITIES];

struct why_explanations; /* explain.h */

/* Like rows_check_columns. */
int why_check_columns(struct report *r);
/* groups: parallel to those of t. */
void why_print(struct report *r, const struct why_group *groups, const struct tally *t,
	const struct why_explanations *e, const struct why_metrics *metrics);

#endif
