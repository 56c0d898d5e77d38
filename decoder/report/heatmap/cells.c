#include "cells.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"
#include "../../base/varint.h"
#include "../../sink/svg/heatmap.h"

/* More intervals than any trace has: sums of so many such counts cannot overflow. */
#define MOST_INTERVALS (UINT64_C(1) << 48)

uint64_t heatmap_cells_step(int64_t first, int64_t last)
{
	const uint64_t least = ((uint64_t)last - (uint64_t)first) / (HEATMAP_COLUMNS - 1) + 1;
	uint64_t step = 1;

	/* The map's step is 1, 2 or 5 times this, or more. */
	for (const uint64_t most = heatmap_round_up(least); step <= most / 10;)
		step *= 10;
	return step;
}

/* Rounded down. */
static __int128 heatmap_divide(__int128 n, uint64_t by)
{
	return n >= 0 ? n / by : -((-n + by - 1) / by);
}

__int128 heatmap_column(int64_t ns, int64_t origin, uint64_t step)
{
	return heatmap_divide((__int128)ns - origin, step);
}

__int128 heatmap_cells_widen(
	const struct heatmap_cells *c, int64_t origin, uint32_t column, uint64_t step)
{
	return heatmap_divide(heatmap_column(c->first, origin, c->step) + column, step / c->step);
}

int heatmap_cells_add(struct heatmap_cells *c, const struct heatmap_cell *cell)
{
	struct heatmap_cell *last = c->count ? &c->at[c->count - 1] : NULL;

	c->total += cell->count;
	if (last && last->column == cell->column && last->bucket == cell->bucket) {
		last->count += cell->count;
		return 0;
	}
	if (array_grow(&c->at, c->count, &c->room, sizeof *c->at))
		return CPIDECODE_ENOMEM;
	c->at[c->count++] = *cell;
	return 0;
}

int heatmap_cells_put(struct partial *p, const struct heatmap_cells *c)
{
	struct buffer o = {0};
	uint32_t column = 0;

	varint_put_string(&o, c->host, c->host ? strlen(c->host) : 0);
	varint_put_string(&o, c->label, c->label ? strlen(c->label) : 0);
	varint_put(&o, c->count);
	if (c->count) {
		varint_put_signed(&o, c->first);
		varint_put(&o, (uint64_t)c->last - (uint64_t)c->first);
	}
	for (size_t i = 0; i < c->count; i++) {
		varint_put(&o, c->at[i].column - column);
		varint_put(&o, c->at[i].bucket);
		varint_put(&o, c->at[i].count);
		column = c->at[i].column;
	}
	const int rc =
		o.failed ? CPIDECODE_ENOMEM : partial_add_answer(p, PARTIAL_HEATMAP, o.p, o.n);
	free(o.p);
	return rc;
}

/* Keeps *to if it is unset or equal, else sets it to NULL. */
static int heatmap_cells_get_text(struct varint_in *in, bool is_first, char **to)
{
	uint32_t length;
	const uint8_t *text = varint_get_string(in, &length);

	if (length && memchr(text, 0, length))
		varint_fail(in, "a text with a zero byte");
	if (in->why)
		return 0;
	if (is_first) {
		*to = length ? strndup((const char *)text, length) : NULL;
		return length && !*to ? CPIDECODE_ENOMEM : 0;
	}
	if (*to && (strlen(*to) != length || memcmp(*to, text, length) != 0)) {
		free(*to);
		*to = NULL;
	}
	return 0;
}

static int heatmap_cells_get_cells(
	struct varint_in *in, struct heatmap_cells *c, uint64_t n, int64_t origin)
{
	const __int128 from = heatmap_column(c->first, origin, c->step);
	const uint32_t most = (uint32_t)(heatmap_column(c->last, origin, c->step) - from);
	struct heatmap_cell cell = {0}, before = {0};
	int rc = 0;

	for (uint64_t i = 0; i < n && !rc; i++) {
		before = cell;
		cell.column += (uint32_t)varint_get_max(in, most - cell.column);
		cell.bucket = (uint32_t)varint_get_max(in, HEATMAP_BUCKETS - 1);
		cell.count = varint_get_max(in, MOST_INTERVALS);
		if (!cell.count ||
			(i && cell.column == before.column && cell.bucket <= before.bucket))
			varint_fail(in, "cells are not in order");
		if (in->why)
			return 0;
		rc = heatmap_cells_add(c, &cell);
	}
	/* The first and last cells hold the first and last starts. */
	if (!rc && (c->at[0].column || cell.column != most))
		varint_fail(in, "the cells at the ends are empty");
	return rc;
}

/* Reads the cells of one part. */
static int heatmap_cells_get_part(struct varint_in *in, const struct partial *p, bool is_first,
	struct heatmap_cells *c, struct heatmap_cells *all)
{
	int rc = heatmap_cells_get_text(in, is_first, &all->host);

	if (!rc)
		rc = heatmap_cells_get_text(in, is_first, &all->label);
	const uint64_t n = varint_get_max(in, UINT32_MAX);
	if (n && !p->answers.has_origin)
		varint_fail(in, "cells without an origin");
	if (!n || in->why || rc)
		return rc;
	c->first = varint_get_signed(in);
	c->last = (int64_t)((uint64_t)c->first +
			    varint_get_max(in, (uint64_t)INT64_MAX - (uint64_t)c->first));
	if (in->why)
		return 0;
	c->step = heatmap_cells_step(c->first, c->last);
	return heatmap_cells_get_cells(in, c, n, p->answers.origin);
}

static int heatmap_compare_cells(const void *x, const void *y)
{
	const struct heatmap_cell *a = x, *b = y;

	return compare_u64_pair(a->column, b->column, a->bucket, b->bucket);
}

/* Appends another's cells, converted to columns of *to. The caller sorts them. */
static int heatmap_cells_append(
	struct heatmap_cells *to, const struct heatmap_cells *from, int64_t origin)
{
	const __int128 begin = heatmap_column(to->first, origin, to->step);
	int rc = 0;

	for (size_t i = 0; i < from->count && !rc; i++) {
		const __int128 column =
			heatmap_cells_widen(from, origin, from->at[i].column, to->step);
		const struct heatmap_cell cell = {
			(uint32_t)(column - begin), from->at[i].bucket, from->at[i].count};

		rc = heatmap_cells_add(to, &cell);
	}
	return rc;
}

static bool heatmap_cells_are_sorted(const struct heatmap_cell *at, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (heatmap_compare_cells(&at[i - 1], &at[i]) > 0)
			return false;
	return true;
}

/* The first n cells and the others each are in order but where their columns became wider. */
static int heatmap_cells_sort(struct heatmap_cells *c, size_t n)
{
	size_t first = 0, second = n;

	if (!heatmap_cells_are_sorted(c->at, n) ||
		!heatmap_cells_are_sorted(c->at + n, c->count - n)) {
		qsort(c->at, c->count, sizeof *c->at, heatmap_compare_cells);
		return 0;
	}
	struct heatmap_cell *sorted = calloc(c->count, sizeof *sorted);
	if (!sorted)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < c->count; i++) {
		const bool is_first =
			second == c->count ||
			(first < n && heatmap_compare_cells(&c->at[first], &c->at[second]) <= 0);

		sorted[i] = is_first ? c->at[first++] : c->at[second++];
	}
	free(c->at);
	c->at = sorted;
	c->room = c->count;
	return 0;
}

/* Joins equal cells, which follow each other. */
static void heatmap_cells_join(struct heatmap_cells *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		if (n && !heatmap_compare_cells(&c->at[n - 1], &c->at[i]))
			c->at[n - 1].count += c->at[i].count;
		else
			c->at[n++] = c->at[i];
	c->count = n;
}

/* Merges into *to, which may be empty. */
static int heatmap_cells_merge(
	struct heatmap_cells *to, const struct heatmap_cells *from, int64_t origin)
{
	struct heatmap_cells both = {.first = from->first, .last = from->last};

	if (!from->count)
		return 0;
	if (to->count) {
		both.first = to->first < both.first ? to->first : both.first;
		both.last = to->last > both.last ? to->last : both.last;
	}
	both.step = heatmap_cells_step(both.first, both.last);
	int rc = to->count ? heatmap_cells_append(&both, to, origin) : 0;
	const size_t before = both.count;
	if (!rc)
		rc = heatmap_cells_append(&both, from, origin);
	if (!rc)
		rc = heatmap_cells_sort(&both, before);
	heatmap_cells_join(&both);
	free(to->at);
	both.host = to->host;
	both.label = to->label;
	*to = both;
	return rc;
}

int heatmap_cells_get(struct heatmap_cells *c, const struct partial *p)
{
	struct varint_in all = {p->answers.bytes.p, NULL, NULL};
	struct varint_in in = {0};
	int rc = 0;

	if (!p->answers.count)
		return 0;
	all.end = p->answers.bytes.p + p->answers.bytes.n;
	for (size_t i = 0; i < p->answers.count && !rc && !all.why && !in.why; i++) {
		struct heatmap_cells part = {0};
		uint32_t length;
		const uint8_t *bytes = varint_get_string(&all, &length);

		in = (struct varint_in){bytes, bytes ? bytes + length : NULL, NULL};
		rc = heatmap_cells_get_part(&in, p, i == 0, &part, c);
		if (!in.why && in.p < in.end)
			varint_fail(&in, "something follows its cells");
		if (!rc && !in.why)
			rc = heatmap_cells_merge(c, &part, p->answers.origin);
		free(part.at);
	}
	return rc ? rc : all.why || in.why ? CPIDECODE_EINVAL : 0;
}

int heatmap_cells_settle(struct partial *p)
{
	struct heatmap_cells c = {0};
	int rc = heatmap_cells_get(&c, p);

	if (!rc) {
		partial_clear_answers(p);
		rc = heatmap_cells_put(p, &c);
	}
	heatmap_cells_free(&c);
	return rc;
}

void heatmap_cells_free(struct heatmap_cells *c)
{
	free(c->host);
	free(c->label);
	free(c->at);
	*c = (struct heatmap_cells){0};
}
