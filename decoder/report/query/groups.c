#include "groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/scope_hooks.h"
#include "../../model/hooks/pass.h"
#include "../../model/intervals/elapsed.h"
#include "../../model/intervals/stream.h"
#include "../../model/stats/tally/shared.h"
#include "../tallies.h"
#include "../values/percentiles.h"
#include "around.h"
#include "groups_more.h"
#include "lineage.h"
#include "select.h"

#define GROUPS_EXACT_BUDGET ((size_t)8 << 20)

enum {
	GROUPS_WANTS = WANT_SYSTEM | WANT_THREAD | WANT_QUALITY | WANT_EVENTS,
	/* The groups that a thread keeps for itself when threads share theirs. */
	GROUPS_OWN = 16384,
};

/* A value of a group: the sorter's group and key. */
struct groups_record {
	struct sorter_record sort;
	uint64_t number; /* from 0 */
};

/* A thread's output. */
struct groups_writer {
	_Alignas(PASS_APART) struct buffer bytes;
	bool has_cpi;
};

struct groups_reading {
	struct report *r;
	struct groups *to;
	struct groups_writer *writers;
	struct tally_shared *shared; /* NULL: one thread adds to to->tally */
	struct tally series;	     /* of time: the other keys; a group's index is its number */
	struct sorter *values;	     /* of --exact */
	uint64_t added;
	/* For the keys from intervals around. */
	struct around around;
	struct lineage lineage;
	struct interval_query query; /* of the lineage */
	bool is_selected;	     /* by --where, the next one of the stream */
};

static int groups_compare_records(const struct sorter_record *a, const struct sorter_record *b)
{
	return compare_u64(((const struct groups_record *)(const void *)a)->number,
		((const struct groups_record *)(const void *)b)->number);
}

/* The group of an interval, whose index is its number. NULL: no memory. */
static struct tally_group *groups_number_group(struct tally *t, const struct interval *iv)
{
	const size_t before = t->count;
	struct tally_group *g =
		tally_group_of(t, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);

	if (g && t->count > before)
		g->index = (uint32_t)before;
	return g;
}

static int groups_keep_value(struct groups_reading *g, const struct interval *iv)
{
	const struct tally_group *group = groups_number_group(&g->to->tally, iv);
	struct sorter_record *r;
	int rc = group ? sorter_reserve(g->values, 0, &r) : CPIDECODE_ENOMEM;

	if (rc)
		return rc;
	*(struct groups_record *)(void *)r =
		(struct groups_record){.sort = {.key = elapsed_whole_ns(iv),
					       .group = group->index,
					       .size = sizeof(struct groups_record)},
			.number = g->added++};
	sorter_add(g->values, 0);
	return 0;
}

static int groups_keep_time(struct groups_reading *g, const struct interval *iv)
{
	const struct tally_group *series = groups_number_group(&g->series, iv);

	return series ? in_flight_add(&g->to->in_flight, series->index, iv->start_ns, iv->end_ns)
		      : CPIDECODE_ENOMEM;
}

/* The interval, called by its keys instead of its label, minor and major: but CPU utilisation has
 * figures that are not to be mixed with others. */
static int groups_name_interval(struct groups_reading *g, struct groups_writer *w,
	struct interval *iv, const struct by_around *around)
{
	const struct by *by = g->r->by;
	struct buffer *bytes = &w->bytes;
	int rc = by_encode(by, g->r->trace, iv, around, bytes);

	if (rc)
		return rc;
	w->has_cpi |= iv->major == CPI_MAJOR;
	if (iv->major == SCOPE_MAJOR)
		iv->major = CPI_MAJOR;
	iv->mm = 0;
	iv->has_label = true;
	iv->label = (const char *)bytes->p;
	iv->label_len = (uint32_t)bytes->n;
	if (!by->asks_time)
		return 0;
	rc = groups_keep_time(g, iv);
	if (!rc)
		rc = by_encode_bucket(by_bucket(by, iv->start_ns), bytes);
	iv->label = (const char *)bytes->p;
	iv->label_len = (uint32_t)bytes->n;
	return rc;
}

static int groups_add_interval(struct groups_reading *g, unsigned thread, const struct interval *iv,
	const struct by_around *around)
{
	struct interval named = *iv;
	int rc = g->r->by ? groups_name_interval(g, &g->writers[thread], &named, around) : 0;

	if (rc)
		return rc;
	if (g->shared)
		return tally_shared_add(g->shared, thread, &named);
	if (g->values)
		rc = groups_keep_value(g, &named);
	return rc ? rc : tally_add(&g->to->tally, &named);
}

static int groups_visit_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	return groups_add_interval(ctx, thread, iv, NULL);
}

/* --------------------------------------------------------------- intervals around */

/*
 * The stream hands out all intervals, also those of other slices. Whether --where selects one is
 * known from its selection, or, if the condition asks other intervals, from the lineage, just
 * before it is handed out.
 */
static uint64_t groups_selection(void *ctx, const struct interval *iv)
{
	struct groups_reading *g = ctx;

	return select_nests(g->r) ? g->query.selection(g->query.ctx, iv)
				  : select_interval(g->r, iv);
}

static int groups_gather(void *ctx, const struct nest_key *key, uint32_t file, uint64_t selection)
{
	struct groups_reading *g = ctx;

	return g->query.gather(g->query.ctx, key, file, selection);
}

static int groups_select(
	void *ctx, const struct nest_key *key, uint32_t file, uint64_t selection, bool *selected)
{
	struct groups_reading *g = ctx;
	int rc = 0;

	g->is_selected = selection;
	if (select_nests(g->r))
		rc = g->query.select(g->query.ctx, key, file, selection, &g->is_selected);
	*selected = true;
	return rc;
}

static void groups_end_walk(void *ctx)
{
	struct groups_reading *g = ctx;

	if (select_nests(g->r))
		g->query.end(g->query.ctx);
}

static int groups_read_stream(struct groups_reading *g, struct interval_stream *s)
{
	const struct interval *iv;
	struct by_around around;
	int rc;

	while ((rc = interval_stream_next(s, &iv)) > 0) {
		rc = around_add(&g->around, iv, &around);
		if (!rc && g->is_selected && tallies_is_in_slice(g->r, iv) &&
			(!select_nests(g->r) || select_interval(g->r, iv)))
			rc = groups_add_interval(g, 0, iv, &around);
		if (rc)
			break;
	}
	return rc;
}

static int groups_read_around(struct groups_reading *g, unsigned wants)
{
	struct report *r = g->r;
	struct interval_query query = {.ctx = g,
		.wants = select_wants(r),
		.selection = groups_selection,
		.gather = groups_gather,
		.select = groups_select,
		.end = groups_end_walk};
	const struct interval_stream_options how = {.query = &query,
		.progress = r->progress,
		.progress_ctx = r->ctx,
		.from_ns = r->compensate || select_nests(r) ? INT64_MIN : r->filter->from,
		.threads = r->threads,
		.wants = wants | WANT_START | (r->compensate ? WANT_OWN_COST : 0),
		.by_machine = true,
		.nested_cost = r->compensate,
		.compensate = r->compensate};
	struct interval_stream *s;

	g->around.wants_stack = r->by->asks_stack;
	if (lineage_query(&g->lineage, r, &g->query))
		query.gathers = g->query.gathers;
	int rc = interval_stream_open(r->trace, &how, &s, r->slices ? NULL : r->found);
	if (!rc) {
		report_note_compensated(r, interval_stream_with_cost(s), interval_stream_count(s));
		if (r->slices)
			rc = tallies_find_in_slice(r, wants, r->found);
		if (!rc)
			rc = groups_read_stream(g, s);
		int error = errno;
		interval_stream_close(s);
		errno = error;
	}
	lineage_free(&g->lineage);
	return rc;
}

/* ---------------------------------------------------------------------------------- reading */

static int groups_begin(struct groups_reading *g, unsigned threads)
{
	const struct sorter_options how = {.threads = 1,
		.budget = GROUPS_EXACT_BUDGET,
		.largest = sizeof(struct groups_record),
		.compare = groups_compare_records};
	const struct by *by = g->r->by;
	int rc = 0;

	g->to->tally.trace = g->r->trace;
	/* Groups by label and minor have all columns that they have without --exact. */
	if (!by)
		g->to->tally.wanted |= tallies_want_containers(g->r);
	g->writers = pass_alloc(threads, sizeof *g->writers);
	if (!g->writers)
		return CPIDECODE_ENOMEM;
	if (by && by->asks_time) {
		g->to->in_flight.origin_ns = by->origin_ns;
		g->to->in_flight.width_ns = by->width_ns;
		rc = in_flight_begin(&g->to->in_flight);
	}
	if (!rc && g->r->exact)
		rc = sorter_new(&how, &g->values);
	if (!rc && threads > 1)
		rc = tally_shared_new(
			threads, g->to->tally.wanted, g->r->trace, GROUPS_OWN, &g->shared);
	return rc;
}

static int groups_find_more(struct groups_reading *g)
{
	int rc = g->values ? groups_find_values(g->to, g->r->percentiles, g->values) : 0;

	if (!rc && g->to->in_flight.sorter)
		rc = in_flight_sweep(&g->to->in_flight);
	if (rc == CPIDECODE_EINVAL)
		groups_note_buckets(g->r, &g->to->in_flight);
	if (!rc)
		rc = groups_find_flights(g->to, &g->series);
	if (!rc)
		groups_sort_more(g->to);
	return rc;
}

static int64_t groups_count_value(const struct sorter_record *r)
{
	(void)r;
	return 1;
}

/* For a partial result. */
static int groups_keep_points(struct groups_reading *g)
{
	struct groups *to = g->to;
	int rc = 0;

	if (g->values)
		rc = points_put(to->kept, g->values, &to->tally, groups_count_value);
	if (!rc && to->in_flight.sorter)
		rc = points_put(to->kept, to->in_flight.sorter, &g->series, in_flight_more);
	return rc;
}

static int groups_end(struct groups_reading *g, unsigned threads)
{
	struct groups *to = g->to;
	int rc = g->shared ? tally_shared_collect(g->shared, &to->tally) : 0;

	for (unsigned i = 0; i < threads; i++)
		to->has_cpi |= g->writers[i].has_cpi;
	if (!rc)
		rc = to->kept ? groups_keep_points(g) : groups_find_more(g);
	if (rc)
		return rc;
	if (!to->tally.count)
		report_note_no_intervals(g->r);
	rc = tally_settle(&to->tally);
	/* A partial result keeps more of them than are shown. */
	return rc || !(to->tally.wanted & TALLY_WANT_CONTAINERS) ||
			       to->tally.wanted & TALLY_WANT_OWNERS
		       ? rc
		       : tally_show_containers(&to->tally, NULL);
}

static void groups_close(struct groups_reading *g, unsigned threads)
{
	for (unsigned i = 0; g->writers && i < threads; i++)
		free(g->writers[i].bytes.p);
	free(g->writers);
	tally_shared_free(g->shared);
	tally_free(&g->series);
	sorter_free(g->values);
	around_free(&g->around);
}

int groups_read(struct report *r, struct groups *to)
{
	struct groups_reading g = {.r = r, .to = to};
	const bool around = r->by && r->by->asks_around;
	const bool alone = around || r->exact || (r->by && r->by->asks_time);
	const unsigned threads = alone ? 1 : tallies_threads(r, 0);
	const unsigned wants = GROUPS_WANTS | (r->by ? r->by->wants : 0);
	int rc;

	if (r->by)
		by_settle(r->by, r);
	rc = groups_begin(&g, threads);
	if (!rc)
		rc = around ? groups_read_around(&g, wants)
			    : tallies_each(r, threads, wants, r->found, groups_visit_interval, &g);
	if (!rc)
		rc = groups_end(&g, threads);
	int error = errno;
	if (rc == CPIDECODE_ESPOOL && g.values && sorter_error(g.values))
		error = sorter_error(g.values);
	else if (rc == CPIDECODE_ESPOOL && to->in_flight.sorter &&
		 sorter_error(to->in_flight.sorter))
		error = sorter_error(to->in_flight.sorter);
	groups_close(&g, threads);
	errno = error;
	return rc;
}

/* A group, for a sort that has no argument of its own. */
struct groups_place {
	const struct by *by;
	struct tally_group *group;
};

static int groups_compare_order(const void *x, const void *y)
{
	const struct groups_place *a = x, *b = y;

	if (!a->by->asks_time && a->group->total != b->group->total)
		return a->group->total < b->group->total ? 1 : -1;
	return by_compare_groups(a->by, a->group, b->group);
}

int groups_order(const struct report *r, struct tally_group **groups, size_t count)
{
	struct groups_place *places = calloc(count + 1, sizeof *places);

	if (!places)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < count; i++)
		places[i] = (struct groups_place){r->by, groups[i]};
	if (r->by)
		qsort(places, count, sizeof *places, groups_compare_order);
	for (size_t i = 0; i < count; i++)
		groups[i] = places[i].group;
	free(places);
	return 0;
}

void groups_free(struct groups *g)
{
	tally_free(&g->tally);
	in_flight_free(&g->in_flight);
	free(g->exact);
	free(g->flights);
	free(g->values);
	*g = (struct groups){.nexact = 0};
}
