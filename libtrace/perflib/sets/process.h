/*
 * Process: what each process did and holds. Private to process*.c.
 */
#ifndef SWT_PERFLIB_SETS_PROCESS_H
#define SWT_PERFLIB_SETS_PROCESS_H

#include <sys/types.h>

#include "../counterset.h"
#include "scan.h"

/* Their numbers are the counters' ids. */
enum process_column {
	PROCESS_TIME,
	PROCESS_USER,
	PROCESS_PRIVILEGED,
	PROCESS_FAULTS,
	PROCESS_MAJOR_FAULTS,
	PROCESS_SWITCHES,
	PROCESS_VOLUNTARY,
	PROCESS_INVOLUNTARY,
	PROCESS_INSTRUCTIONS,
	PROCESS_GROWING, /* the above go on from sample to sample */
	PROCESS_THREADS = PROCESS_GROWING,
	PROCESS_VIRTUAL,
	PROCESS_RESIDENT,
	PROCESS_ELAPSED,
	PROCESS_ID,
	PROCESS_COLUMNS,
};

#define PROCESS_BIT(column) (UINT64_C(1) << (column))
#define PROCESS_SWITCH_BITS                                                                        \
	(PROCESS_BIT(PROCESS_SWITCHES) | PROCESS_BIT(PROCESS_VOLUNTARY) |                          \
		PROCESS_BIT(PROCESS_INVOLUNTARY))

extern const struct counterset_definition process_definition;

/* Where the kernel's files are; tests make them up. The counterset's context. */
struct process_machine {
	const char *proc;
	bool real; /* these are the processes of this kernel */
};

/* --------------------------------------------------- parsers; pure, take any bytes */

/* Of /proc/PID/stat. Times in ticks of USER_HZ, start since the machine was. */
struct process_stat {
	const char *name;
	size_t name_bytes;
	uint64_t minor_faults, major_faults, user, system, threads, start, virtual_bytes, pages;
};

bool process_parse_stat(const char *text, size_t length, struct process_stat *stat);
/* Of /proc/PID/task/TID/status. */
bool process_parse_switches(
	const char *text, size_t length, uint64_t *voluntary, uint64_t *involuntary);

/* ----------------------------------------------------------------------- directories */

/* The numbers that name entries of a directory, ascending. Grows, and then stays. */
struct numbers {
	uint32_t *number;
	uint32_t used, room;
	char *bytes; /* of the kernel's answers */
};

/* False: it cannot be read. More than COUNTERSET_INSTANCES are left out. */
bool numbers_read(struct numbers *n, const char *path);
void numbers_free(struct numbers *n);

/* --------------------------------------------------------------------------- a query */

/* A process as a sample found it. */
struct process {
	uint32_t pid;
	uint64_t start; /* tells it from another one of this number */
	uint64_t known;
	uint64_t value[PROCESS_GROWING];
};

/* What a thread had done; by its number, ascending. */
struct thread_switches {
	uint32_t tid;
	uint32_t pid;
	uint64_t voluntary, involuntary;
};

struct threads {
	struct thread_switches *thread;
	uint32_t used, room;
};

struct counted; /* a process whose instructions are counted */

extern const struct counterset_operations process_operations;

struct processes {
	const struct process_machine *machine;
	uint64_t user_hz, page_bytes;
	uint64_t ticks, boot_ns; /* the same moment on two clocks */
	struct numbers pids, tids;
	struct file_text text;
	/* This sample, and the one before. */
	struct process *process, *before;
	uint32_t used, used_before, room, room_before;
	struct threads threads, threads_before;
	bool refused; /* this machine has no such counter, for any process */
	struct counted *counted;
	uint32_t counteds, counted_before, counted_room, descriptors, descriptors_most;
	uint64_t total_known;
	uint64_t total[PROCESS_GROWING];
};

/* The process of the sample before; NULL: it was not there. */
const struct process *processes_before(const struct processes *p, uint32_t pid, uint64_t start);

/* process_switches.c: those of all its threads so far, as far as samples saw them. */
void process_switches(struct processes *p, struct process *to, uint64_t threads);
void process_switches_end(struct processes *p);

/* process_instructions.c: counted from the first sample that wants them. */
void process_instructions(struct processes *p, struct process *to);
/* Those that are gone are no longer counted; all: none is. */
void process_instructions_end(struct processes *p, bool all);

#endif
