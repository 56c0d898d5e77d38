/*
 * How processors spent their time: samples, and the intervals between them. For
 * libtrace/measure/util/.
 *
 * A processor's time is awake or idle; awake is busy or in interrupts; and on a machine that is
 * a guest, it may have been taken away, which is neither. Awake are its unhalted clock ticks where
 * they can be counted, and nothing then depends on the kernel's idea of idle; else idle
 * is the kernel's account, and awake the rest. Time in interrupts and time taken away are the
 * kernel's account in either case.
 *
 * libtrace/counters/usage owns how processors spent their time. It includes counters, core,
 * machine, perf and thread. Errors as in counters/source.h.
 */
#ifndef SWT_COUNTERS_USAGE_USAGE_H
#define SWT_COUNTERS_USAGE_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../sample.h"

/* ------------------------------------------------------------------------- the choice */

struct usage_choice {
	int rc;	    /* of SWTRACE_COUNTERS */
	int method; /* AI_METHOD_ */
	bool ticks; /* it counts unhalted clock ticks */
	bool stat;  /* /proc/stat is read */
	bool switches;
	char why[640]; /* why not a better method; "" */
};

/* Once a process. */
const struct usage_choice *usage_choice(void);

/* Its name to print; "unknown" for a number that is no method. */
const char *usage_method_name(int method);

/* Where the frequency comes from by which the method turns counts or times into shares: that of
 * the processors, or the rate of the time stamp clock. "" if nothing was measured. */
void usage_frequency_source(int method, char *text, size_t size);

/* Decides afresh, from what the process's counters are. */
struct counter_choice;
void usage_choose_for(struct usage_choice *u, const struct counter_choice *c);

/* ------------------------------------------------------------- samples and intervals */

/* Like counters_hold and counters_drop. */
int usage_hold(void);
void usage_drop(void);

/* Reads all figures of the processors. s->room is set. False: busy and idle cannot be measured
 * now. */
bool usage_read(struct counter_sample *s);

/* Time that the steps of the kernel's accounts moved into a later interval. */
struct usage_carry {
	uint64_t main, intr, steal; /* ticks */
};

/*
 * Like counters_difference, and also how the processors spent the time. carry NULL: a single
 * interval; a time shorter than the accounts' steps is not measured. Else carry has to->room
 * processors and is passed for adjacent intervals: their sums are right within a step, however
 * short each is.
 */
void usage_difference(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out, struct usage_carry *carry);

/* The sums over the processors that stayed. A figure that one of them lacks is NOT_MEASURED;
 * without processors, all are. */
void usage_sums(const struct counter_interval *i, struct counter_usage *sum);

#endif
