/*
 * Programming the Pentium 4's counters: from event selections to ESCR, counter and CCCR, the
 * values of the registers and the order in which they are written. It encodes and writes
 * nothing, so it runs on every machine.
 *
 * One ESCR holds one event selection (event select, event mask, tag, privilege levels), and one
 * counter listens to one ESCR. Counters that listen to the same ESCR therefore count the same
 * selection; they can differ in what their CCCRs filter. So the rule of an assignment is: every
 * request gets a counter of its own; two requests may share an ESCR only if its value would be
 * the same for both. An assignment in which no ESCR is shared is preferred, because Solaris
 * and Linux give an ESCR to one counter only.
 *
 * Errors: the PU_ codes below, with a line that says what and why.
 *	PU_ERROR_INVALID_EVENT			there is no event of that name
 *	PU_ERROR_EVENT_NOT_SUPPORTED		there is, but not on that model
 *	PU_ERROR_INVALID_METRIC			no such unit mask or modifier, a value out of
 *						range, or a unit mask is needed
 *	PU_ERROR_INVALID_PRIVILEGE_LEVEL	neither user nor kernel mode, or no thread
 *	PU_ERROR_INCOMPATIBLE_OPTIONS		what was asked for contradicts itself: a counter
 *						that cannot count the event, a cascade into
 *						counter 16 or 17, different uops for one tag
 *	PU_ERROR_TOO_MANY_METRICS		one event with two kinds of tagged uops
 *	PU_ERROR_EVENT_MAXIMUM_EXCEEDED		more events than there are counters
 *	PU_ERROR_DUPLICATE_METRICS		the same event twice, filters and all, without
 *						two different counters named for it
 *	PU_ERROR_ALL_COUNTERS_IN_USE		more of some events than counters they can use
 *	PU_ERROR_EVENT_ALL_ESCR_IN_USE		there are counters, but not the ESCRs
 * Threads: everything here is pure.
 */
#ifndef SWT_COUNTERS_P4_H
#define SWT_COUNTERS_P4_H

#include "p4_tables.h"

enum { P4_NAME_MAX = 192, P4_WHY_MAX = 768, P4_STEPS_MAX = 9, P4_TEXT_MAX = 256 };

enum p4_model {
	P4_ANY_MODEL,
	P4_MODELS_0_TO_2, /* Willamette, Northwood */
	P4_MODELS_3_TO_6, /* Prescott and later */
};

enum { P4_THREAD_0 = 1, P4_THREAD_1 = 2 };

/* What shall be counted. */
struct p4_request {
	char name[P4_NAME_MAX]; /* for messages */
	const struct p4_event *event;
	uint32_t masks; /* the event mask; bits 16 to 19: the tag value (see struct p4_mask) */
	const struct p4_metric *metric; /* uops to be tagged for it; NULL: none */
	bool compare;			/* filter: count cycles in which the event's count is */
	uint8_t threshold;		/* greater than this, 0 to 15 */
	bool complement;		/* (needs compare) not greater */
	bool edge;			/* (needs compare) only where that becomes true */
	bool user, kernel;
	uint8_t threads; /* logical processors, P4_THREAD_ bits; without hyper-threading 0 only */
	bool interrupt;	 /* at overflow, on those logical processors */
	bool force_overflow; /* at every increment */
	bool cascade;	     /* starts when the alternate counter overflows */
	int counter;	     /* 0 to 17; -1: any that can count it */
};

/*
 * Parses NAME[:PART...]. A part is a unit mask of the event, a metric (see struct p4_metric), or
 * c=N (compare with threshold N), i (complement), e (edge), u, k, uk (modes; none: both), t0, t1
 * (logical processors; none: 0), int (interrupt at overflow), force (overflow at each
 * increment), cascade, ctr=N (this counter). i and e set the compare flag too.
 */
int p4_parse(const char *text, enum p4_model model, struct p4_request *r, char why[P4_WHY_MAX]);

/* The same rules for a request that was put together by a program. */
int p4_check(const struct p4_request *r, enum p4_model model, char why[P4_WHY_MAX]);

/* How it is counted. */
struct p4_program {
	const struct p4_request *request;
	uint8_t escr, counter;
	uint32_t escr_value, cccr_value;
	int shares;    /* the request, by index, that has the same ESCR; -1: none */
	bool upstream; /* another ESCR has to tag uops: */
	uint8_t upstream_escr;
	uint32_t upstream_value;
};

/* Assigns counters and ESCRs to all requests at once: a conflict-free assignment if there is one.
 * Where there is none, why names requests that do not fit together (without any one of them
 * the others do) and what they compete for. The programs point into the requests. */
int p4_assign(const struct p4_request *requests, size_t count, struct p4_program *programs,
	char why[P4_WHY_MAX]);

/* Register values of a request by themselves. upstream: 0 for a request without. */
uint32_t p4_escr_value(const struct p4_request *r);
uint32_t p4_cccr_value(const struct p4_request *r);
uint32_t p4_upstream_value(const struct p4_request *r);

/* Counters that could count it by way of one of its event's ESCRs, in order of preference. */
size_t p4_counters_of(const struct p4_request *r, uint8_t escr, uint8_t counters[P4_COUNTERS]);

/* A step of the manual's procedure. */
struct p4_step {
	unsigned number; /* 1 to 6 */
	bool write;	 /* a WRMSR: */
	uint32_t msr;
	uint32_t value;
	char text[P4_TEXT_MAX];
};

/* The six steps; the registers that tag uops are written as part of the fifth, first. */
size_t p4_steps(const struct p4_program *p, struct p4_step steps[P4_STEPS_MAX]);

/* The config of a perf_event of type PERF_TYPE_RAW: ESCR in the upper 32 bits (with Linux's own
 * code of the event as its event select), CCCR in the lower. User and kernel mode go into
 * exclude_kernel and exclude_user; the kernel chooses ESCR, counter and thread. lacking: NULL, or
 * why Linux cannot count it so. */
uint64_t p4_perf_config(const struct p4_request *r, const char **lacking);

#endif
