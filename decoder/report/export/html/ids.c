#include "ids.h"

#include <stdlib.h>

#include "../../../../formats/base/compare.h"
#include "../../../../formats/base/hash.h"
#include "../../../base/grow.h"
#include "../../values/interval_columns.h"

static uint64_t ids_hash(const struct ids_ring *r)
{
	return hash_u64((uint64_t)r->machine << 32 | r->ring);
}

static int ids_find_ring(struct ids *ids, struct ids_ring ring, uint32_t *found)
{
	uint64_t hash = ids_hash(&ring);
	size_t i;

	for (uint32_t at; (at = hash_index_next(&ids->by_ring, &hash));) {
		*found = at - 1;
		if (ids->rings[*found].machine == ring.machine &&
			ids->rings[*found].ring == ring.ring)
			return 0;
	}
	if (array_grow(&ids->rings, ids->nrings, &ids->ring_room, sizeof ring) ||
		!hash_index_grow(&ids->by_ring, ids->nrings + 1, &i))
		return CPIDECODE_ENOMEM;
	*found = (uint32_t)ids->nrings;
	ids->rings[ids->nrings++] = ring;
	for (; i < ids->nrings; i++)
		hash_index_add(&ids->by_ring, ids_hash(&ids->rings[i]), (uint32_t)i);
	return 0;
}

int ids_add(struct ids *ids, const struct interval *iv, uint64_t end)
{
	struct ids_row row = {.end = end, .position = iv->position, .row = (uint32_t)ids->nrows};
	int rc = ids_find_ring(ids, (struct ids_ring){iv->machine, iv->ring}, &row.ring);

	if (rc || array_grow(&ids->rows, ids->nrows, &ids->row_room, sizeof row))
		return CPIDECODE_ENOMEM;
	ids->rows[ids->nrows++] = row;
	return 0;
}

static int ids_compare(const void *a, const void *b)
{
	const struct ids_row *x = a, *y = b;
	int c = compare_u64_pair(x->ring, y->ring, x->end, y->end);

	return c ? c : compare_u64(x->row, y->row);
}

void ids_write(struct ids *ids, struct buffer *to)
{
	uint64_t last = 0;

	for (size_t i = 0; i < ids->nrows; i++)
		varint_put(to, ids->rows[i].ring);
	qsort(ids->rows, ids->nrows, sizeof *ids->rows, ids_compare);
	for (size_t i = 0; i < ids->nrows; i++) {
		const struct ids_row *row = &ids->rows[i];

		if (!i || row->ring != row[-1].ring)
			last = 0;
		varint_put_signed(to, (int64_t)(row->position - last));
		last = row->position;
	}
	ids->nrows = 0;
}

void ids_write_rings(const struct ids *ids, struct json *j)
{
	struct out text;

	out_memory(&text);
	json_open(j, '[');
	for (size_t i = 0; i < ids->nrings; i++) {
		const struct interval_hook hook = {ids->rings[i].machine, ids->rings[i].ring, 0};
		const struct cell cell = interval_id_cell(hook, true);

		text.len = 0;
		cell_spell_id(&text, &cell);
		/* Without the position, 0. */
		if (!text.error)
			json_string(j, text.buf, text.len - 1);
	}
	json_close(j, ']');
	if (text.error && !j->o->error)
		j->o->error = text.error;
	out_discard(&text);
}

void ids_free(struct ids *ids)
{
	free(ids->rings);
	free(ids->rows);
	hash_index_free(&ids->by_ring);
}
