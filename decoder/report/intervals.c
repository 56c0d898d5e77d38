/* The intervals, one a row. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/cpi_hooks.h"
#include "../../formats/cpuutil_hooks.h"
#include "../model/intervals/keep.h"
#include "../model/intervals/ranking.h"
#include "../model/intervals/stream.h"
#include "notes/missing.h"
#include "query/lineage.h"
#include "query/select.h"
#include "query/top.h"
#include "values/columns.h"
#include "values/interval_columns.h"
#include "values/metrics.h"

/* By what the interval is, whatever was measured. */
static unsigned intervals_has(const struct interval *iv)
{
	return (iv->major == CPUUTIL_MAJOR ? INTERVAL_HAS_UTIL : 0) |
	       (iv->major != CPI_MAJOR ? INTERVAL_HAS_MAJOR : 0);
}

static unsigned intervals_find_columns(const struct interval *iv)
{
	unsigned has = intervals_has(iv);

	if (iv->off_cpu_ns != NOT_MEASURED || iv->ctx_switches != NOT_MEASURED)
		has |= INTERVAL_HAS_TIME;
	if (iv->migrations != NOT_MEASURED || iv->faults != NOT_MEASURED)
		has |= INTERVAL_HAS_LIFE;
	if (iv->unexplained_ns != NOT_MEASURED && iv->unexplained_ns > 0)
		has |= INTERVAL_HAS_UNEXPLAINED;
	return has;
}

struct taking {
	const struct report *r;
	atomic_bool any; /* there are intervals */
	atomic_uint has; /* the columns that some of them have */
	struct value_columns values;
	/* With --top: which, and copies of them in their order. */
	struct top top;
	struct interval *chosen;
	struct intern memory;
	/* With --sort alone: all of them. */
	struct top_order order;
	struct interval_ranking *ranking;
};

/* The copies replace the stream. */
static int intervals_keep_chosen(struct taking *t, struct interval_stream *s)
{
	const bool cpus = t->r->format == FORMAT_JSON;
	const struct interval *iv;
	size_t place;
	int rc;

	t->chosen = calloc(t->top.count + 1, sizeof *t->chosen);
	if (!t->chosen)
		return CPIDECODE_ENOMEM;
	while ((rc = interval_stream_next(s, &iv)) > 0)
		if (top_has(&t->top, iv, &place) &&
			(rc = interval_keep(&t->memory, iv, cpus, &t->chosen[place])))
			break;
	return rc;
}

/* The ranking replaces the stream. Equal ones have the order that --top gives them. */
static int intervals_rank_all(struct taking *t, struct interval_stream *s, unsigned wants)
{
	const struct interval *iv;
	uint64_t rank;
	uint32_t *places = top_place_traces(t->r->trace);
	int rc = places ? interval_ranking_new(t->r->trace, wants, &t->ranking) : CPIDECODE_ENOMEM;

	if (!rc)
		rc = interval_stream_rewind(s);
	while (!rc && (rc = interval_stream_next(s, &iv)) > 0) {
		bool known = top_find_rank(&t->order, t->r->trace, iv, &rank);

		rc = interval_ranking_add(t->ranking, iv, !known, ~rank, places[iv->file]);
	}
	free(places);
	return rc;
}

static int intervals_rewind(const struct taking *t, struct interval_stream *s)
{
	return t->ranking ? interval_ranking_rewind(t->ranking) : interval_stream_rewind(s);
}

static int intervals_next(
	const struct taking *t, struct interval_stream *s, const struct interval **iv)
{
	return t->ranking ? interval_ranking_next(t->ranking, iv) : interval_stream_next(s, iv);
}

static void intervals_see(struct taking *t, const struct interval *iv)
{
	atomic_store_explicit(&t->any, true, memory_order_relaxed);
	unsigned has = intervals_find_columns(iv);

	/* Most intervals add nothing: an atomic or for each would be slow. */
	if (has & ~atomic_load_explicit(&t->has, memory_order_relaxed))
		atomic_fetch_or_explicit(&t->has, has, memory_order_relaxed);
	if (iv->num_values)
		value_columns_see(&t->values, iv);
}

static bool intervals_filter_interval(void *ctx, const struct interval *iv)
{
	struct taking *t = ctx;
	size_t place;
	bool selected = t->r->top ? top_has(&t->top, iv, &place) : select_interval(t->r, iv);

	if (selected && (t->r->top || !select_nests(t->r)))
		intervals_see(t, iv);
	return selected;
}

static bool intervals_is_near(void *ctx, const struct interval *iv)
{
	return top_is_near(&((const struct taking *)ctx)->top, iv);
}

/* Selections by other intervals are known only now. */
static int intervals_see_selected(struct taking *t, struct interval_stream *s)
{
	const struct interval *iv;
	int rc = 0;

	while (!t->r->top && select_nests(t->r) && (rc = interval_stream_next(s, &iv)) > 0)
		intervals_see(t, iv);
	return rc;
}

/* The rows of a table, and their missing figures. */
struct intervals_table {
	struct rows rows;
	struct missing_facts facts;
	unsigned has;
};

static void intervals_add_row(struct intervals_table *t, const struct interval *iv)
{
	struct rows *rows = &t->rows;
	const unsigned has = t->has;

	if (rows->format == FORMAT_TEXT && table_is_measuring(&rows->table))
		missing_add_interval(&t->facts, iv);
	rows->has = (has & ~(INTERVAL_HAS_UTIL | INTERVAL_HAS_MAJOR)) | intervals_has(iv);
	rows_add(rows, iv);
}

/* Whether a column that traces with these facts have has a value. */
static bool intervals_know(const struct intervals_table *t, const char *name, unsigned facts)
{
	return t->has & facts && rows_is_known(&t->rows, name);
}

static int intervals_print(struct report *r, struct interval_stream *s, const struct taking *t,
	const struct column *values, unsigned has)
{
	struct intervals_table table = {.has = has};
	struct rows *rows = &table.rows;
	const struct interval *iv;
	int rc = rows_check_columns(r, interval_columns, values);

	if (rc)
		return rc;

	for (rows_begin_more(rows, r, interval_columns, values, has); rc >= 0 && rows_pass(rows);) {
		for (size_t i = 0; t->chosen && i < t->top.count && !r->out->error; i++)
			intervals_add_row(&table, &t->chosen[i]);
		if (t->chosen)
			continue;
		rc = intervals_rewind(t, s);
		while (rc >= 0 && !r->out->error && (rc = intervals_next(t, s, &iv)) > 0) {
			intervals_add_row(&table, iv);
		}
	}
	if (r->format == FORMAT_TEXT && !r->columns && rc >= 0)
		missing_intervals_line(r, &table.facts,
			(struct missing_columns){.task = rows_is_known(rows, "task"),
				.cpu = rows_is_known(rows, "cpu"),
				.off_cpu = intervals_know(&table, "off_cpu_ns", INTERVAL_HAS_TIME),
				.switches =
					intervals_know(&table, "ctx_switches", INTERVAL_HAS_TIME),
				.migrations =
					intervals_know(&table, "migrations", INTERVAL_HAS_LIFE),
				.faults = intervals_know(&table, "faults", INTERVAL_HAS_LIFE),
				.unexplained = intervals_know(
					&table, "unexplained_ns", INTERVAL_HAS_UNEXPLAINED)});
	rows_end(rows);
	return rc < 0 ? rc : 0;
}

static struct cell interval_get_metric(const void *row, const void *of)
{
	return cell_real(derived_of_interval(of, row), METRIC_DECIMALS);
}

/* Columns of values and derived metrics; *more: to be freed. */
static int intervals_find_more(struct report *r, const struct value_columns *values,
	struct derived_set *metrics, struct column **more)
{
	struct event_names names = {0};
	const char *taken[DERIVED_TAKEN];
	int rc = 0;

	for (size_t i = 0; i < values->count && !rc; i++) {
		struct trace_text text = trace_text_at(r->trace, values->names[i].name);

		if (values->names[i].kind == VALUE_EVENT)
			rc = event_names_add(&names, text.at, text.length);
	}
	if (!rc)
		rc = derived_make(
			metrics, r, &names, taken, derived_list_names(interval_columns, taken));
	if (!rc)
		*more = derived_add_columns(metrics, values->columns, interval_get_metric, true);
	event_names_free(&names);
	return rc || *more ? rc : CPIDECODE_ENOMEM;
}

/* The stream is there. */
static int intervals_report(struct report *r, struct interval_stream *s, struct taking *taking)
{
	/* A list of columns names arguments one by one. */
	int rc = value_columns_make(
		&taking->values, r->columns ? FORMAT_CSV : r->format, interval_columns);
	struct derived_set metrics = {0};
	struct column *more = NULL;

	if (!rc)
		rc = intervals_find_more(r, &taking->values, &metrics, &more);
	if (!rc)
		rc = intervals_print(r, s, taking, more,
			atomic_load_explicit(&taking->has, memory_order_relaxed) |
				(trace_has_several_containers(r->trace) ? INTERVAL_HAS_CONTAINER
									: 0) |
				(r->format != FORMAT_TEXT ? INTERVAL_HAS_TIME | INTERVAL_HAS_LIFE |
								    INTERVAL_HAS_UNEXPLAINED |
								    INTERVAL_HAS_OWN_COST
							  : 0));
	if (!rc && !atomic_load_explicit(&taking->any, memory_order_relaxed))
		report_note_no_intervals(r);
	if (!rc && r->format != FORMAT_TEXT && taking->values.count > VALUE_COLUMNS_MAX)
		report_note(r, "%zu names of values have no column: only the first %d do",
			taking->values.count - VALUE_COLUMNS_MAX, VALUE_COLUMNS_MAX);
	free(more);
	derived_free(&metrics);
	return rc;
}

int report_intervals(struct report *r)
{
	struct taking taking = {.r = r};
	struct interval_stream_options how = {.filter = intervals_filter_interval,
		.ctx = &taking,
		.wants = WANT_VALUES | WANT_OWN_COST |
			 (r->format == FORMAT_JSON ? WANT_ALL : WANT_ALL & ~WANT_CPUS)};
	struct interval_stream *s;
	struct lineage lineage = {0};
	struct interval_query query;

	select_stream(&how, r);
	if (!r->top)
		how.query = lineage_query(&lineage, r, &query);
	int rc = value_columns_init(&taking.values, r->trace);

	if (r->top)
		how.near = intervals_is_near;
	if (!rc && r->top)
		rc = top_find(&taking.top, r, r->top);
	else if (!rc && r->sort)
		rc = top_parse_order(&taking.order, r);
	if (!rc)
		rc = interval_stream_open(r->trace, &how, &s, r->found);
	if (!rc) {
		report_note_compensated(r, interval_stream_with_cost(s), interval_stream_count(s));
		rc = r->top ? intervals_keep_chosen(&taking, s)
			    : intervals_see_selected(&taking, s);
		if (!rc && r->sort && !r->top)
			rc = intervals_rank_all(&taking, s, how.wants);
		if (!rc)
			rc = intervals_report(r, s, &taking);
		if (rc == CPIDECODE_ESPOOL && taking.ranking &&
			interval_ranking_error(taking.ranking))
			errno = interval_ranking_error(taking.ranking);
		interval_ranking_free(taking.ranking);
		interval_stream_close(s);
		/* They have rows. */
		begins_free(&r->found->begins);
	}
	lineage_free(&lineage);
	value_columns_free(&taking.values);
	top_free(&taking.top);
	free(taking.chosen);
	intern_free(&taking.memory);
	return rc;
}
