#include "text_ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../include/cpidecode.h"

#define TEXT_RANKS_BUDGET ((size_t)8 << 20)

/* Ranks between calls that drop the mapped ones from memory. */
enum { DROP_RANKS = 1 << 17 };

/* The first bytes of the text are the key. */
struct text_record {
	struct sorter_record sort;
	uint64_t place;
	uint32_t length;
	char bytes[];
};

static int text_records_compare_bytes(const struct text_record *a, const struct text_record *b)
{
	const uint32_t least = a->length < b->length ? a->length : b->length;
	int c = memcmp(a->bytes, b->bytes, least);

	return c ? c : compare_u64(a->length, b->length);
}

static int text_records_compare(const struct sorter_record *x, const struct sorter_record *y)
{
	const struct text_record *a = (const void *)x, *b = (const void *)y;
	int c = text_records_compare_bytes(a, b);

	return c ? c : compare_u64(a->place, b->place);
}

static void text_ranks_drop(struct text_ranks *t)
{
	if (++t->accessed % DROP_RANKS == 0 && t->ranks.mapped)
		spill_drop(&t->ranks);
}

int text_ranks_add(struct text_ranks *t, uint64_t place, const char *text, size_t length)
{
	const struct sorter_options how = {.threads = 1,
		.budget = TEXT_RANKS_BUDGET,
		.largest = sizeof(struct text_record) + TEXT_RANKS_BYTES,
		.compare = text_records_compare};
	const size_t kept = length < TEXT_RANKS_BYTES ? length : TEXT_RANKS_BYTES;
	uint64_t first = 0;
	struct sorter_record *room;
	int rc = t->texts ? 0 : sorter_new(&how, &t->texts);

	if (!rc)
		rc = sorter_reserve(t->texts, 0, &room);
	if (rc)
		return rc;
	struct text_record *to = (void *)room;
	for (size_t i = 0; i < sizeof first; i++)
		first = first << 8 | (i < kept ? (unsigned char)text[i] : 0);
	const size_t size = (sizeof *to + kept + 7) & ~(size_t)7;
	memset((char *)to + size - 8, 0, 8);
	to->sort = (struct sorter_record){.key = first, .size = (uint16_t)size};
	to->place = place;
	to->length = (uint32_t)kept;
	if (kept)
		memcpy(to->bytes, text, kept);
	sorter_add(t->texts, 0);
	return 0;
}

int text_ranks_settle(struct text_ranks *t, uint64_t places)
{
	const struct sorter_record *next;
	struct text_record *before;
	uint64_t rank = 0;
	int rc = t->texts ? sorter_rewind(t->texts) : 0;

	if (rc || !t->texts)
		return rc;
	if (places > SIZE_MAX / sizeof rank)
		return CPIDECODE_ENOMEM;
	before = calloc(1, sizeof *before + TEXT_RANKS_BYTES);
	rc = before ? spill_reserve(&t->ranks, (size_t)places * sizeof rank) : CPIDECODE_ENOMEM;
	while (!rc && (rc = sorter_next(t->texts, &next)) > 0) {
		const struct text_record *r = (const void *)next;

		text_ranks_drop(t);
		if (text_records_compare_bytes(before, r)) {
			rank++;
			memcpy(before, r, r->sort.size);
		}
		((uint64_t *)t->ranks.p)[r->place] = rank;
		rc = 0;
	}
	free(before);
	if (rc && sorter_error(t->texts))
		errno = sorter_error(t->texts);
	sorter_free(t->texts);
	t->texts = NULL;
	return rc;
}

uint64_t text_ranks_get(struct text_ranks *t, uint64_t place)
{
	text_ranks_drop(t);
	return ((const uint64_t *)t->ranks.p)[place];
}

void text_ranks_free(struct text_ranks *t)
{
	sorter_free(t->texts);
	spill_free(&t->ranks);
}
