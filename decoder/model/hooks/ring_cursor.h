/*
 * The hooks of one ring, in order of position, a section at a time.
 *
 * Rings are merged by keys: a hook's key is its stamp, held between the key before it and
 * the end of its section's range. The ranges do not step back along a ring, so keys do not
 * either, whatever the stamps are, and hooks of given keys are a part of the ring that is found
 * without reading earlier ones. A record other than a hook has the key of its predecessor; a
 * finding about a section has the start of its range.
 */
#ifndef SWT_DECODER_MODEL_HOOKS_RING_CURSOR_H
#define SWT_DECODER_MODEL_HOOKS_RING_CURSOR_H

#include "../trace/findings.h"
#include "../trace/section_facts.h"
#include "record.h"
#include "../trace/trace_private.h"

/* State shared by the cursors of an iterator. */
struct reading {
	struct io_buffer scratch;
	uint64_t loaded; /* bytes of the cursors' current sections */
	uint64_t done;	 /* stored bytes of the sections passed */
	struct hook_damage *damage;
	size_t ndamage, damage_cap;
};

/* The most bytes of sections held at once over all rings: enough for any real trace. */
#define MAX_LOADED (UINT64_C(2) << 30)

/* The part of a ring to read. */
struct ring_part {
	struct tick_range keys;
	struct tick_range stamps; /* only hooks with these keys */
	size_t begin, end;	  /* sections, by their number in the ring */
};

struct ring_cursor {
	const uint8_t *p, *stop; /* the rest of the section */
	uint64_t key;		 /* of the record before p */
	uint64_t high;		 /* the end of the section's range */
	struct ring_part part;
	bool whole; /* see ring_cursor_alone */
	/* Facts of the records read so far, and the counts before them: once all of the section is
	 * read, they are compared with its header. */
	bool checks;
	struct section_facts facts;
	struct hook_counts before;
	struct hook hook; /* the current one */
	struct hook_counts counts;
	const struct file *file;
	size_t ring;			   /* index into file->rings */
	size_t next;			   /* section not yet loaded */
	size_t at;			   /* the section in raw; SIZE_MAX: none */
	const struct section_ref *section; /* its directory entry */
	struct io_buffer raw;
};

void ring_cursor_init(struct ring_cursor *c, const struct file *f, size_t ring);
/* Begins a part. False if no section holds any of it. */
bool ring_cursor_start(struct ring_cursor *c, const struct ring_part *part);
/* The caller needs no keys: skip making them where the part has every hook of its sections. */
static inline void ring_cursor_alone(struct ring_cursor *c)
{
	const struct ring_part *p = &c->part;

	c->whole = !p->keys.first && !p->stamps.first && p->keys.last == UINT64_MAX &&
		   p->stamps.last == UINT64_MAX;
}

static inline void ring_cursor_step(struct ring_cursor *c, uint32_t size)
{
	c->hook.position = c->section->position + (uint64_t)(c->p - c->raw.p);
	c->p += size;
	c->counts.hooks++;
}

/*
 * 1: c->hook is the next one, c->key its key (no time, task or schema yet), 0: no more of this
 * part, or a code.
 */
int ring_cursor_next(struct ring_cursor *c, struct reading *r);
/* The key of a hook with that stamp, after the previous one. */
static inline uint64_t ring_cursor_key(const struct ring_cursor *c, uint64_t ticks)
{
	uint64_t key = ticks > c->key ? ticks : c->key;

	return key < c->high ? key : c->high;
}

/* The same if the next record is a hook that fits, as most are; else false: ring_cursor_next. */
static inline bool ring_cursor_try_next(struct ring_cursor *c)
{
	const uint8_t *p = c->p;
	const struct ring_part *part = &c->part;
	uint32_t size;

	if (p == c->stop || record_parse(p, (size_t)(c->stop - p), &c->hook, &size) != RECORD_HOOK)
		return false;
	if (!c->whole) {
		uint64_t ticks = c->hook.ticks, key = ring_cursor_key(c, ticks);

		if (key > part->keys.last || key < part->keys.first || ticks < part->stamps.first ||
			ticks > part->stamps.last)
			return false;
		c->key = key;
	} else {
		section_facts_add_stamp(&c->facts, c->hook.ticks);
	}
	ring_cursor_step(c, size);
	return true;
}

/* Steps over hooks of that size together, of the stamp and thread of the one before. */
static inline void ring_cursor_pass(struct ring_cursor *c, size_t size, uint32_t hooks)
{
	c->p += size;
	c->counts.hooks += hooks;
}

/* Call between two parts: frees a large buffer. */
void ring_cursor_rest(struct ring_cursor *c);
/* Call between two parts: moves the buffer, still in the cache, to another cursor. */
void ring_cursor_lend(struct ring_cursor *c, struct ring_cursor *to);
void ring_cursor_free(struct ring_cursor *c);

/* Finds the sections begin..end of a ring that hold any of these keys. */
void ring_part_narrow(const struct file *f, size_t ring, struct ring_part *part);

#endif
