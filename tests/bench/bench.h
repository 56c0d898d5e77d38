/*
 * Benchmarks: operations, and how they are timed.
 *
 * An op is one body in two loops: alone ("tight"), and after a turn of independent work ("work").
 * Samples are ns per turn, timed over whole batches; each batch begins with some untimed turns.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* Where an op runs: */
enum place {
	HERE,
	HERE_OFF,   /* with tracing off */
	EVENTS,	    /* in a process that counts events in its intervals */
	ALONE,	    /* in one that does nothing else */
	GUEST,	    /* in a process without restartable sequences */
	NO_SESSION, /* in a process that finds no session */
	PAPI_READ,  /* in a peer's process, one for each: it opens counters that others could use */
	PAPI_REGION,
	LIKWID,
	PLACES
};

struct op {
	const char *id;
	void (*tight)(uint64_t turns);
	void (*work)(uint64_t turns);
	unsigned hooks; /* hooks that a turn writes to our session */
	enum place place;
	bool crowd; /* also measured on all processors at once */
	bool timed; /* one hook more a turn if the kernel grants a switch page */
};

enum { MAX_OPS = 40 };
extern const struct op our_ops[], interval_ops[];
extern const unsigned our_op_count, interval_op_count;
extern const struct op work_alone, fwrite_op;

/* The events of EVENTS: software events, which every machine has. */
extern const char bench_events[];

/* Enables the majors that the ops need in our session; exits on failure. */
void ops_begin(void);
/* Makes the file that fwrite writes to, in this directory. */
void fwrite_begin(const char *directory);

/* --- the work (work.h): items of it per turn, and the calling thread's own */

enum { WORK_STEP = 32, WORK_LARGEST = 32 * WORK_STEP };
extern unsigned work_items;
uint64_t *work_area(void);

/* --- machine.c */

uint64_t now_ns(void); /* CLOCK_MONOTONIC_RAW */
void sleep_ns(uint64_t ns);
/* Returns the processors that this process may use, in order, and their number n. */
const int *processors(unsigned *n);
/* Whether a thread may map the page of an event of its own: then intervals have a time hook. */
bool grants_switch_page(void);
void pin(int cpu);
/* Sets SCHED_FIFO for the calling thread; false if it is not permitted. */
bool realtime(void);
/* Prints a line to stderr and exits. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
double median(double *v, unsigned n); /* sorts */
/* Returns the smallest value that `rank` per mille of all do not exceed (1 to 1000). Sorts. */
double permille(double *v, unsigned n, unsigned rank);

/* --- measure.c */

enum ask {
	ASK_TIGHT_TURNS, /* number of turns that take `amount` ns */
	ASK_WORK_TURNS,
	ASK_TIGHT, /* ns per turn over `amount` turns */
	ASK_WORK,
	ASK_ADDED, /* ns that the op adds per turn of work, over `amount` turns */
	ASK_OPEN,  /* server_open's */
	ASK_TAIL,  /* p99.9 of ns per turn, of `amount` batches of TAIL_TURNS turns */
};

enum { TAIL_TURNS = 100 };

/* Measures in this process. */
double measure(const struct op *op, enum ask ask, uint64_t amount);
/* p99.9 of ns per turn, of batches that read the clock alone for TAIL_TURNS turns of so many ns. */
double tail_alone(double ns, uint64_t batches);
/* Runs turns of the op and counts their hooks. All turns of all ops go through here. */
void run_turns(const struct op *op, bool work, uint64_t turns);
/* Hooks attempted so far by all threads of this process. */
uint64_t hooks_attempted(void);

/* --- serve.c: other processes that measure when asked */

/* Restarts this program with NAME=VALUE in its environment; it then serves the ops of a table:
 * "hooks" (our_ops), "intervals" (interval_ops), or a module's for intervals (peers.h). */
void server_start(
	enum place place, const char *name, const char *value, int cpu, const char *table);
/* Opens what the peer of that place measures with; op: its number in the table, here and below.
 * Returns NULL, or why it cannot here, valid until the next call. */
const char *server_open(enum place place, unsigned op);
double server_ask(enum place place, unsigned op, enum ask ask, uint64_t amount);
/* Hooks that the place's process has attempted so far. */
uint64_t server_attempted(enum place place);
void servers_end(void);
/* Main function of a serving program: `arguments` are those after "--serve". */
int serve(int argc, char **arguments);

/* --- crowd.c: one thread per processor */

void crowd_start(void);
/* Measures ns per turn on each processor, in the order of processors(). only: the one to measure
 * alone; -1: all at once. */
void crowd_measure(const struct op *op, bool work, uint64_t turns, int only, double *ns);
void crowd_end(void);

#endif
