/*
 * What stress programs bring about: signals at a high rate, aborted sequences, single steps;
 * and the ledger that must be exact after it.
 */
#ifndef SWT_TESTS_RING_STORM_H
#define SWT_TESTS_RING_STORM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "sandbox.h"

/* A signal for the calling thread alone, every `ns` nanoseconds. */
timer_t storm_timer(int signal_number, long ns);

/* Whether the signal with this context (SA_SIGINFO) aborted a restartable sequence: the kernel
 * then has the thread go on behind the sequences' signature. */
bool storm_aborted(const void *context);

/* NULL, or why a program cannot single-step itself here. */
const char *storm_no_steps(void);
/* Until it is ended every instruction of this thread raises SIGTRAP, which must not be blocked:
 * each sequence is aborted each time. */
void storm_steps_begin(void);
void storm_steps_end(void);
/* As storm_steps_end, for what a handler interrupted. */
void storm_steps_end_after(void *context);

/* NULL, or why the sequences of this process cannot be aborted by membarrier. */
const char *storm_no_barriers(void);
/* Aborts the sequence of every other thread of this process that runs in one. */
void storm_barrier(void);

/*
 * A hook by the very sequence of the fast path, which says how often it was aborted. The thread
 * has to be attached. false: it was lost.
 */
enum { COUNTED_MAJOR = 0x53, HELD_MAJOR = 2 };
bool storm_counted_hook(uint32_t id, uint32_t sequence, uint64_t *aborts);
/* Its two parts, by hook_begin. */
int storm_reserve_counted(struct hook_writer *w);
void storm_fill_counted(struct hook_writer *w, uint32_t id, uint32_t sequence);

/* Follows checked hooks and counted ones; those of HELD_MAJOR are anything. */
void storm_follow(void *follow, uint32_t ring, uint64_t position, const uint8_t *record);

/* Tells whether all that was attempted is accounted for, exactly, nothing torn, whole and in
 * order; f as storm_follow left it. */
void storm_ledger(
	const char *name, const struct account *a, const struct follow *f, uint64_t attempted);

/* An anonymous mapping that children share. */
void *storm_shared(size_t bytes);

/* CPUs this process may run on, below 1024, in order; at most n of them. Returns how many. */
uint32_t storm_cpus(uint32_t *cpu, uint32_t n);

#endif
