/*
 * p4counters.h - programming the Pentium 4's performance counters: from event names to ESCRs,
 * counters and CCCRs, the values of the registers and the order in which they are written.
 * Link with libswtrace. The manual page p4counters(3) explains it; this header is the contract.
 *
 * Nothing here reads or writes a register, opens a perf event or does I/O, so the module works on
 * every machine. Names, numbers and values are those of Intel's manual (SDM volume 3B, Tables 18-26
 * and ), codes of raw perf events those of Linux's driver for this processor.
 *
 * One ESCR holds one event selection (event select, event mask, tag, privilege levels), and one
 * counter listens to one ESCR. Counters that listen to the same ESCR therefore count the same
 * selection; they can differ in the filters of their CCCRs. So an assignment follows this rule:
 * every request gets a counter of its own; two requests may share an ESCR only if its value would
 * be the same for both. An assignment in which no ESCR is shared is preferred, because Solaris
 * and Linux give an ESCR to one counter only.
 *
 * Ownership: the caller owns requests, programs and steps; tables and strings that they point to
 * are constant and live as long as the library. A program points into the requests it was made
 * from.
 *
 * Errors: PU_SUCCESS (0) or a code of perfutil.h (RcToString names it), with one line in `why`
 * that names the object and the cause: P4_WHY_MAX bytes, "" on success; NULL: not wanted.
 *	PU_ERR_NULL_PTR				no text, request or program where one is needed
 *	PU_ERROR_INVALID_EVENT			no event has that name
 *	PU_ERROR_EVENT_NOT_SUPPORTED		the event exists, but not on that model
 *	PU_ERROR_INVALID_METRIC			no such unit mask or modifier, a value out of
 *						range, or a unit mask is needed
 *	PU_ERROR_INVALID_PRIVILEGE_LEVEL	neither user nor kernel mode, or no thread
 *	PU_ERROR_INCOMPATIBLE_OPTIONS		the request contradicts itself: a counter that
 *						cannot count the event, a cascade into counter
 *						16 or 17, different uops for one tag
 *	PU_ERROR_TOO_MANY_METRICS		one event with two kinds of tagged uops
 *	PU_ERROR_EVENT_MAXIMUM_EXCEEDED		more events than there are counters
 *	PU_ERROR_DUPLICATE_METRICS		the same event twice, filters and all, without
 *						two different counters named for it
 *	PU_ERROR_ALL_COUNTERS_IN_USE		more of some events than counters they can use
 *	PU_ERROR_EVENT_ALL_ESCR_IN_USE		there are counters, but not the ESCRs
 *
 * Threads: every function is pure and may be called by any thread at any time.
 */
#ifndef P4COUNTERS_H
#define P4COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfutil.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------- the processor */

enum { P4_COUNTERS = 18, P4_ESCRS = 45, P4_EVENTS = 46, P4_METRICS = 18 };
enum { P4_NAME_MAX = 192, P4_WHY_MAX = 768, P4_STEPS_MAX = 9, P4_TEXT_MAX = 256 };

struct p4_counter {
	const char *name;
	uint32_t msr;
	const char *cccr_name;
	uint32_t cccr_msr;
};

struct p4_escr {
	const char *name;
	uint32_t msr;
	uint8_t select;	   /* its number in the CCCR select field of its counters */
	uint32_t counters; /* those that can listen to it, one bit each */
};

/* By number: 0 to P4_COUNTERS - 1, and 0 to P4_ESCRS - 1 in the order of their addresses.
 * NULL: no such number. */
SWTRACE_API const struct p4_counter *P4CounterAt(size_t number);
SWTRACE_API const struct p4_escr *P4EscrAt(size_t number);

/* ---------------------------------------------------------------------------- events */

/* A unit mask: a bit of the ESCR's event mask. Bits 16 to 19 are the bits of the tag value, which
 * tags uops for execution_event. */
struct p4_mask {
	const char *name;
	uint8_t bit;
	const char *what;
};
#define P4_TAG_BIT 16

/* At-retirement events that count uops tagged upstream. */
enum p4_tagging { P4_NO_TAGGING, P4_FRONT_END, P4_EXECUTION, P4_REPLAY };

struct p4_event {
	const char *name;
	uint8_t select;	     /* ESCR event select */
	uint8_t cccr_select; /* as the manual's table of events has it */
	uint8_t escr[2];     /* two equal numbers: the event has only one ESCR */
	const struct p4_mask *masks;
	size_t mask_count;
	enum p4_tagging tagging;
	bool prescott;	     /* models 3, 4 and 6 only */
	uint16_t perf_lacks; /* event mask bits that Linux's table of the event does not have */
	const char *what;
	const char *note; /* a remark; NULL: none */
};

/* Tags uops for one of those events; chosen like a unit mask of it. */
struct p4_metric {
	const char *name;
	enum p4_tagging tagging;
	const char *event;    /* to be selected in an ESCR of its own; NULL: none */
	uint16_t masks;	      /* of that event */
	int8_t only;	      /* which of its two ESCRs; -1: either */
	uint32_t pebs_enable; /* replay tagging: the values of the two registers */
	uint32_t matrix_vert;
	uint8_t perf; /* Linux's number of the replay metric */
	const char *what;
};

/* Models of family 15. Models 3, 4 and 6 have events that the others lack. */
enum p4_model {
	P4_ANY_MODEL,
	P4_MODELS_0_TO_2, /* Willamette, Northwood */
	P4_MODELS_3_TO_6, /* Prescott and later */
};

/* In the order of Linux's enum P4_EVENTS: the index is the kernel's code of the event. NULL: no
 * more. */
SWTRACE_API const struct p4_event *P4EventAt(size_t index);
SWTRACE_API const struct p4_metric *P4MetricAt(size_t index);

/* By name, case-insensitive; NULL: no such name. A metric is found only for the events that count
 * its uops. */
SWTRACE_API const struct p4_event *P4FindEvent(const char *name);
SWTRACE_API const struct p4_mask *P4FindMask(const struct p4_event *event, const char *name);
SWTRACE_API const struct p4_metric *P4FindMetric(const struct p4_event *event, const char *name);

SWTRACE_API bool P4HasEvent(enum p4_model model, const struct p4_event *event);

/* -------------------------------------------------------------------------- requests */

enum { P4_THREAD_0 = 1, P4_THREAD_1 = 2 };

/* An event to count. P4Parse fills it in from text. A program may fill it in too: `counter` -1,
 * `event`, `masks`, the modes and the threads as wanted, all else 0. */
struct p4_request {
	char name[P4_NAME_MAX]; /* for messages */
	const struct p4_event *event;
	uint32_t masks; /* the event mask; bits 16 to 19: the tag value (see struct p4_mask) */
	const struct p4_metric *metric; /* tags uops for it; NULL: none */
	bool compare;			/* filter: count cycles in which the event's count is */
	uint8_t threshold;		/* greater than this, 0 to 15 */
	bool complement;		/* (needs compare) not greater */
	bool edge;			/* (needs compare) only when that becomes true */
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
 * increment), cascade, ctr=N (counter N). i and e also set the compare flag.
 */
SWTRACE_API int P4Parse(
	const char *text, enum p4_model model, struct p4_request *request, char *why);

/* Applies the same rules to a request that a program filled in. */
SWTRACE_API int P4Check(const struct p4_request *request, enum p4_model model, char *why);

/* ------------------------------------------------------------------------ programming */

/* The registers that count a request. */
struct p4_program {
	const struct p4_request *request;
	uint8_t escr, counter;
	uint32_t escr_value, cccr_value;
	int shares;    /* the request, by index, that has the same ESCR; -1: none */
	bool upstream; /* another ESCR has to tag uops: */
	uint8_t upstream_escr;
	uint32_t upstream_value;
};

/* Assigns counters and ESCRs to all requests at once, and fills in programs[0] to [count - 1]:
 * a conflict-free assignment if there is one. If there is none, why names a minimal set of
 * conflicting requests (without any one of them the others fit) and the registers they compete
 * for; programs are then undefined. One event on two counters needs two requests that name
 * different counters. */
SWTRACE_API int P4Assign(
	const struct p4_request *requests, size_t count, struct p4_program *programs, char *why);

/* A step of the manual's procedure. */
struct p4_step {
	unsigned number; /* 1 to 6 */
	bool write;	 /* a WRMSR: */
	uint32_t msr;
	uint32_t value;
	char text[P4_TEXT_MAX];
};

/* Fills in the six steps, in order, and returns the number of entries: a step may need several
 * writes. The registers that tag uops are written first in the fifth. The counter is not preset. */
SWTRACE_API size_t P4Steps(const struct p4_program *program, struct p4_step steps[P4_STEPS_MAX]);

/* The config of a perf_event of type PERF_TYPE_RAW: ESCR in the upper 32 bits (with Linux's own
 * code of the event as its event select), CCCR in the lower. User and kernel mode go into
 * exclude_kernel and exclude_user; the kernel chooses ESCR, counter and thread. *lacking (unless
 * NULL) becomes NULL, or the reason why Linux cannot count the request so; the config is then
 * useless. */
SWTRACE_API uint64_t P4PerfConfig(const struct p4_request *request, const char **lacking);

#ifdef __cplusplus
}
#endif

#endif
