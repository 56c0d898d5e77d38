#include "ring_cursor.h"

#include "grow.h"
#include "record.h"

void ring_cursor_init(struct ring_cursor *c, const struct file *f, size_t ring)
{
	*c = (struct ring_cursor){
		.file = f,
		.ring = ring,
		.end = file_nsections(f, ring),
		.to = UINT64_MAX,
	};
	c->hook.ring = f->rings[ring].ring;
	c->hook.file = f->pub.index;
	c->hook.machine = f->pub.machine;
}

void ring_cursor_free(struct ring_cursor *c)
{
	io_buffer_free(&c->raw);
}

static int tell(struct ring_cursor *c, struct reading *r, uint64_t bytes, const char *why)
{
	r->bad_sections++;
	c->counts.bad_sections++;
	if (r->ndamage == MAX_TOLD_DAMAGE)
		return 0;
	int rc = grow(&r->damage, r->ndamage, &r->damage_cap, sizeof *r->damage);
	if (!rc)
		r->damage[r->ndamage++] = (struct hook_damage){.file = c->file->pub.index,
			.ring = c->hook.ring,
			.offset = c->section->offset,
			.bytes = bytes,
			.why = why};
	return rc;
}

/* Nothing of the section can be in the range, if its header is right about it. */
static bool outside(const struct ring_cursor *c, const struct section_ref *s)
{
	return s->told && (s->hi < c->from || s->lo > c->to) &&
	       !c->file->ring_sections[c->ring].disordered;
}

/* 1: c->section is loaded, 0: none is left. One that cannot be loaded is told and passed. */
static int load_next(struct ring_cursor *c, struct reading *r)
{
	while (c->next < c->end) {
		const struct section_ref *s = c->section =
			file_section(c->file, c->ring, c->next++);
		const char *why = "could not be read";
		r->done += s->stored;
		c->p = c->stop = NULL;
		if (outside(c, s))
			continue;
		c->counts.promised += s->hooks;
		c->counts.torn_promised += s->torn;
		if (r->loaded - c->raw.cap + s->raw > MAX_LOADED) {
			int rc = tell(c, r, s->stored, "too many large sections at one time");
			if (rc)
				return rc;
			continue;
		}
		r->loaded -= c->raw.cap;
		int rc = file_load_section(c->file, c->ring, s, &c->raw, &r->scratch, &why);
		r->loaded += c->raw.cap;
		if (rc == CPIDECODE_ENOMEM)
			return rc;
		if (rc) {
			rc = tell(c, r, s->stored, why);
			if (rc)
				return rc;
			continue;
		}
		c->p = c->raw.p;
		c->stop = c->p + s->raw;
		return 1;
	}
	r->loaded -= c->raw.cap;
	io_buffer_free(&c->raw);
	return 0;
}

/* The rest of the section is lost: its records can no longer be told apart. */
static int give_up(struct ring_cursor *c, struct reading *r)
{
	uint64_t left = (uint64_t)(c->stop - c->p);
	c->p = c->stop;
	c->counts.bad_bytes += left;
	return tell(c, r, left, "a record's size leads nowhere: the section's rest is lost");
}

int ring_cursor_next(struct ring_cursor *c, struct reading *r)
{
	for (;;) {
		uint32_t size;
		int rc;
		if (c->p == c->stop) {
			rc = load_next(c, r);
			if (rc <= 0)
				return rc;
		}
		const uint8_t *p = c->p;
		enum record_kind kind = record_parse(p, (size_t)(c->stop - p), &c->hook, &size);
		if (kind == RECORD_BROKEN) {
			rc = give_up(c, r);
			if (rc)
				return rc;
			continue;
		}
		c->p += size;
		switch (kind) {
		case RECORD_HOOK:
			if (c->hook.ticks < c->from || c->hook.ticks > c->to)
				continue;
			c->hook.position = c->section->position + (uint64_t)(p - c->raw.p);
			c->counts.hooks++;
			return 1;
		case RECORD_PAD:
			c->counts.pads++;
			break;
		case RECORD_TORN:
			c->counts.torn++;
			break;
		case RECORD_RESERVED:
			c->counts.reserved++;
			break;
		default:
			c->counts.malformed++;
			break;
		}
	}
}
