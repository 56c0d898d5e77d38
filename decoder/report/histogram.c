/* How long intervals took, per label, minor and major or by other keys: a row for each doubling of
 * the time. */
#include <stdlib.h>

#include "../../formats/base/utf8.h"
#include "query/choice.h"
#include "query/groups.h"
#include "tallies.h"

/* Characters of a group's fullest bucket, and of the other columns but the label. */
enum { BAR = 40, BAR_LEAST = 10, OTHERS = 44, LABEL_MOST = 40 };

/* A bucket of a group: times from `from` to below `to`, in ns. Histograms' own buckets are parts of
 * doublings, so counts are exact. */
struct histogram_row {
	const struct tally_group *group;
	uint64_t from, to, count;
	double share, up_to; /* percent of the group's: of the bucket, and of it and those before */
	uint64_t fullest;
	unsigned bar; /* characters of the fullest */
};

static void histogram_spell_bar(struct out *o, const void *row)
{
	const struct histogram_row *r = row;
	const double length = (double)r->count / (double)r->fullest * r->bar;

	/* A count above 0 has a bar, however short. */
	out_repeat(o, '#', r->count && length < 1 ? 1 : (size_t)(length + 0.5));
}

static const struct column histogram_columns[] = {
	{TALLIES_LABEL},
	{TALLIES_MINOR},
	{TALLIES_MAJOR},
	{"from_ns", "from", COLUMN_AT(struct histogram_row, from), .unit = UNIT_DURATION},
	{"to_ns", "to", COLUMN_AT(struct histogram_row, to), .unit = UNIT_DURATION},
	{"count", "count", COLUMN_AT(struct histogram_row, count)},
	{"share_pct", "share%", COLUMN_AT(struct histogram_row, share), .decimals = 4,
		.unit = UNIT_PERCENT, .spare = 6},
	{"up_to_pct", "up to%", COLUMN_AT(struct histogram_row, up_to), .decimals = 4,
		.unit = UNIT_PERCENT, .spare = 5},
	{"bar", "", .text = histogram_spell_bar, .left = true, .place = 1, .in = IN_TEXT},
	{.name = NULL},
};

enum { HISTOGRAM_BUCKETS = 65 };

/* The number of the doubling: 0 of 0, else 1 + the highest bit. */
static unsigned histogram_bucket(uint64_t ns)
{
	return ns ? 64 - (unsigned)__builtin_clzll(ns) : 0;
}

/* A narrow terminal has shorter bars. */
static unsigned histogram_choose_bar(const struct report *r, const struct tally *t)
{
	size_t label = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tally_group *g = t->groups[i];
		size_t width = g->has_label ? utf8_width(g->label, g->label_len) : 0;

		label = width > label ? width : label;
	}
	label = label < LABEL_MOST ? label : LABEL_MOST;
	if (!r->width || r->width >= label + OTHERS + BAR)
		return BAR;
	return r->width > label + OTHERS + BAR_LEAST ? r->width - (unsigned)label - OTHERS
						     : BAR_LEAST;
}

static void histogram_add_rows(struct rows *rows, const struct tally_group *g, unsigned bar)
{
	uint64_t counts[HISTOGRAM_BUCKETS] = {0}, before = 0;
	struct histogram_row row = {.group = g, .bar = bar};
	struct histogram_at at = {0};
	struct histogram_bin bin;

	while (histogram_next(&g->time, &at, &bin)) {
		uint64_t *count = &counts[histogram_bucket(bin.low)];

		*count += bin.count;
		row.fullest = *count > row.fullest ? *count : row.fullest;
	}
	/* In buckets of time, groups may have only intervals in flight. */
	if (!g->time.count)
		return;
	/* Empty ones between others, too: a gap is part of the shape. */
	for (unsigned i = histogram_bucket(g->time.min); i <= histogram_bucket(g->time.max); i++) {
		row.from = i ? UINT64_C(1) << (i - 1) : 0;
		row.to = i < 64 ? UINT64_C(1) << i : UINT64_MAX;
		row.count = counts[i];
		before += row.count;
		row.share = 100 * (double)row.count / (double)g->time.count;
		row.up_to = 100 * (double)before / (double)g->time.count;
		rows_add(rows, &row);
	}
}

static void histogram_print_groups(
	struct report *r, const struct column *columns, const struct tally *t)
{
	const unsigned bar = histogram_choose_bar(r, t);
	struct rows rows;

	rows_begin(&rows, r, columns, tallies_have(t));
	while (tallies_pass(&rows, r, t->count))
		for (size_t i = 0; i < t->count; i++) {
			rows.has = tallies_has(t->groups[i]);
			histogram_add_rows(&rows, t->groups[i], bar);
		}
	rows_end(&rows);
}

int histogram_print(struct report *r, const struct tally *t, const struct groups *groups)
{
	struct column *own = by_name_columns(r->by, histogram_columns,
		sizeof histogram_columns / sizeof *histogram_columns, PLACE_FIRST);
	struct tally chosen = {.groups = NULL};
	int rc = own ? rows_check_columns(r, own, NULL) : CPIDECODE_ENOMEM;

	if (!rc)
		rc = summary_choose(r, t, groups, &chosen);
	if (!rc)
		histogram_print_groups(r, own, chosen.groups ? &chosen : t);
	free(chosen.groups);
	free(own);
	return rc;
}

int report_histogram(struct report *r)
{
	struct groups groups = {
		.tally.wanted = choice_is_asked(r) && !r->by ? tallies_want_containers(r) : 0};
	int rc = r->by ? groups_read(r, &groups) : tallies_read(r, &groups.tally);

	if (!rc)
		rc = histogram_print(r, &groups.tally, r->by ? &groups : NULL);
	groups_free(&groups);
	return rc;
}
