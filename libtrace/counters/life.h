/*
 * What the calling thread did so far: the time it ran, its context switches, migrations and
 * page faults; and whether it left its processor in an interval.
 *
 * With a switch page (switch_page.h) nothing is asked of the kernel unless there was a switch. The
 * thread's figures are read once and hold while the page says that it did not leave its
 * processor: only the time goes on. They are read anew after a millisecond, in which a
 * hypervisor may have taken time that the clock of the processor counts.
 *
 * Without one the kernel is asked at both ends: perf's software events where the rights are enough
 * to count them in the kernel (where they happen), else getrusage and the thread's clock. What
 * neither tells is CPI_NONE.
 */
#ifndef SWT_COUNTERS_LIFE_H
#define SWT_COUNTERS_LIFE_H

#include "sample.h"

struct thread_self;

/* Opens what the thread needs, once, which ends with the thread (struct thread_group); asks the
 * kernel. Of the calling thread only. */
void life_read(struct thread_self *self, struct counter_life *life);

/* What a sample is to know of the thread. */
struct life_wants {
	bool all;    /* each figure: by system calls at both ends */
	bool time;   /* the time it ran, if need be by a system call */
	bool freely; /* the time it ran and its switches, where that costs no system call */
};

/*
 * Reads the thread's figures of a sample. At the start of an interval before its ticks are set, at
 * its end after that: so what a reading costs is never time off the processor.
 * life_read_start returns true if it made no system call: then the interval may begin at `now`,
 * a time before the call, since the thread did not leave its processor meanwhile.
 */
bool life_read_start(
	struct thread_self *self, struct life_wants wants, struct counter_sample *s, uint64_t now);
void life_read_end(struct thread_self *self, struct life_wants wants, struct counter_sample *s);

/* Closes what the thread opened: every context switch pays for it. */
void life_rest(struct thread_self *self);

/* to - from, each; CPI_NONE where either was not read. */
void life_difference(
	const struct counter_life *from, const struct counter_life *to, struct counter_life *out);

/* What a thread did between two samples of it. Without a switch it ran all the time. */
void life_of_interval(const struct counter_sample *from, const struct counter_sample *to,
	struct counter_interval *out);
/* Nothing is known. */
void life_of_none(struct counter_interval *out);

#endif
