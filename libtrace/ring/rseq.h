/*
 * Restartable sequences: they make a reservation one step for its CPU. The kernel aborts a sequence
 * whenever it preempts, migrates or signals the thread inside it, so plain loads and stores
 * suffice; the last store is the commit.
 *
 * Every sequence checks first that the thread still is on the CPU it was meant for.
 * The thread's area is the one that libc registered (glibc 2.35 and later), or else one of ours.
 */
#ifndef SWT_RING_RSEQ_H
#define SWT_RING_RSEQ_H

#include <stddef.h>
#include <stdint.h>

#include "../../formats/record.h"
#include "../../formats/session.h"
#include "thread.h"

enum rseq_result {
	RSEQ_DONE,
	RSEQ_ABORTED, /* preempted, migrated, signalled, or on another CPU: try again */
	RSEQ_OUT,     /* a checked value has changed: check again */
};

/* The operands of the sequences off the fast path. */
struct rseq_op {
	struct shm_ring *ring;
	struct shm_section *section; /* enter: of the section entered; skip: of the first skipped */
	struct shm_counts *counts;   /* enter: where the counts go */
	uint8_t *at;		     /* enter: the section's first byte; pad: where the pad goes */
	uint64_t head;		     /* the head that was checked */
	uint64_t next;		     /* the head to publish */
	uint64_t entry;		     /* enter: the entry word to store */
	uint64_t lap;		     /* enter: head less its offset in the data */
	uint64_t overwritten, torn, lost; /* enter: the section's counts */
	const uint64_t *changes_at;	  /* enter: the ring's changes ... */
	uint64_t changes;		  /* ... and what they were before start and keep were */
	uint64_t seen;	  /* enter, skip: the section's entry word that was checked */
	uint64_t stamp;	  /* enter: in: the time; out: the record's */
	uint32_t control; /* enter, pad */
	uint32_t number;  /* enter: the writer's */
};

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#else
/* The kernel's ABI, as far as it is used here. */
struct rseq {
	uint32_t cpu_id_start, cpu_id;
	uint64_t rseq_cs;
	uint32_t flags;
	uint8_t rest[12];
} __attribute__((aligned(32)));
#if defined(__x86_64__)
#define RSEQ_SIG 0x53053053
#elif defined(__aarch64__)
#define RSEQ_SIG 0xd428bc00
#endif
#endif

#if defined(__x86_64__) || defined(__aarch64__)
#define RING_HAS_RSEQ 1

_Static_assert(offsetof(struct rseq, cpu_id_start) == 0, "kernel ABI");
_Static_assert(offsetof(struct rseq, cpu_id) == 4, "kernel ABI");
_Static_assert(offsetof(struct rseq, rseq_cs) == 8, "kernel ABI");
_Static_assert(offsetof(struct shm_ring, head) == 0, "used in the sequences below");
_Static_assert(offsetof(struct shm_ring, last_stamp) == 8, "used in the sequences below");
_Static_assert(offsetof(struct shm_ring, lap) == 16, "used in the sequences below");
_Static_assert(offsetof(struct shm_section, entry) == 0, "used in the sequences below");
_Static_assert(offsetof(struct shm_counts, overwritten) == 0, "used in the sequences below");
_Static_assert(offsetof(struct shm_counts, torn) == 8, "used in the sequences below");
_Static_assert(offsetof(struct shm_counts, lost) == 16, "used in the sequences below");
_Static_assert(REC_CONTROL == 0 && REC_TID == 12 && REC_STAMP == 16, "likewise");

#define RSEQ_OP(field) [field] "i"(offsetof(struct rseq_op, field))
#define RSEQ_MAP(name, field) [name] "i"(offsetof(struct ring_map, field))
/* Ends a function whose assembly may leave for `aborted` or `out`. */
#define RSEQ_RETURN                                                                                \
	return RSEQ_DONE;                                                                          \
aborted:                                                                                           \
	return RSEQ_ABORTED;                                                                       \
out:                                                                                               \
	return RSEQ_OUT

#if defined(__x86_64__)
#include "rseq_x86_64.h"
#else
#include "rseq_aarch64.h"
#endif

#else
#define RING_HAS_RSEQ 0
#endif

/*
 * The calling thread's area: libc's, or one that is registered here and now; rseq_none() where
 * neither is to be had, or where SWTRACE_TEST_GUEST is set (for tests alone: all hooks then go to
 * guest rings).
 */
struct rseq *rseq_lookup(void) __attribute__((visibility("hidden")));

/* Unregisters what rseq_lookup registered. Call it when the thread ends. */
void rseq_release(void) __attribute__((visibility("hidden")));

/*
 * Clears what an area says of our sequences: the kernel reads it the next time its thread is
 * scheduled, and ends the program if the descriptor is gone with the object that had it. For an
 * area whose thread is in no sequence.
 */
void rseq_forget(struct rseq *rs) __attribute__((visibility("hidden")));

/* Returns an area that is never on any CPU. */
struct rseq *rseq_none(void) __attribute__((visibility("hidden")));

#endif
