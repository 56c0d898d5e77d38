/*
 * Reserve, fill, commit, and the switch from section to section.
 *
 * Invariants (see formats/session.md):
 *  - A record below head shows its length, writer and stamp; head never goes back.
 *  - The bytes of a reservation are its writer's alone until it commits: a section that
 *    holds an uncommitted record of an earlier lap is not entered.
 *  - Pad, skip and entry each commit only if head still is what was checked.
 *  - Everything read from the ring is masked and bounded here: whatever a member wrote,
 *    no store leaves the ring and no loop goes beyond one section's records, times the
 *    ring's sections.
 */
#include "hook.h"

#include <stdbool.h>

#include "../../formats/session.h"
#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "../counters/clock.h"
#include "layout.h"
#include "points.h"
#include "reserve.h"

/* Aborts in a row before a guest ring is used: a debugger stepping, a storm of signals. */
enum { MAX_ABORTS = 100, MAX_STEPS = 1000 };

/* Results of an attempt, beside HOOK_RESERVED: which loss it was, or go elsewhere. */
enum attempt {
	ATTEMPT_LOST = 0x100, /* + enum shm_loss */
	ATTEMPT_AGAIN = 0x200,
	ATTEMPT_ELSEWHERE, /* this thread cannot use a CPU's ring now */
};

/* The ring an attempt is made on; guest: its lock is held. */
struct target {
	struct ring_thread *thread;
	/* Taken once: a handler that forks or attaches may change the thread's own. */
	const struct ring_map *map;
	const struct shm_geometry *geometry;
	struct shm_ring *ring;
	uint8_t *data;
	uint32_t number; /* in the file */
	uint32_t cpu;	 /* of an rseq target */
	bool guest;
};

static void aim(struct target *t, uint32_t number)
{
	t->number = number;
	t->ring = ring_at(t->map->base, t->geometry, number);
	t->data = (uint8_t *)t->ring + t->geometry->data_offset;
}

static uint64_t lap_of(const struct shm_geometry *g, uint64_t position)
{
	return position - position % g->ring_size;
}

static uint64_t load_head(const struct shm_ring *ring)
{
	/* Acquire: pairs with the release of head, so that the control words below it,
	 * which survey() reads, are there. */
	return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
}

/* ------------------------------------------------- the sequences on guest rings */

/*
 * A guest ring's holder is alone, so plain steps do; the order of stores is that of the
 * sequences: counts and entry word, record, head. Release on head and the fence after
 * it as in rseq_aarch64.h.
 */
static void publish_head(struct shm_ring *ring, uint64_t head)
{
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	/* Store-store, before the payload: see rseq_aarch64.h. C11 has no weaker fence. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static uint64_t guest_stamp(const struct target *t)
{
	uint64_t now =
		t->geometry->clock == TF_CLOCK_MONOTONIC_RAW ? clock_raw_ns() : clock_instruction();
	uint64_t last = __atomic_load_n(&t->ring->last_stamp, __ATOMIC_RELAXED);

	if (now < last)
		now = last;
	__atomic_store_n(&t->ring->last_stamp, now, __ATOMIC_RELAXED);
	return now;
}

static void store_record(uint8_t *at, uint32_t control, uint32_t number, uint64_t stamp)
{
	/* Release: a signal handler's record may not be seen before what it follows. */
	__atomic_store_n((uint32_t *)(at + REC_CONTROL), control, __ATOMIC_RELEASE);
	__atomic_store_n((uint32_t *)(at + REC_TID), number, __ATOMIC_RELAXED);
	__atomic_store_n((uint64_t *)(at + REC_STAMP), stamp, __ATOMIC_RELAXED);
}

static enum rseq_result guest_enter(const struct target *t, struct rseq_op *op)
{
	op->stamp = guest_stamp(t);
	__atomic_store_n(&op->counts->overwritten, op->overwritten, __ATOMIC_RELAXED);
	__atomic_store_n(&op->counts->torn, op->torn, __ATOMIC_RELAXED);
	__atomic_store_n(&op->counts->lost, op->lost, __ATOMIC_RELAXED);
	__atomic_store_n(&op->ring->lap, op->lap, __ATOMIC_RELAXED);
	__atomic_store_n(&op->section->entry, op->entry, __ATOMIC_RELEASE);
	/* Store-store: whose copy holds a byte of the record finds the entry word. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	store_record(op->at, op->control, op->number, op->stamp);
	publish_head(op->ring, op->next);
	return RSEQ_DONE;
}

static enum rseq_result do_enter(const struct target *t, struct rseq_op *op)
{
#if RING_HAS_RSEQ
	if (!t->guest)
		return rseq_enter(t->thread->rseq, t->cpu, op);
#endif
	return guest_enter(t, op);
}

static enum rseq_result do_pad(const struct target *t, const struct rseq_op *op)
{
#if RING_HAS_RSEQ
	if (!t->guest)
		return rseq_pad(t->thread->rseq, t->cpu, op);
#endif
	__atomic_store_n((uint32_t *)op->at, op->control, __ATOMIC_RELEASE);
	publish_head(op->ring, op->next);
	return RSEQ_DONE;
}

static enum rseq_result do_skip(const struct target *t, const struct rseq_op *op)
{
#if RING_HAS_RSEQ
	if (!t->guest)
		return rseq_skip(t->thread->rseq, t->cpu, op);
#endif
	publish_head(op->ring, op->next);
	return RSEQ_DONE;
}

/* ------------------------------------------------------------- section switch */

struct survey {
	uint64_t hooks, torn; /* from position `from` on */
};

/* How many records from offset on have the control word c, and where they end. Records tend to
 * have the size of the one before; taking that for granted lets the loads overlap. */
static uint32_t run_of(const uint8_t *at, uint32_t bytes, uint32_t c, uint32_t *offset)
{
	uint32_t size = c & REC_SIZE_MASK, end = *offset + size, n = 1;

	while (bytes - end >= size &&
		__atomic_load_n((const uint32_t *)(at + end), __ATOMIC_ACQUIRE) == c) {
		end += size;
		n++;
	}
	*offset = end;
	return n;
}

/*
 * Walks an old section: true if every record in it is committed or abandoned by a dead
 * writer, so that nobody will store there again. That is lasting: nothing uncommitted
 * appears behind head. A control word that makes no sense is no writer's: it ends the walk.
 *
 * Acquire each: a group that commits while we walk shows its inner control words only to
 * who acquired its first; and with the last, our stores come after what we saw committed.
 */
static bool survey(
	const uint8_t *at, uint32_t bytes, uint64_t position, uint64_t from, struct survey *out)
{
	uint32_t offset = 0;

	while (offset < bytes) {
		uint32_t c = __atomic_load_n((const uint32_t *)(at + offset), __ATOMIC_ACQUIRE);
		uint32_t size = c & REC_SIZE_MASK, first = offset;

		if (unlikely(size < 8 || size > bytes - offset))
			break;
		if (!(c & (REC_COMMITTED | REC_ABANDONED)))
			return false;
		uint32_t n = run_of(at, bytes, c, &offset);
		/* Those before `from` were discarded. */
		for (; n && position + first < from; first += size)
			n--;
		if ((c & REC_KIND_MASK) == REC_KIND_HOOK)
			*(c & REC_COMMITTED ? &out->hooks : &out->torn) += n;
	}
	return true;
}

static uint64_t entry_of(const struct shm_section *s)
{
	return __atomic_load_n(&s->entry, __ATOMIC_ACQUIRE);
}

/* The counts carried by the section entered last before `head`: the ring's so far. */
static void counts_so_far(const struct target *t, uint64_t head, struct rseq_op *op)
{
	const struct shm_geometry *g = t->geometry;

	op->overwritten = op->torn = 0;
	for (uint32_t i = 1; i <= g->sections; i++) {
		uint64_t back = (uint64_t)i * g->section_size;
		if (back > head)
			return;
		struct shm_section *s = &t->ring->section[section_index(g, head - back)];
		if (entry_of(s) == head - back + 1) {
			const struct shm_counts *c = section_counts(g, s, head - back);
			op->overwritten = __atomic_load_n(&c->overwritten, __ATOMIC_RELAXED);
			op->torn = __atomic_load_n(&c->torn, __ATOMIC_RELAXED);
			return;
		}
	}
}

static uint64_t lost_so_far(const struct shm_ring *ring)
{
	uint64_t sum = 0;

	for (int i = SHM_LOST_FULL; i < SHM_SKIPPED; i++)
		sum += __atomic_load_n(&ring->loss[i], __ATOMIC_RELAXED);
	return sum;
}

/*
 * Whether the section at position `p`, which head has not reached, may be entered; fills
 * op with what the entry stores. An entry word that already names p means that somebody
 * found it free and was interrupted: the counts are there and its old contents may not be.
 */
static bool may_enter(const struct target *t, uint64_t p, uint64_t start, struct rseq_op *op)
{
	const struct shm_geometry *g = t->geometry;
	struct shm_section *s = &t->ring->section[section_index(g, p)];
	uint8_t *at = t->data + p % g->ring_size;
	uint64_t entry = entry_of(s);
	struct survey seen = {0};

	op->section = s;
	op->counts = section_counts(g, s, p);
	op->at = at;
	op->entry = p + 1;
	op->lost = lost_so_far(t->ring);
	if (entry == p + 1) {
		op->overwritten = __atomic_load_n(&op->counts->overwritten, __ATOMIC_RELAXED);
		op->torn = __atomic_load_n(&op->counts->torn, __ATOMIC_RELAXED);
		op->lost = __atomic_load_n(&op->counts->lost, __ATOMIC_RELAXED);
		return true;
	}
	if (entry != 0 && !survey(at, g->section_size, entry - 1, start, &seen))
		return false;
	op->overwritten += seen.hooks;
	op->torn += seen.torn;
	return true;
}

/*
 * Where sections end that may be entered unasked: in normal mode at start + ring size, in
 * continuous mode a ring's size behind what the drain has taken.
 */
static uint64_t ring_end(const struct target *t, uint64_t start)
{
	const struct shm_geometry *g = t->geometry;
	uint64_t from = start;

	if (g->mode == SHM_MODE_WRAP)
		return UINT64_MAX;
	/* Acquire: pairs with the drain's release; our stores come after its copies. */
	if (g->mode == SHM_MODE_CONTINUOUS)
		from = __atomic_load_n(
			&t->map->control->ring[t->number].released, __ATOMIC_ACQUIRE);
	return section_start(g, from) + g->ring_size;
}

static int skip_to(const struct target *t, struct rseq_op *op, uint64_t head, uint64_t p);

/* Head stands on a section's first byte: enters it, or skips held ones. */
static int enter_section(
	const struct target *t, uint64_t head, uint32_t size, struct hook_writer *w)
{
	const struct shm_geometry *g = t->geometry;
	uint64_t start = __atomic_load_n(&t->map->control->ring[t->number].start, __ATOMIC_RELAXED);
	uint64_t end = ring_end(t, start);
	struct rseq_op op = {.ring = t->ring, .head = head, .number = t->thread->number};

	/* Once, not per section: with entry words scribbled away it looks at all of them. */
	counts_so_far(t, head, &op);
	for (uint32_t i = 0; i < g->sections; i++) {
		uint64_t p = head + (uint64_t)i * g->section_size;

		if (p + g->section_size > end)
			return ATTEMPT_LOST + (i == 0 ? SHM_LOST_FULL : SHM_LOST_HELD);
		if (!may_enter(t, p, start, &op))
			continue;
		if (i != 0)
			return skip_to(t, &op, head, p);
		op.control = size;
		op.lap = lap_of(g, head);
		op.next = head + size;
		RING_POINT(POINT_BEFORE_ENTER);
		if (do_enter(t, &op) != RSEQ_DONE)
			return ATTEMPT_AGAIN;
		w->first = op.at;
		w->stamp = op.stamp;
		RING_POINT(POINT_ENTERED);
		return HOOK_RESERVED;
	}
	return ATTEMPT_LOST + SHM_LOST_HELD;
}

static void count(const struct target *t, enum shm_loss what, uint64_t n);

static int skip_to(const struct target *t, struct rseq_op *op, uint64_t head, uint64_t p)
{
	const struct shm_geometry *g = t->geometry;

	op->section = &t->ring->section[section_index(g, head)];
	op->entry = head + 1;
	op->next = p;
	RING_POINT(POINT_BEFORE_SKIP);
	if (do_skip(t, op) == RSEQ_DONE)
		count(t, SHM_SKIPPED, (p - head) / g->section_size);
	return ATTEMPT_AGAIN;
}

/* The record does not fit behind head: pads the section, or enters the next one. */
static int switch_section(const struct target *t, uint32_t size, struct hook_writer *w)
{
	const struct shm_geometry *g = t->geometry;
	uint64_t head = load_head(t->ring);
	uint32_t in = (uint32_t)(head & (g->section_size - 1));
	struct rseq_op op = {.ring = t->ring, .head = head};

	if (in == 0)
		return enter_section(t, head, size, w);
	if ((head & 7) || __atomic_load_n(&t->ring->lap, __ATOMIC_ACQUIRE) != lap_of(g, head)) {
		/* A lap begins only while head stands on a boundary: it is wrong only for a head
		 * that is still the same (acquire: read after it). */
		if (load_head(t->ring) != head)
			return ATTEMPT_AGAIN;
		return ATTEMPT_LOST + SHM_LOST_HELD; /* scribbled on: nobody can write here */
	}
	if (size <= g->section_size - in)
		return ATTEMPT_AGAIN; /* somebody was faster */
	op.at = t->data + head % g->ring_size;
	op.control = (g->section_size - in) | REC_KIND_PAD | REC_COMMITTED;
	op.next = head + g->section_size - in;
	RING_POINT(POINT_BEFORE_PAD);
	do_pad(t, &op);
	RING_POINT(POINT_AFTER_PAD);
	return ATTEMPT_AGAIN;
}

/* ------------------------------------------------------------------ losses */

/* Adds to a counter of the ring. Where a CPU's ring cannot be had in one piece, the first
 * guest ring's counter takes it: the sum over rings stays exact. */
static void count(const struct target *t, enum shm_loss what, uint64_t n)
{
	struct shm_ring *ring = t->ring;

	RING_POINT(POINT_BEFORE_COUNT);
#if RING_HAS_RSEQ
	for (int i = 0; !t->guest && i < MAX_ABORTS; i++) {
		uint32_t cpu = __atomic_load_n(&t->thread->rseq->cpu_id_start, __ATOMIC_RELAXED);
		if (cpu >= t->geometry->cpus)
			break;
		/* On the CPU we are on now: the one we meant may be gone. */
		ring = ring_at(t->map->base, t->geometry, cpu);
		if (rseq_add(t->thread->rseq, cpu, &ring->loss[what], n) == RSEQ_DONE)
			return;
	}
#endif
	if (!t->guest)
		ring = ring_at(t->map->base, t->geometry, t->geometry->cpus);
	/* Several threads count on a guest ring, with or without its lock. */
	__atomic_fetch_add(&ring->loss[what], n, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- CPU rings */

#if RING_HAS_RSEQ
static int try_cpu_ring(struct target *t, uint32_t size, struct hook_writer *w)
{
	uint32_t cpu = __atomic_load_n(&t->thread->rseq->cpu_id_start, __ATOMIC_RELAXED);

	if (cpu >= t->geometry->cpus)
		return ATTEMPT_ELSEWHERE;
	switch (rseq_reserve(t->thread->rseq, t->map, size, t->thread, &w->stamp, &w->first)) {
	case RSEQ_DONE:
		return HOOK_RESERVED;
	case RSEQ_ABORTED:
		return ATTEMPT_AGAIN;
	case RSEQ_OUT:
		break;
	}
	t->cpu = cpu;
	aim(t, cpu);
	RING_POINT(POINT_BEFORE_SWITCH);
	return switch_section(t, size, w);
}
#endif

/* --------------------------------------------------------------- guest rings */

static int guest_reserve(struct target *t, uint32_t size, struct hook_writer *w)
{
	const struct shm_geometry *g = t->geometry;

	for (int i = 0; i < MAX_STEPS; i++) {
		uint64_t head = load_head(t->ring);
		uint64_t offset = head - __atomic_load_n(&t->ring->lap, __ATOMIC_RELAXED);
		uint32_t in = (uint32_t)(head & (g->section_size - 1));

		/* Both are anybody's: their difference is an offset only if it is in the data, and
		 * in the section where head is. No division: this is these threads' fast path. */
		if (in != 0 && !(head & 7) && size <= g->section_size - in &&
			offset < g->ring_size && (offset & (g->section_size - 1)) == in) {
			w->first = t->data + offset;
			w->stamp = guest_stamp(t);
			store_record(w->first, size, t->thread->number, w->stamp);
			RING_POINT(POINT_GUEST_BEFORE_HEAD);
			publish_head(t->ring, head + size);
			return HOOK_RESERVED;
		}
		int rc = switch_section(t, size, w);
		if (rc != ATTEMPT_AGAIN)
			return rc;
	}
	return ATTEMPT_LOST + SHM_LOST_HELD; /* only if somebody scribbles on head */
}

/* One pass over the pool: a ring found taken is not waited for. */
static int try_guest_rings(struct target *t, uint32_t size, struct hook_writer *w)
{
	const struct shm_geometry *g = t->geometry;
	int rc = ATTEMPT_LOST + SHM_LOST_NO_GUEST;

	uint32_t guest = t->thread->guest;

	t->guest = true;
	for (uint32_t i = 0; i < g->guests; i++, guest++) {
		uint32_t free_lock = 0;

		if (guest >= g->guests)
			guest = 0;
		aim(t, g->cpus + guest);
		/* Acquire: pairs with the release below, the holder before us. */
		if (!__atomic_compare_exchange_n(&t->ring->lock, &free_lock, t->thread->number,
			    false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		RING_POINT(POINT_GUEST_LOCKED);
		rc = guest_reserve(t, size, w);
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
	default:
		return PU_ERROR_NO_BUFFER;
	}
}

static int reserve(struct ring_thread *self, uint64_t bytes, uint32_t hooks, struct hook_writer *w)
{
	const struct ring_map *map = __atomic_load_n(&self->map, __ATOMIC_RELAXED);
	struct target t = {.thread = self, .map = map, .geometry = &map->geometry};
	uint32_t size = (uint32_t)bytes;
	int rc = ATTEMPT_ELSEWHERE;

	t.guest = self->rseq == rseq_none();
	if (unlikely(bytes > t.geometry->section_size)) {
		aim(&t, t.geometry->cpus);
		rc = ATTEMPT_LOST + SHM_LOST_BIG;
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
	count(&t, (enum shm_loss)(rc - ATTEMPT_LOST), hooks);
	return loss_code(rc - ATTEMPT_LOST);
}

/* Counting needs no slot, only a map. */
__attribute__((cold)) static int lose_without_slot(struct ring_thread *self, uint32_t hooks)
{
	const struct ring_map *map = __atomic_load_n(&self->map, __ATOMIC_RELAXED);
	struct target t = {.thread = self, .map = map, .geometry = &map->geometry};

	t.guest = self->rseq == rseq_none();
	aim(&t, t.geometry->cpus);
	count(&t, SHM_LOST_NO_SLOT, hooks);
	return loss_code(SHM_LOST_NO_SLOT);
}

int hook_begin_slow(struct hook_writer *w, uint32_t major, uint64_t bytes, uint32_t hooks)
{
	struct ring_thread *self = &ring_self;
	int rc;

	if (__atomic_load_n(&ring_gate_page()->gate[major], __ATOMIC_RELAXED) == 0)
		return PU_SUCCESS;
	if (!ring_thread_may_write(self, major)) {
		enum attach_result attached = attach_thread(1);

		if (attached == ATTACH_NONE ||
			__atomic_load_n(&ring_gate_page()->gate[major], __ATOMIC_RELAXED) == 0)
			return PU_SUCCESS;
		if (attached == ATTACH_NO_SLOT)
			return lose_without_slot(self, hooks);
	}
	w->first = NULL;
	w->number = self->number;
	rc = reserve(self, bytes, hooks, w);
	w->at = w->first;
	return rc;
}
