#include "tiles.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <zlib.h>

#include "../../../formats/base/array.h"
#include "blocks.h"
#include "grid.h"

enum {
	TILES_NODE = 64,       /* intervals of a node */
	TILES_TILE = 4096,     /* of a tile */
	TILES_GROUP = 64,      /* tiles whose nodes are one block */
	TILES_DENSE = 4,       /* intervals of a step of a row that has the lowest level */
	TILES_STEPS = 4096,    /* of a block of steps */
	TILES_HELD = 32 << 20, /* bytes of tiles, nodes and steps that are in no block yet */
	TILES_FOOTER = 32,
};

enum { COLUMN_START, COLUMN_DURATION, COLUMN_NAME, COLUMN_NUMBER, COLUMNS };
enum { NODE_FIRST, NODE_SPAN, NODE_LONGEST, NODE_NAME, NODE_SUM, NODE_COLUMNS };

/* Neighbours in a row. */
struct tiles_span {
	uint64_t count, first, end, longest, sum, number; /* number: of the first one */
	uint32_t name;					  /* of the longest */
};

/* The sum of a tile's figures of a column. */
struct tiles_measure {
	double sum;
	uint32_t count;
};

struct tiles_row {
	struct buffer columns[COLUMNS], adopted, nodes[NODE_COLUMNS];
	struct tiles_span tile, node;
	struct tiles_measure *measures; /* by column */
	size_t nmeasures, measure_room;
	struct grid grid[GRID_LEVELS];
	bool is_sparse;		/* leaves out the lowest level, whose steps would save little */
	uint64_t start, number; /* of the last interval */
	uint64_t node_first;	/* of the last node in `nodes` */
	uint32_t tiles;		/* whose nodes are in `nodes` */
};

/* A tile in the file. */
struct tiles_entry {
	uint32_t row, block;
	struct tiles_span span;
	size_t means; /* of the first column */
	uint32_t nmeans;
};

struct tiles_group {
	uint32_t row, block, tiles;
};

/* A block of steps. */
struct tiles_steps {
	uint32_t key; /* row * GRID_LEVELS + level */
	uint32_t block, count;
	uint64_t first;
};

struct tiles_order {
	uint32_t block; /* of rows and names; the next one has the other columns */
	uint32_t count;
};

/* Totals of a name. */
struct tiles_total {
	uint64_t count, least, most, first, last; /* numbers of the first and the last one */
	exact_sum sum;
};

struct tiles {
	struct out *to;
	struct blocks *blocks;
	struct tiles_row *rows;
	size_t nrows, row_room;
	struct tiles_entry *entries;
	size_t nentries, entry_room;
	float *means; /* of all tiles; NAN: none was measured */
	size_t nmeans, mean_room;
	bool *is_measured; /* by column: in some tile */
	size_t nmeasured, measured_room;
	struct tiles_group *groups;
	size_t ngroups, group_room;
	struct tiles_steps *steps;
	size_t nsteps, step_room;
	unsigned grid_bits;
	struct tiles_order *orders;
	size_t norders, order_room;
	struct tiles_total *totals;
	size_t ntotals, total_room;
	size_t held;
	bool has_failed; /* no memory */
};

struct tiles *tiles_new(struct out *to, uint64_t until, uint64_t intervals)
{
	struct tiles *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->to = to;
	t->grid_bits = grid_bits(until, intervals);
	out_str(to, TILES_MAGIC);
	t->blocks = blocks_new(to);
	if (t->blocks)
		return t;
	free(t);
	return NULL;
}

/* Makes room for element `at`; new ones are zero. */
static bool tiles_reach(
	struct tiles *t, void *array, size_t *count, size_t *room, size_t at, size_t size)
{
	char *p;

	if (at < *count)
		return true;
	if (!array_reserve(array, room, at + 1, size)) {
		t->has_failed = true;
		return false;
	}
	memcpy(&p, array, sizeof p);
	memset(p + *count * size, 0, (at + 1 - *count) * size);
	*count = at + 1;
	return true;
}

static struct tiles_row *tiles_row(struct tiles *t, uint32_t row)
{
	return tiles_reach(t, &t->rows, &t->nrows, &t->row_room, row, sizeof *t->rows)
		       ? &t->rows[row]
		       : NULL;
}

static size_t tiles_row_bytes(const struct tiles_row *r)
{
	size_t n = r->adopted.n;

	for (unsigned i = 0; i < COLUMNS; i++)
		n += r->columns[i].n;
	for (unsigned i = 0; i < NODE_COLUMNS; i++)
		n += r->nodes[i].n;
	for (unsigned i = 0; i < GRID_LEVELS; i++)
		n += r->grid[i].bytes.n;
	return n;
}

static void tiles_widen(struct tiles_span *s, const struct tiles_interval *interval)
{
	if (!s->count) {
		s->first = interval->start;
		s->number = interval->number;
	}
	if (!s->count++ || s->longest < interval->duration) {
		s->longest = interval->duration;
		s->name = interval->name;
	}
	s->end = interval->start + interval->duration;
	s->sum += interval->duration;
}

static void tiles_measure(
	struct tiles *t, struct tiles_row *r, const struct tiles_interval *interval)
{
	for (uint32_t i = 0; i < interval->nmeasured; i++) {
		const struct tiles_measured *one = &interval->measured[i];

		if (!tiles_reach(t, &r->measures, &r->nmeasures, &r->measure_room, one->column,
			    sizeof *r->measures))
			return;
		r->measures[one->column].sum += one->value;
		r->measures[one->column].count++;
	}
}

/* Beyond a float's range: its greatest number. */
static float tiles_mean(const struct tiles_measure *m)
{
	const double mean = m->sum / m->count;

	return mean > FLT_MAX ? FLT_MAX : mean < -FLT_MAX ? -FLT_MAX : (float)mean;
}

/* Adds the means of a row's tile, and begins the next one's sums. */
static void tiles_end_measures(struct tiles *t, struct tiles_row *r, struct tiles_entry *entry)
{
	const size_t n = r->nmeasures;

	entry->means = t->nmeans;
	if (!n ||
		!tiles_reach(t, &t->means, &t->nmeans, &t->mean_room, entry->means + n - 1,
			sizeof *t->means) ||
		!tiles_reach(t, &t->is_measured, &t->nmeasured, &t->measured_room, n - 1,
			sizeof *t->is_measured))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct tiles_measure *m = &r->measures[i];

		t->means[entry->means + i] = m->count ? tiles_mean(m) : NAN;
		t->is_measured[i] |= m->count > 0;
		r->measures[i] = (struct tiles_measure){0};
	}
	entry->nmeans = (uint32_t)n;
}

/* The columns of a block, which are then empty. */
static void tiles_put_columns(struct buffer *block, struct buffer *columns, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		block->failed |= columns[i].failed;
		varint_put_string(block, columns[i].p, columns[i].n);
		columns[i].n = 0;
	}
}

static void tiles_end_node(struct tiles_row *r)
{
	const struct tiles_span *node = &r->node;

	if (!node->count)
		return;
	varint_put(&r->nodes[NODE_FIRST], node->first - r->node_first);
	varint_put(&r->nodes[NODE_SPAN], node->end - node->first);
	varint_put(&r->nodes[NODE_LONGEST], node->longest);
	varint_put(&r->nodes[NODE_NAME], node->name);
	varint_put(&r->nodes[NODE_SUM], node->sum);
	r->node_first = node->first;
	r->node = (struct tiles_span){0};
}

static void tiles_end_group(struct tiles *t, uint32_t row)
{
	struct tiles_row *r = &t->rows[row];
	struct buffer block = {0};
	const size_t at = t->ngroups;

	if (!r->tiles ||
		!tiles_reach(t, &t->groups, &t->ngroups, &t->group_room, at, sizeof *t->groups))
		return;
	tiles_put_columns(&block, r->nodes, NODE_COLUMNS);
	t->groups[at] = (struct tiles_group){row, blocks_put(t->blocks, &block), r->tiles};
	r->node_first = r->tiles = 0;
}

static void tiles_end_tile(struct tiles *t, uint32_t row)
{
	struct tiles_row *r = &t->rows[row];
	struct buffer block = {0};
	const size_t at = t->nentries;

	if (!r->tile.count ||
		!tiles_reach(t, &t->entries, &t->nentries, &t->entry_room, at, sizeof *t->entries))
		return;
	tiles_end_node(r);
	varint_put(&block, r->tile.count);
	tiles_put_columns(&block, r->columns, COLUMNS);
	tiles_put_columns(&block, &r->adopted, 1);
	t->entries[at] = (struct tiles_entry){
		.row = row, .block = blocks_put(t->blocks, &block), .span = r->tile};
	tiles_end_measures(t, r, &t->entries[at]);
	r->tile = (struct tiles_span){0};
	r->start = r->number = 0;
	if (++r->tiles == TILES_GROUP)
		tiles_end_group(t, row);
}

static void tiles_end_steps(struct tiles *t, uint32_t row, unsigned level)
{
	struct tiles_row *r = &t->rows[row];
	struct grid *g = &r->grid[level];
	const size_t at = t->nsteps;

	if (!level && g->intervals < TILES_DENSE * (uint64_t)g->count)
		r->is_sparse = true;
	if (!level && r->is_sparse)
		g->bytes.n = 0;
	else if (g->count &&
		 tiles_reach(t, &t->steps, &t->nsteps, &t->step_room, at, sizeof *t->steps))
		t->steps[at] = (struct tiles_steps){.key = row * GRID_LEVELS + level,
			.block = blocks_put(t->blocks, &g->bytes),
			.count = g->count,
			.first = g->first};
	g->count = 0;
	g->intervals = 0;
}

/* Ends all tiles, also those that are not full. */
static void tiles_flush(struct tiles *t)
{
	for (uint32_t row = 0; row < t->nrows && !t->has_failed; row++) {
		tiles_end_tile(t, row);
		tiles_end_group(t, row);
		for (unsigned level = 0; level < GRID_LEVELS; level++)
			tiles_end_steps(t, row, level);
	}
	t->held = 0;
}

static void tiles_add_total(struct tiles *t, const struct tiles_interval *interval)
{
	if (!tiles_reach(
		    t, &t->totals, &t->ntotals, &t->total_room, interval->name, sizeof *t->totals))
		return;
	struct tiles_total *total = &t->totals[interval->name];

	if (!total->count++) {
		total->least = interval->duration;
		total->first = interval->number;
	}
	if (total->least > interval->duration)
		total->least = interval->duration;
	if (total->most < interval->duration)
		total->most = interval->duration;
	total->last = interval->number;
	total->sum += interval->duration;
}

void tiles_add(struct tiles *t, uint32_t row, const struct tiles_interval *interval)
{
	struct tiles_row *r = tiles_row(t, row);

	if (!r || t->has_failed)
		return;
	t->held -= tiles_row_bytes(r);
	varint_put(&r->columns[COLUMN_START], interval->start - r->start);
	varint_put(&r->columns[COLUMN_DURATION], interval->duration);
	varint_put(&r->columns[COLUMN_NAME], interval->name);
	varint_put(&r->columns[COLUMN_NUMBER], interval->number - r->number);
	r->start = interval->start;
	r->number = interval->number;
	tiles_widen(&r->tile, interval);
	tiles_widen(&r->node, interval);
	tiles_measure(t, r, interval);
	if (r->node.count == TILES_NODE)
		tiles_end_node(r);
	if (r->tile.count == TILES_TILE)
		tiles_end_tile(t, row);
	grid_add(r->grid, t->grid_bits, interval->start, interval->duration, interval->name);
	for (unsigned level = 0; level < GRID_LEVELS; level++)
		if (r->grid[level].count >= TILES_STEPS)
			tiles_end_steps(t, row, level);
	t->held += tiles_row_bytes(r);
	tiles_add_total(t, interval);
	if (t->held > TILES_HELD)
		tiles_flush(t);
}

void tiles_adopt(struct tiles *t, uint32_t row, uint32_t parent_row, uint32_t parent_place)
{
	struct tiles_row *r = tiles_row(t, row);

	if (!r)
		return;
	size_t before = r->adopted.n;
	varint_put(&r->adopted, r->tile.count);
	varint_put(&r->adopted, parent_row);
	varint_put(&r->adopted, parent_place);
	t->held += r->adopted.n - before;
}

void tiles_add_order(struct tiles *t, uint32_t count, const struct buffer *rows,
	const struct buffer *names, struct buffer *more)
{
	struct buffer block = {.failed = rows->failed || names->failed};
	const size_t at = t->norders;

	if (!tiles_reach(t, &t->orders, &t->norders, &t->order_room, at, sizeof *t->orders))
		return;
	varint_put_string(&block, rows->p, rows->n);
	varint_put_string(&block, names->p, names->n);
	t->orders[at] = (struct tiles_order){blocks_put(t->blocks, &block), count};
	blocks_put(t->blocks, more);
}

/* The directory: columns of numbers, in the order of README.md. */
struct tiles_directory {
	struct tiles *t;
	struct buffer bytes, column;
};

static void directory_end_column(struct tiles_directory *d)
{
	tiles_put_columns(&d->bytes, &d->column, 1);
}

/* Sorts n elements by row. Returns their order; NULL: no memory. `row_at`: offset of the row. */
static uint32_t *directory_sort(
	const void *all, size_t n, size_t size, size_t nrows, struct tiles_directory *d)
{
	uint32_t *order = malloc((n + 1) * sizeof *order), *next = calloc(nrows + 1, sizeof *next);
	const char *p = all;
	uint32_t row;

	for (size_t i = 0; i < n && next; i++) {
		memcpy(&row, p + i * size, sizeof row);
		next[row + 1]++;
	}
	for (size_t i = 0; i < nrows && next; i++) {
		varint_put(&d->column, next[i + 1]);
		next[i + 1] += next[i];
	}
	directory_end_column(d);
	for (size_t i = 0; i < n && next && order; i++) {
		memcpy(&row, p + i * size, sizeof row);
		order[next[row]++] = (uint32_t)i;
	}
	if (!next || !order) {
		d->t->has_failed = true;
		free(order);
		order = NULL;
	}
	free(next);
	return order;
}

static uint64_t tiles_entry_value(const struct tiles_entry *e, unsigned column)
{
	const struct tiles_span *s = &e->span;
	const uint64_t values[] = {e->block, s->count, s->first, s->end - s->first, s->longest,
		s->name, s->sum, s->number};

	return values[column];
}

enum { ENTRY_VALUES = 8 };

/* Four bytes, little-endian. */
static void directory_put_float(struct tiles_directory *d, float value)
{
	uint32_t bits;
	unsigned char bytes[sizeof bits];

	memcpy(&bits, &value, sizeof bits);
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(bits >> 8 * i);
	buffer_add(&d->column, bytes, sizeof bytes);
}

static float tiles_entry_mean(const struct tiles *t, const struct tiles_entry *e, uint32_t column)
{
	return column < e->nmeans ? t->means[e->means + column] : NAN;
}

/* Adds the means of the columns that were measured in some interval. */
static void directory_add_means(struct tiles_directory *d, const uint32_t *order)
{
	const struct tiles *t = d->t;

	for (uint32_t column = 0; column < t->nmeasured; column++) {
		if (!t->is_measured[column])
			continue;
		for (size_t i = 0; i < t->nentries; i++)
			directory_put_float(d, tiles_entry_mean(t, &t->entries[order[i]], column));
		directory_end_column(d);
	}
}

static void directory_add_tiles(struct tiles_directory *d)
{
	struct tiles *t = d->t;
	uint32_t *order = directory_sort(t->entries, t->nentries, sizeof *t->entries, t->nrows, d);

	for (unsigned column = 0; column < ENTRY_VALUES && order; column++) {
		for (size_t i = 0; i < t->nentries; i++)
			varint_put(&d->column, tiles_entry_value(&t->entries[order[i]], column));
		directory_end_column(d);
	}
	if (order)
		directory_add_means(d, order);
	free(order);
}

static void directory_add_groups(struct tiles_directory *d)
{
	struct tiles *t = d->t;
	uint32_t *order = directory_sort(t->groups, t->ngroups, sizeof *t->groups, t->nrows, d);

	for (size_t i = 0; i < t->ngroups && order; i++)
		varint_put(&d->column, t->groups[order[i]].block);
	directory_end_column(d);
	for (size_t i = 0; i < t->ngroups && order; i++)
		varint_put(&d->column, t->groups[order[i]].tiles);
	directory_end_column(d);
	free(order);
}

static void directory_add_orders(struct tiles_directory *d)
{
	const struct tiles *t = d->t;

	for (size_t i = 0; i < t->norders; i++)
		varint_put(&d->column, t->orders[i].block);
	directory_end_column(d);
	for (size_t i = 0; i < t->norders; i++)
		varint_put(&d->column, t->orders[i].count);
	directory_end_column(d);
}

static void directory_add_totals(struct tiles_directory *d)
{
	const struct tiles *t = d->t;

	for (unsigned column = 0; column < 6; column++) {
		for (size_t i = 0; i < t->ntotals; i++) {
			const struct tiles_total *total = &t->totals[i];
			const exact_sum values[] = {total->count, total->sum, total->least,
				total->most, total->first, total->last};

			varint_put(&d->column, values[column]);
		}
		directory_end_column(d);
	}
}

static void directory_add_steps(struct tiles_directory *d)
{
	struct tiles *t = d->t;
	size_t kept = 0;

	/* A row has all steps of a level, or none. */
	for (size_t i = 0; i < t->nsteps; i++)
		if (t->steps[i].key % GRID_LEVELS ||
			!t->rows[t->steps[i].key / GRID_LEVELS].is_sparse)
			t->steps[kept++] = t->steps[i];
	t->nsteps = kept;
	varint_put(&d->column, kept);
	directory_end_column(d);
	uint32_t *order =
		directory_sort(t->steps, t->nsteps, sizeof *t->steps, t->nrows * GRID_LEVELS, d);

	for (unsigned column = 0; column < 3 && order; column++) {
		for (size_t i = 0; i < t->nsteps; i++) {
			const struct tiles_steps *steps = &t->steps[order[i]];
			const uint64_t values[] = {steps->block, steps->count, steps->first};

			varint_put(&d->column, values[column]);
		}
		directory_end_column(d);
	}
	free(order);
}

static void directory_make(struct tiles_directory *d)
{
	const struct tiles *t = d->t;
	uint32_t blocks;
	const uint32_t *sizes = blocks_sizes(t->blocks, &blocks);

	varint_put(&d->bytes, TILES_NODE);
	varint_put(&d->bytes, t->nrows);
	varint_put(&d->bytes, blocks);
	varint_put(&d->bytes, t->nentries);
	varint_put(&d->bytes, t->ngroups);
	varint_put(&d->bytes, t->norders);
	varint_put(&d->bytes, t->ntotals);
	varint_put(&d->bytes, t->grid_bits);
	for (uint32_t i = 0; i < blocks; i++)
		varint_put(&d->column, sizes[i]);
	directory_end_column(d);
	directory_add_tiles(d);
	directory_add_groups(d);
	directory_add_orders(d);
	directory_add_totals(d);
	directory_add_steps(d);
	d->t->has_failed |= d->bytes.failed || d->column.failed;
}

static void tiles_put_le64(unsigned char *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (unsigned char)(value >> 8 * i);
}

/* Packs the directory and writes it, and the footer that says where it is. */
static int directory_write(struct tiles_directory *d, struct tiles_summary *summary)
{
	struct out *to = d->t->to;
	uLongf packed = compressBound(d->bytes.n);
	unsigned char *room = malloc(packed), footer[TILES_FOOTER];
	uint32_t blocks;
	const uint32_t *sizes = blocks_sizes(d->t->blocks, &blocks);
	uint64_t at = strlen(TILES_MAGIC);
	/* Raw deflate, without zlib's header and checksum: the footer has a checksum. */
	enum { HEAD = 2, TAIL = 4 };

	if (!room)
		return ENOMEM;
	if (compress2(room, &packed, d->bytes.p, d->bytes.n, Z_DEFAULT_COMPRESSION) != Z_OK) {
		free(room);
		return ENOMEM;
	}
	for (uint32_t i = 0; i < blocks; i++)
		at += sizes[i];
	packed -= HEAD + TAIL;
	summary->check = (uint32_t)crc32(0, room + HEAD, (uInt)packed);
	summary->bytes = at + packed + TILES_FOOTER;
	out_bytes(to, (const char *)room + HEAD, packed);
	tiles_put_le64(footer, at);
	tiles_put_le64(footer + 8, packed);
	tiles_put_le64(footer + 16, summary->check);
	memcpy(footer + 24, TILES_MAGIC, 8);
	out_bytes(to, (const char *)footer, sizeof footer);
	free(room);
	return to->error;
}

int tiles_end(struct tiles *t, struct tiles_summary *summary)
{
	struct tiles_directory d = {.t = t};

	for (size_t row = 0; row < t->nrows; row++)
		grid_end(t->rows[row].grid, t->grid_bits);
	tiles_flush(t);
	int error = blocks_end(t->blocks);
	if (!error)
		directory_make(&d);
	if (!error && t->has_failed)
		error = ENOMEM;
	if (!error)
		error = directory_write(&d, summary);
	free(d.bytes.p);
	free(d.column.p);
	return error;
}

void tiles_free(struct tiles *t)
{
	if (!t)
		return;
	blocks_free(t->blocks);
	for (size_t i = 0; i < t->nrows; i++) {
		for (unsigned k = 0; k < COLUMNS; k++)
			free(t->rows[i].columns[k].p);
		for (unsigned k = 0; k < NODE_COLUMNS; k++)
			free(t->rows[i].nodes[k].p);
		for (unsigned k = 0; k < GRID_LEVELS; k++)
			free(t->rows[i].grid[k].bytes.p);
		free(t->rows[i].adopted.p);
		free(t->rows[i].measures);
	}
	free(t->rows);
	free(t->entries);
	free(t->means);
	free(t->is_measured);
	free(t->groups);
	free(t->steps);
	free(t->orders);
	free(t->totals);
	free(t);
}
