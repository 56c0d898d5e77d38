/*
 * The names of the threads that ran, with the time for which each is known: right, or absent. They
 * come from /proc at the start and then from the kernel's records, which arrive from several
 * processors and are brought into order here.
 *
 * Times are CLOCK_MONOTONIC_RAW ns. Errors: out of memory, names are missing; nothing else fails.
 */
#ifndef SWT_KERNEL_NAMES_H
#define SWT_KERNEL_NAMES_H

#include "../../formats/base/hash_index.h"
#include "records.h"

struct kernel_name {
	uint32_t pid, tid;
	uint64_t from, to; /* the name is valid from `from` to `to`, included */
	char name[16];
};

struct kernel_thread;

/* Starts zeroed. */
struct kernel_names {
	struct kernel_thread *threads;
	struct kernel_record *records; /* of which the order is not known yet */
	struct kernel_name *ended;     /* names that ended since they were handed out last */
	size_t nthreads, threads_room, nrecords, records_room, nended, ended_room;
	struct hash_index by_tid;
	uint64_t listed;  /* when /proc was read to its end */
	uint64_t settled; /* all records before it were applied */
};

/* Reads the names of all threads from /proc. since: all records of processors from then on will be
 * added. now: a clock. Forgets earlier names. */
void kernel_names_list(struct kernel_names *n, uint64_t since, uint64_t (*now)(void));

/* A record of kind NAME, FORK or EXIT. */
void kernel_names_add(struct kernel_names *n, const struct kernel_record *record);

/* Asks for the name of a thread that ran. */
void kernel_names_want(struct kernel_names *n, uint32_t tid);

/* All records up to that time were added. Hands over the names that were wanted since the last
 * call, as far as they are known until then. */
void kernel_names_settle(struct kernel_names *n, uint64_t time,
	void (*visit)(void *ctx, const struct kernel_name *name), void *ctx);

#endif
