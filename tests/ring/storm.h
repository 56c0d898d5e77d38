/*
 * Disturbances for stress programs: frequent signals, aborted sequences, single steps; and the
 * check that the ledger is exact afterwards.
 */
#ifndef SWT_TESTS_RING_STORM_H
#define SWT_TESTS_RING_STORM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "../../formats/base/time_ns.h"
#include "sandbox.h"

/* Signals the calling thread every `ns` nanoseconds. */
timer_t storm_timer(int signal_number, long ns);

/* Whether the signal with this context (SA_SIGINFO) aborted a restartable sequence: the kernel then
 * resumes the thread after the sequences' signature. */
bool storm_aborted(const void *context);

/* NULL, or why a program cannot single-step itself here. */
const char *storm_no_steps(void);
/* Until storm_steps_end, every instruction of this thread raises SIGTRAP, which must not be
 * blocked: every sequence is aborted every time. */
void storm_steps_begin(void);
void storm_steps_end(void);
/* Like storm_steps_end, for the code that a handler interrupted. */
void storm_steps_end_after(void *context);

/* NULL, or why membarrier cannot abort this process's sequences. */
const char *storm_no_barriers(void);
/* Aborts the sequences that other threads of this process are in. */
void storm_barrier(void);

/*
 * Writes a hook by the fast path's own sequence and counts its aborts. The thread must be attached.
 * False: the hook was lost.
 */
enum { COUNTED_MAJOR = 0x53, HELD_MAJOR = 2 };
bool storm_counted_hook(uint32_t id, uint32_t sequence, uint64_t *aborts);
/* The two halves of such a hook, by hook_begin. */
int storm_reserve_counted(struct hook_writer *w);
void storm_fill_counted(struct hook_writer *w, uint32_t id, uint32_t sequence);

/* Follows checked and counted hooks; those of HELD_MAJOR may have any content. */
void storm_follow(void *follow, uint32_t ring, uint64_t position, const uint8_t *record);

/* Reports whether everything attempted is accounted for exactly, with nothing torn, complete and in
 * order; f is storm_follow's state. */
void storm_ledger(
	const char *name, const struct account *a, const struct follow *f, uint64_t attempted);

/* CPUs this process may run on, below 1024, in order; at most n of them. Returns how many. */
uint32_t storm_cpus(uint32_t *cpu, uint32_t n);

/* The time by a clock that does not go back. */
static inline uint64_t storm_milliseconds(void)
{
	return time_ns_monotonic() / 1000000;
}

#endif
