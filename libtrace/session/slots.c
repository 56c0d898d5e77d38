/*
 * See slots.h. Every index that comes from the table is masked, every loop counted: a hostile
 * table costs a member its slot, never more.
 */
#include "slots.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Each failed compare-and-swap means that another member made progress; this many in a row mean a
 * scribbling one. */
enum { MAX_TRIES = 1000, LOOKS = 2, MAX_REQUEUES = 4 };

/*
 * Allocates the page of a word: a store to a hole of a full tmpfs, or to a table that another
 * member truncated, would end in SIGBUS. False in both cases. Before Linux 5.14 nothing can be
 * asked: is_allocated by init decides.
 */
static bool has_memory(const void *word, bool is_allocated)
{
	uintptr_t page = (uintptr_t)getpagesize();
	uintptr_t at = (uintptr_t)word & ~(page - 1);

	return madvise((void *)at, page, MADV_POPULATE_WRITE) == 0 ||
	       (is_allocated && errno == EINVAL);
}

static bool slot_has_memory(struct shm_task_file *f, uint32_t index)
{
	return has_memory(&f->slot[index], index < SHM_TASK_FIRST_SLOTS);
}

/* A never used index; -1: none left, or no memory for it. */
static int32_t bump_used(struct shm_task_file *f)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		uint64_t used = __atomic_load_n(&f->head.used, __ATOMIC_RELAXED);

		if (used >= SHM_TASK_SLOTS || !slot_has_memory(f, (uint32_t)used))
			return -1;
		if (__atomic_compare_exchange_n(&f->head.used, &used, used + 1, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return (int32_t)used;
	}
	return -1;
}

/* ------------------------------------------------------------------- queues */

static uint64_t queue_length(const struct shm_task_queue *q)
{
	uint64_t reused = __atomic_load_n(&q->reused, __ATOMIC_RELAXED);
	/* Acquire: pairs with the release that raised it, for a sweep's entries.
	 * tests/litmus/slot-sweep.litmus */
	uint64_t freed = __atomic_load_n(&q->freed, __ATOMIC_ACQUIRE);

	return (int64_t)(freed - reused) > 0 ? freed - reused : 0;
}

/* The number queued first; 0: none, or not stored yet. */
static uint32_t queue_pop(struct shm_task_queue *q, uint32_t *entry)
{
	for (int i = 0; i < MAX_TRIES && queue_length(q); i++) {
		uint64_t ticket = __atomic_load_n(&q->reused, __ATOMIC_RELAXED);
		uint32_t *at = &entry[ticket % SHM_TASK_SLOTS], number, none = 0;

		if (!__atomic_compare_exchange_n(&q->reused, &ticket, ticket + 1, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		/* Acquire: pairs with queue_put; the slot is as its giver left it.
		 * tests/litmus/slot-queue.litmus */
		number = __atomic_exchange_n(at, 0, __ATOMIC_ACQUIRE);
		if (number > SHM_TASK_PASSED)
			return number;
		/* Does not wait for a thread that has a ticket and may be stopped or dead: it
		 * queues again. */
		if (__atomic_compare_exchange_n(
			    at, &none, SHM_TASK_PASSED, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
			return 0;
		return __atomic_exchange_n(at, 0, __ATOMIC_ACQUIRE);
	}
	return 0;
}

/*
 * Claims a ticket, then stores the number at it. If this thread was stopped for a lap, the number
 * that it replaces is another's entry and is queued again; or its own ticket was passed over.
 */
static void queue_put(struct shm_task_queue *q, uint32_t *entry, uint32_t number)
{
	for (int i = 0; i < MAX_REQUEUES && number; i++) {
		uint64_t ticket = __atomic_fetch_add(&q->freed, 1, __ATOMIC_RELEASE);
		uint32_t *at = &entry[ticket % SHM_TASK_SLOTS], mine = number;

		if (!has_memory(at, true))
			return;
		/* Release: pairs with queue_pop.
		 * tests/litmus/slot-queue.litmus */
		uint32_t old = __atomic_exchange_n(at, number, __ATOMIC_ACQ_REL);

		if (old != SHM_TASK_PASSED)
			number = old;
		else if (!__atomic_compare_exchange_n(
				 at, &mine, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return; /* dequeued after all */
	}
}

/* From the longer queue: both shrink together, and names last. */
static uint32_t slots_reuse_number(struct shm_task_file *f)
{
	if (queue_length(&f->head.swept) > queue_length(&f->head.given))
		return queue_pop(&f->head.swept, f->swept_entry);
	return queue_pop(&f->head.given, f->given_entry);
}

/* -------------------------------------------------------------------- slots */

static uint32_t next_number(uint32_t index, uint32_t state)
{
	uint32_t sequence = (state >> SHM_TASK_STATE_BITS) + 1;

	if (sequence >= SHM_TASK_SEQUENCES)
		sequence = 1;
	return shm_task_number(index, sequence << SHM_TASK_STATE_BITS);
}

/* Claims the slot from the state found; 0: another thread was faster. */
static uint32_t claim_from(struct shm_task_file *f, uint32_t index, uint32_t state)
{
	uint32_t number = next_number(index, state);

	/* Acquire: our stores come after those of its last user. tests/litmus/slot-claim.litmus */
	if (!__atomic_compare_exchange_n(&f->slot[index].state, &state,
		    shm_task_state(number, SHM_TASK_CLAIMED), false, __ATOMIC_ACQUIRE,
		    __ATOMIC_RELAXED))
		return 0;
	/* Store-store: a reader that reads the old state after our fields finds that it changed.
	 * tests/litmus/slot-settle.litmus */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return number;
}

static uint32_t claim_any(struct shm_task_file *f)
{
	int32_t fresh = bump_used(f);

	if (fresh >= 0) {
		uint32_t state = __atomic_load_n(&f->slot[fresh].state, __ATOMIC_RELAXED);

		if (shm_task_kind(state) != SHM_TASK_FREE)
			return 0; /* `used` was scribbled on */
		return claim_from(f, (uint32_t)fresh, state);
	}
	uint32_t last = slots_reuse_number(f), index = shm_task_index(last);

	if (shm_task_sequence(last) == 0 || !slot_has_memory(f, index))
		return 0;
	return claim_from(f, index, shm_task_state(last, SHM_TASK_ENDED));
}

uint32_t slots_claim(struct shm_task_file *f, const struct shm_task *task)
{
	uint32_t number = 0;

	if (!has_memory(&f->head, true))
		return 0;
	for (int i = 0; i < LOOKS && number == 0; i++)
		number = claim_any(f);
	if (number == 0) {
		__atomic_fetch_add(&f->head.refused, 1, __ATOMIC_RELAXED);
		return 0;
	}
	struct shm_task *t = &f->slot[shm_task_index(number)];

	/* A CLAIMED slot is its claimer's alone; the state word is unchanged. */
	t->tid = task->tid;
	t->pid = task->pid;
	t->process = task->tid ? task->process : number;
	t->first = task->first;
	t->source = task->source;
	t->source_flags = task->source_flags;
	t->pid_namespace = task->pid_namespace;
	t->cgroup = task->cgroup;
	__builtin_memcpy(t->name, task->name, sizeof t->name);
	return number;
}

bool slots_publish(struct shm_task_file *f, uint32_t number, enum shm_task_state kind)
{
	uint32_t claimed = shm_task_state(number, SHM_TASK_CLAIMED);

	/* Release: a reader that finds this state finds the slot filled in.
	 * tests/litmus/slot-state.litmus */
	if (!__atomic_compare_exchange_n(&f->slot[shm_task_index(number)].state, &claimed,
		    shm_task_state(number, kind), false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return false;
	__atomic_fetch_add(&f->head.claims, 1, __ATOMIC_RELEASE);
	return true;
}

void slots_give_back(struct shm_task_file *f, uint32_t number)
{
	uint32_t *state = &f->slot[shm_task_index(number)].state, now;

	if (!has_memory(&f->head, true) || !slot_has_memory(f, shm_task_index(number)))
		return;
	now = __atomic_load_n(state, __ATOMIC_RELAXED);

	/* Release: the next user's stores, and a reader's proof, come after what we wrote.
	 * tests/litmus/slot-ended.litmus */
	if (now >> SHM_TASK_STATE_BITS == shm_task_sequence(number) &&
		shm_task_kind(now) != SHM_TASK_ENDED && shm_task_kind(now) != SHM_TASK_FREE &&
		__atomic_compare_exchange_n(state, &now, shm_task_state(number, SHM_TASK_ENDED),
			false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		queue_put(&f->head.given, f->given_entry, number);
}

uint64_t slots_freed(const struct shm_task_file *f)
{
	return __atomic_load_n(&f->head.given.freed, __ATOMIC_RELAXED) +
	       __atomic_load_n(&f->head.swept.freed, __ATOMIC_RELAXED);
}
