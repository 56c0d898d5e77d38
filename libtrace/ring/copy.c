/*
 * Copies a section that writers may change meanwhile. See reader.h; the protocol is in
 * formats/session.md.
 *
 * Invariants: every decision uses one private copy; a copy that is returned is consistent:
 * complete, plausible records, and their counts.
 */
#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../include/perfutil.h"
#include "layout.h"
#include "reader.h"

/* The most copies of one section that are discarded before the differences are settled. */
enum { COPY_MAX_READS = 8 };

enum step { STEP_OK, STEP_DAMAGED, STEP_READ_AGAIN };

struct copy_parse {
	const uint8_t *first; /* the first read */
	uint8_t *copy;	      /* the second */
	uint32_t bytes, offset;
	uint64_t start; /* the ring's start: discarded records below it do not delay a reader */
	bool last;	/* the last read */
	struct ring_span *span;
};

static bool size_fits(uint32_t control, uint32_t room)
{
	uint32_t size = rec_control_size(control);
	bool hook = rec_control_is_hook(control);

	return size >= (hook ? (uint32_t)REC_HEADER_SIZE : 8u) && size <= room;
}

/* Whether a committed hook's words and strings lie within it. */
static bool contents_fit(const uint8_t *record, uint32_t size)
{
	uint64_t at = REC_DATA + 4 * (uint64_t)get_le16(record + REC_NWORDS);

	for (unsigned i = 0; i < record[REC_NSTRINGS]; i++) {
		if (at + 4 > size)
			return false;
		at += rec_any_string_bytes(get_le32(record + at));
	}
	return at <= size;
}

static void span_count_hook(struct copy_parse *p, const uint8_t *record)
{
	uint64_t stamp = get_le64(record + REC_STAMP);
	struct ring_span *s = p->span;

	if (s->hooks == 0)
		s->first_stamp = stamp;
	s->last_stamp = stamp;
	s->hooks++;
}

/* No writer wrote these contents: stamps of a ring never decrease. */
static bool hook_makes_sense(const struct copy_parse *p, const uint8_t *record, uint32_t size)
{
	return contents_fit(record, size) &&
	       (p->span->hooks == 0 || get_le64(record + REC_STAMP) >= p->span->last_stamp);
}

static enum step copy_accept_committed(struct copy_parse *p, uint8_t *record, uint32_t control)
{
	uint32_t kind = control & REC_KIND_MASK, size = rec_control_size(control);

	if (kind == REC_KIND_HOOK && hook_makes_sense(p, record, size))
		span_count_hook(p, record);
	else if (kind != REC_KIND_PAD)
		return STEP_DAMAGED;
	put_le32(record, REC_COMMITTED | size | kind);
	return STEP_OK;
}

/*
 * A record that was being written at the first read is torn, with the size it had then. One that
 * the second read finds changed was committed in between; or it is the inner record of a group,
 * seen late on a weakly ordered machine although its group's first was seen committed: then its
 * size is no step to the next one. Read again: the next first read includes what this second read
 * saw.
 */
static enum step copy_accept_torn(struct copy_parse *p, uint8_t *record, uint32_t was, uint32_t is)
{
	uint32_t size = rec_control_size(was), now = rec_control_size(is);

	if (was != is && !p->last && !(was & REC_ABANDONED))
		return STEP_READ_AGAIN;
	if (was != is && (now > size || (now != size && !(is & REC_COMMITTED))))
		return STEP_READ_AGAIN;
	if (!rec_control_is_hook(was))
		return STEP_DAMAGED;
	if (p->span->position + p->offset >= p->start)
		p->span->held = p->span->held || !(was & REC_ABANDONED);
	put_le32(record, size | REC_KIND_HOOK);
	p->span->torn++;
	return STEP_OK;
}

/* Uses the commits of the first read: for those the second copy's contents are complete. */
static enum step parse_record(struct copy_parse *p)
{
	uint32_t room = p->bytes - p->offset;
	uint32_t was = get_le32(p->first + p->offset), is = get_le32(p->copy + p->offset);
	uint8_t *record = p->copy + p->offset;
	enum step step;

	if (was & REC_COMMITTED && was != is)
		return STEP_READ_AGAIN;
	if (!size_fits(was, room))
		return was == is ? STEP_DAMAGED : STEP_READ_AGAIN;
	if (was & REC_COMMITTED)
		step = copy_accept_committed(p, record, was);
	else
		step = copy_accept_torn(p, record, was, is);
	if (step == STEP_OK)
		p->offset += rec_control_size(was);
	return step;
}

/* Parses the two reads; STEP_READ_AGAIN: they are of different contents. */
static enum step parse_section(struct copy_parse *p)
{
	while (p->bytes - p->offset >= 8) {
		enum step s = parse_record(p);

		if (s != STEP_OK)
			return s;
	}
	return p->offset == p->bytes ? STEP_OK : STEP_DAMAGED;
}

/*
 * Invalid bytes: records before them are good, and the rest becomes one torn record, so that the
 * counts stay those of the records. Less room than a record's holds none.
 */
static void end_damaged(struct copy_parse *p)
{
	uint32_t room = (p->bytes - p->offset) & REC_SIZE_MASK;

	p->span->damaged = true;
	if (room < REC_HEADER_SIZE)
		return;
	memset(p->copy + p->offset, 0, room);
	put_le32(p->copy + p->offset, room | REC_KIND_HOOK);
	p->span->torn++;
	p->offset += room;
}

/* Drops the discarded records below `start`: the span then begins after them. */
static void drop_before(struct ring_span *span, uint8_t *buf, uint64_t start)
{
	uint32_t skip = 0, control;

	while (span->position + skip < start && rec_read_control(buf, skip, span->bytes, &control))
		skip += rec_control_size(control);
	if (skip == 0)
		return;
	span->position += skip;
	span->bytes -= skip;
	memmove(buf, buf + skip, span->bytes);
	span->hooks = span->torn = 0;
	span->first_stamp = span->last_stamp = 0;
	struct copy_parse p = {.copy = buf, .bytes = span->bytes, .span = span};
	for (uint32_t at = 0; rec_read_control(buf, at, span->bytes, &control);
		at += rec_control_size(control)) {
		if (!(control & REC_COMMITTED))
			span->torn++;
		else if (rec_control_is_hook(control))
			span_count_hook(&p, buf + at);
	}
}

/* Reads a section's bytes twice. Returns whether they still belong to that position. */
static int part_read_twice(struct ring_reader *r, uint32_t ring, const struct ring_part *part,
	uint8_t *buf, uint32_t bytes, struct ring_span *span)
{
	const struct shm_geometry *g = &r->geometry;
	uint64_t at =
		ring_data_offset(g, ring) + section_data_offset(g, part->position, part->area);
	uint64_t entry;

	if (!ring_read_at(r->fd, r->first_read, bytes, at))
		return PU_ERR_FILE_ERROR;
	/* Acquire: pairs with the commits' release; contents are copied after we saw which
	 * records are committed. tests/litmus/look-twice.litmus, commit-release.litmus,
	 * group-inner.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ring_read_at(r->fd, buf, bytes, at))
		return PU_ERR_FILE_ERROR;
	/* Acquire: pairs with the barrier after an entry word. If a byte of the copy was of
	 * the section's next lap, the entry word read now names that lap.
	 * tests/litmus/entry-guard.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ring_read_at(r->fd, &entry, sizeof entry,
		    section_header_offset(g, ring, part->index) +
			    offsetof(struct shm_section, entry)))
		return PU_ERR_FILE_ERROR;
	/* Kept sections stay in place while new ones go to the other area. Acquire: a writer that
	 * overwrote the copied bytes had loaded another keep before. tests/model:
	 * F_KEEP_NOT_COMPARED */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	span->overwritten =
		section_entry_plain(entry) != part->position + 1 &&
		(section_entry_area(g, entry) == part->area || !ring_reader_still_keeps(r, ring));
	return 0;
}

/* The bytes of the part below head. Bytes written after a first read's head wait for the next copy.
 */
static int bytes_there(
	struct ring_reader *r, uint32_t ring, const struct ring_part *part, uint32_t *bytes)
{
	const struct shm_geometry *g = &r->geometry;
	struct shm_ring header;

	if (ring_reader_header(r, ring, &header) != 0)
		return PU_ERR_FILE_ERROR;
	if (header.head <= part->position)
		*bytes = 0;
	else if (header.head - part->position < g->section_size)
		*bytes = (uint32_t)(header.head - part->position);
	else
		*bytes = g->section_size;
	return 0;
}

int ring_reader_copy(struct ring_reader *r, uint32_t ring, const struct ring_part *part,
	uint8_t *buf, struct ring_span *span)
{
	uint64_t start =
		r->control ? __atomic_load_n(&r->control[ring].start, __ATOMIC_ACQUIRE) : 0;
	enum step step = STEP_READ_AGAIN;
	struct copy_parse p = {.first = r->first_read, .copy = buf, .start = start, .span = span};

	for (int i = 0; i < COPY_MAX_READS && step == STEP_READ_AGAIN; i++) {
		memset(span, 0, sizeof *span);
		span->position = part->position;
		if (i == 0 && bytes_there(r, ring, part, &p.bytes) != 0)
			return PU_ERR_FILE_ERROR;
		if (p.bytes == 0)
			return 0;
		if (part_read_twice(r, ring, part, buf, p.bytes, span) != 0)
			return PU_ERR_FILE_ERROR;
		if (span->overwritten)
			return 0;
		p.offset = 0;
		p.last = i == COPY_MAX_READS - 1;
		step = parse_section(&p);
	}
	if (step != STEP_OK)
		end_damaged(&p);
	span->bytes = p.offset;
	if (span->position < start)
		drop_before(span, buf, start);
	return 0;
}

/* ------------------------------------------------------------ for the drain */

int ring_reader_entered(
	struct ring_reader *r, uint32_t ring, uint64_t position, uint64_t *lost_so_far)
{
	uint32_t index = section_index(&r->geometry, position);
	struct shm_section section;

	if (!ring_read_at(r->fd, &section, sizeof section,
		    section_header_offset(&r->geometry, ring, index)))
		return PU_ERR_FILE_ERROR;
	*lost_so_far = section_counts(&r->geometry, &section, position)->lost;
	return section_entry_plain(section.entry) == position + 1;
}

uint64_t ring_reader_stamp(struct ring_reader *r, uint32_t ring, uint64_t position)
{
	const struct shm_geometry *g = &r->geometry;
	uint32_t in = (uint32_t)(position - section_start(g, position));
	uint8_t record[REC_HEADER_SIZE];

	if (in > g->section_size - sizeof record ||
		!ring_read_at(r->fd, record, sizeof record,
			ring_data_offset(g, ring) + position % g->ring_size) ||
		!rec_control_is_hook(get_le32(record)))
		return 0;
	return get_le64(record + REC_STAMP);
}
