#include "parquet.h"

#include <lz4.h>
#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/hash.h"
#include "../../../formats/bytes.h"
#include "../zstd.h"
#include "thrift.h"
#include "encode.h"
#include "columns.h"

enum {
	GROUP_BYTES = 32 << 20, /* then a row group is written though it has few rows */
	DICTIONARY_MOST = 4096, /* numbers of a dictionary */
	TEXT_STATISTICS = 64,	/* longer texts have none */
};

static const char magic[] = "PAR1";

/* parquet.thrift's enumerations. */
enum physical_type { TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTE_ARRAY = 6 };
enum converted_type {
	CONVERTED_NONE = -1,
	CONVERTED_UTF8 = 0,
	CONVERTED_U32 = 13,
	CONVERTED_U64 = 14
};
enum encoding { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DELTA = 5, ENCODING_DICTIONARY = 8 };
enum page_type { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { CODEC_ZSTD = 6, CODEC_LZ4_RAW = 7, OPTIONAL = 1, FORMAT_VERSION = 1 };

static const struct {
	enum physical_type physical;
	enum converted_type converted;
} types[] = {[PARQUET_U32] = {TYPE_INT32, CONVERTED_U32},
	[PARQUET_I64] = {TYPE_INT64, CONVERTED_NONE},
	[PARQUET_U64] = {TYPE_INT64, CONVERTED_U64},
	[PARQUET_DOUBLE] = {TYPE_DOUBLE, CONVERTED_NONE},
	[PARQUET_TEXT] = {TYPE_BYTE_ARRAY, CONVERTED_UTF8}};

/* A column's part of a row group as it is described. */
struct chunk {
	uint64_t begin, data, raw, stored; /* data: offset of the data page; begin: of the first */
	enum encoding encoding;		   /* of the data page */
	bool has_range;			   /* of numbers: */
	uint64_t least, most;
};

static void parquet_write(struct parquet_file *p, const struct out *bytes)
{
	if (bytes->error)
		parquet_fail(p);
	out_bytes(p->o, bytes->buf, bytes->len);
	p->at += bytes->len;
}

void parquet_open(
	struct parquet_file *p, struct out *o, struct parquet_column *columns, size_t ncolumns)
{
	*p = (struct parquet_file){.o = o, .columns = columns, .ncolumns = ncolumns};
	out_memory(&p->page);
	out_memory(&p->packed);
	out_memory(&p->groups);
	for (size_t i = 0; i < ncolumns; i++) {
		out_memory(&columns[i].texts);
		columns[i].present = calloc(1, PARQUET_ROWS / 8);
		if (!columns[i].present)
			parquet_fail(p);
	}
	out_str(o, magic);
	p->at = strlen(magic);
}

/* ------------------------------------------------------------------------ pages */

/* Which rows have a value, one bit each: as one run, or as they are. */
static void parquet_put_levels(struct parquet_file *p, const struct parquet_column *c)
{
	struct out *o = &p->page;
	uint8_t length[4] = {0};
	size_t begin = o->len;

	out_bytes(o, length, sizeof length);
	if (c->count == p->rows || !c->count) {
		out_varint(o, (uint64_t)p->rows << 1);
		out_char(o, c->count ? 1 : 0);
	} else {
		size_t bytes = (p->rows + 7) / 8;

		out_varint(o, (uint64_t)bytes << 1 | 1);
		out_bytes(o, c->present, bytes);
	}
	if (!o->error)
		put_le32((uint8_t *)o->buf + begin, (uint32_t)(o->len - begin - sizeof length));
}

static void parquet_put_plain(struct out *o, const struct parquet_column *c, uint64_t value)
{
	uint8_t bytes[8];

	put_le64(bytes, value);
	out_bytes(o, bytes, types[c->type].physical == TYPE_INT32 ? 4 : 8);
}

/* The most bytes that a page compresses to. */
static size_t parquet_bound(const struct parquet_file *p)
{
	return p->is_zstd ? zstd_bound(p->page.len) : (size_t)LZ4_compressBound((int)p->page.len);
}

/* The page's size as compressed; 0: no memory. */
static size_t parquet_compress(const struct parquet_file *p, char *to, size_t most)
{
	if (p->is_zstd)
		return zstd_compress(to, most, p->page.buf, p->page.len);
	return (size_t)LZ4_compress_default(p->page.buf, to, (int)p->page.len, (int)most);
}

/* Writes the page that was built, with its header. */
static void parquet_put_page(struct parquet_file *p, enum page_type type, size_t values,
	enum encoding encoding, struct chunk *chunk)
{
	struct out header;
	struct thrift t = {.o = &header};
	const size_t raw = p->page.len;

	if (p->page.error || p->page.len > LZ4_MAX_INPUT_SIZE) {
		parquet_fail(p);
		return;
	}
	p->packed.len = 0;
	const size_t most = parquet_bound(p);
	char *to = out_reserve(&p->packed, most);
	const size_t stored = to ? parquet_compress(p, to, most) : 0;
	if (!stored) {
		parquet_fail(p);
		return;
	}
	out_reach(&p->packed, to + stored);
	out_memory(&header);
	thrift_begin(&t);
	thrift_i32(&t, 1, type);
	thrift_i32(&t, 2, (int32_t)raw);
	thrift_i32(&t, 3, (int32_t)stored);
	thrift_struct(&t, type == PAGE_DATA ? 5 : 7);
	thrift_i32(&t, 1, (int32_t)values);
	thrift_i32(&t, 2, encoding);
	if (type == PAGE_DATA) {
		thrift_i32(&t, 3, ENCODING_RLE);
		thrift_i32(&t, 4, ENCODING_RLE);
	}
	thrift_end(&t);
	thrift_end(&t);
	chunk->raw += header.len + raw;
	chunk->stored += header.len + stored;
	parquet_write(p, &header);
	parquet_write(p, &p->packed);
	out_discard(&header);
}

/* A dictionary of a column's numbers: its values, and the index of each row's. */
struct dictionary {
	uint64_t *values;
	size_t count;
	uint32_t *indices; /* with room for 8 more; NULL: all are 0 */
};

/* False: too many different values, or out of memory. */
static bool parquet_find_dictionary(
	struct parquet_file *p, const struct parquet_column *c, struct dictionary *d)
{
	struct hash_index index = {0};
	const size_t most = c->count / 4 < DICTIONARY_MOST ? c->count / 4 : DICTIONARY_MOST;
	bool fits = most > 0;

	if (fits && !hash_index_reset(&index, DICTIONARY_MOST)) {
		parquet_fail(p);
		return false;
	}
	for (size_t i = 0; i < c->count && fits; i++) {
		if (i && c->values[i] == c->values[i - 1]) {
			d->indices[i] = d->indices[i - 1];
			continue;
		}
		uint64_t hash = hash_u64(c->values[i]), next = hash;
		uint32_t at;

		while ((at = hash_index_next(&index, &next)) && d->values[at - 1] != c->values[i])
			;
		if (!at) {
			fits = d->count < most;
			if (!fits)
				break;
			hash_index_add(&index, hash, (uint32_t)d->count);
			d->values[d->count++] = c->values[i];
			at = (uint32_t)d->count;
		}
		d->indices[i] = at - 1;
	}
	hash_index_free(&index);
	return fits;
}

static void parquet_put_dictionary_page(struct parquet_file *p, const struct parquet_column *c,
	const struct dictionary *d, struct chunk *chunk)
{
	p->page.len = 0;
	if (c->type == PARQUET_TEXT)
		out_bytes(&p->page, c->texts.buf, c->texts.len);
	for (size_t i = 0; c->type != PARQUET_TEXT && i < d->count; i++)
		parquet_put_plain(&p->page, c, d->values[i]);
	parquet_put_page(p, PAGE_DICTIONARY, d->count, ENCODING_PLAIN, chunk);
	chunk->data = p->at;
}

static void parquet_put_values(struct parquet_file *p, const struct parquet_column *c)
{
	/* The texts of a plain column are in the order of its rows. */
	if (c->type == PARQUET_TEXT && c->is_plain) {
		out_bytes(&p->page, c->texts.buf, c->texts.len);
		return;
	}
	for (size_t i = 0; i < c->count; i++) {
		size_t n;

		if (c->type != PARQUET_TEXT) {
			parquet_put_plain(&p->page, c, c->values[i]);
			continue;
		}
		const char *s = parquet_text(c, c->values[i], &n);
		out_bytes(&p->page, s - 4, n + 4);
	}
}

/* The texts of all rows would need more than twice the bytes of their dictionary. */
static bool parquet_repeats_bytes(const struct parquet_column *c)
{
	size_t bytes = 0, n;

	for (size_t i = 0; i < c->count && bytes <= 2 * c->texts.len; i++) {
		parquet_text(c, c->values[i], &n);
		bytes += n + 4;
	}
	return bytes > 2 * c->texts.len;
}

/* Texts are numbers of their dictionary already. It is used where they, or long ones, repeat. */
static bool parquet_make_dictionary(
	struct parquet_file *p, const struct parquet_column *c, struct dictionary *d)
{
	if (!c->count || c->is_plain)
		return false;
	if (c->is_same) {
		d->values = malloc(sizeof *d->values);
		if (!d->values) {
			parquet_fail(p);
			return false;
		}
		d->values[d->count++] = c->values[0];
		return true;
	}
	d->indices = malloc((c->count + 8) * sizeof *d->indices);
	d->values = malloc(DICTIONARY_MOST * sizeof *d->values);
	if (!d->indices || !d->values) {
		parquet_fail(p);
		return false;
	}
	if (c->type != PARQUET_TEXT)
		return parquet_find_dictionary(p, c, d);
	for (size_t i = 0; i < c->count; i++)
		d->indices[i] = (uint32_t)c->values[i];
	d->count = c->ntexts;
	return 2 * d->count <= c->count || d->count == 1 || parquet_repeats_bytes(c);
}

static void parquet_put_chunk(struct parquet_file *p, struct parquet_column *c, struct chunk *chunk)
{
	struct dictionary d = {0};

	/* Fewer are no run of equal values. */
	if (c->is_same && (c->count < 8 || c->is_plain || c->ntexts > 1))
		parquet_expand(c);
	const bool has_dictionary = parquet_make_dictionary(p, c, &d);
	const bool is_whole = c->type == PARQUET_I64 || c->type == PARQUET_U64;
	unsigned width = 1;

	*chunk = (struct chunk){.begin = p->at,
		.data = p->at,
		.encoding = has_dictionary ? ENCODING_DICTIONARY
			    : is_whole	   ? ENCODING_DELTA
					   : ENCODING_PLAIN};
	if (has_dictionary)
		parquet_put_dictionary_page(p, c, &d, chunk);
	/* The dictionary's values have the range of the rows'. */
	if (c->count && c->type != PARQUET_TEXT)
		chunk->has_range =
			parquet_find_range(c->type, has_dictionary ? d.values : c->values,
				has_dictionary ? d.count : c->count, &chunk->least, &chunk->most);
	p->page.len = 0;
	parquet_put_levels(p, c);
	if (has_dictionary) {
		while (d.count > (size_t)1 << width)
			width++;
		out_char(&p->page, (char)width);
		if (d.indices)
			parquet_put_indices(&p->page, d.indices, c->count, width);
		else
			parquet_put_run(&p->page, 0, c->count, width);
	} else if (is_whole) {
		parquet_put_deltas(&p->page, c->values, c->count);
	} else {
		parquet_put_values(p, c);
	}
	parquet_put_page(p, PAGE_DATA, p->rows, chunk->encoding, chunk);
	free(d.values);
	free(d.indices);
}

/* ------------------------------------------------------------------------ descriptions */

static void parquet_describe_numbers(
	struct thrift *t, const struct parquet_column *c, const struct chunk *chunk)
{
	const size_t size = types[c->type].physical == TYPE_INT32 ? 4 : 8;
	uint8_t bytes[2][8];

	if (!chunk->has_range)
		return;
	put_le64(bytes[0], chunk->most);
	put_le64(bytes[1], chunk->least);
	thrift_binary(t, 5, bytes[0], size);
	thrift_binary(t, 6, bytes[1], size);
}

static int parquet_compare_texts(const struct parquet_column *c, size_t a, size_t b)
{
	size_t n, m;
	const char *x = parquet_text(c, a, &n), *y = parquet_text(c, b, &m);
	int order = memcmp(x, y, n < m ? n : m);

	return order ? order : compare_u64(n, m);
}

static void parquet_describe_texts(struct thrift *t, const struct parquet_column *c)
{
	size_t least = 0, most = 0, n, m;

	for (size_t i = 1; i < c->ntexts; i++) {
		if (parquet_compare_texts(c, i, most) > 0)
			most = i;
		else if (parquet_compare_texts(c, i, least) < 0)
			least = i;
	}
	const char *first = parquet_text(c, least, &n), *last = parquet_text(c, most, &m);
	if (n > TEXT_STATISTICS || m > TEXT_STATISTICS)
		return;
	thrift_binary(t, 5, last, m);
	thrift_binary(t, 6, first, n);
}

static void parquet_describe_chunk(
	struct parquet_file *p, const struct parquet_column *c, const struct chunk *chunk)
{
	const bool has_dictionary = chunk->encoding == ENCODING_DICTIONARY;
	struct thrift t = {.o = &p->groups};

	thrift_begin(&t);
	thrift_i64(&t, 2, (int64_t)chunk->begin);
	thrift_struct(&t, 3);
	thrift_i32(&t, 1, types[c->type].physical);
	thrift_list(&t, 2, THRIFT_I32, has_dictionary ? 3 : 2);
	thrift_element_i32(&t, ENCODING_RLE);
	thrift_element_i32(&t, chunk->encoding);
	if (has_dictionary)
		thrift_element_i32(&t, ENCODING_PLAIN);
	thrift_list(&t, 3, THRIFT_BINARY, 1);
	thrift_element_binary(&t, c->name, c->length);
	thrift_i32(&t, 4, p->is_zstd ? CODEC_ZSTD : CODEC_LZ4_RAW);
	thrift_i64(&t, 5, (int64_t)p->rows);
	thrift_i64(&t, 6, (int64_t)chunk->raw);
	thrift_i64(&t, 7, (int64_t)chunk->stored);
	thrift_i64(&t, 9, (int64_t)chunk->data);
	if (has_dictionary)
		thrift_i64(&t, 11, (int64_t)chunk->begin);
	thrift_struct(&t, 12);
	thrift_i64(&t, 3, (int64_t)(p->rows - c->count));
	if (c->count && c->type == PARQUET_TEXT)
		parquet_describe_texts(&t, c);
	else if (c->count)
		parquet_describe_numbers(&t, c, chunk);
	thrift_end(&t);
	thrift_end(&t);
	thrift_end(&t);
}

static void parquet_forget_rows(struct parquet_file *p)
{
	for (size_t i = 0; i < p->ncolumns; i++) {
		struct parquet_column *c = &p->columns[i];

		c->count = c->ntexts = 0;
		c->texts.len = 0;
		memset(c->present, 0, PARQUET_ROWS / 8);
		hash_index_free(&c->index);
	}
	p->rows = p->bytes = 0;
}

static void parquet_end_group(struct parquet_file *p)
{
	struct thrift t = {.o = &p->groups};
	uint64_t raw = 0, stored = 0;
	const uint64_t begin = p->at;

	if (!p->rows || p->o->error)
		return;
	thrift_begin(&t);
	thrift_list(&t, 1, THRIFT_STRUCT, p->ncolumns);
	for (size_t i = 0; i < p->ncolumns; i++) {
		struct chunk chunk;

		parquet_put_chunk(p, &p->columns[i], &chunk);
		parquet_describe_chunk(p, &p->columns[i], &chunk);
		raw += chunk.raw;
		stored += chunk.stored;
	}
	thrift_i64(&t, 2, (int64_t)raw);
	thrift_i64(&t, 3, (int64_t)p->rows);
	thrift_i64(&t, 5, (int64_t)begin);
	thrift_i64(&t, 6, (int64_t)stored);
	thrift_end(&t);
	p->ngroups++;
	p->all_rows += p->rows;
	parquet_forget_rows(p);
}

bool parquet_is_full(const struct parquet_file *p)
{
	return p->rows == PARQUET_ROWS || p->bytes > GROUP_BYTES;
}

void parquet_end_rows(struct parquet_file *p)
{
	if (parquet_is_full(p))
		parquet_end_group(p);
}

void parquet_end_row(struct parquet_file *p)
{
	p->rows++;
	parquet_end_rows(p);
}

static void parquet_describe_schema(struct thrift *t, const struct parquet_file *p)
{
	thrift_list(t, 2, THRIFT_STRUCT, p->ncolumns + 1);
	thrift_begin(t);
	thrift_binary(t, 4, "schema", strlen("schema"));
	thrift_i32(t, 5, (int32_t)p->ncolumns);
	thrift_end(t);
	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct parquet_column *c = &p->columns[i];

		thrift_begin(t);
		thrift_i32(t, 1, types[c->type].physical);
		thrift_i32(t, 3, OPTIONAL);
		thrift_binary(t, 4, c->name, c->length);
		if (types[c->type].converted != CONVERTED_NONE)
			thrift_i32(t, 6, types[c->type].converted);
		thrift_end(t);
	}
}

/* Minima and maxima are by the order of the type. */
static void parquet_describe_orders(struct thrift *t, const struct parquet_file *p)
{
	thrift_list(t, 7, THRIFT_STRUCT, p->ncolumns);
	for (size_t i = 0; i < p->ncolumns; i++) {
		thrift_begin(t);
		thrift_struct(t, 1);
		thrift_end(t);
		thrift_end(t);
	}
}

static void parquet_put_footer(struct parquet_file *p, const char *creator,
	const struct parquet_pair *pairs, size_t npairs)
{
	struct out footer;
	struct thrift t = {.o = &footer};
	uint8_t length[4];

	out_memory(&footer);
	thrift_begin(&t);
	thrift_i32(&t, 1, FORMAT_VERSION);
	parquet_describe_schema(&t, p);
	thrift_i64(&t, 3, (int64_t)p->all_rows);
	thrift_list(&t, 4, THRIFT_STRUCT, p->ngroups);
	out_bytes(&footer, p->groups.buf, p->groups.len);
	thrift_list(&t, 5, THRIFT_STRUCT, npairs);
	for (size_t i = 0; i < npairs; i++) {
		thrift_begin(&t);
		thrift_binary(&t, 1, pairs[i].key, pairs[i].key_length);
		thrift_binary(&t, 2, pairs[i].value, pairs[i].value_length);
		thrift_end(&t);
	}
	thrift_binary(&t, 6, creator, strlen(creator));
	parquet_describe_orders(&t, p);
	thrift_end(&t);
	put_le32(length, (uint32_t)footer.len);
	if (p->groups.error || footer.len > UINT32_MAX)
		parquet_fail(p);
	parquet_write(p, &footer);
	out_bytes(p->o, length, sizeof length);
	out_str(p->o, magic);
	out_discard(&footer);
}

void parquet_close(struct parquet_file *p, const char *creator, const struct parquet_pair *pairs,
	size_t npairs)
{
	parquet_end_group(p);
	parquet_put_footer(p, creator, pairs, npairs);
	for (size_t i = 0; i < p->ncolumns; i++) {
		struct parquet_column *c = &p->columns[i];

		free(c->values);
		free(c->present);
		free(c->offsets);
		out_discard(&c->texts);
		hash_index_free(&c->index);
	}
	out_discard(&p->page);
	out_discard(&p->packed);
	out_discard(&p->groups);
}
