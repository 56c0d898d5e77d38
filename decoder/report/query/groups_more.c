#include "groups_more.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../formats/base/compare.h"

static int groups_compare_addresses(const void *x, const void *y)
{
	return compare_u64((uintptr_t) * (const struct tally_group *const *)x,
		(uintptr_t) * (const struct tally_group *const *)y);
}

void groups_sort_more(struct groups *to)
{
	if (to->nexact)
		qsort(to->exact, to->nexact, sizeof *to->exact, groups_compare_addresses);
	if (to->nflights)
		qsort(to->flights, to->nflights, sizeof *to->flights, groups_compare_addresses);
}

uint64_t groups_exact_value(const struct groups *g, const struct tally_group *group, unsigned i)
{
	const struct groups_exact *found =
		g->nexact ? bsearch(&group, g->exact, g->nexact, sizeof *g->exact,
				    groups_compare_addresses)
			  : NULL;

	return found && group->time.count ? found->values[i] : NOT_MEASURED;
}

const struct in_flight_row *groups_in_flight(
	const struct groups *g, const struct tally_group *group)
{
	const struct groups_flight *found =
		g->nflights ? bsearch(&group, g->flights, g->nflights, sizeof *g->flights,
				      groups_compare_addresses)
			    : NULL;

	return found ? found->row : NULL;
}

/* ------------------------------------------------------------------------ from records */

/* A percentile's value is the one at its rank: of each group they come in order. */
static void groups_find_ranks(
	const struct percentiles *p, const struct tally_group *group, uint64_t ranks[PERCENTILES])
{
	for (unsigned i = 0; i < p->count; i++)
		ranks[i] = percentile_rank(&p->at[i], group->time.count);
}

/* Makes room for the values of all groups. */
static int groups_begin_values(
	struct groups *to, const struct tally *t, const struct percentiles *p)
{
	to->exact = calloc(t->count + 1, sizeof *to->exact);
	to->values = calloc(t->count * p->count + 1, sizeof *to->values);
	if (!to->exact || !to->values)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < t->count; i++)
		to->exact[i] = (struct groups_exact){t->groups[i], to->values + i * p->count};
	to->nexact = t->count;
	return 0;
}

int groups_find_values(struct groups *to, const struct percentiles *p, struct sorter *values)
{
	const struct sorter_record *r;
	uint64_t place = 0, ranks[PERCENTILES];
	uint32_t group = 0;
	int rc = groups_begin_values(to, &to->tally, p);

	if (!rc)
		rc = sorter_rewind(values);
	while (!rc && (rc = sorter_next(values, &r)) > 0) {
		place = r->group == group ? place + 1 : 1;
		group = r->group;
		if (place == 1)
			groups_find_ranks(p, to->exact[group].group, ranks);
		for (unsigned i = 0; i < p->count; i++)
			if (ranks[i] == place)
				to->exact[group].values[i] = r->key;
		rc = 0;
	}
	return rc;
}

static int groups_add_flight(struct groups *to, const struct tally *series,
	const struct in_flight_row *row, struct buffer *bytes)
{
	const struct tally_group *of = series->groups[row->series];
	struct groups_flight *flight = &to->flights[to->nflights];
	int rc;

	bytes->n = 0;
	rc = by_append(bytes, of->label, of->label_len);
	if (!rc)
		rc = by_encode_bucket(row->bucket, bytes);
	if (rc)
		return rc;
	flight->group = tally_group_of(
		&to->tally, true, (const char *)bytes->p, (uint32_t)bytes->n, of->major, of->mm);
	flight->row = row;
	to->nflights++;
	return flight->group ? 0 : CPIDECODE_ENOMEM;
}

int groups_find_flights(struct groups *to, const struct tally *series)
{
	const struct in_flight *f = &to->in_flight;
	struct buffer bytes = {0};
	int rc = 0;

	to->flights = calloc(f->count + 1, sizeof *to->flights);
	if (!to->flights)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < f->count && !rc; i++)
		rc = groups_add_flight(to, series, &f->rows[i], &bytes);
	free(bytes.p);
	return rc;
}

/* Spells a width as --by takes it: in the longest unit of which it is a whole number. */
static void groups_spell_width(uint64_t ns, char text[24])
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t i = 0;

	for (; i < 3 && ns && ns % 1000 == 0; i++)
		ns /= 1000;
	snprintf(text, 24, "%" PRIu64 "%s", ns, units[i]);
}

void groups_note_buckets(struct report *r, const struct in_flight *f)
{
	const uint64_t least = in_flight_least_width(f);
	char width[24], longer[24];

	groups_spell_width(f->width_ns, width);
	groups_spell_width(least, longer);
	report_note(r,
		"--by time: intervals in flight span more than %d buckets of %s: choose %s%s",
		IN_FLIGHT_ROWS, width, least ? longer : "other keys", least ? " or longer" : "");
}

/* ------------------------------------------------------------------------ from points */

struct groups_getting {
	struct report *r;
	struct groups *to;
	const struct tally *tally; /* settled: indexes are numbers */
	struct tally series;
	uint32_t group; /* or series: the number of the points at hand */
	uint64_t place; /* values up to now */
	uint64_t ranks[PERCENTILES];
	bool *has_values; /* by group */
};

static int groups_begin_exact(
	void *ctx, bool has_label, const char *label, uint32_t length, uint8_t major, uint8_t mm)
{
	struct groups_getting *g = ctx;
	const struct tally_group *group = tally_find(g->tally, has_label, label, length, major, mm);

	if (!group || g->has_values[group->index])
		return CPIDECODE_EINVAL;
	g->group = group->index;
	g->has_values[g->group] = true;
	g->place = 0;
	groups_find_ranks(g->r->percentiles, group, g->ranks);
	return 0;
}

static int groups_visit_value(void *ctx, uint64_t key, int64_t count)
{
	struct groups_getting *g = ctx;
	const struct groups_exact *exact = &g->to->exact[g->group];

	if (count < 0 || (uint64_t)count > exact->group->time.count - g->place)
		return CPIDECODE_EINVAL;
	for (unsigned i = 0; i < g->r->percentiles->count; i++)
		if (g->ranks[i] > g->place && g->ranks[i] <= g->place + (uint64_t)count)
			exact->values[i] = key;
	g->place += (uint64_t)count;
	return 0;
}

static int groups_end_exact(void *ctx)
{
	const struct groups_getting *g = ctx;

	return g->place == g->to->exact[g->group].group->time.count ? 0 : CPIDECODE_EINVAL;
}

static int groups_get_values(struct groups_getting *g, struct varint_in *points)
{
	const struct points_reader reader = {
		g, groups_begin_exact, groups_visit_value, groups_end_exact};
	const size_t n = g->tally->count;
	int rc = groups_begin_values(g->to, g->tally, g->r->percentiles);

	g->has_values = calloc(n + 1, sizeof *g->has_values);
	if (!g->has_values)
		rc = CPIDECODE_ENOMEM;
	if (!rc)
		rc = points_get(points, &reader);
	for (size_t i = 0; i < n && !rc; i++)
		rc = g->has_values[i] ? 0 : CPIDECODE_EINVAL;
	free(g->has_values);
	return rc;
}

static int groups_begin_series(
	void *ctx, bool has_label, const char *label, uint32_t length, uint8_t major, uint8_t mm)
{
	struct groups_getting *g = ctx;
	const size_t before = g->series.count;

	if (!tally_group_of(&g->series, has_label, label, length, major, mm))
		return CPIDECODE_ENOMEM;
	g->group = (uint32_t)before;
	return g->series.count > before && has_label ? 0 : CPIDECODE_EINVAL;
}

static int groups_visit_flight(void *ctx, uint64_t key, int64_t more)
{
	struct groups_getting *g = ctx;
	struct in_flight *f = &g->to->in_flight;

	/* No interval ends before it starts. */
	if (more < 0 && f->flying < (uint64_t)-more)
		return CPIDECODE_EINVAL;
	return in_flight_move(f, g->group, key, more);
}

static int groups_end_series(void *ctx)
{
	return ((const struct groups_getting *)ctx)->to->in_flight.flying ? CPIDECODE_EINVAL : 0;
}

static int groups_get_flights(struct groups_getting *g, struct varint_in *points)
{
	const struct points_reader reader = {
		g, groups_begin_series, groups_visit_flight, groups_end_series};

	g->to->in_flight.origin_ns = g->r->by->origin_ns;
	g->to->in_flight.width_ns = g->r->by->width_ns;
	int rc = points_get(points, &reader);

	if (!rc && (rc = in_flight_settle(&g->to->in_flight)))
		groups_note_buckets(g->r, &g->to->in_flight);
	return rc;
}

static int groups_copy_tally(struct groups *to, const struct tally *from)
{
	to->tally.wanted = from->wanted;
	int rc = tally_merge(&to->tally, from);
	return rc ? rc : tally_settle(&to->tally);
}

int groups_get_more(
	struct report *r, struct groups *to, const struct tally *tally, struct varint_in *points)
{
	const bool asks_time = r->by && r->by->asks_time;
	struct groups_getting g = {.r = r, .to = to, .tally = asks_time ? &to->tally : tally};
	int rc = asks_time ? groups_copy_tally(to, tally) : 0;

	if (!rc && r->exact)
		rc = groups_get_values(&g, points);
	if (!rc && asks_time)
		rc = groups_get_flights(&g, points);
	if (!rc && asks_time)
		rc = groups_find_flights(to, &g.series);
	if (!rc && asks_time)
		rc = tally_settle(&to->tally);
	groups_sort_more(to);
	tally_free(&g.series);
	return rc;
}
