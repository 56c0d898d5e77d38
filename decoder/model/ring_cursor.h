/* The hooks of one ring, in order of position, a section at a time. */
#ifndef SWT_DECODER_RING_CURSOR_H
#define SWT_DECODER_RING_CURSOR_H

#include "findings.h"
#include "trace_private.h"

/* What the cursors of an iterator share. */
struct reading {
	struct io_buffer scratch;
	uint64_t loaded; /* bytes of sections held by all cursors */
	uint64_t done;	 /* stored bytes of the sections passed */
	uint64_t bad_sections;
	struct hook_damage *damage;
	size_t ndamage, damage_cap;
};

/* Sections held at once, over all rings: as much as any real trace needs, no more. */
#define MAX_LOADED (UINT64_C(2) << 30)

struct ring_cursor {
	const struct file *file;
	size_t ring;			   /* index in file->rings */
	size_t next, end;		   /* sections not yet loaded */
	const struct section_ref *section; /* the loaded one */
	struct io_buffer raw;
	const uint8_t *p, *stop; /* the rest of it */
	uint64_t from, to;	 /* ticks to take, both included */
	struct hook hook;	 /* the current one */
	struct hook_counts counts;
};

void ring_cursor_init(struct ring_cursor *c, const struct file *f, size_t ring);
/* 1: c->hook is the next one (no time, task or schema yet), 0: no more, or a code. */
int ring_cursor_next(struct ring_cursor *c, struct reading *r);
void ring_cursor_free(struct ring_cursor *c);

#endif
