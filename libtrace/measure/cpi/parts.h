/*
 * A hook group in one reservation: label, data hooks, label. What the data hooks of a major say
 * is laid out before the reservation, so that between begin and commit there are only copies;
 * the elapsed ticks, known from the group's stamp only, are patched in.
 */
#ifndef SWT_MEASURE_CPI_PARTS_H
#define SWT_MEASURE_CPI_PARTS_H

#include <stdint.h>

#include "../../../formats/bytes.h"
#include "../../counters/source.h"

enum { PARTS_MAX = CPI_GROUP_DATA_HOOKS };

/* A data hook. One of another major than the group's stands behind the group's last hook. */
struct part {
	uint8_t major;
	uint32_t minor, nwords;
	uint32_t elapsed; /* index of the high word */
	uint8_t *words;
};

struct parts {
	struct part part[PARTS_MAX];
	uint32_t count;
};

/* What surrounds the data hooks. */
struct parts_frame {
	uint8_t major;
	uint32_t label_start, label_end; /* minors */
	const char *label;		 /* NULL: none */
	uint64_t start_ticks;		 /* elapsed is from here to the stamp */
};

/* The words of a part under construction. */
struct cursor {
	uint8_t *at;
};

static inline void put_word(struct cursor *c, uint32_t v)
{
	put_le32(c->at, v);
	c->at += 4;
}

/* Not measured: 0. */
static inline void parts_put_count(struct cursor *c, uint64_t v)
{
	put_hl64(c->at, v == CPI_NONE ? 0 : v);
	c->at += 8;
}

/* Reserves the words for the elapsed ticks. */
static inline void put_elapsed(struct cursor *c, struct part *part)
{
	part->elapsed = (uint32_t)(c->at - part->words) / 4;
	parts_put_count(c, 0);
}

static inline struct part *begin_part(
	struct parts *p, uint8_t major, uint32_t minor, const struct cursor *c)
{
	struct part *part = &p->part[p->count++];

	part->major = major;
	part->minor = minor;
	part->words = c->at;
	return part;
}

static inline void end_part(struct part *part, const struct cursor *c)
{
	part->nwords = (uint32_t)(c->at - part->words) / 4;
}

/* Writes the group. Returns 0 with *elapsed set, 0 with *elapsed untouched if nothing was to be
 * written, or a PU_ code if it was lost. */
int parts_write(const struct parts *p, const struct parts_frame *frame, uint64_t *elapsed);

#endif
