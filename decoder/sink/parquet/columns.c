#include "columns.h"

#include <math.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../../formats/base/array.h"

bool parquet_make_room(struct parquet_file *p, struct parquet_column *c)
{
	if (p->o->error)
		return false;
	if (array_reserve(&c->values, &c->room, c->count + 1, sizeof *c->values))
		return true;
	parquet_fail(p);
	return false;
}

/* Makes room for one more text. */
static bool parquet_grow_texts(struct parquet_column *c)
{
	size_t i, n;

	if (!array_reserve(&c->offsets, &c->texts_room, c->ntexts + 1, sizeof *c->offsets))
		return false;
	if (c->is_plain)
		return true;
	if (!hash_index_grow(&c->index, c->ntexts + 1, &i))
		return false;
	for (; i < c->ntexts; i++) {
		const char *s = parquet_text(c, i, &n);

		hash_index_add(&c->index, XXH3_64bits(s, n), (uint32_t)i);
	}
	return true;
}

/* hash: of the text; a plain column has no index, and accepts any. False: after an error. */
static bool parquet_add_text(
	struct parquet_file *p, struct parquet_column *c, const char *s, size_t n, uint64_t hash)
{
	uint8_t length[4];

	if (n > INT32_MAX || !parquet_grow_texts(c)) {
		parquet_fail(p);
		return false;
	}
	put_le32(length, (uint32_t)n);
	c->offsets[c->ntexts] = c->texts.len;
	out_bytes(&c->texts, length, sizeof length);
	out_bytes(&c->texts, s, n);
	if (c->texts.error) {
		parquet_fail(p);
		return false;
	}
	p->bytes += n + sizeof length + sizeof *c->offsets;
	if (!c->is_plain) {
		p->bytes += 20; /* of the index, about */
		hash_index_add(&c->index, hash, (uint32_t)c->ntexts);
	}
	c->last = c->ntexts++;
	return true;
}

/* Finds a text. Fast path: many columns repeat one text in most rows. */
static inline bool parquet_find_text(
	struct parquet_column *c, const char *s, size_t n, uint64_t *hash)
{
	size_t before;
	const char *last = c->ntexts ? parquet_text(c, c->last, &before) : NULL;

	if (last && before == n && memcmp(last, s, n) == 0)
		return true;
	*hash = XXH3_64bits(s, n);
	uint64_t next = *hash;
	for (uint32_t at; (at = hash_index_next(&c->index, &next));) {
		size_t other;
		const char *text = parquet_text(c, at - 1, &other);

		if (other == n && memcmp(text, s, n) == 0) {
			c->last = at - 1;
			return true;
		}
	}
	return false;
}

bool parquet_put_again(struct parquet_file *p, size_t column, const char *s, size_t n)
{
	struct parquet_column *c = &p->columns[column];
	uint64_t hash;

	if (p->o->error || c->is_plain || !n || !parquet_find_text(c, s, n, &hash))
		return false;
	parquet_put_bits(p, column, c->last);
	return true;
}

bool parquet_number_text(
	struct parquet_file *p, size_t column, const char *s, size_t n, uint64_t *number)
{
	struct parquet_column *c = &p->columns[column];
	uint64_t hash = 0;

	if (p->o->error)
		return false;
	if ((c->is_plain || !parquet_find_text(c, s, n, &hash)) &&
		!parquet_add_text(p, c, s, n, hash))
		return false;
	*number = c->last;
	return true;
}

void parquet_put_text(struct parquet_file *p, size_t column, const char *s, size_t n)
{
	uint64_t number;

	if (parquet_number_text(p, column, s, n, &number))
		parquet_put_bits(p, column, number);
}

uint64_t *parquet_batch_begin(struct parquet_file *p, size_t column)
{
	struct parquet_column *c = &p->columns[column];

	if (p->o->error)
		return NULL;
	if (!array_reserve(&c->values, &c->room, c->count + PARQUET_BATCH, sizeof *c->values)) {
		parquet_fail(p);
		return NULL;
	}
	if (!c->count)
		c->is_same = true;
	return c->values + (c->is_same ? c->count != 0 : c->count);
}

static bool parquet_are_all(uint64_t value, const uint64_t *values, size_t n)
{
	uint64_t differ = 0;

	for (size_t i = 0; i < n; i++)
		differ |= values[i] ^ value;
	return !differ;
}

void parquet_expand(struct parquet_column *c)
{
	for (size_t i = 1; i < c->count; i++)
		c->values[i] = c->values[0];
	c->is_same = false;
}

void parquet_batch_end(struct parquet_file *p, size_t column, size_t row, uint64_t rows)
{
	struct parquet_column *c = &p->columns[column];
	const size_t n = (size_t)__builtin_popcountll(rows);
	uint64_t *const values = c->values + (c->count != 0);

	if (c->is_same && !parquet_are_all(c->values[0], values, n)) {
		memmove(c->values + c->count, values, n * sizeof *values);
		parquet_expand(c);
	}
	put_le64(c->present + row / 8, rows);
	c->count += n;
	p->bytes += n * sizeof *c->values;
}

static double parquet_double(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

/* False: one of them is no number. */
static bool parquet_find_real_range(
	const uint64_t *values, size_t n, uint64_t *least, uint64_t *most)
{
	double low = parquet_double(values[0]), high = low;

	for (size_t i = 0; i < n; i++) {
		const double v = parquet_double(values[i]);

		if (isnan(v))
			return false;
		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	/* Zeros of both signs are equal: the range has to include both. */
	low = low == 0 ? -0.0 : low;
	high = high == 0 ? 0.0 : high;
	memcpy(least, &low, sizeof low);
	memcpy(most, &high, sizeof high);
	return true;
}

/* Compares signed numbers as unsigned ones, with the sign bit inverted. */
static void parquet_find_whole_range(
	uint64_t sign, const uint64_t *values, size_t n, uint64_t *least, uint64_t *most)
{
	uint64_t low = values[0] ^ sign, high = low;

	for (size_t i = 1; i < n; i++) {
		const uint64_t v = values[i] ^ sign;

		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	*least = low ^ sign;
	*most = high ^ sign;
}

bool parquet_find_range(
	enum parquet_type type, const uint64_t *values, size_t n, uint64_t *least, uint64_t *most)
{
	if (type == PARQUET_DOUBLE)
		return parquet_find_real_range(values, n, least, most);
	parquet_find_whole_range(
		type == PARQUET_I64 ? UINT64_C(1) << 63 : 0, values, n, least, most);
	return true;
}
