/*
 * Process: CPU time, faults, switches and memory of each process. Private to this folder.
 *
 * libtrace/perflib/sets/process owns the counterset Process. It includes perflib, core, counters
 * and sets. Errors as in counterset.h.
 */
#ifndef SWT_PERFLIB_SETS_PROCESS_PROCESS_H
#define SWT_PERFLIB_SETS_PROCESS_PROCESS_H

#include <sys/types.h>

#include "../../counterset.h"
#include "../scan.h"

/* Also the counters' ids. */
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
	PROCESS_GROWING, /* the columns above only grow */
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

/* The counterset's context: where the kernel's files are. Tests use files of their own. */
struct process_machine {
	const char *proc;
	bool real; /* proc belongs to this kernel */
};

/* --------------------------------------------------- parsers; pure, accept any bytes */

/* From /proc/PID/stat. Times in ticks of USER_HZ; start counts from boot. */
struct process_stat {
	const char *name;
	size_t name_bytes;
	uint64_t minor_faults, major_faults, user, system, threads, start, virtual_bytes, pages;
};

bool process_parse_stat(const char *text, size_t length, struct process_stat *stat);
/* From /proc/PID/task/TID/status. */
bool process_parse_switches(
	const char *text, size_t length, uint64_t *voluntary, uint64_t *involuntary);

/* ----------------------------------------------------------------------- directories */

/* A directory's numeric entries, ascending. The memory is reused. */
struct numbers {
	uint32_t *number;
	uint32_t used;
	size_t room;
	char *bytes; /* buffer for getdents64 */
};

/* False: cannot read the directory. Drops entries beyond COUNTERSET_INSTANCES. */
bool numbers_read(struct numbers *n, const char *path);
void numbers_free(struct numbers *n);

/* --------------------------------------------------------------------------- a query */

/* A process in one sample. */
struct process {
	uint32_t pid;
	uint64_t start; /* distinguishes processes with the same id */
	uint64_t known;
	uint64_t value[PROCESS_GROWING];
};

/* A thread's counts, in ascending order of its id. */
struct thread_switches {
	uint32_t tid;
	uint32_t pid;
	uint64_t voluntary, involuntary;
};

struct threads {
	struct thread_switches *thread;
	uint32_t used;
	size_t room;
};

struct counted; /* a process with instruction counters */

extern const struct counterset_operations process_operations;

struct processes {
	const struct process_machine *machine;
	uint64_t user_hz, page_bytes;
	uint64_t ticks, boot_ns; /* the same moment on both clocks */
	struct numbers pids, tids;
	struct file_text text;
	/* This sample and the previous one. */
	struct process *process, *before;
	uint32_t used, used_before;
	size_t room, room_before;
	struct threads threads, threads_before;
	bool refused; /* the kernel refused the counter: do not try again */
	struct counted *counted;
	size_t counted_room;
	uint32_t counteds, counted_before, descriptors, descriptors_most;
	uint64_t total_known;
	uint64_t total[PROCESS_GROWING];
};

/* The process in the previous sample; NULL if it was not there. */
const struct process *processes_before(const struct processes *p, uint32_t pid, uint64_t start);

/* switches.c: switches of all threads, as far as samples saw them. */
void process_switches(struct processes *p, struct process *to, uint64_t threads);
void process_switches_end(struct processes *p);

/* instructions.c: counts from the first sample that wants them. */
void process_instructions(struct processes *p, struct process *to);
/* Closes the counters of ended processes, or of all. */
void process_instructions_end(struct processes *p, bool all);

#endif
