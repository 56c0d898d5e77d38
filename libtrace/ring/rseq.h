/*
 * Restartable sequences: what makes a reservation one step for its CPU. The kernel
 * aborts a sequence whenever it preempts, migrates or signals the thread inside it, so
 * plain loads and stores suffice; the last store is the commit.
 *
 * Every sequence checks first that the thread still is on the CPU it was meant for.
 * Register: libc does (glibc 2.35 and later); we only look it up.
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
	RSEQ_ABORTED, /* preempted, migrated, signalled, or on another CPU: start again */
	RSEQ_OUT,     /* what was checked before does not hold (any more): look again */
};

/* The operands of the sequences off the fast path. */
struct rseq_op {
	struct shm_ring *ring;
	struct shm_section *section; /* enter: of the section entered; skip: of the first skipped */
	struct shm_counts *counts;   /* enter: where the counts go */
	uint8_t *at;		     /* enter: the section's first byte; pad: where the pad goes */
	uint64_t head;		     /* the head that was checked */
	uint64_t next;		     /* the head to publish */
	uint64_t entry;		     /* enter, skip: the entry word of a section entered at head */
	uint64_t lap;		     /* enter: where the lap of head began */
	uint64_t overwritten, torn, lost; /* enter: the section's counts */
	uint64_t stamp;			  /* enter: out */
	uint32_t control;		  /* enter, pad */
	uint32_t number;		  /* enter: the writer's */
};

#if (defined(__x86_64__) || defined(__aarch64__)) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
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

#if defined(__x86_64__)
#include "rseq_x86_64.h"
#else
#include "rseq_aarch64.h"
#endif

#else
#define RING_HAS_RSEQ 0
struct rseq {
	uint32_t cpu_id_start, cpu_id;
};
#endif

/* The calling thread's area if libc registered one, else rseq_none(). */
struct rseq *rseq_lookup(void) __attribute__((visibility("hidden")));

/* An area that never is on any CPU. */
struct rseq *rseq_none(void) __attribute__((visibility("hidden")));

#endif
