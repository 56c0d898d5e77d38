/*
 * Reservations off the fast path: which ring, how often, and which hooks count as lost.
 *
 * Invariants (see formats/session.md):
 *  - A record below head shows its length, writer and stamp; head never goes back.
 *  - The bytes of a reservation are its writer's alone until it commits.
 *  - Everything read from the ring is masked and bounded here: whatever a member wrote, no
 *    store leaves the ring. No loop goes beyond one section's records, and one load for each of
 *    the ring's sections (section.c).
 *  - A hook that is not written is counted, once, under its cause.
 */
#include "hook.h"

#include <stdbool.h>

#include "../../formats/session.h"
#include "../../include/perfutil.h"
#include "layout.h"
#include "points.h"
#include "populate.h"
#include "reserve.h"
#include "target.h"

/* Aborts in a row before falling back to a guest ring: a debugger stepping, a storm of signals. */
enum { MAX_ABORTS = 100, MAX_TURNS = 1000 };

/* ------------------------------------------------------------------ losses */

void target_count(const struct target *t, enum shm_loss what, uint64_t n)
{
	struct shm_ring *ring = t->ring;

	RING_POINT(POINT_BEFORE_COUNT);
#if RING_HAS_RSEQ
	for (int i = 0; !t->guest && i < MAX_ABORTS; i++) {
		uint32_t cpu = __atomic_load_n(&t->thread->rseq->cpu_id_start, __ATOMIC_RELAXED);

		if (cpu >= t->geometry->cpus)
			break;
		/* Counts on the current CPU: the intended one may be offline. */
		ring = ring_at(t->map->base, t->geometry, cpu);
		if (rseq_add(t->thread->rseq, cpu, &ring->loss[what], n) == RSEQ_DONE)
			return;
	}
#endif
	if (!t->guest)
		ring = ring_at(t->map->base, t->geometry, t->geometry->cpus);
	/* Atomic: several threads count on a guest ring, with or without its lock. */
	__atomic_fetch_add(&ring->loss[what], n, __ATOMIC_RELAXED);
}

void ring_count_lost(const struct ring_map *map, uint32_t number, uint64_t hooks)
{
	const uint32_t index = shm_task_index(number);
	const uint64_t none = shm_task_lost(number, 0);
	uint64_t *word, now;

	if (number == 0 || !ring_populate_loss(map, index))
		return;
	word = &map->losses[index];
	now = __atomic_load_n(word, __ATOMIC_RELAXED);
	/* Only the thread's own signal handlers and misbehaving members interfere. Release: pairs
	 * with the acquire in session_losses, so that a reader of this word sees the ring's
	 * counter. tests/litmus/loss-order.litmus */
	for (int i = 0; i < MAX_ABORTS; i++) {
		uint64_t next = ((now ^ none) >> SHM_TASK_LOST_BITS ? none : now) + hooks;

		if (__atomic_compare_exchange_n(
			    word, &now, next, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
	}
}

/* ---------------------------------------------------------------- CPU rings */

#if RING_HAS_RSEQ
static int try_cpu_ring(struct target *t, uint32_t size, struct hook_writer *w)
{
	uint32_t cpu = __atomic_load_n(&t->thread->rseq->cpu_id_start, __ATOMIC_RELAXED);

	if (cpu >= t->geometry->cpus)
		return ATTEMPT_ELSEWHERE;
	switch (rseq_reserve(
		t->thread->rseq, t->map, size, t->thread, target_time(t), &w->stamp, &w->first)) {
	case RSEQ_DONE:
		return HOOK_RESERVED;
	case RSEQ_ABORTED:
		return ATTEMPT_AGAIN;
	case RSEQ_OUT:
		break;
	}
	t->cpu = cpu;
	target_aim(t, cpu);
	RING_POINT(POINT_BEFORE_SWITCH);
	return target_switch_section(t, size, w);
}
#endif

/* --------------------------------------------------------------- guest rings */

static int guest_reserve(struct target *t, uint64_t now, uint32_t size, struct hook_writer *w)
{
	const struct shm_geometry *g = t->geometry;

	for (int i = 0; i < MAX_TURNS; i++) {
		uint64_t head = target_load_head(t);
		uint64_t offset = head - __atomic_load_n(&t->ring->lap, __ATOMIC_RELAXED);
		uint32_t in = (uint32_t)(head & (g->section_size - 1));

		/* Any member may scribble on both: their difference is an offset only if it lies
		 * in the data, in head's section. No division: this is the fast path of guest
		 * threads. */
		if (in != 0 && !(head & 7) && size <= g->section_size - in &&
			offset < t->map->data_bytes && (offset & (g->section_size - 1)) == in) {
			w->first = t->data + offset;
			w->stamp = guest_stamp(t->ring, now);
			guest_store_record(w->first, size, t->thread->number, w->stamp);
			RING_POINT(POINT_GUEST_BEFORE_HEAD);
			guest_publish_head(t->ring, head + size);
			return HOOK_RESERVED;
		}
		int rc = target_switch_section(t, size, w);
		if (rc != ATTEMPT_AGAIN)
			return rc;
	}
	return ATTEMPT_LOST + SHM_LOST_HELD; /* only if a member scribbled on head */
}

/* Tries each ring of the pool once, without waiting for a taken one. */
static int try_guest_rings(struct target *t, uint32_t size, struct hook_writer *w)
{
	const struct shm_geometry *g = t->geometry;
	int rc = ATTEMPT_LOST + SHM_LOST_NO_GUEST;
	uint32_t guest = t->thread->guest;
	/* Reads the clock, usually by a call, before taking the lock. */
	uint64_t now = target_time(t);

	t->guest = true;
	for (uint32_t i = 0; i < g->guests; i++, guest++) {
		uint32_t free_lock = 0;

		if (guest >= g->guests)
			guest = 0;
		target_aim(t, g->cpus + guest);
		/* Acquire: pairs with the release below, the holder before us.
		 * tests/litmus/guest-lock.litmus */
		if (!__atomic_compare_exchange_n(&t->ring->lock, &free_lock, t->thread->number,
			    false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		RING_POINT(POINT_GUEST_LOCKED);
		rc = guest_reserve(t, now, size, w);
		RING_POINT(POINT_GUEST_BEFORE_UNLOCK);
		__atomic_store_n(&t->ring->lock, 0, __ATOMIC_RELEASE);
		break;
	}
	return rc;
}

/* ------------------------------------------------------------------- hooks */

static int loss_code(int what)
{
	switch (what) {
	case SHM_LOST_FULL:
		return PU_ERROR_BUFFER_FULL;
	case SHM_LOST_BIG:
		return PU_ERROR_HOOK_TOO_LONG;
	case SHM_LOST_NO_SLOT:
	case SHM_LOST_NO_MEMORY:
		return PU_ERROR_INSUFFICIENT_RESOURCES;
	default:
		return PU_ERROR_NO_BUFFER;
	}
}

/* Not inlined: keeps its stack frame out of the thread's attach. */
static __attribute__((noinline)) int ring_reserve_slowly(struct ring_thread *self, uint64_t bytes,
	uint32_t hooks, const struct hook_time *at, struct hook_writer *w)
{
	const struct ring_map *map = __atomic_load_n(&self->map, __ATOMIC_RELAXED);
	uint32_t size = (uint32_t)bytes, number = self->number;
	int rc = ATTEMPT_ELSEWHERE;
	struct target t;

	/* No initializer: zeroing the fields that target_aim sets costs a guest ring's hook 6
	 * ns. */
	t.thread = self;
	t.map = map;
	t.generation = self->generation;
	t.geometry = &map->geometry;
	t.ring = NULL;
	t.at = at && at->generation == self->generation ? at->ticks : 0;
	t.guest = self->rseq == rseq_none();
	if (unlikely(number == 0 || bytes > t.geometry->section_size)) {
		target_aim(&t, t.geometry->cpus);
		rc = ATTEMPT_LOST + (number ? SHM_LOST_BIG : SHM_LOST_NO_SLOT);
	} else {
#if RING_HAS_RSEQ
		for (int i = 0; !t.guest && i < MAX_ABORTS; i++) {
			rc = try_cpu_ring(&t, size, w);
			if (likely(rc == HOOK_RESERVED))
				return rc;
			if (rc != ATTEMPT_AGAIN)
				break;
		}
#endif
		if (rc == ATTEMPT_AGAIN || rc == ATTEMPT_ELSEWHERE)
			rc = try_guest_rings(&t, size, w);
		if (rc == HOOK_RESERVED)
			return rc;
	}
	target_count(&t, (enum shm_loss)(rc - ATTEMPT_LOST), hooks);
	ring_count_lost(map, number, hooks);
	return loss_code(rc - ATTEMPT_LOST);
}

static int reserve_begin_hooks(struct hook_writer *w, uint32_t major, uint64_t bytes,
	uint32_t hooks, const struct hook_time *at)
{
	struct ring_thread *self = &ring_self;
	int rc;

	if (__atomic_load_n(&ring_gate_page()->gate[major], __ATOMIC_RELAXED) == 0)
		return PU_SUCCESS;
	if (!ring_thread_may_write(self, major)) {
		rc = attach_thread(hooks);
		/* RING_NO_SLOT: ring_reserve_slowly counts it. */
		if (rc != RING_MAY_WRITE && rc != RING_NO_SLOT)
			return rc < 0 ? rc : PU_SUCCESS;
		if (__atomic_load_n(&ring_gate_page()->gate[major], __ATOMIC_RELAXED) == 0)
			return PU_SUCCESS;
		at = NULL;
	}
	w->first = NULL;
	RING_POINT(POINT_BEFORE_RESERVE);
	rc = ring_reserve_slowly(self, bytes, hooks, at, w);
	w->at = w->first;
	/* After the reservation: if a signal handler forked meanwhile, the child reserved on its
	 * own rings and must write its own number. */
	w->number = self->number;
	return rc;
}

int hook_begin_slow(struct hook_writer *w, uint32_t major, uint64_t bytes, uint32_t hooks,
	const struct hook_time *at)
{
	int rc;

	hook_raise_busy();
	rc = reserve_begin_hooks(w, major, bytes, hooks, at);
	if (rc != HOOK_RESERVED)
		hook_lower_busy();
	return rc;
}
