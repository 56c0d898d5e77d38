/*
 * Shared by the ring and session tests: a private session directory that is always removed, the
 * account of everything in the rings, and counted results.
 */
#ifndef SWT_TESTS_RING_SANDBOX_H
#define SWT_TESTS_RING_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../formats/session.h"
#include "../../include/perfutil.h"
#include "../../libtrace/core/clock.h"
#include "../../libtrace/ring/hook.h"
#include "../../libtrace/ring/layout.h"
#include "../../libtrace/ring/reader.h"
#include "../../libtrace/session/session.h"
#include "../lib/sanitized.h"

/* ThreadSanitizer sees only one process, and does not know what excludes a CPU's other writers. */
#define SEES_ONE_PROCESS WITH_TSAN
/* How many times slower than usual the machine is, for fewer rounds and longer waits. An emulated
 * machine's build sets it. */
#ifndef SLOW_MACHINE
#define SLOW_MACHINE 1
#endif

/*
 * Runs body in a child with SWTRACE_SESSION naming a directory below a fresh one under
 * /dev/shm; kills the child's group after `seconds`; removes the directory whatever happened.
 * Returns the exit status for main.
 */
int sandbox_run(int (*body)(int argc, char **argv), int argc, char **argv, unsigned seconds);

/* The main of a program of one suite, as tests/lib/suites.h describes it. */
#define SANDBOX_MAIN(seconds, name, ...)                                                           \
	static int sandboxed_main(int argc, char **argv)                                           \
	{                                                                                          \
		(void)argc;                                                                        \
		(void)argv;                                                                        \
		return suites_run(SUITE(name, __VA_ARGS__), NULL);                                 \
	}                                                                                          \
                                                                                                   \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return sandbox_run(sandboxed_main, argc, argv, seconds);                           \
	}

/* An anonymous mapping that children share. */
void *box_shared(size_t bytes);

/* The sandbox's directory: for tests that want other names in it. */
const char *sandbox_dir(void);
/* Points SWTRACE_SESSION to a new, not yet existing directory of the sandbox. */
void sandbox_fresh(void);

__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);

/* Reports one result of a stress program; results() prints the last line. */
__attribute__((format(printf, 3, 4))) void count_result(
	bool ok, const char *name, const char *format, ...);
void count_skipped(const char *name, const char *why);
int results(void);

/*
 * Runs a scenario in a child with a fresh SWTRACE_SESSION, and counts its results here. A child,
 * because a process looks for a session only once.
 */
void scenario(void (*run)(const void *arg), const void *arg);

/* ------------------------------------------------------------------ a session */

/* Initialises the session in SWTRACE_SESSION and turns it on; exits on failure. */
void box_open(struct session *s, uint32_t mode, uint64_t ring_bytes, uint32_t section);
/* Opens the session without initialising it. */
void box_open_bare(struct session *s);

/* Pins the calling thread to this CPU and returns the CPU's ring. */
uint32_t box_pin(uint32_t cpu);
/* Restarts the program once, without rseq: all hooks go to guest rings. */
void box_without_rseq(char **argv);
/* Does so if the program's first argument is "guest"; returns whether it is. */
bool box_guest(int argc, char **argv);
/* Likewise, and true where there is no rseq, as a skipped result. */
bool box_guest_or_told(int argc, char **argv);
/* As box_without_rseq(), with a libc that registers none: threads register areas of their own. */
void box_with_own_rseq(char **argv);
bool box_has_rseq(void);
/* The calling thread, attached here, writes only to guest rings from now on and tries this one
 * first. */
void box_become_guest(uint32_t first);

struct account {
	uint64_t hooks, torn; /* in the rings */
	uint64_t overwritten, gone_torn;
	uint64_t loss[SHM_LOSSES];
	uint32_t damaged, backwards; /* damaged spans; stamps that went back */
	uint64_t bytes;
};

typedef void record_fn(void *arg, uint32_t ring, uint64_t position, const uint8_t *record);

/* Reads all rings; each (may be NULL) gets the committed hooks in order of position. */
void box_account(struct session *s, struct account *a, record_fn *each, void *arg);
/* Hooks in the rings + overwritten + lost + torn. */
uint64_t account_sum(const struct account *a);
uint64_t account_lost(const struct account *a);

/* A ring's raw header and a section's table entry, by pread. */
struct shm_ring box_ring(struct session *s, uint32_t ring);
struct shm_section box_section(struct session *s, uint32_t ring, uint32_t index);
/* The thread id of a writer's number, as in a ring's records; 0: its slot has another owner now. */
uint32_t box_tid(struct session *s, uint32_t number);
/* Number of locked guest rings. */
uint32_t box_locks_taken(struct session *s);

/* ---------------------------------------------------------------- checked hooks */

/* A hook whose content can be verified: id, sequence number, filler, checksum. */
enum { CHECKED_MAJOR = 0x51, CHECKED_MIN_WORDS = 4 };

int checked_hook(uint32_t id, uint32_t sequence, uint32_t filler_words);
/* Fills such a hook's n words (at least CHECKED_MIN_WORDS - 1), for callers that reserve
 * themselves. */
void checked_fill(uint8_t *to, uint32_t id, uint32_t sequence, uint32_t n);
bool checked_is_whole(const uint8_t *record);
static inline uint32_t checked_id(const uint8_t *record)
{
	return get_le32(record + 24);
}
static inline uint32_t checked_sequence(const uint8_t *record)
{
	return get_le32(record + 28);
}

/* Follows the sequence numbers of up to 4096 ids, per ring. */
struct follow {
	uint32_t *last; /* [ring * FOLLOW_IDS + id] */
	uint32_t out_of_order, not_whole, foreign;
};
enum { FOLLOW_IDS = 4096 };

void follow_open(struct follow *f, uint32_t rings);
void follow_close(struct follow *f);
void follow_reset(struct follow *f, uint32_t rings);
void follow_record(void *f, uint32_t ring, uint64_t position, const uint8_t *record);

#endif
