/*
 * A traced child stopped in front of any instruction of an operation: single-stepped, and
 * inside restartable sequences, which a step aborts, by a breakpoint planted there.
 */
#ifndef SWT_TESTS_RING_STEPS_H
#define SWT_TESTS_RING_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { STEPS_MOST = 100000 };

/* The instructions of an operation as one child went through them. */
struct steps_path {
	uint32_t n;
	uintptr_t *at; /* n + 1: the last is the mark behind the operation */
	bool *first;   /* n + 1: it was not there before */
};

/* NULL, or why no child can be stepped here. */
const char *steps_impossible(void);

/*
 * Forks a child that calls prepare(arg), then operation(arg), and then ends; stopped in front
 * of the first instruction that leads to the operation. 0: it ended before.
 */
pid_t steps_fork(void (*prepare)(void *arg), void (*operation)(void *arg), void *arg);

/*
 * Takes such a child to the end, sequences disarmed, so that they can be stepped through too;
 * after(arg, k) is called behind each k instructions, k = 0 first. false: it went astray.
 */
bool steps_record(
	pid_t child, struct steps_path *path, void (*after)(void *arg, uint32_t k), void *arg);
void steps_forget(struct steps_path *path);

enum steps_arrival {
	STEPS_STEPPED,
	STEPS_BY_BREAKPOINT, /* inside a sequence that runs as it does in life */
	STEPS_ASTRAY,	     /* preempted there, for instance: it took another path */
};

/* Takes a fresh child to where it has executed k instructions of the path. */
enum steps_arrival steps_go(pid_t child, const struct steps_path *path, uint32_t k);

/* Whether instruction k of a path is inside a sequence, and how many sequences it enters. */
bool steps_inside(const struct steps_path *path, uint32_t k);
uint32_t steps_sequences(const struct steps_path *path);

/* SIGKILL, and waits for its end. */
void steps_kill(pid_t child);

#endif
