/*
 * The open intervals of each thread, for walks of intervals by machine and start. Stacks whose
 * intervals have all ended are dropped now and then, so that their number stays near that of the
 * threads inside an interval.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_THREAD_STACKS_H
#define SWT_DECODER_MODEL_INTERVALS_THREAD_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../formats/base/hash_index.h"

struct thread_stack {
	uint32_t machine, tid;
	uint64_t until; /* the owner's: the time after which nothing on it is open */
	size_t count, cap;
	void *at; /* NULL until something was pushed */
};

enum { THREAD_STACKS_RECENT = 16 };

/* Starts zeroed, but for drop. */
struct thread_stacks {
	struct thread_stack *stacks;
	size_t count, room;
	struct hash_index by_thread;
	struct thread_stack *recent[THREAD_STACKS_RECENT]; /* found, by tid */
	bool mixed; /* machines come mixed, by CLOCK_REALTIME */
	void (*drop)(void *ctx,
		struct thread_stack *s); /* called before a stack is dropped; NULL: none */
	void *ctx;
};

/*
 * That thread's stack, empty if it is new; valid until the next call. start: of the
 * interval at hand, ticks or whatever until is. NULL: out of memory.
 */
struct thread_stack *thread_stacks_find(
	struct thread_stacks *s, uint32_t machine, uint32_t tid, uint64_t start);
/* Drops all stacks. */
void thread_stacks_free(struct thread_stacks *s);

#endif
