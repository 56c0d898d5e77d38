/* How many intervals began when and took how long: two passes, for the ranges and for the counts.
 */
#include "../../sink/svg/heatmap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/intervals/elapsed.h"
#include "../../sink/units.h"
#include "cells.h"
#include "../losses.h"
#include "../merged.h"
#include "../open.h"
#include "../query/choice.h"
#include "../tallies.h"

enum {
	HEATMAP_COLUMNS_TEXT = 64,
	/* Cells of a line besides the map: a duration, a count, the gaps and the edges. */
	HEATMAP_BESIDES = 8 + 2 + 8 + 2 + 2,
	HEATMAP_COLUMNS_LEAST = 8,
};

struct heatmap_range {
	_Alignas(PASS_APART) int64_t first, last; /* starts */
	uint32_t low, high;			  /* buckets */
	uint64_t count;
};

struct heatmap_search {
	struct report *r;
	struct heatmap map;
	int64_t origin; /* CLOCK_REALTIME ns */
	int64_t first_column;
	bool has_from;		      /* the origin is that of --from */
	struct heatmap_range *ranges; /* of each thread */
	unsigned threads;
};

static int heatmap_see_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	struct heatmap_search *s = ctx;
	struct heatmap_range *range = &s->ranges[thread];
	const uint32_t bucket = bucket_of(elapsed_whole_ns(iv), s->map.parts);

	if (!range->count++) {
		range->first = range->last = iv->start_ns;
		range->low = range->high = bucket;
		return 0;
	}
	range->first = iv->start_ns < range->first ? iv->start_ns : range->first;
	range->last = iv->start_ns > range->last ? iv->start_ns : range->last;
	range->low = bucket < range->low ? bucket : range->low;
	range->high = bucket > range->high ? bucket : range->high;
	return 0;
}

static int64_t heatmap_find_column(const struct heatmap_search *s, int64_t ns)
{
	return (int64_t)heatmap_column(ns, s->origin, s->map.step);
}

/* Text has only as many columns as fit the width. */
static uint64_t heatmap_most_columns(const struct report *r)
{
	if (r->format != FORMAT_TEXT)
		return HEATMAP_COLUMNS;
	if (!r->width || r->width >= HEATMAP_BESIDES + HEATMAP_COLUMNS_TEXT)
		return HEATMAP_COLUMNS_TEXT;
	return r->width > HEATMAP_BESIDES + HEATMAP_COLUMNS_LEAST ? r->width - HEATMAP_BESIDES
								  : HEATMAP_COLUMNS_LEAST;
}

/* One more than the least, as the first column may begin before the first start. */
static uint64_t heatmap_find_step(const struct heatmap_search *s, const struct heatmap_range *all)
{
	const uint64_t most = heatmap_most_columns(s->r);

	return heatmap_round_up(((uint64_t)all->last - (uint64_t)all->first) / (most - 1) + 1);
}

static void heatmap_lay_out(
	struct heatmap_search *s, const struct heatmap_range *all, uint64_t step)
{
	struct heatmap *m = &s->map;

	m->step = step;
	s->first_column = heatmap_find_column(s, all->first);
	const __int128 from = (__int128)s->first_column * m->step;
	m->from = from < INT64_MIN ? INT64_MIN : (int64_t)from;
	m->columns = (uint32_t)(heatmap_find_column(s, all->last) - s->first_column + 1);
	m->first_row = all->low;
	m->rows = all->high - all->low + 1;
}

static struct heatmap_range heatmap_find_range(const struct heatmap_search *s)
{
	struct heatmap_range all = {.count = 0};

	for (unsigned i = 0; i < s->threads; i++) {
		const struct heatmap_range *range = &s->ranges[i];

		if (!range->count)
			continue;
		all.first = !all.count || range->first < all.first ? range->first : all.first;
		all.last = !all.count || range->last > all.last ? range->last : all.last;
		all.low = !all.count || range->low < all.low ? range->low : all.low;
		all.high = !all.count || range->high > all.high ? range->high : all.high;
		all.count += range->count;
	}
	return all;
}

static int heatmap_count_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	const struct heatmap_search *s = ctx;
	const struct heatmap *m = &s->map;
	const uint32_t bucket = bucket_of(elapsed_whole_ns(iv), m->parts);
	const int64_t column = heatmap_find_column(s, iv->start_ns) - s->first_column;

	/* A pass over a trace that changed meanwhile may find others. */
	if (bucket < m->first_row || bucket - m->first_row >= m->rows || column < 0 ||
		column >= m->columns)
		return 0;
	m->counts[((size_t)thread * m->rows + bucket - m->first_row) * m->columns +
		  (size_t)column]++;
	return 0;
}

static void heatmap_sum(struct heatmap *m)
{
	for (size_t i = 0; i < (size_t)m->rows * m->columns; i++) {
		m->total += m->counts[i];
		m->most = m->counts[i] > m->most ? m->counts[i] : m->most;
	}
}

/* *cells_of, unless NULL, gets the ends, and the map its columns. */
static int heatmap_read(struct heatmap_search *s, struct heatmap_cells *cells_of)
{
	const struct report *r = s->r;
	struct heatmap *m = &s->map;

	s->threads = tallies_threads(r, 0);
	s->ranges = pass_alloc(s->threads, sizeof *s->ranges);
	if (!s->ranges)
		return CPIDECODE_ENOMEM;
	int rc = tallies_each(s->r, s->threads, WANT_START, r->found, heatmap_see_interval, s);
	if (rc)
		return rc;
	const struct heatmap_range all = heatmap_find_range(s);
	if (all.count && cells_of) {
		cells_of->first = all.first;
		cells_of->last = all.last;
		heatmap_lay_out(s, &all, heatmap_cells_step(all.first, all.last));
	} else if (all.count) {
		heatmap_lay_out(s, &all, heatmap_find_step(s, &all));
	}
	const size_t cells = (size_t)m->rows * m->columns;
	s->threads = tallies_threads(r, cells * sizeof *m->counts);
	m->counts = calloc(cells * s->threads + 1, sizeof *m->counts);
	if (!m->counts)
		return CPIDECODE_ENOMEM;
	if (cells)
		rc = tallies_each(s->r, s->threads, WANT_START, NULL, heatmap_count_interval, s);
	for (size_t i = cells; i < cells * s->threads; i++)
		m->counts[i % cells] += m->counts[i];
	heatmap_sum(m);
	return rc;
}

/* ------------------------------------------------------------------------ output */

struct heatmap_row {
	int64_t start, since, to;
	uint64_t elapsed_from, elapsed_to, count;
};

#define AT(member) COLUMN_AT(struct heatmap_row, member)

static const struct column heatmap_columns[] = {
	{"start_ns", NULL, AT(start)},
	{"since_ns", NULL, AT(since)},
	{"since_to_ns", NULL, AT(to)},
	{"elapsed_from_ns", NULL, AT(elapsed_from)},
	{"elapsed_to_ns", NULL, AT(elapsed_to)},
	{"count", NULL, AT(count)},
	{.name = NULL},
};

/* The cells with intervals, by time, then by latency. NULL: no memory. */
static struct heatmap_row *heatmap_list_rows(const struct heatmap_search *s, size_t *n)
{
	const struct heatmap *m = &s->map;
	struct heatmap_row *rows = NULL;
	size_t cells = 0;

	for (size_t i = 0; i < (size_t)m->rows * m->columns; i++)
		cells += m->counts[i] != 0;
	rows = calloc(cells + 1, sizeof *rows);
	*n = 0;
	for (uint32_t column = 0; column < m->columns && rows; column++)
		for (uint32_t i = 0; i < m->rows; i++) {
			const uint64_t count = m->counts[(size_t)i * m->columns + column];

			if (count)
				rows[(*n)++] = (struct heatmap_row){
					.start = heatmap_time(m, s->origin, column),
					.since = heatmap_time(m, 0, column),
					.to = heatmap_time(m, 0, column + 1),
					.elapsed_from = bucket_low(m->first_row + i, m->parts),
					.elapsed_to = bucket_low(m->first_row + i + 1, m->parts),
					.count = count};
		}
	return rows;
}

static const void *heatmap_choose_row(void *ctx, const void *element)
{
	(void)ctx;
	return element;
}

static int heatmap_print_rows(struct report *r, const struct heatmap_search *s)
{
	const struct choice choice = {.columns = heatmap_columns,
		.what = "a column of the heat map",
		.otherwise = "-count",
		.row = heatmap_choose_row};
	size_t n;
	struct heatmap_row *cells = heatmap_list_rows(s, &n);
	struct rows rows;
	int rc = cells ? rows_check_columns(r, heatmap_columns, NULL) : CPIDECODE_ENOMEM;

	if (!rc)
		rc = choice_make(r, &choice, cells, &n, sizeof *cells);
	if (!rc) {
		rows_begin(&rows, r, heatmap_columns, 0);
		while (rows_pass(&rows))
			for (size_t i = 0; i < n && !r->out->error; i++)
				rows_add(&rows, &cells[i]);
		rows_end(&rows);
	}
	free(cells);
	return rc;
}

/* The more, the darker; a count above 0 has a sign. */
static char heatmap_sign(const struct heatmap *m, uint64_t count)
{
	static const char signs[] = ".:-=+*%#@";

	if (!count)
		return ' ';
	if (m->most == 1)
		return '#';
	return signs[(
		size_t)(log((double)count) / log((double)m->most) * (sizeof signs - 2) + 0.5)];
}

static void heatmap_spell_start(struct out *o, const struct report *r, const struct heatmap *m)
{
	if (r->times == TIMES_ISO) {
		units_iso8601(o, m->from);
		return;
	}
	out_str(o, r->times == TIMES_UNIX || m->from < 0 ? "" : "+");
	out_seconds(o, m->from);
	out_str(o, " s");
}

static void heatmap_print_text(struct report *r, const struct heatmap_search *s)
{
	const struct heatmap *m = &s->map;
	struct out *o = r->out;
	struct table t;

	report_head_lines(r);
	if (!m->total) {
		out_str(o, "no intervals\n");
		return;
	}
	for (table_begin(&t, o); table_pass(&t);) {
		table_printf(&t, ">from\t>count\t\n");
		for (uint32_t row = m->rows; row--;) {
			const uint64_t *counts = m->counts + (size_t)row * m->columns;
			uint64_t sum = 0;

			for (uint32_t column = 0; column < m->columns; column++)
				sum += counts[column];
			units_duration(
				table_right(&t), (double)bucket_low(m->first_row + row, m->parts));
			out_u64(table_right(&t), sum);
			struct out *line = table_left(&t);
			out_char(line, '|');
			for (uint32_t column = 0; column < m->columns; column++)
				out_char(line, heatmap_sign(m, counts[column]));
			out_char(line, '|');
			table_end_row(&t);
		}
	}
	table_free(&t);
	out_str(o, "each column: ");
	units_duration(o, (double)m->step);
	out_str(o, ", the first one at ");
	heatmap_spell_start(o, r, m);
	out_printf(o, "; @: %" PRIu64 ", .: 1\n", m->most);
}

static int heatmap_print_svg(struct report *r, struct heatmap_search *s)
{
	struct heatmap *m = &s->map;
	struct out range;

	out_memory(&range);
	if (m->total) {
		units_iso8601(&range, heatmap_time(m, s->origin, 0));
		out_str(&range, " to ");
		units_iso8601(&range, heatmap_time(m, s->origin, m->columns));
	} else {
		out_str(&range, "no intervals");
	}
	out_char(&range, '\0');
	m->range = range.buf;
	m->origin = r->times != TIMES_RELATIVE ? "1970 (UTC)"
		    : s->has_from	       ? "--from"
					       : "the trace's first hook";
	m->scripted = r->scripted;
	int rc = range.error ? CPIDECODE_ENOMEM : 0;
	if (!rc)
		heatmap_svg(r->out, m);
	out_discard(&range);
	return rc;
}

static int heatmap_print(struct report *r, struct heatmap_search *s)
{
	if (r->format == FORMAT_SVG)
		return heatmap_print_svg(r, s);
	if (r->format != FORMAT_TEXT)
		return heatmap_print_rows(r, s);
	heatmap_print_text(r, s);
	return 0;
}

/* ------------------------------------------------------------------------ reports */

static struct heatmap_search heatmap_begin(struct report *r)
{
	return (struct heatmap_search){.r = r,
		.map.parts = r->format == FORMAT_TEXT ? 0 : HEATMAP_PARTS_MOST,
		.has_from = r->filter->from != INT64_MIN};
}

/* The origin of r->trace's times. */
static int64_t heatmap_find_origin(const struct report *r)
{
	if (r->times != TIMES_RELATIVE)
		return 0;
	return r->filter->from != INT64_MIN ? r->filter->from : report_start(r->trace);
}

int report_heatmap(struct report *r)
{
	struct heatmap_search s = heatmap_begin(r);

	s.origin = heatmap_find_origin(r);
	int rc = heatmap_read(&s, NULL);
	s.map.host = r->host;
	s.map.command = r->command;
	s.map.label = r->filter->label;
	s.map.lost = losses_count(r->trace, r->found);
	if (!rc && !s.map.total)
		report_note_no_intervals(r);
	if (!rc)
		rc = heatmap_print(r, &s);
	free(s.map.counts);
	free(s.ranges);
	return rc;
}

/* The finest resolution of all formats. */
static int heatmap_collect(struct heatmap_cells *c, const struct heatmap *m)
{
	int rc = 0;

	for (uint32_t column = 0; column < m->columns; column++)
		for (uint32_t row = 0; row < m->rows && !rc; row++) {
			const struct heatmap_cell cell = {column, m->first_row + row,
				m->counts[(size_t)row * m->columns + column]};

			if (cell.count)
				rc = heatmap_cells_add(c, &cell);
		}
	return rc;
}

int report_heatmap_partial(struct report *r, struct partial *p)
{
	struct heatmap_search s = heatmap_begin(r);
	/* Borrowed by `cells`: reset before they are freed. */
	struct heatmap_cells cells = {.host = (char *)r->host, .label = (char *)r->filter->label};

	s.map.parts = HEATMAP_PARTS_MOST;
	s.origin = heatmap_find_origin(r);
	/* A trace without hooks merges with any origin. */
	p->answers.has_origin =
		s.has_from || r->times != TIMES_RELATIVE || report_has_hooks(r->trace);
	p->answers.origin = p->answers.has_origin ? s.origin : 0;
	int rc = heatmap_read(&s, &cells);
	if (!rc && !s.map.total)
		report_note_no_intervals(r);
	if (!rc)
		rc = heatmap_collect(&cells, &s.map);
	if (!rc)
		rc = heatmap_cells_put(p, &cells);
	cells.host = cells.label = NULL;
	heatmap_cells_free(&cells);
	free(s.map.counts);
	free(s.ranges);
	return rc;
}

static uint32_t heatmap_coarsen(uint32_t bucket, unsigned parts)
{
	return bucket_of(bucket_low(bucket, HEATMAP_PARTS_MOST), parts);
}

/* Fills the map from the cells. Their step divides the map's. */
static int heatmap_fill(struct heatmap_search *s, const struct heatmap_cells *c)
{
	struct heatmap_range all = {.first = c->first, .last = c->last, .low = UINT32_MAX};
	struct heatmap *m = &s->map;

	if (!c->count)
		return 0;
	for (size_t i = 0; i < c->count; i++) {
		const uint32_t bucket = heatmap_coarsen(c->at[i].bucket, m->parts);

		all.low = bucket < all.low ? bucket : all.low;
		all.high = bucket > all.high ? bucket : all.high;
	}
	heatmap_lay_out(s, &all, heatmap_find_step(s, &all));
	m->counts = calloc((size_t)m->rows * m->columns, sizeof *m->counts);
	if (!m->counts)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < c->count; i++) {
		const uint32_t row = heatmap_coarsen(c->at[i].bucket, m->parts) - m->first_row;
		const __int128 column = heatmap_cells_widen(c, s->origin, c->at[i].column, m->step);

		m->counts[(size_t)row * m->columns + (size_t)(column - s->first_column)] +=
			c->at[i].count;
	}
	heatmap_sum(m);
	return 0;
}

int report_heatmap_merged(struct report *r, const struct partial *p)
{
	struct heatmap_search s = heatmap_begin(r);
	struct heatmap_cells cells = {0};
	int rc = heatmap_cells_get(&cells, p);

	s.origin = p->answers.origin;
	s.has_from = merged_has_from(p);
	s.map.host = cells.host;
	s.map.label = cells.label;
	s.map.command = merged_find_command(p);
	s.map.lost = merged_count_lost(p);
	if (rc == CPIDECODE_EINVAL)
		report_note(r, "the cells of a partial result are damaged");
	if (!rc)
		rc = heatmap_fill(&s, &cells);
	if (!rc)
		rc = heatmap_print(r, &s);
	free(s.map.counts);
	heatmap_cells_free(&cells);
	return rc;
}

#undef AT
