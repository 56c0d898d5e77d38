#include "ring_cursor.h"

#include "../../base/grow.h"
#include "../trace/section_facts.h"

/* Larger buffers are freed between a cursor's parts: there may be many rings. */
enum { KEPT_BUFFER = 128 << 10 };

void ring_cursor_init(struct ring_cursor *c, const struct file *f, size_t ring)
{
	*c = (struct ring_cursor){.file = f, .ring = ring, .at = SIZE_MAX};
	c->hook.ring = f->rings[ring].ring;
	c->hook.file = f->pub.index;
	c->hook.machine = f->pub.machine;
}

void ring_cursor_free(struct ring_cursor *c)
{
	io_buffer_free(&c->raw);
}

void ring_cursor_rest(struct ring_cursor *c)
{
	if (c->raw.cap <= KEPT_BUFFER)
		return;
	io_buffer_free(&c->raw);
	c->at = SIZE_MAX;
}

void ring_cursor_lend(struct ring_cursor *c, struct ring_cursor *to)
{
	struct io_buffer raw = c->raw;

	c->raw = to->raw;
	to->raw = raw;
	c->at = to->at = SIZE_MAX;
}

void ring_part_narrow(const struct file *f, size_t ring, struct ring_part *part)
{
	file_sections_narrow(f, ring, part->keys.first, part->keys.last, &part->begin, &part->end);
}

bool ring_cursor_start(struct ring_cursor *c, const struct ring_part *part)
{
	uint64_t before = c->part.keys.last;

	c->part = *part;
	c->whole = c->checks = false;
	c->next = part->begin;
	if (part->begin >= part->end)
		return false;
	/* This part often continues where the previous one ended. */
	if (c->at != part->begin || before >= part->keys.first)
		c->p = c->stop = NULL;
	else
		c->next++;
	return true;
}

static int ring_cursor_add_damage(
	struct ring_cursor *c, struct reading *r, uint64_t bytes, const char *why)
{
	c->counts.bad_sections++;
	if (r->ndamage == 2 * MAX_KEPT_DAMAGE)
		r->ndamage = hook_damage_keep(r->damage, r->ndamage);
	int rc = array_grow(&r->damage, r->ndamage, &r->damage_cap, sizeof *r->damage);
	if (!rc)
		r->damage[r->ndamage++] = (struct hook_damage){.file = c->file->pub.index,
			.ring = c->hook.ring,
			.offset = c->section->offset,
			.bytes = bytes,
			.why = why};
	return rc;
}

const char hook_unreadable[] = "a section could not be read";

/* Records a contradiction between header and contents. Files unpacked on opening have corrected
 * headers. 0 or CPIDECODE_ENOMEM. */
static int check_facts(struct ring_cursor *c, struct reading *r, const struct section_facts *facts)
{
	const struct section_ref *s = c->section;
	struct io_section said = {
		.hooks = s->hooks, .torn = s->torn, .first = facts->first, .last = s->last};
	const char *why = section_contradiction(&said, facts);

	return why ? ring_cursor_add_damage(c, r, 0, why) : 0;
}

/* After the section's last record. 0 or CPIDECODE_ENOMEM. */
static int ring_cursor_check_section(struct ring_cursor *c, struct reading *r)
{
	const struct hook_counts *now = &c->counts, *before = &c->before;

	if (!c->checks)
		return 0;
	c->checks = false;
	c->facts.hooks = (uint32_t)(now->hooks - before->hooks);
	c->facts.torn = (uint32_t)(now->torn - before->torn);
	c->facts.odd =
		(uint32_t)(now->malformed - before->malformed + now->reserved - before->reserved);
	return check_facts(c, r, &c->facts);
}

/* 0: c->section is loaded; 1: it is damaged, and recorded; or a code, recorded for EREAD. */
static int ring_cursor_load_section(struct ring_cursor *c, struct reading *r, bool mine)
{
	const struct section_ref *s = c->section;
	const char *why = "too many large sections at one time";
	int rc = 1;

	c->at = SIZE_MAX;
	if (s->raw <= MAX_LOADED - r->loaded)
		rc = file_load_section(c->file, c->ring, s, &c->raw, &r->scratch, &why);
	if (!rc && mine && !c->file->unpacked) {
		/* The header also counts records that are skipped. */
		c->checks = c->whole && !s->skip;
		if (!c->checks) {
			const struct section_facts facts = section_facts_of(c->raw.p, s->raw);

			rc = check_facts(c, r, &facts);
		}
	}
	if (!rc || rc == CPIDECODE_ENOMEM)
		return rc;
	if (rc == CPIDECODE_EREAD)
		why = hook_unreadable;
	int added = mine || rc < 0 ? ring_cursor_add_damage(c, r, s->stored, why) : 0;
	return added ? added : rc;
}

/* Skips to the first record of this section alone: another section holds those before it. */
static void pass_over(struct ring_cursor *c, bool mine)
{
	const uint8_t *from = c->raw.p + c->section->skip;
	uint32_t size;

	while (c->p < from) {
		enum record_kind kind =
			record_parse(c->p, (size_t)(c->stop - c->p), &c->hook, &size);

		if (kind == RECORD_BROKEN)
			return;
		c->counts.twice += mine && kind == RECORD_HOOK;
		c->p += size;
	}
}

/* 1: at the start of the next section; 0: none is left. */
static int enter_next(struct ring_cursor *c, struct reading *r)
{
	int rc = ring_cursor_check_section(c, r);

	if (rc)
		return rc;
	if (c->p)
		r->loaded -= c->section->raw;
	c->p = c->stop = NULL;
	while (c->next < c->part.end) {
		size_t i = c->next++;
		const struct section_ref *s = c->section = file_section(c->file, c->ring, i);
		bool mine = s->lo >= c->part.keys.first;

		if (mine) {
			r->done += s->stored;
			c->counts.promised += s->hooks;
			c->counts.torn_promised += s->torn;
		}
		rc = i == c->at ? 0 : ring_cursor_load_section(c, r, mine);
		if (rc < 0)
			return rc;
		if (rc)
			continue;
		c->at = i;
		c->p = c->raw.p;
		c->stop = c->p + s->raw;
		c->key = s->lo;
		c->high = s->hi;
		r->loaded += s->raw;
		c->facts = (struct section_facts){0};
		c->before = c->counts;
		pass_over(c, mine);
		if (c->p < c->stop)
			return 1;
	}
	return 0;
}

/* Counts a record that is no hook, if it belongs to this part. */
static int odd_record(struct ring_cursor *c, struct reading *r, enum record_kind kind)
{
	struct hook_counts *n = &c->counts;

	if (c->key < c->part.keys.first) {
		if (kind == RECORD_BROKEN)
			c->p = c->stop;
		return 0;
	}
	/* It has the key of the hook before it. */
	if (kind != RECORD_BROKEN &&
		(c->key < c->part.stamps.first || c->key > c->part.stamps.last))
		return 0;
	switch (kind) {
	case RECORD_PAD:
		n->pads++;
		return 0;
	case RECORD_TORN:
		n->torn++;
		return 0;
	case RECORD_RESERVED:
		n->reserved++;
		return 0;
	case RECORD_BROKEN: {
		/* Drops the rest of the section: record boundaries are lost. */
		uint64_t left = (uint64_t)(c->stop - c->p);

		c->p = c->stop;
		c->facts.broken = true;
		n->bad_bytes += left;
		return ring_cursor_add_damage(
			c, r, left, "a record's size leads nowhere: the section's rest is lost");
	}
	default:
		n->malformed++;
		return 0;
	}
}

int ring_cursor_next(struct ring_cursor *c, struct reading *r)
{
	for (;;) {
		uint32_t size;
		int rc;

		if (c->p == c->stop) {
			rc = enter_next(c, r);
			if (rc <= 0)
				return rc;
		}
		const uint8_t *p = c->p;
		enum record_kind kind = record_parse(p, (size_t)(c->stop - p), &c->hook, &size);
		if (kind != RECORD_HOOK) {
			if (kind == RECORD_TORN && size >= REC_HEADER_SIZE)
				section_facts_add_torn(&c->facts, get_le64(p + REC_STAMP));
			rc = odd_record(c, r, kind);
			if (rc)
				return rc;
			if (kind != RECORD_BROKEN)
				c->p += size;
			continue;
		}
		uint64_t key = ring_cursor_key(c, c->hook.ticks);
		if (key > c->part.keys.last)
			return 0; /* kept for the next part */
		c->p = p + size;
		c->key = key;
		if (key < c->part.keys.first || c->hook.ticks < c->part.stamps.first ||
			c->hook.ticks > c->part.stamps.last)
			continue;
		section_facts_add_stamp(&c->facts, c->hook.ticks);
		c->hook.position = c->section->position + (uint64_t)(p - c->raw.p);
		c->counts.hooks++;
		return 1;
	}
}
