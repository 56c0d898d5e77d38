/*
 * Stops a traced child before any instruction of an operation: by single steps, and inside
 * restartable sequences, which a step would abort, by a breakpoint.
 */
#ifndef SWT_TESTS_RING_STEPS_H
#define SWT_TESTS_RING_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { STEPS_MOST = 100000 };

/* The instructions of an operation in the order one child executed them. */
struct steps_path {
	uint32_t n;
	uintptr_t *at; /* n + 1 entries: the last is the mark after the operation */
	bool *first;   /* n + 1 entries: the address occurs for the first time */
};

/* NULL, or why children cannot be stepped here. */
const char *steps_impossible(void);

/*
 * Forks a child that calls prepare(arg) and operation(arg) and exits. It is stopped before the
 * first instruction of the call to the operation. Returns 0 if it exited before.
 */
pid_t steps_fork(void (*prepare)(void *arg), void (*operation)(void *arg), void *arg);

/*
 * Steps the child to the end, with sequences disarmed so that they can be stepped through; calls
 * after(arg, k) after each k instructions, k = 0 first. False: it took another path.
 */
bool steps_record(
	pid_t child, struct steps_path *path, void (*after)(void *arg, uint32_t k), void *arg);
void steps_forget(struct steps_path *path);

enum steps_arrival {
	STEPS_STEPPED,
	STEPS_BY_BREAKPOINT, /* inside a sequence that runs undisturbed */
	STEPS_ASTRAY,	     /* it took another path, for instance after a preemption */
};

/* Runs a new child until it has executed k instructions of the path. */
enum steps_arrival steps_go(pid_t child, const struct steps_path *path, uint32_t k);

/* Whether instruction k of a path is inside a sequence, and the number of sequences that the path
 * enters. */
bool steps_inside(const struct steps_path *path, uint32_t k);
uint32_t steps_sequences(const struct steps_path *path);

/* Kills the child and waits for it. */
void steps_kill(pid_t child);

#endif
