/*
 * Benchmarks: what is timed, and how.
 *
 * An op is one body in two loops: alone ("tight"), and behind a turn of independent work
 * ("work"). All samples are ns per turn, timed over whole batches; a batch is preceded by
 * some turns that are not timed.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* Where an op runs. */
enum place {
	HERE,
	HERE_OFF,   /* with tracing turned off meanwhile */
	GUEST,	    /* in a process without restartable sequences */
	NO_SESSION, /* in a process that finds no session */
};

struct op {
	const char *id;
	void (*tight)(uint64_t turns);
	void (*work)(uint64_t turns);
	unsigned hooks; /* that a turn writes to our session */
	enum place place;
	bool crowd; /* measured on all processors at once, too */
};

enum { MAX_OPS = 40 };
extern const struct op our_ops[];
extern const unsigned our_op_count;
extern const struct op work_alone, fwrite_op;

/* Enables our session's majors as the ops need them; exits if that fails. */
void ops_begin(void);
/* A file in this directory is what fwrite writes to. */
void fwrite_begin(const char *directory);

/* --- the work (work.h): items of it per turn, and the calling thread's own */

enum { WORK_STEP = 32, WORK_LARGEST = 32 * WORK_STEP };
extern unsigned work_items;
uint64_t *work_area(void);

/* --- machine.c */

uint64_t now_ns(void); /* CLOCK_MONOTONIC_RAW */
void sleep_ns(uint64_t ns);
/* The processors that this process may use, in order; n of them. */
const int *processors(unsigned *n);
void pin(int cpu);
/* SCHED_FIFO for the calling thread; false: not allowed. */
bool realtime(void);
/* Ends the program with a line on stderr. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
double median(double *v, unsigned n); /* sorts */

/* --- measure.c */

enum ask {
	ASK_TIGHT_TURNS, /* how many turns take `amount` ns */
	ASK_WORK_TURNS,
	ASK_TIGHT, /* ns per turn over `amount` turns */
	ASK_WORK,
	ASK_ADDED, /* ns that the op adds to a turn of work */
};

/* Measures in this process. */
double measure(const struct op *op, enum ask ask, uint64_t amount);
/* Runs turns of it, and counts the hooks; every turn of every op goes through here. */
void run_turns(const struct op *op, bool work, uint64_t turns);
/* Hooks attempted so far by all threads of this process. */
uint64_t hooks_attempted(void);

/* --- serve.c: other processes that measure when asked */

/* Starts this program again with NAME=VALUE in its environment; it serves the ops of that
 * place. */
void server_start(enum place place, const char *name, const char *value, int cpu);
double server_ask(enum place place, unsigned op, enum ask ask, uint64_t amount);
/* Hooks its process attempted so far. */
uint64_t server_attempted(enum place place);
void servers_end(void);
/* What such a program does: `arguments` are those after "--serve". */
int serve(int argc, char **arguments);

/* --- crowd.c: one thread per processor */

void crowd_start(void);
/* ns per turn on each processor, as processors() orders them; only: -1, all at once, or the
 * one that is measured alone. */
void crowd_measure(const struct op *op, bool work, uint64_t turns, int only, double *ns);
void crowd_end(void);

#endif
