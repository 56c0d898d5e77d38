/*
 * What processors spent their time on: samples, and the intervals between them. For
 * libtrace/measure/util/.
 *
 * A processor's time is awake or idle; awake is busy or in interrupts; and on a machine that is
 * a guest, it may have been taken away, which is neither. Awake are its unhalted clock ticks where
 * they can be counted, and nothing then depends on what the kernel takes for idle; else idle
 * is the kernel's account, and awake the rest. Time in interrupts and time taken away are the
 * kernel's account in either case.
 */
#ifndef SWT_COUNTERS_USAGE_H
#define SWT_COUNTERS_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample.h"

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

/* For a person; of a number that is no method, "unknown". */
const char *usage_method_name(int method);

/* Where the frequency comes from by which the method turns counts or times into shares: that of
 * the processors, or the rate of the time stamp clock. "" if nothing was measured. */
void usage_frequency_source(int method, char *text, size_t size);

/* Decides afresh, from what the process's counters are. */
struct counter_choice;
void usage_choose_for(struct usage_choice *u, const struct counter_choice *c);

/* ---------------------------------------------------------------------------- samples */

/* Not read: CPI_NONE. */
struct usage_cpu {
	uint64_t ticks;		   /* clock_now() as its counts were read; scripted: cycles */
	uint64_t unhalted;	   /* clock ticks: what the method counts, or scripted */
	uint64_t core, reference;  /* unhalted core and reference ticks */
	uint64_t enabled, running; /* ns, of these three */
	uint64_t hz;		   /* its frequency now */
	uint64_t idle, idle_slack; /* ns so far; right within the slack */
	uint64_t intr, steal;	   /* ns so far; scripted: cycles */
	uint64_t switches, interrupts;
	uint64_t opening, switches_opening; /* as in struct counter_cpu */
	uint64_t presence;
	bool online;
};

struct usage_sample {
	int method;
	uint64_t ticks;			/* clock_now() as the counters were read */
	uint64_t stat_at;		/* ticks, of intr and steal */
	uint64_t pair_ticks, pair_boot; /* clock_now() and CLOCK_BOOTTIME ns, read together */
	uint32_t room;			/* entries of cpu[] */
	uint32_t cpus;			/* highest online CPU number + 1; at most room */
	struct usage_cpu cpu[];
};

size_t usage_sample_size(uint32_t room);

/* As counters_hold and counters_drop. */
int usage_hold(void);
void usage_drop(void);

/* Reads all that there is. s->room is set. False: nothing tells busy from idle now. */
bool usage_read(struct usage_sample *s);

/* -------------------------------------------------------------------------- intervals */

/* Ticks of the time stamp clock (scripted: cycles). Not measured, or of a processor that was not
 * online from end to end: CPI_NONE. */
struct usage_interval_cpu {
	uint64_t elapsed;
	uint64_t busy, idle, intr; /* with intr unknown, busy has it in it */
	uint64_t core, reference;
	uint64_t switches, interrupts;
	bool online; /* at the end */
	bool stayed; /* from end to end */
};

struct usage_interval {
	int method;
	uint32_t flags; /* CPUUTIL_DATA_FLAG_ */
	uint32_t cpus;
	struct usage_interval_cpu cpu[];
};

size_t usage_interval_size(uint32_t room);

/* What the steps of the kernel's accounts moved into a later interval. */
struct usage_carry {
	uint64_t main, intr, steal; /* ticks */
};

/*
 * carry NULL: an interval of its own; what is too short for the steps of the accounts is
 * not measured. Else cpus of to->room: of a row of intervals, one after the other, whose sums
 * are right within a step however short they are.
 */
void usage_difference(const struct usage_sample *from, const struct usage_sample *to,
	struct usage_interval *out, struct usage_carry *carry);

/* The sums over the processors that stayed. What one of them did not measure is CPI_NONE;
 * with none, all is. */
void usage_sums(const struct usage_interval *i, struct usage_interval_cpu *sum);

#endif
