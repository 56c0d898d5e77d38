/* The intervals, one a row. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/cpi_hooks.h"
#include "../../formats/cpuutil_hooks.h"
#include "../base/grow.h"
#include "../model/intervals/keep.h"
#include "../model/intervals/ranking.h"
#include "../model/intervals/stream.h"
#include "notes/missing.h"
#include "open.h"
#include "query/cell_order.h"
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

/* The bits of a stream's selection that parents' names leave. */
enum { INTERVALS_NAMED_BITS = 32 };

struct taking {
	struct report *r;
	atomic_bool any; /* there are intervals */
	atomic_uint has; /* the columns that some of them have */
	struct value_columns values;
	/* With --top: which, and copies of them in their order. */
	struct top top;
	struct interval *chosen;
	struct intern memory;
	bool has_top; /* by numbers that an interval has alone */
	/* With --sort, but for those: all of them. */
	struct top_order order;
	struct cell_order cells; /* instead, if by_cells */
	bool by_cells, by_argument;
	struct interval_ranking *ranking;
	atomic_bool lacks_names; /* more labels than the trace keeps texts */
	/* Columns of values and derived metrics. */
	struct derived_set metrics;
	struct column *more;
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

/* Texts get their ranks by a walk of their own. */
static int intervals_see_cells(struct taking *t, struct interval_stream *s)
{
	const struct interval *iv;
	uint64_t place = 0;
	int rc = interval_stream_rewind(s);

	while (!rc && (rc = interval_stream_next(s, &iv)) > 0)
		rc = cell_order_see(&t->cells, place++, iv);
	return rc ? rc : cell_order_settle(&t->cells, place);
}

static uint64_t intervals_rank(
	struct taking *t, uint64_t place, const struct interval *iv, uint32_t *group)
{
	uint64_t rank;

	if (t->by_cells)
		return cell_order_rank(&t->cells, place, iv, group);
	*group = !top_find_rank(&t->order, t->r->trace, iv, &rank);
	return ~rank;
}

/* The ranking replaces the stream. Equal ones have the order that --top gives them. */
static int intervals_rank_all(struct taking *t, struct interval_stream *s, unsigned wants)
{
	const struct interval *iv;
	uint64_t place = 0;
	uint32_t group, *places = top_place_traces(t->r->trace);
	int rc = places ? interval_ranking_new(t->r->trace, wants, &t->ranking) : CPIDECODE_ENOMEM;

	if (!rc && t->by_cells)
		rc = intervals_see_cells(t, s);
	if (!rc)
		rc = interval_stream_rewind(s);
	while (!rc && (rc = interval_stream_next(s, &iv)) > 0) {
		const uint64_t rank = intervals_rank(t, place++, iv, &group);

		rc = interval_ranking_add(t->ranking, iv, group, rank, places[iv->file]);
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
	bool selected = t->has_top ? top_has(&t->top, iv, &place) : select_interval(t->r, iv);

	if (selected && (t->has_top || !select_nests(t->r)))
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

	while (!t->has_top && select_nests(t->r) && (rc = interval_stream_next(s, &iv)) > 0)
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

static int intervals_print(
	struct report *r, struct interval_stream *s, const struct taking *t, unsigned has)
{
	struct intervals_table table = {.has = has};
	struct rows *rows = &table.rows;
	const struct interval *iv;
	int rc = rows_check_columns(r, interval_columns, t->more);

	if (rc)
		return rc;

	for (rows_begin_more(rows, r, interval_columns, t->more, has);
		rc >= 0 && rows_pass(rows);) {
		for (size_t i = 0; t->chosen && i < t->top.count && !r->out->error; i++)
			intervals_add_row(&table, &t->chosen[i]);
		if (t->chosen)
			continue;
		rc = intervals_rewind(t, s);
		for (size_t n = 0; rc >= 0 && !r->out->error && (!r->top || n < r->top); n++) {
			if ((rc = intervals_next(t, s, &iv)) <= 0)
				break;
			intervals_add_row(&table, iv);
		}
	}
	if (r->format == FORMAT_TEXT && rc >= 0)
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

/* The name of a parent whose label has no number. */
enum { INTERVALS_UNNAMED = UINT32_MAX };

/* The numbers by which the stream names parents: texts of the trace, from 1. */
static uint32_t intervals_name(void *ctx, const struct interval *iv)
{
	struct taking *t = ctx;
	char room[REPORT_NAME_ROOM];
	size_t length;
	const char *name = report_name(iv, room, &length);
	const uint32_t index = trace_text_index(t->r->trace, name, (uint32_t)length);

	if (index != TEXT_NONE)
		return index + 1;
	atomic_store_explicit(&t->lacks_names, true, memory_order_relaxed);
	return INTERVALS_UNNAMED;
}

static struct cell intervals_get_parent(const void *row, const void *of)
{
	const uint32_t name = ((const struct interval *)row)->parent_name;

	if (!name || name == INTERVALS_UNNAMED)
		return cell_string(NULL, 0, false);
	const struct trace_text text = trace_text_at(of, name - 1);
	return cell_string(text.at, text.length, true);
}

static bool intervals_asks_parent(const struct report *r)
{
	const char *sort = r->sort ? r->sort + (*r->sort == '-') : "";

	return strcmp(sort, "parent") == 0 ||
	       (r->columns && rows_lists(r, "parent", strlen("parent")));
}

/* Selections of a query have fewer bits beside the names. */
static int intervals_find_names(struct taking *t, struct interval_stream_options *how)
{
	struct report *r = t->r;

	if (!intervals_asks_parent(r))
		return 0;
	how->name = intervals_name;
	if (!how->query || where_selection_bits(r->where) <= INTERVALS_NAMED_BITS)
		return 0;
	report_note(r,
		"--columns and --sort parent go with a --where of at most %d comparisons, if it asks other intervals",
		INTERVALS_NAMED_BITS);
	r->is_misused = true;
	return CPIDECODE_EINVAL;
}

static struct cell intervals_get_host(const void *row, const void *of)
{
	const char *host = report_host_of(of, ((const struct interval *)row)->file);

	return cell_string(host, host ? strlen(host) : 0, host);
}

/* Adds a column that is shown only where it is listed, unless `when` says else. */
static int intervals_add_column(struct taking *t, const char *name,
	struct cell (*get)(const void *row, const void *of), unsigned when)
{
	const size_t n = column_count(t->more);
	size_t room = n + 1;

	if (array_grow(&t->more, n + 1, &room, sizeof *t->more))
		return CPIDECODE_ENOMEM;
	t->more[n] = (struct column){.name = name,
		.heading = name,
		.source = COLUMN_GET_OF,
		.get_of = get,
		.of = t->r->trace,
		.is_text = true,
		.none = "-",
		.left = true,
		.when = (uint8_t)when};
	t->more[n + 1] = (struct column){.name = NULL};
	return 0;
}

static void intervals_drop_columns(struct taking *t)
{
	free(t->more);
	t->more = NULL;
	derived_free(&t->metrics);
	t->metrics = (struct derived_set){.is_word = where_is_word};
	value_columns_free(&t->values);
	t->values = (struct value_columns){0};
}

/* The columns of the values that were seen, and of derived metrics. */
static int intervals_make_columns(struct taking *t)
{
	struct report *r = t->r;
	const struct value_columns *values = &t->values;
	struct event_names names = {0};
	const char *taken[DERIVED_TAKEN];
	/* A list of columns names arguments one by one. */
	int rc = value_columns_make(
		&t->values, r->columns ? FORMAT_CSV : r->format, interval_columns);

	for (size_t i = 0; i < values->count && !rc; i++) {
		struct trace_text text = trace_text_at(r->trace, values->names[i].name);

		if (values->names[i].kind == VALUE_EVENT)
			rc = event_names_add(&names, text.at, text.length);
	}
	if (!rc)
		rc = derived_make(
			&t->metrics, r, &names, taken, derived_list_names(interval_columns, taken));
	if (!rc)
		t->more = derived_add_columns(
			&t->metrics, values->columns, interval_get_metric, true);
	event_names_free(&names);
	if (!rc && !t->more)
		rc = CPIDECODE_ENOMEM;
	if (!rc)
		rc = intervals_add_column(
			t, "host", intervals_get_host, r->names_hosts ? 0 : INTERVAL_HAS_LIST);
	/* The stream names parents where they are listed. */
	return rc ? rc : intervals_add_column(t, "parent", intervals_get_parent, INTERVAL_HAS_LIST);
}

/* The stream is there, and the columns. */
static int intervals_report(struct report *r, struct interval_stream *s, struct taking *taking)
{
	unsigned has = atomic_load_explicit(&taking->has, memory_order_relaxed);

	if (trace_has_several_containers(r->trace))
		has |= INTERVAL_HAS_CONTAINER;
	if (r->format != FORMAT_TEXT)
		has |= INTERVAL_HAS_TIME | INTERVAL_HAS_LIFE | INTERVAL_HAS_UNEXPLAINED |
		       INTERVAL_HAS_OWN_COST;
	int rc = intervals_print(r, s, taking, has);
	if (!rc && !atomic_load_explicit(&taking->any, memory_order_relaxed))
		report_note_no_intervals(r);
	if (!rc && atomic_load_explicit(&taking->lacks_names, memory_order_relaxed))
		report_note(r,
			"some parents have no name in the column parent: the trace has too many labels that are not in its tables");
	if (!rc && r->format != FORMAT_TEXT && taking->values.count > VALUE_COLUMNS_MAX)
		report_note(r, "%zu names of values have no column: only the first %d do",
			taking->values.count - VALUE_COLUMNS_MAX, VALUE_COLUMNS_MAX);
	return rc;
}

/* Finds the column that --sort names. */
static int intervals_find_cells(struct taking *t)
{
	struct report *r = t->r;
	const char *name = r->sort + (*r->sort == '-');

	t->cells.falling = *r->sort == '-';
	t->cells.column = t->by_argument ? rows_find_column(t->more, name, strlen(name), FORMAT_CSV)
					 : rows_find_sort(r, interval_columns, t->more, r->sort,
						   &t->cells.falling);
	return t->by_argument || t->cells.column ? 0 : CPIDECODE_EINVAL;
}

/* The columns of the first intervals alone, which --top leaves. */
static int intervals_see_first(struct taking *t)
{
	const struct interval *iv;
	int rc;

	intervals_drop_columns(t);
	atomic_store_explicit(&t->any, false, memory_order_relaxed);
	atomic_store_explicit(&t->has, 0, memory_order_relaxed);
	rc = value_columns_init(&t->values, t->r->trace);
	if (!rc)
		rc = interval_ranking_rewind(t->ranking);
	for (size_t n = 0;
		n < t->r->top && !rc && (rc = interval_ranking_next(t->ranking, &iv)) > 0; n++) {
		intervals_see(t, iv);
		rc = 0;
	}
	return rc ? rc : intervals_make_columns(t);
}

static int intervals_sort(struct taking *t, struct interval_stream *s, unsigned wants)
{
	int rc = t->by_cells ? intervals_find_cells(t) : 0;

	if (!rc)
		rc = intervals_rank_all(t, s, wants);
	return rc || !t->r->top ? rc : intervals_see_first(t);
}

/* How --sort and --top choose. */
static int intervals_find_order(struct taking *t)
{
	struct report *r = t->r;
	int rc = 0;

	if (!r->top && !r->sort)
		return 0;
	t->by_cells = !top_parse_order(&t->order, r);
	const struct where_word *word = &t->order.column.words[0];
	/* Some of an argument's values may be texts. No interval may have it. */
	t->by_argument =
		!t->by_cells && word->source == WHERE_VALUE && word->kind == VALUE_ARGUMENT;
	t->by_cells |= t->by_argument && !r->top;
	t->has_top = r->top && !t->by_cells;
	if (t->has_top)
		rc = top_find(&t->top, r, &t->order, r->top);
	if (!rc && t->has_top && atomic_load_explicit(&t->order.has_texts, memory_order_relaxed)) {
		top_free(&t->top);
		t->top = (struct top){0};
		t->has_top = false;
		t->by_cells = true;
	}
	return rc;
}

int report_intervals(struct report *r)
{
	struct taking taking = {.r = r, .metrics.is_word = where_is_word};
	struct interval_stream_options how = {.filter = intervals_filter_interval,
		.ctx = &taking,
		.wants = WANT_VALUES | WANT_OWN_COST |
			 (r->format == FORMAT_JSON ? WANT_ALL : WANT_ALL & ~WANT_CPUS)};
	struct interval_stream *s;
	struct lineage lineage = {0};
	struct interval_query query;

	int rc = value_columns_init(&taking.values, r->trace);

	if (!rc)
		rc = intervals_find_order(&taking);
	select_stream(&how, r);
	if (taking.has_top)
		how.near = intervals_is_near;
	else
		how.query = lineage_query(&lineage, r, &query);
	if (!rc)
		rc = intervals_find_names(&taking, &how);
	if (!rc)
		rc = interval_stream_open(r->trace, &how, &s, r->found);
	if (!rc) {
		report_note_compensated(r, interval_stream_with_cost(s), interval_stream_count(s));
		rc = taking.has_top ? intervals_keep_chosen(&taking, s)
				    : intervals_see_selected(&taking, s);
		if (!rc)
			rc = intervals_make_columns(&taking);
		if (!rc && r->sort && !taking.has_top)
			rc = intervals_sort(&taking, s, how.wants);
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
	intervals_drop_columns(&taking);
	cell_order_free(&taking.cells);
	top_free(&taking.top);
	free(taking.chosen);
	intern_free(&taking.memory);
	return rc;
}
