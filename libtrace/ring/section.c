/*
 * The switch from section to section (see formats/session.md).
 *
 * Invariants:
 *  - A section that holds an uncommitted record of an earlier lap is not entered: the bytes of a
 *    reservation are its writer's alone until it commits.
 *  - Pad, skip and entry each commit only if head still is the checked value, an entry also only
 *    if the ring's start and keep are.
 *  - Contents that a dump keeps are not overwritten while the other area has memory. They are
 *    committed when a writer leaves them there: no store to them follows.
 *  - A hook walks over no more records than one section has room for, on each ring that it tries
 *    (a second one only after it was moved to another CPU, or aborted MAX_ABORTS times). Where
 *    that does not do, it is lost, and the next one goes on from the hints that it left. Besides,
 *    an entry loads at most one word of each section of the ring.
 */
#include "../../formats/base/time_ns.h"
#include "../../formats/record.h"
#include "points.h"
#include "reserve.h"
#include "rseq.h"
#include "target.h"

#include "populate.h"

/* Whether head - lap is head's offset in the data, in either area. */
static bool lap_fits(const struct shm_geometry *g, uint64_t head, uint64_t lap)
{
	uint64_t offset = head - lap, first = head % g->ring_size;

	return offset == first || (ring_areas(g) > 1 && offset == first + g->ring_size);
}

/* ------------------------------------------------------------- the sequences */

/* On guest rings: counts and entry word, record, head. */
static enum rseq_result guest_enter(const struct target *t, struct rseq_op *op)
{
	if (__atomic_load_n(op->changes_at, __ATOMIC_RELAXED) != op->changes ||
		__atomic_load_n(&op->section->entry, __ATOMIC_RELAXED) != op->seen)
		return RSEQ_OUT;
	op->stamp = guest_stamp(t->ring, op->stamp);
	__atomic_store_n(&op->counts->overwritten, op->overwritten, __ATOMIC_RELAXED);
	__atomic_store_n(&op->counts->torn, op->torn, __ATOMIC_RELAXED);
	__atomic_store_n(&op->counts->lost, op->lost, __ATOMIC_RELAXED);
	/* Release: not before the head on a boundary. See rseq_aarch64.h.
	 * tests/litmus/lap-release.litmus */
	__atomic_store_n(&op->ring->lap, op->lap, __ATOMIC_RELEASE);
	__atomic_store_n(&op->section->entry, op->entry, __ATOMIC_RELEASE);
	/* Store-store: whose copy holds a byte of the record finds the entry word.
	 * tests/litmus/entry-guard.litmus */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	guest_store_record(op->at, op->control, op->number, op->stamp);
	guest_publish_head(op->ring, op->next);
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
	guest_publish_head(op->ring, op->next);
	return RSEQ_DONE;
}

static enum rseq_result do_skip(const struct target *t, const struct rseq_op *op)
{
#if RING_HAS_RSEQ
	if (!t->guest)
		return rseq_skip(t->thread->rseq, t->cpu, op);
#endif
	guest_publish_head(op->ring, op->next);
	return RSEQ_DONE;
}

/* --------------------------------------------------------- looking at sections */

enum section_state {
	SECTION_FREE,
	SECTION_HELD,
	SECTION_UNKNOWN, /* no steps left */
};

/* Spends up to n of the remaining steps; returns their number. */
static uint32_t target_spend_steps(struct target *t, uint32_t n)
{
	if (n > t->steps)
		n = t->steps;
	t->steps -= n;
	RING_STEPS(n);
	return n;
}

static bool is_uncommitted(uint32_t control)
{
	return !(control & (REC_COMMITTED | REC_ABANDONED));
}

static uint32_t load_control(const uint8_t *at)
{
	/* Acquire: a group that commits while we walk shows its inner control words only to a
	 * thread that acquired its first; and with the last, our stores come after the commits that
	 * we saw. tests/litmus/group-walk.litmus, survey-before-entry.litmus */
	return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

/*
 * The last control words of a walk over records. Records tend to repeat in groups; predicting the
 * repetition lets the loads of several records overlap.
 */
struct pattern {
	struct {
		uint32_t control, offset; /* offset: from the first one */
	} record[8];
	uint32_t count, bytes; /* of them */
	uint32_t committed;    /* hooks among them */
	uint32_t torn;
};

static void pattern_add(struct pattern *p, uint32_t c)
{
	if (p->count == sizeof p->record / sizeof *p->record)
		*p = (struct pattern){0};
	p->record[p->count].control = c;
	p->record[p->count++].offset = p->bytes;
	p->bytes += rec_control_size(c);
	if (rec_control_is_hook(c))
		++*(c & REC_COMMITTED ? &p->committed : &p->torn);
}

static inline bool pattern_is_at(const struct pattern *p, const uint8_t *at)
{
	uint32_t n = 0;

	while (n < p->count && load_control(at + p->record[n].offset) == p->record[n].control)
		n++;
	return n == p->count;
}

/* Walks from *offset over repetitions of the pattern. Returns their number; 0: the next records
 * differ. The caller loads those again. */
static uint32_t pattern_walk(
	struct target *t, const struct pattern *p, const uint8_t *at, uint32_t *offset)
{
	const uint32_t bytes = t->geometry->section_size, most = t->steps / p->count;
	const uint32_t size = p->bytes, first = p->record[0].control;
	uint32_t end = *offset, times = 0;

	/* Hooks of one size are the usual case. Without the inner loop, their walk takes half the
	 * time, of which every hook pays its share once a lap. */
	if (p->count == 1)
		for (; times < most && bytes - end >= size && load_control(at + end) == first;
			times++)
			end += size;
	else
		for (; times < most && bytes - end >= size && pattern_is_at(p, at + end); times++)
			end += size;
	*offset = end;
	target_spend_steps(t, times * p->count);
	return times;
}

/* The first byte of the section that begins at position p, in the area that its entry word names.
 * If a member scribbled there, the rest of that word may be anything. */
static uint8_t *section_at(const struct target *t, uint64_t p, uint64_t entry)
{
	return t->data +
	       section_data_offset(t->geometry, p, section_entry_area(t->geometry, entry));
}

/* The lap that a hint of section s refers to. */
static uint64_t held_lap(const struct target *t, uint64_t entry)
{
	return (entry - 1) / t->geometry->section_size & (UINT64_MAX >> SHM_HELD_BITS);
}

/* The hint locates a record that was uncommitted. It may have committed since, and may be
 * anything if a member scribbled there. */
static bool is_held_still(
	const struct target *t, const struct shm_section *s, const uint8_t *at, uint64_t entry)
{
	uint64_t hint = __atomic_load_n(&s->held, __ATOMIC_RELAXED);
	uint32_t offset = (uint32_t)(hint & ((1u << SHM_HELD_BITS) - 1)) * 8;

	return hint >> SHM_HELD_BITS == held_lap(t, entry) &&
	       offset <= t->geometry->section_size - 8 && is_uncommitted(load_control(at + offset));
}

/*
 * Walks the old contents of the section at p: free if every record is committed or abandoned by a
 * dead writer, so that no store is to come. That is lasting: nothing uncommitted appears behind
 * head. A control word that makes no sense is no writer's: it ends the walk.
 */
static enum section_state target_survey_section(
	struct target *t, struct shm_section *s, uint64_t p, uint64_t entry, uint64_t start)
{
	const uint8_t *at = section_at(t, p, entry);
	uint32_t offset = 0, bytes = t->geometry->section_size;
	uint64_t position = section_entry_plain(entry) - 1, hooks = 0, torn = 0;
	struct pattern met = {0};

	while (offset < bytes) {
		uint32_t c = load_control(at + offset);
		uint32_t size = rec_control_size(c), times;

		if (unlikely(size < 8 || size > bytes - offset))
			break;
		if (is_uncommitted(c)) {
			__atomic_store_n(&s->held, held_lap(t, entry) << SHM_HELD_BITS | offset / 8,
				__ATOMIC_RELAXED);
			return SECTION_HELD;
		}
		if (met.count && c == met.record[0].control) {
			times = pattern_walk(t, &met, at, &offset);
			hooks += (uint64_t)times * met.committed;
			torn += (uint64_t)times * met.torn;
			if (times) {
				met.count = met.bytes = met.committed = met.torn = 0;
				continue;
			}
		}
		if (unlikely(target_spend_steps(t, 1) == 0))
			return SECTION_UNKNOWN;
		/* Records before `start` are discarded. */
		if (likely(position + offset >= start)) {
			pattern_add(&met, c);
			if (rec_control_is_hook(c))
				++*(c & REC_COMMITTED ? &hooks : &torn);
		}
		offset += size;
	}
	/* Keep no survey of a section that head has reached: it may be of a later lap and half
	 * written, and hold uncommitted records by the time that it is entered again. The loads
	 * above are acquire: head is read after them. tests/model: F_KEEPS_WHAT_WAS_ENTERED */
	if (target_load_head(t) > p)
		return SECTION_FREE;
	t->found.at = at;
	t->found.entry = entry;
	t->found.start = start;
	t->found.hooks = hooks;
	t->found.torn = torn;
	return SECTION_FREE;
}

static uint64_t entry_of(const struct shm_section *s)
{
	return __atomic_load_n(&s->entry, __ATOMIC_ACQUIRE);
}

/*
 * Whether the section at position p, which head has not reached, may be entered. An entry word
 * that already names p means that a writer found it free and was interrupted: its old contents may
 * be gone.
 */
static enum section_state section_check_free(struct target *t, uint64_t p, uint64_t start)
{
	struct shm_section *s = &t->ring->section[section_index(t->geometry, p)];
	uint64_t entry = entry_of(s);
	const uint8_t *at;

	if (entry == 0 || section_entry_plain(entry) == p + 1)
		return SECTION_FREE;
	at = section_at(t, p, entry);
	if (t->found.at == at && t->found.entry == entry && t->found.start == start)
		return SECTION_FREE;
	if (target_spend_steps(t, TARGET_LOOK_STEPS) < TARGET_LOOK_STEPS)
		return SECTION_UNKNOWN;
	if (is_held_still(t, s, at, entry))
		return SECTION_HELD;
	return target_survey_section(t, s, p, entry, start);
}

/* ---------------------------------------------------------------- entering one */

/* The counts at the section entered last before `head`: the ring's so far. */
static void counts_so_far(const struct target *t, uint64_t head, struct rseq_op *op)
{
	const struct shm_geometry *g = t->geometry;

	op->overwritten = op->torn = 0;
	for (uint32_t i = 1; i <= g->sections; i++) {
		uint64_t back = (uint64_t)i * g->section_size;

		if (back > head)
			return;
		struct shm_section *s = &t->ring->section[section_index(g, head - back)];
		if (section_entry_plain(entry_of(s)) == head - back + 1) {
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

/* Where the contents of a section go whose entry word is `entry`: over the old ones, unless a dump
 * keeps those. Without memory for both, the old ones are overwritten. */
static uint32_t choose_area(const struct target *t, uint64_t head, uint64_t entry, uint64_t keep)
{
	uint32_t area = section_entry_area(t->geometry, entry), other = 1 - area;

	if (entry == 0 || section_entry_plain(entry) > keep || ring_areas(t->geometry) == 1)
		return area;
	return ring_populate_section(t->map, t->number, head, other, false) ? other : area;
}

/* Fills op with the counts of an entry at head, whose section was found free. False if another
 * writer entered in between. */
static bool count_entry(const struct target *t, uint64_t head, uint64_t keep, struct rseq_op *op)
{
	const struct shm_geometry *g = t->geometry;
	struct shm_section *s = &t->ring->section[section_index(g, head)];
	uint64_t entry = entry_of(s);

	op->section = s;
	op->counts = section_counts(g, s, head);
	op->seen = entry;
	if (section_entry_plain(entry) == head + 1) {
		op->entry = entry;
		op->overwritten = __atomic_load_n(&op->counts->overwritten, __ATOMIC_RELAXED);
		op->torn = __atomic_load_n(&op->counts->torn, __ATOMIC_RELAXED);
		op->lost = __atomic_load_n(&op->counts->lost, __ATOMIC_RELAXED);
		return true;
	}
	if (entry != 0 && (t->found.at != section_at(t, head, entry) || t->found.entry != entry))
		return false;
	op->entry = section_entry(head, choose_area(t, head, entry, keep));
	counts_so_far(t, head, op);
	op->lost = lost_so_far(t->ring);
	if (entry != 0) {
		op->overwritten += t->found.hooks;
		op->torn += t->found.torn;
	}
	return true;
}

/* Counts a clock behind the ring's last stamp, which was loaded before it. Statistics only: the
 * maximum may miss a concurrent update. */
static void note_clock_back(const struct target *t, uint64_t ticks)
{
	uint64_t limit = SHM_CLOCK_BACK_NS * t->geometry->ticks_per_second / TIME_SECOND_NS;

	if (ticks <= limit)
		return;
	__atomic_fetch_add(&t->ring->clock_back, 1, __ATOMIC_RELAXED);
	if (ticks > __atomic_load_n(&t->ring->clock_back_most, __ATOMIC_RELAXED))
		__atomic_store_n(&t->ring->clock_back_most, ticks, __ATOMIC_RELAXED);
}

static int section_try_enter(const struct target *t, struct rseq_op *op, uint64_t keep,
	uint32_t size, struct hook_writer *w)
{
	uint64_t last, now;

	if (!count_entry(t, op->head, keep, op))
		return ATTEMPT_AGAIN;
	op->at = section_at(t, op->head, op->entry);
	op->control = size;
	op->lap = op->head - (uint64_t)(op->at - t->data);
	op->next = op->head + size;
	RING_POINT(POINT_BEFORE_ENTER);
	/* Acquire: keeps the compiler from reading the clock before it. AArch64's counter may still
	 * be read a little earlier, by less than SHM_CLOCK_BACK_NS. */
	last = __atomic_load_n(&t->ring->last_stamp, __ATOMIC_ACQUIRE);
	now = target_now(t);
	op->stamp = t->at ? t->at : now;
	if (do_enter(t, op) != RSEQ_DONE)
		return ATTEMPT_AGAIN;
	w->first = op->at;
	w->stamp = op->stamp;
	if (unlikely(last > now))
		note_clock_back(t, last - now);
	RING_POINT(POINT_ENTERED);
	return HOOK_RESERVED;
}

static int skip_to(const struct target *t, struct rseq_op *op, uint64_t p)
{
	const struct shm_geometry *g = t->geometry;

	op->section = &t->ring->section[section_index(g, op->head)];
	op->next = p;
	RING_POINT(POINT_BEFORE_SKIP);
	if (do_skip(t, op) == RSEQ_DONE)
		target_count(t, SHM_SKIPPED, (p - op->head) / g->section_size);
	return ATTEMPT_AGAIN;
}

/*
 * The limit for entering sections: in normal mode start + ring size, in continuous mode a ring's
 * size beyond the position that the drain released.
 */
static uint64_t ring_end(const struct target *t, uint64_t start)
{
	const struct shm_geometry *g = t->geometry;
	uint64_t from = start;

	if (g->mode == SHM_MODE_WRAP)
		return UINT64_MAX;
	/* Acquire: pairs with the drain's release; our stores come after its copies.
	 * tests/litmus/released-acquire.litmus */
	if (g->mode == SHM_MODE_CONTINUOUS)
		from = ring_released(g, t->generation,
			__atomic_load_n(
				&t->map->control->ring[t->number].released, __ATOMIC_ACQUIRE));
	return section_start(g, from) + g->ring_size;
}

/* Where to search first: at head, or where a hook that ran out of steps stopped; but at head if
 * its section was entered since, because it must not be skipped then. entry: its entry word. */
static uint64_t search_from(const struct target *t, uint64_t head, uint64_t entry)
{
	uint64_t p = __atomic_load_n(&t->ring->search, __ATOMIC_RELAXED);

	if (section_entry_plain(entry) == head + 1)
		return head;
	return p - head < t->geometry->ring_size && p % t->geometry->section_size == 0 ? p : head;
}

static void leave_search(const struct target *t, uint64_t p)
{
	__atomic_store_n(&t->ring->search, p, __ATOMIC_RELAXED);
}

/* Head is on a section's first byte: enters the section, or skips held ones. */
static __attribute__((noinline)) int enter_section(
	struct target *t, uint64_t head, uint32_t size, struct hook_writer *w)
{
	const struct shm_geometry *g = t->geometry;
	const struct shm_ring_control *control = &t->map->control->ring[t->number];
	struct rseq_op op = {.ring = t->ring,
		.head = head,
		.number = t->thread->number,
		.changes_at = &control->changes};
	uint64_t from, start, keep, end, p;

	RING_POINT(POINT_BEFORE_LOOK);
	op.seen = entry_of(&t->ring->section[section_index(g, head)]);
	from = search_from(t, head, op.seen);
	/* Acquire: pairs with the owner's release; start and keep are no older than it. */
	op.changes = __atomic_load_n(op.changes_at, __ATOMIC_ACQUIRE);
	start = __atomic_load_n(&control->start, __ATOMIC_RELAXED);
	keep = __atomic_load_n(&control->keep, __ATOMIC_RELAXED);
	end = ring_end(t, start);
	if (head + g->section_size > end)
		return ATTEMPT_LOST + SHM_LOST_FULL;
	if (!ring_populate_section(
		    t->map, t->number, head, section_entry_area(g, op.seen), op.seen != 0))
		return ATTEMPT_LOST + SHM_LOST_NO_MEMORY;
	for (p = from; p - head < g->ring_size && p + g->section_size <= end;
		p += g->section_size) {
		switch (section_check_free(t, p, start)) {
		case SECTION_FREE:
			return p == head ? section_try_enter(t, &op, keep, size, w)
					 : skip_to(t, &op, p);
		case SECTION_HELD:
			break;
		case SECTION_UNKNOWN:
			leave_search(t, p);
			return ATTEMPT_LOST + SHM_LOST_HELD;
		}
	}
	if (from != head)
		leave_search(t, head);
	return ATTEMPT_LOST + SHM_LOST_HELD;
}

/* offset: head's in the data, checked. */
static __attribute__((noinline)) int pad_section(
	const struct target *t, uint64_t head, uint64_t offset)
{
	const struct shm_geometry *g = t->geometry;
	uint32_t room = g->section_size - (uint32_t)(head & (g->section_size - 1));
	struct rseq_op op = {.ring = t->ring,
		.head = head,
		.at = t->data + offset,
		.control = room | REC_KIND_PAD | REC_COMMITTED,
		.next = head + room};

	RING_POINT(POINT_BEFORE_PAD);
	do_pad(t, &op);
	RING_POINT(POINT_AFTER_PAD);
	return ATTEMPT_AGAIN;
}

int target_switch_section(struct target *t, uint32_t size, struct hook_writer *w)
{
	const struct shm_geometry *g = t->geometry;
	uint64_t head = target_load_head(t), lap;
	uint32_t in = (uint32_t)(head & (g->section_size - 1));

	if (in == 0)
		return enter_section(t, head, size, w);
	lap = __atomic_load_n(&t->ring->lap, __ATOMIC_ACQUIRE);
	if ((head & 7) || !lap_fits(g, head, lap)) {
		/* A lap begins only while head is on a boundary: it is wrong only for a head
		 * that is still the same (acquire: read after it). */
		if (target_load_head(t) != head)
			return ATTEMPT_AGAIN;
		return ATTEMPT_LOST + SHM_LOST_HELD; /* scribbled on: no writer can use this ring */
	}
	if (size <= g->section_size - in)
		return ATTEMPT_AGAIN; /* another writer was faster */
	return pad_section(t, head, head - lap);
}
