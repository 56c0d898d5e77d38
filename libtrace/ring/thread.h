/*
 * A thread's view of the rings it writes to. Filled by session/attach.c, used by
 * reserve.c; thread-local, also seen by the thread's signal handlers.
 */
#ifndef SWT_RING_THREAD_H
#define SWT_RING_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/session.h"
#include "../../include/perfutil.h"

/*
 * This process's mapping of one generation's rings. Immutable once a thread has it, and its
 * address range is never given back: an interrupted hook may still hold it.
 */
struct ring_map {
	uint8_t *base; /* of the ring file */
	struct shm_geometry geometry;
	/* For the fast path: */
	uint8_t *rings;			   /* the first ring's header */
	uint64_t data_bytes;		   /* of each ring */
	uint32_t section_mask;		   /* section size - 1 */
	const struct shm_control *control; /* mapped read-only */
	/* A bit per section, of each area of each ring, whose pages this process has asked for,
	 * then one per page of `losses`. NULL: all were allocated by init. See populate.h. */
	uint64_t *populated;
	/* Hooks lost by tasks, a word per slot. NULL: rings of an older version. */
	uint64_t *losses;
};

struct thread_entry;

struct ring_thread {
	uint32_t generation; /* of map; RING_UNATTACHED */
	uint32_t epoch;	     /* ring_epoch when it attached: differs after fork and re-attach */
	const struct ring_map *map;
	struct rseq *rseq; /* rseq_none(): guest rings only */
	/* The longest record of the fast path; 0: none, without rseq, so that no clock is read
	 * there in vain. */
	uint64_t longest;
	uint32_t tid, pid;
	uint32_t number; /* in the task table; its records and guest locks carry it; 0: none */
	uint32_t guest;	 /* the guest ring it tries first */
	/* Hooks that this thread is inside of, its signal handlers' included. Raised before gate
	 * and epoch are read, lowered after the commit: where it is 0, nothing is being written.
	 * Other threads of the process read it when the process ends. */
	uint32_t busy;
	bool ending;		    /* its end was seen; it may still trace */
	struct thread_entry *entry; /* session/threads.c */
	void *block;		    /* measure/scope's; unmapped when the thread ends */
};

enum { RING_BLOCK_BYTES = 64 << 10 };

/* Generations that no session has: of a thread that is not attached, and of the gate before the
 * first search (every major seems enabled there). */
#define RING_UNATTACHED 0xffffffffu
#define RING_NO_GENERATION 0x80808080u

extern __thread struct ring_thread ring_self __attribute__((visibility("hidden")));

/*
 * On a page that fork wipes: 0 in a child (by whatever fork it was made), so that no child goes on
 * with its parent's thread ids and proofs of life.
 */
struct ring_epoch_page {
	volatile uint32_t value;
	uint8_t rest[SWTRACE_GATE_SIZE - 4];
};
extern struct ring_epoch_page ring_epoch __attribute__((visibility("hidden")));

/* The control page in use; where there is none, the first page of one that says "off". */
extern const struct shm_control *ring_gate __attribute__((visibility("hidden")));

/* Relaxed: it changes under running threads, but no page it pointed to is ever unmapped, and
 * each says itself (gate, generation) what may be relied on. */
static inline const struct shm_control *ring_gate_page(void)
{
	return __atomic_load_n(&ring_gate, __ATOMIC_RELAXED);
}

enum attach_result {
	RING_MAY_WRITE = 0,
	RING_NOT_WANTED, /* there is no session, it is off, or this process may not trace */
	RING_NO_SLOT, /* not without a slot in the task table: `map` and `rseq` are for counting */
};

/*
 * Adds to the lost hooks of the task of that number. The ring has counted them already. Does
 * nothing for number 0, or without memory for the count: then only the ring counts the loss.
 */
void ring_count_lost(const struct ring_map *map, uint32_t number, uint64_t hooks)
	__attribute__((visibility("hidden")));

/*
 * session/attach.c: brings ring_self up to date. An enum attach_result, or the PU_ code of a
 * failure, for which that many hooks are lost, and counted. Blocks signals and acquires a lock;
 * called when the generation or epoch differs. hooks: what the caller is about to write, one of the
 * thread's `busy` hooks then; 0: none.
 */
int attach_thread(uint32_t hooks) __attribute__((visibility("hidden")));

#endif
