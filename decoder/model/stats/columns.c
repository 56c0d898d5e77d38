#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../include/cpidecode.h"
#include "words.h"

void columns_first(struct columns_reader *r, const struct ratio_columns *from)
{
	r->from = from;
	r->at = from->is_full ? NULL : from->packed;
	r->next = 0;
	memset(r->differences, 0, sizeof r->differences);
}

const struct ratio *columns_next(struct columns_reader *r)
{
	const unsigned n = r->from->width * RATIO_WORDS;

	if (r->next >= r->from->count) {
		memset(&r->column, 0, sizeof r->column);
		return r->column.ratios;
	}
	if (r->from->is_full)
		return &r->from->full[(size_t)r->next++ * r->from->width];
	r->next++;
	r->at += words_add_packed(r->differences, n, r->at);
	memcpy(r->column.words, r->differences, n * sizeof *r->column.words);
	words_from_differences(r->column.words, n, RATIO_WORDS);
	return r->column.ratios;
}

/* Behind those in b; last: the differences of the column before, and then of this one. */
static int put_column(
	struct columns_buffer *b, uint64_t *last, const union ratio_column *c, unsigned n)
{
	uint64_t words[COLUMN_WORDS];

	if (!array_reserve(
		    &b->words, &b->cap, b->count + WORDS_PACKED(COLUMN_WORDS), sizeof *b->words))
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		uint64_t d =
			i < RATIO_WORDS ? c->words[i] : c->words[i] ^ c->words[i - RATIO_WORDS];

		words[i] = d ^ last[i];
		last[i] = d;
	}
	b->count += words_pack(words, n, b->words + b->count);
	return 0;
}

/* Once more is packed than there is room for: some room for the next, too. */
static int keep_packed(struct ratio_columns *c, const struct columns_buffer *b)
{
	if (b->count > c->room) {
		size_t room = c->room ? b->count + b->count / 4 : b->count;

		if (!array_resize(&c->packed, room, sizeof *c->packed))
			return CPIDECODE_ENOMEM;
		c->room = (uint32_t)room;
	}
	memcpy(c->packed, b->words, b->count * sizeof *b->words);
	return 0;
}

static int change_packed(struct ratio_columns *c, uint32_t n, struct columns_buffer *b,
	columns_change_fn change, void *ctx)
{
	const uint32_t count = n > c->count ? n : c->count;
	const unsigned words = c->width * RATIO_WORDS;
	struct columns_reader r;
	union ratio_column column;
	uint64_t last[COLUMN_WORDS] = {0};

	b->count = 0;
	columns_first(&r, c);
	for (uint32_t i = 0; i < count; i++) {
		memcpy(&column, columns_next(&r), words * sizeof *column.words);
		if (i < n)
			change(ctx, i, column.ratios);
		if (put_column(b, last, &column, words))
			return CPIDECODE_ENOMEM;
	}
	if (count && keep_packed(c, b))
		return CPIDECODE_ENOMEM;
	c->count = (uint16_t)count;
	return 0;
}

static int unpack_all(struct ratio_columns *c)
{
	const size_t size = c->width * sizeof(struct ratio);
	struct columns_reader r;
	struct ratio *full = c->count ? malloc(c->count * size) : NULL;

	if (c->count && !full)
		return CPIDECODE_ENOMEM;
	columns_first(&r, c);
	for (uint32_t i = 0; i < c->count; i++)
		memcpy(full + (size_t)i * c->width, columns_next(&r), size);
	free(c->packed);
	c->full = full;
	c->room = c->count;
	c->is_full = true;
	return 0;
}

/* Most intervals of a group have the same processors. */
static int grow_full(struct ratio_columns *c, uint32_t n, struct columns_buffer *b)
{
	const size_t size = c->width * sizeof(struct ratio);

	if (n > c->room) {
		uint32_t room = n > 2 * c->room ? n : 2 * c->room;

		if (!array_resize(&c->full, room, size))
			return CPIDECODE_ENOMEM;
		memset(c->full + (size_t)c->room * c->width, 0, (room - c->room) * size);
		b->full += (room - c->room) * size;
		c->room = room;
	}
	if (n > c->count)
		c->count = (uint16_t)n;
	return 0;
}

int columns_change(struct ratio_columns *c, uint32_t n, bool few, struct columns_buffer *b,
	columns_change_fn change, void *ctx)
{
	if (!c->is_full && few && (c->count || b->full >= COLUMNS_FULL_BYTES))
		return change_packed(c, n, b, change, ctx);
	if ((!c->is_full && unpack_all(c)) || grow_full(c, n, b))
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		change(ctx, i, c->full + (size_t)i * c->width);
	return 0;
}

static void merge_column(void *ctx, uint32_t i, struct ratio *column)
{
	struct columns_reader *from = ctx;
	const struct ratio *more = columns_next(from);

	(void)i;
	for (unsigned k = 0; k < from->from->width; k++)
		ratio_merge(&column[k], &more[k]);
}

int columns_merge(struct ratio_columns *c, const struct ratio_columns *from, bool few,
	struct columns_buffer *b)
{
	struct columns_reader r;

	columns_first(&r, from);
	return columns_change(c, from->count, few, b, merge_column, &r);
}

void columns_free(struct ratio_columns *c)
{
	if (c->is_full)
		free(c->full);
	else
		free(c->packed);
}
