/*
 * Counts of events over a command or processes, with their children, over threads or processors.
 * Each event, or group of events, is opened by itself, so that the kernel can multiplex them. Used
 * by `swtrace stat`: libcpc's sets bind to one thread and count all the time or not at all, so they
 * can count neither a command with children nor more events than counters.
 *
 * A target is a thread (a command is one, with all that it starts) or a processor. An event is
 * opened once a target and has a value for each.
 *
 * libtrace/counters/count owns counts over commands, processes, threads and processors. It
 * includes core, events, machine and perf. Errors: 0 or a negative errno. Threads: one at a time.
 */
#ifndef SWT_COUNTERS_COUNT_COUNT_H
#define SWT_COUNTERS_COUNT_COUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../events/event.h"

/* In fd[]: the event could not be opened there; its PMU is not of that processor. */
enum { COUNT_MISSING = -1, COUNT_FOREIGN = -2 };

/* The caller fills event, group, and, for one that event_find refused as unavailable, error
 * and why. */
struct count_event {
	struct cpc_event event;
	unsigned group; /* 0: by itself; the same number: only together, on counters at once */
	int error;	/* 0, or the errno if nothing here can count it */
	char why[EVENT_WHY_MAX];
	bool user_only; /* user mode only, as the kernel's part is denied to this user */
	int *fd;	/* a target each */
};

struct count_value {
	uint64_t count;		   /* raw: of the time that it was on a counter */
	uint64_t enabled, running; /* ns; running is less where counters were shared */
	bool known;
};

struct count {
	struct count_event *event; /* the caller's */
	unsigned events;
	bool processors; /* targets are processors, else threads */
	bool unsettled;	 /* threads came and went too fast: some may be missing */
	int *target;	 /* their numbers, ascending */
	unsigned targets;
};

/*
 * Each opens all events that it can; the others have their error and why. -ENOENT: none can;
 * -ESRCH: there is no such process or thread; other errors concern all of them: descriptors
 * (-EMFILE), memory. Nothing counts before count_start; the command from its exec on.
 */
int count_open_command(struct count *c, pid_t pid);
/* All their threads, with the threads and children that these make from then on. */
int count_open_processes(struct count *c, const pid_t *pid, unsigned n);
/* These alone. */
int count_open_threads(struct count *c, const pid_t *tid, unsigned n);
/* Whatever runs on the processors that are online now. */
int count_open_processors(struct count *c);

void count_start(const struct count *c);
struct count_value count_read(const struct count *c, unsigned event, unsigned target);
void count_close(struct count *c);

/* count * enabled / running: the estimate had the counter never been shared. */
uint64_t count_scale(uint64_t count, uint64_t enabled, uint64_t running);

/* The threads of these processes, ascending. -ESRCH: one of them has none. */
int count_threads(const pid_t *pid, unsigned n, int **tid, unsigned *count);

/* Why an event cannot be opened there, and what to do. */
void count_explain(const struct count_event *e, int error, bool processors, pid_t tid,
	char why[EVENT_WHY_MAX]);

#endif
