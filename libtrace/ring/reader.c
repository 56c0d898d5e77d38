/*
 * Reading rings that others write. See reader.h; the protocol is in formats/session.md.
 *
 * Invariants: shared memory reaches us only through pread into private memory; a decision
 * is made from one copy; sizes and counts come from the owner's geometry; no loop is longer
 * than what a section or a ring's section table can hold.
 */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "layout.h"

/* Copies of one section that may be thrown away before it is taken as damaged. */
enum { MAX_LOOKS = 8 };

int ring_reader_open(struct ring_reader *r, int fd, const struct shm_geometry *geometry,
	const struct shm_ring_control *control)
{
	memset(r, 0, sizeof *r);
	r->fd = fd;
	if (!geometry_sane(geometry))
		return PU_ERR_FILE_ERROR;
	r->geometry = *geometry;
	r->control = control;
	r->looks = malloc(geometry->section_size);
	r->sections = malloc(geometry->sections * sizeof *r->sections);
	if (!r->looks || !r->sections) {
		ring_reader_close(r);
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	}
	return 0;
}

void ring_reader_close(struct ring_reader *r)
{
	free(r->looks);
	free(r->sections);
	r->looks = NULL;
	r->sections = NULL;
}

/* The owner's of one ring. */
static const struct shm_ring_control *control_of(const struct ring_reader *r, uint32_t ring)
{
	static const struct shm_ring_control never_discarded;

	return r->control ? &r->control[ring] : &never_discarded;
}

uint32_t ring_reader_rings(const struct ring_reader *r)
{
	return r->geometry.cpus + r->geometry.guests;
}

uint32_t ring_reader_id(const struct ring_reader *r, uint32_t ring)
{
	return ring < r->geometry.cpus ? ring : TF_GUEST_RING + (ring - r->geometry.cpus);
}

bool ring_read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	uint8_t *p = to;

	while (bytes) {
		ssize_t n = pread(fd, p, bytes, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : 0;
			return false;
		}
		p += n;
		bytes -= (size_t)n;
		offset += (uint64_t)n;
	}
	return true;
}

static bool read_header(struct ring_reader *r, uint32_t ring, struct shm_ring *header)
{
	bool ok = ring_read_at(r->fd, header, sizeof *header, ring_offset(&r->geometry, ring));

	/* Acquire: pairs with the writers' release of head; the control words of every
	 * record below this head are in what we copy from here on. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ok;
}

static uint64_t table_offset(const struct ring_reader *r, uint32_t ring, uint32_t index)
{
	return ring_offset(&r->geometry, ring) + sizeof(struct shm_ring) +
	       index * sizeof(struct shm_section);
}

static bool read_table(struct ring_reader *r, uint32_t ring)
{
	return ring_read_at(r->fd, r->sections, r->geometry.sections * sizeof *r->sections,
		table_offset(r, ring, 0));
}

/* Whether an entry word is one that a writer can have stored there. */
static bool entry_makes_sense(const struct shm_geometry *g, uint32_t index, uint64_t entry)
{
	uint64_t p = entry - 1;

	return entry != 0 && p % g->section_size == 0 && section_index(g, p) == index;
}

/* How often a ring's writers may come round to a section while its counts are read. */
enum { MAX_TURNS = 16 };

/*
 * The counts of the section entered as `entry`: 1; 0: writers came round to it; or
 * PU_ERR_FILE_ERROR. One pread gives no order among the words it copies (the kernel's copy
 * may load them in any), so entry word, counts and entry word again are three.
 */
static int stable_counts(struct ring_reader *r, uint32_t ring, uint32_t index, uint64_t entry,
	struct shm_counts *counts)
{
	uint64_t at = table_offset(r, ring, index);
	struct shm_section section;
	uint64_t again;

	/* Acquire: the caller read `entry` before; its counts were stored before it. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ring_read_at(r->fd, &section, sizeof section, at))
		return PU_ERR_FILE_ERROR;
	/* Acquire: these counts are stored again only after the next lap's entry word. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ring_read_at(r->fd, &again, sizeof again, at + offsetof(struct shm_section, entry)))
		return PU_ERR_FILE_ERROR;
	*counts = *section_counts(&r->geometry, &section, entry - 1);
	return again == entry;
}

/* ------------------------------------------------------------------ ledger */

/* The section entered last, of those in r->sections; its index, or -1: none. */
static int64_t entered_last(const struct ring_reader *r)
{
	const struct shm_geometry *g = &r->geometry;
	int64_t best = -1;

	for (uint32_t i = 0; i < g->sections; i++)
		if (entry_makes_sense(g, i, r->sections[i].entry) &&
			(best < 0 || r->sections[i].entry > r->sections[best].entry))
			best = i;
	return best;
}

/* The running totals, which the section entered last carries. */
static bool read_totals(struct ring_reader *r, uint32_t ring, struct shm_counts *totals)
{
	int rc = 0;

	memset(totals, 0, sizeof *totals);
	for (int i = 0; rc == 0 && i < MAX_TURNS; i++) {
		if (!read_table(r, ring))
			return false;
		int64_t last = entered_last(r);
		if (last < 0)
			return true;
		rc = stable_counts(r, ring, (uint32_t)last, r->sections[last].entry, totals);
	}
	return rc >= 0;
}

/* The counters as they stand, nothing subtracted. */
static bool count_all(struct ring_reader *r, uint32_t ring, struct ring_ledger *out)
{
	struct shm_counts totals;
	struct shm_ring header;

	memset(out, 0, sizeof *out);
	if (!read_header(r, ring, &header) || !read_totals(r, ring, &totals)) {
		out->damaged = true;
		return false;
	}
	out->head = header.head;
	memcpy(out->loss, header.loss, sizeof out->loss);
	out->overwritten = totals.overwritten;
	out->torn = totals.torn;
	out->damaged = (header.head & 7) != 0;
	return true;
}

static uint64_t since(uint64_t now, uint64_t base)
{
	return now > base ? now - base : 0;
}

int ring_reader_ledger(struct ring_reader *r, uint32_t ring, struct ring_ledger *out)
{
	const struct shm_ring_control *c = control_of(r, ring);

	if (!count_all(r, ring, out))
		return 0; /* damaged says it */
	for (int i = 0; i < SHM_LOSSES; i++)
		out->loss[i] = since(out->loss[i], c->loss_base[i]);
	out->overwritten = since(out->overwritten, c->overwritten_base);
	out->torn = since(out->torn, c->torn_base);
	return 0;
}

int ring_reader_discard(struct ring_reader *r, uint32_t ring, struct shm_ring_control *control)
{
	struct ring_ledger now;

	if (!count_all(r, ring, &now))
		return PU_ERR_FILE_ERROR;
	memcpy(control->loss_base, now.loss, sizeof control->loss_base);
	control->overwritten_base = now.overwritten;
	control->torn_base = now.torn;
	__atomic_store_n(&control->start, now.head & ~(uint64_t)7, __ATOMIC_RELEASE);
	return 0;
}

/* ------------------------------------------------------------------- parts */

static int by_position(const void *a, const void *b)
{
	const struct ring_part *x = a, *y = b;

	return x->position < y->position ? -1 : x->position > y->position;
}

int ring_reader_parts(struct ring_reader *r, uint32_t ring, struct ring_part *parts)
{
	const struct shm_geometry *g = &r->geometry;
	const struct shm_ring_control *c = control_of(r, ring);
	uint64_t base = 0, before;
	struct shm_counts counts;
	struct shm_ring header;
	int n = 0;

	/* Truncated: the ledger says so. An error of the kernel's is not an empty ring. */
	if (!read_header(r, ring, &header) || !read_table(r, ring))
		return errno ? PU_ERR_FILE_ERROR : 0;
	for (uint32_t i = 0; i < g->sections; i++) {
		uint64_t p = r->sections[i].entry - 1;
		if (!entry_makes_sense(g, i, r->sections[i].entry) || p >= header.head ||
			p + g->section_size <= c->start)
			continue;
		int rc = stable_counts(r, ring, i, p + 1, &counts);
		if (rc < 0)
			return errno ? rc : 0;
		if (rc == 0)
			continue; /* overwritten in the meantime */
		parts[n].position = p;
		parts[n].index = i;
		parts[n++].lost_before = counts.lost;
	}
	qsort(parts, (size_t)n, sizeof *parts, by_position);
	for (int i = SHM_LOST_FULL; i < SHM_SKIPPED; i++)
		base += c->loss_base[i];
	before = base;
	for (int i = 0; i < n; i++) {
		uint64_t lost = parts[i].lost_before;
		parts[i].lost_before = since(lost, before);
		if (lost > before)
			before = lost;
	}
	return n;
}

int ring_reader_present(struct ring_reader *r, uint32_t ring, const struct ring_part *parts,
	uint32_t n, bool *present)
{
	if (!read_table(r, ring))
		return PU_ERR_FILE_ERROR;
	for (uint32_t i = 0; i < n; i++)
		present[i] = parts[i].index < r->geometry.sections &&
			     r->sections[parts[i].index].entry == parts[i].position + 1;
	return 0;
}

/* -------------------------------------------------------------------- copy */

enum step { STEP_OK, STEP_DAMAGED, STEP_LOOK_AGAIN };

struct parse {
	const uint8_t *first; /* the first look */
	uint8_t *copy;	      /* the second */
	uint32_t bytes, offset;
	struct ring_span *span;
};

static bool size_fits(uint32_t control, uint32_t room)
{
	uint32_t size = control & REC_SIZE_MASK;
	bool hook = (control & REC_KIND_MASK) == REC_KIND_HOOK;

	return size >= (hook ? (uint32_t)REC_HEADER_SIZE : 8u) && size <= room;
}

static void take_hook(struct parse *p, const uint8_t *record)
{
	uint64_t stamp = get_le64(record + REC_STAMP);
	struct ring_span *s = p->span;

	if (s->hooks == 0 || stamp < s->first_stamp)
		s->first_stamp = stamp;
	if (stamp > s->last_stamp)
		s->last_stamp = stamp;
	s->hooks++;
}

/*
 * One record. Committed is what the first look saw committed: the second copy's contents
 * are then complete. A record that was being written at the first look is torn, with the
 * size it had then. Inner records of a group can be seen late on a weakly ordered machine
 * although their group's first was seen committed: then the two looks differ in a way that
 * a writer's own progress does not explain, and both are taken again.
 */
static enum step parse_record(struct parse *p)
{
	uint32_t room = p->bytes - p->offset;
	uint32_t was = get_le32(p->first + p->offset), is = get_le32(p->copy + p->offset);
	uint8_t *record = p->copy + p->offset;

	if (!size_fits(was, room))
		return was == is ? STEP_DAMAGED : STEP_LOOK_AGAIN;
	if (was & REC_COMMITTED) {
		if (was != is)
			return STEP_LOOK_AGAIN;
		put_le32(record, was & (REC_COMMITTED | REC_SIZE_MASK | REC_KIND_MASK));
		if ((was & REC_KIND_MASK) == REC_KIND_HOOK)
			take_hook(p, record);
	} else {
		uint32_t now = is & REC_SIZE_MASK;
		if (now > (was & REC_SIZE_MASK) ||
			(now != (was & REC_SIZE_MASK) && !(is & REC_COMMITTED)))
			return STEP_LOOK_AGAIN;
		put_le32(record, was & (REC_SIZE_MASK | REC_KIND_MASK));
		p->span->torn++;
	}
	p->offset += was & REC_SIZE_MASK;
	return STEP_OK;
}

/* Parses the two looks; STEP_LOOK_AGAIN: they do not belong together. */
static enum step parse_section(struct parse *p)
{
	while (p->bytes - p->offset >= 8) {
		enum step s = parse_record(p);
		if (s != STEP_OK)
			return s;
	}
	return p->offset == p->bytes ? STEP_OK : STEP_DAMAGED;
}

/* Drops the records below `start` (discarded): the span then begins behind them. */
static void drop_before(struct ring_span *span, uint8_t *buf, uint64_t start)
{
	uint32_t skip = 0;

	while (skip < span->bytes && span->position + skip < start)
		skip += get_le32(buf + skip) & REC_SIZE_MASK;
	if (skip == 0)
		return;
	span->position += skip;
	span->bytes -= skip;
	memmove(buf, buf + skip, span->bytes);
	span->hooks = span->torn = 0;
	span->first_stamp = span->last_stamp = 0;
	struct parse p = {.copy = buf, .bytes = span->bytes, .span = span};
	for (uint32_t at = 0; at < span->bytes;) {
		uint32_t c = get_le32(buf + at);
		if ((c & REC_KIND_MASK) == REC_KIND_HOOK && (c & REC_COMMITTED))
			take_hook(&p, buf + at);
		else if (!(c & REC_COMMITTED))
			span->torn++;
		at += c & REC_SIZE_MASK;
	}
}

/* The two looks at a section's bytes, and whether they are still of that position. */
static int look_twice(struct ring_reader *r, uint32_t ring, const struct ring_part *part,
	uint8_t *buf, uint32_t bytes, struct ring_span *span)
{
	uint64_t at = ring_data_offset(&r->geometry, ring) +
		      (uint64_t)part->index * r->geometry.section_size;
	uint64_t entry;

	if (!ring_read_at(r->fd, r->looks, bytes, at))
		return PU_ERR_FILE_ERROR;
	/* Acquire: pairs with the commits' release; contents are copied after we saw which
	 * records are committed. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ring_read_at(r->fd, buf, bytes, at))
		return PU_ERR_FILE_ERROR;
	/* Acquire: pairs with the barrier after an entry word. If a byte of the copy was of
	 * the section's next lap, the entry word read now names that lap. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ring_read_at(r->fd, &entry, sizeof entry,
		    table_offset(r, ring, part->index) + offsetof(struct shm_section, entry)))
		return PU_ERR_FILE_ERROR;
	span->overwritten = entry != part->position + 1;
	return 0;
}

int ring_reader_copy(struct ring_reader *r, uint32_t ring, const struct ring_part *part,
	uint8_t *buf, struct ring_span *span)
{
	const struct shm_geometry *g = &r->geometry;
	enum step step = STEP_LOOK_AGAIN;
	struct shm_ring header;

	for (int i = 0; i < MAX_LOOKS && step == STEP_LOOK_AGAIN; i++) {
		struct parse p = {.first = r->looks, .copy = buf, .span = span};

		memset(span, 0, sizeof *span);
		span->position = part->position;
		if (!read_header(r, ring, &header))
			return PU_ERR_FILE_ERROR;
		if (header.head <= part->position)
			return 0;
		p.bytes = header.head - part->position < g->section_size
				  ? (uint32_t)(header.head - part->position)
				  : g->section_size;
		if (look_twice(r, ring, part, buf, p.bytes, span) != 0)
			return PU_ERR_FILE_ERROR;
		if (span->overwritten)
			return 0;
		step = parse_section(&p);
		span->bytes = p.offset;
	}
	if (span->position < control_of(r, ring)->start)
		drop_before(span, buf, control_of(r, ring)->start);
	if (step != STEP_OK) {
		/* Somebody scribbled there: what stands before it is good; how many hooks
		 * stood behind it nobody knows, so it counts as one torn record. */
		span->damaged = true;
		span->torn++;
	}
	return 0;
}

/* --------------------------------------------------------------- for the drain */

int ring_reader_header(struct ring_reader *r, uint32_t ring, struct shm_ring *header)
{
	return read_header(r, ring, header) ? 0 : PU_ERR_FILE_ERROR;
}

int ring_reader_entered(
	struct ring_reader *r, uint32_t ring, uint64_t position, uint64_t *lost_so_far)
{
	uint32_t index = section_index(&r->geometry, position);
	struct shm_section section;

	if (!ring_read_at(r->fd, &section, sizeof section, table_offset(r, ring, index)))
		return PU_ERR_FILE_ERROR;
	*lost_so_far = section_counts(&r->geometry, &section, position)->lost;
	return section.entry == position + 1;
}

uint64_t ring_reader_stamp(struct ring_reader *r, uint32_t ring, uint64_t position)
{
	const struct shm_geometry *g = &r->geometry;
	uint32_t in = (uint32_t)(position - section_start(g, position));
	uint8_t record[REC_HEADER_SIZE];

	if (in > g->section_size - sizeof record ||
		!ring_read_at(r->fd, record, sizeof record,
			ring_data_offset(g, ring) + position % g->ring_size) ||
		(get_le32(record) & REC_KIND_MASK) != REC_KIND_HOOK)
		return 0;
	return get_le64(record + REC_STAMP);
}

/* From the first look, whose sizes the copy was parsed by: the copy itself has lost the mark
 * of the abandoned. */
bool ring_reader_held(const struct ring_reader *r, const struct ring_span *span)
{
	uint32_t from = (uint32_t)(span->position - section_start(&r->geometry, span->position));

	for (uint32_t at = from; at < from + span->bytes;) {
		uint32_t control = get_le32(r->looks + at);

		if (!(control & (REC_COMMITTED | REC_ABANDONED)))
			return true;
		at += control & REC_SIZE_MASK;
	}
	return false;
}
