/*
 * How long each processor has been idle: the kernel's accounting, the finest that this
 * process may read.
 *
 * /proc/timer_list (root): ns, idle time that goes on included; wrong by at most half a
 * timer tick, for a processor that may just have gone idle with its tick running.
 * /proc/stat: 1/USER_HZ, idle time that goes on included where the kernel is tickless.
 *
 * The cpuidle residencies of sysfs have microseconds but leave out the idle time that goes
 * on: a processor may sleep for seconds, so no bound on their error is known. Not used.
 */
#ifndef SWT_COUNTERS_MACHINE_IDLE_H
#define SWT_COUNTERS_MACHINE_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../core/private_abi.h"

struct idle_cpu {
	uint64_t ns;	   /* idle since boot; UINT64_MAX: not known */
	uint64_t slack;	   /* right within this, ns */
	uint64_t presence; /* cpu_presence at the reading; of idle_read_lately, else 0 */
};

#define IDLE_UNKNOWN UINT64_MAX

/* ------------------------------------------------------ parsers; all accept any bytes */

/* Fills cpu[0..room) from the text of /proc/stat; false if it names no processor. */
bool idle_parse_stat(const char *text, size_t length, uint64_t user_hz, struct idle_cpu *cpu,
	uint32_t room) PRIVATE_ABI(idle_parse_stat);

/* /proc/timer_list, fed in pieces of any size. */
struct timer_list {
	struct idle_cpu *cpu; /* filled, [0..room) */
	uint32_t room;	      /* done at the figures of the last of them, if not before */
	uint64_t tick_ns;     /* period of the timer tick */
	uint32_t running_on;  /* the reader's processor: certainly not idle; UINT32_MAX: unknown */
	/* Results. */
	uint64_t now; /* the moment it was written, ns */
	bool done;    /* skip the rest of the file */
	size_t bytes; /* fed, up to the line that it was done at */
	/* The processor being read. */
	uint32_t at;
	uint32_t seen;
	uint64_t tick_stopped, nohz, entry, idle, iowait;
	/* The line being read; longer ones are cut, which no line of interest is. */
	char line[128];
	uint32_t length;
};

void timer_list_begin(struct timer_list *t, struct idle_cpu *cpu, uint32_t room);
void timer_list_feed(struct timer_list *t, const char *text, size_t length);
/* After the last piece: true if a moment and at least one processor were found. */
bool timer_list_end(struct timer_list *t);

/* -------------------------------------------------------------------------- reading */

enum idle_kind { IDLE_NOTHING, IDLE_TIMER_LIST, IDLE_PROC_STAT };

/* Chosen once a process. */
enum idle_kind idle_kind(void) PRIVATE_ABI(idle_kind);

/* Resolution of the chosen file, ns: the most that the time between two readings can be wrong. */
uint64_t idle_resolution(void);

/* The time of a reading when it was chosen, ns. */
uint64_t idle_cost(void);

/*
 * Fills cpu[0..room) and the moment (CLOCK_MONOTONIC ns). False if nothing could be read. Room for
 * the processors online and no more spares the kernel what it prints after them.
 */
bool idle_read(struct idle_cpu *cpu, uint32_t room, uint64_t *at) PRIVATE_ABI(idle_read);

/* A thread's copy of the process's last reading. Starts zeroed, of idle_reading_size() bytes. */
struct idle_reading {
	uint64_t at;	       /* CLOCK_MONOTONIC ns; 0: none */
	uint64_t age;	       /* ns, at the last idle_read_lately: to add to the slack */
	struct idle_cpu cpu[]; /* cpus_possible() */
};
size_t idle_reading_size(void);

/*
 * Renews the copy if it is a millisecond old: a reading costs as much as a hundred short
 * intervals, and is too coarse for them. A copy of its own saves each thread the lock. False if
 * nothing could be read.
 */
bool idle_read_lately(struct idle_reading *own);

/* Around fork: no other thread is inside, and the child shares no file position. */
void idle_before_fork(void);
void idle_after_fork(bool child);
/* In a child of _Fork or clone, in which another thread of its parent may be inside. */
void idle_forget_file(void);

#endif
