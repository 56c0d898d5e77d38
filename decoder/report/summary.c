/* Count, times and CPIs per label, minor and major. */
#include <stdlib.h>
#include <string.h>

#include "../sink/units.h"
#include "notes/missing.h"
#include "text/rows_fit.h"
#include "tallies.h"
#include "values/columns.h"
#include "values/events.h"
#include "values/metrics.h"

struct summary_row {
	const struct tally_group *group;
	struct cell total, mean, flagged;
	uint64_t min, p50, p90, p99, max;
	double raw, scaled, thread, busy, util[COLUMN_UTIL_RATIOS];
	const char *weighting;
	bool scripted;
	const struct tally_event *const *events;
};

#define AT(member) COLUMN_AT(struct summary_row, member)
#define TIME_AT(member) AT(member), .unit = UNIT_DURATION
#define RATIO_AT(member) AT(member), .decimals = 4
#define PERCENT_AT(member) RATIO_AT(member), .unit = UNIT_PERCENT
#define UTIL_AT(member) PERCENT_AT(member), .when = TALLIES_HAS_UTIL, .spare = 8

/* Of a group without CPIs there is none. */
static struct cell summary_get_weighting(const void *row)
{
	const char *weighting = ((const struct summary_row *)row)->weighting;

	return cell_string(weighting, strlen(weighting), strcmp(weighting, "none") != 0);
}

static const struct column columns[] = {
	{TALLIES_LABEL},
	{TALLIES_MINOR},
	{TALLIES_MAJOR, .in = IN_JSON},
	{TALLIES_COUNT},
	{"total_ns", "total", TIME_AT(total)},
	{"mean_ns", "mean", TIME_AT(mean), .spare = 4},
	{"min_ns", "min", TIME_AT(min), .spare = 9},
	{"p50_ns", "p50", TIME_AT(p50), .spare = 3},
	{"p90_ns", "p90", TIME_AT(p90), .spare = 5},
	{"p99_ns", "p99", TIME_AT(p99), .spare = 1},
	{"max_ns", "max", TIME_AT(max), .spare = 2},
	{"raw_cpi", "raw CPI", RATIO_AT(raw), .spare = 3},
	{"scaled_cpi", "scaled", RATIO_AT(scaled), .spare = 7},
	{"thread_cpi", "thread", RATIO_AT(thread), .spare = 2},
	{"cpi_weighting", NULL, AT(weighting), .left = true},
	{NULL, "by", .get = summary_get_weighting, .left = true, .spare = 11, .none = "none"},
	{"busy_pct", "busy%", PERCENT_AT(busy), .spare = 6},
	{"scripted", NULL, AT(scripted)},
	{"flagged", NULL, AT(flagged)},
	{TALLIES_MAJOR, .in = IN_CSV},
	{"idle_pct", "idle%", UTIL_AT(util[COLUMN_IDLE])},
	{"intr_pct", "intr%", UTIL_AT(util[COLUMN_INTR])},
	{"actual_perf_pct", "perf%", UTIL_AT(util[COLUMN_PERF])},
	{TALLIES_METHOD},
	{.name = NULL},
};

static struct cell summary_get_ns(const struct tally_group *g, uint64_t divisor, double ns)
{
	return (struct cell){CELL_WHOLE, .u = tally_whole_ns(g->total, divisor), .real = ns};
}

static struct cell summary_get_event(const void *row, const void *of)
{
	const struct summary_row *r = row;
	const struct event_column *column = of;

	return event_cell(r->events[column->index], r->group->time.count, column->figure);
}

static struct summary_row summary_make_row(
	const struct tally_group *g, const struct tally_event *const *events)
{
	struct sums scratch;
	const struct sums *s = tally_sums(g, &scratch);
	const double mean = tally_total_ns(g) / (double)g->time.count;
	struct summary_row row = {.group = g,
		.total = summary_get_ns(g, 1, tally_total_ns(g)),
		.mean = mean >= TALLY_LONG_NS ? summary_get_ns(g, g->time.count, mean)
					      : cell_real(mean, 1),
		.min = histogram_percentile(&g->time, 0),
		.p50 = histogram_percentile(&g->time, 50),
		.p90 = histogram_percentile(&g->time, 90),
		.p99 = histogram_percentile(&g->time, 99),
		.max = histogram_percentile(&g->time, 100),
		.raw = ratio_cpi(&s->ratios.raw),
		.scaled = ratio_cpi(&s->ratios.scaled),
		.thread = ratio_cpi(&s->ratios.thread),
		.weighting = ratios_weighting(&s->ratios),
		.busy = ratios_busy(&s->ratios),
		.util = {NAN, NAN, NAN, NAN, NAN, NAN},
		.scripted = s->scripted,
		.flagged = cell_u64(s->flagged, s->quality || s->flagged),
		.events = events};

	if (tally_is_util(g)) {
		struct columns_reader reader;
		const struct ratio *util = tally_util(g, &reader);

		for (unsigned i = COLUMN_IDLE; i < COLUMN_UTIL_RATIOS; i++)
			row.util[i] = 100 * ratio_value(&util[i]);
	}
	return row;
}

static void summary_spell_figure(struct table *t, struct cell cell)
{
	struct out *o = table_right(t);

	if (cell.kind == CELL_U64)
		out_u64(o, cell.u);
	else
		units_fixed(o, cell.kind == CELL_REAL ? cell.real : NAN, 2);
}

static void summary_write_event(
	struct table *t, const struct tally_group *g, const struct tally_event *e)
{
	tallies_spell_label(table_left(t), &g);
	value_spell_text(table_left(t), e->name, e->length);
	for (enum event_figure f = 0; f < EVENT_FIGURES; f++)
		summary_spell_figure(t, event_cell(e, g->time.count, f));
	tallies_spell_code(table_right(t), &g);
	table_end_row(t);
}

static struct cell summary_get_metric(const void *row, const void *of)
{
	return cell_real(
		derived_of_group(of, ((const struct summary_row *)row)->group), METRIC_DECIMALS);
}

static void summary_write_metric(
	struct table *t, const struct tally_group *g, const struct derived *d)
{
	const double value = derived_of_group(d, g);

	if (isnan(value) && !tally_extra(g)->events)
		return;
	tallies_spell_label(table_left(t), &g);
	table_text(t, d->name);
	table_text(t, "");
	units_fixed(table_right(t), value, METRIC_DECIMALS);
	table_text(t, "");
	table_text(t, "");
	tallies_spell_code(table_right(t), &g);
	table_end_row(t);
}

/* What follows the columns that all traces have. */
struct summary_more {
	struct event_names names;
	struct event_columns events;
	struct derived_set metrics;
	struct column *columns;		  /* of both */
	const struct tally_event **found; /* of the row's group */
};

/* In text they have rows of their own: there may be very many. */
static void summary_write_more(
	struct report *r, const struct tally *t, const struct summary_more *more)
{
	static const char *const headings[] = {"total", "mean", "known%", "scaled", "mm"};
	struct table table;

	out_char(r->out, '\n');
	for (table_begin(&table, r->out); table_pass(&table);) {
		if (!table_is_measuring(&table))
			rows_fit_label(&table, r->width);
		table_text(&table, "label");
		table_text(&table, "event");
		for (unsigned i = 0; i < sizeof headings / sizeof *headings; i++)
			table_heading(&table, headings[i]);
		table_end_row(&table);
		for (size_t i = 0; i < t->count && !r->out->error; i++) {
			const struct tally_event *e = tally_extra(t->groups[i])->events;

			for (; e; e = e->next)
				summary_write_event(&table, t->groups[i], e);
			for (size_t k = 0; k < more->metrics.count; k++)
				summary_write_metric(&table, t->groups[i], &more->metrics.at[k]);
		}
	}
	table_free(&table);
}

static void summary_print_groups(
	struct report *r, const struct tally *t, const struct summary_more *more)
{
	struct rows rows;

	rows_begin_more(&rows, r, columns,
		r->format == FORMAT_TEXT && !r->columns ? NULL : more->columns, tallies_have(t));
	if (r->format == FORMAT_TEXT)
		tallies_flagged_line(r, t);
	while (tallies_pass(&rows, r, t->count))
		for (size_t i = 0; i < t->count; i++) {
			rows.has = tallies_has(t->groups[i]);
			event_names_find(&more->names, t->groups[i], more->found);
			struct summary_row row = summary_make_row(t->groups[i], more->found);
			rows_add(&rows, &row);
		}
	rows_end(&rows);
	if (r->format == FORMAT_TEXT && !r->columns && t->count &&
		(more->names.count || more->metrics.count))
		summary_write_more(r, t, more);
	if (r->format == FORMAT_TEXT)
		missing_summary_line(r, t);
}

static void summary_note_events(
	const struct report *r, const struct tally *t, const struct event_names *names)
{
	if (r->format != FORMAT_TEXT && names->count > VALUE_COLUMNS_MAX)
		report_note(r, "%zu events have no column: only the first %d do",
			names->count - VALUE_COLUMNS_MAX, VALUE_COLUMNS_MAX);
	if (t->events_left_out)
		report_note(r,
			"intervals of one label have more than %d events: the first by name count",
			TALLY_EVENTS);
}

static int summary_find_more(struct summary_more *more, struct report *r, const struct tally *t)
{
	const char *taken[DERIVED_TAKEN];
	int rc = event_names_gather(&more->names, t);

	if (rc)
		return rc;
	event_names_sort(&more->names);
	more->found = calloc(more->names.count + 1, sizeof *more->found);
	rc = more->found ? event_columns_make(&more->events, &more->names, summary_get_event)
			 : CPIDECODE_ENOMEM;
	if (!rc)
		rc = derived_make(
			&more->metrics, r, &more->names, taken, derived_list_names(columns, taken));
	if (rc)
		return rc;
	more->columns = derived_add_columns(
		&more->metrics, more->events.columns, summary_get_metric, false);
	return more->columns ? 0 : CPIDECODE_ENOMEM;
}

/* A group and what it is sorted by. */
struct summary_key {
	struct tally_group *group;
	struct cell cell;
	size_t place;
	bool falling;
};

static double summary_key_number(const struct cell *c)
{
	switch (c->kind) {
	case CELL_U64:
	case CELL_BOOL:
		return (double)c->u;
	case CELL_I64:
		return (double)c->i;
	case CELL_WHOLE:
	case CELL_REAL:
	case CELL_DOUBLE:
		return c->real;
	default:
		return NAN;
	}
}

/* Texts by their bytes, numbers by value, what is n/a last. */
static int summary_compare_keys(const void *x, const void *y)
{
	const struct summary_key *a = x, *b = y;
	const bool texts = a->cell.kind == CELL_STRING && b->cell.kind == CELL_STRING;
	double m = summary_key_number(&a->cell), n = summary_key_number(&b->cell);
	bool known_a = a->cell.kind == CELL_STRING || !isnan(m);
	bool known_b = b->cell.kind == CELL_STRING || !isnan(n);
	int c = 0;

	if (known_a != known_b)
		return known_a ? -1 : 1;
	if (texts) {
		size_t least = a->cell.len < b->cell.len ? a->cell.len : b->cell.len;

		c = least ? memcmp(a->cell.s, b->cell.s, least) : 0;
		if (!c)
			c = (a->cell.len > b->cell.len) - (a->cell.len < b->cell.len);
	} else if (known_a) {
		c = (m > n) - (m < n);
	}
	if (!c)
		return (a->place > b->place) - (a->place < b->place);
	return a->falling ? -c : c;
}

static const struct column *summary_find_sort(const struct summary_more *more, const char *name)
{
	const struct column *c = rows_find_column(columns, name, strlen(name), FORMAT_CSV);

	return c ? c : rows_find_column(more->columns, name, strlen(name), FORMAT_CSV);
}

/* Sorts and cuts the groups of `to`, a copy of t, whose array is new. */
static int summary_sort(
	struct report *r, const struct summary_more *more, const struct tally *t, struct tally *to)
{
	const char *sort = r->sort ? r->sort : "-total_ns";
	const bool falling = *sort == '-';
	const struct column *by = summary_find_sort(more, sort + falling);

	if (!by) {
		report_note(r, "--sort %s: this report has no column of that name", sort);
		r->is_misused = true;
		return CPIDECODE_EINVAL;
	}
	struct summary_key *keys = calloc(t->count + 1, sizeof *keys);
	to->groups = calloc(t->count + 1, sizeof *to->groups);
	if (!keys || !to->groups) {
		free(keys);
		return CPIDECODE_ENOMEM;
	}
	for (size_t i = 0; i < t->count; i++) {
		event_names_find(&more->names, t->groups[i], more->found);
		struct summary_row row = summary_make_row(t->groups[i], more->found);
		keys[i] = (struct summary_key){t->groups[i], column_cell(by, &row), i, falling};
	}
	qsort(keys, t->count, sizeof *keys, summary_compare_keys);
	to->count = r->top && r->top < t->count ? r->top : t->count;
	for (size_t i = 0; i < to->count; i++)
		to->groups[i] = keys[i].group;
	free(keys);
	return 0;
}

int summary_print(struct report *r, const struct tally *t)
{
	struct summary_more more = {0};
	struct tally sorted = *t;
	int rc = summary_find_more(&more, r, t);

	sorted.groups = NULL;
	if (!rc)
		rc = rows_check_columns(r, columns, more.columns);
	if (!rc && (r->sort || r->top))
		rc = summary_sort(r, &more, t, &sorted);
	if (!rc) {
		summary_print_groups(r, sorted.groups ? &sorted : t, &more);
		summary_note_events(r, t, &more.names);
	}
	free(sorted.groups);
	free(more.columns);
	free(more.found);
	derived_free(&more.metrics);
	event_columns_free(&more.events);
	event_names_free(&more.names);
	return rc;
}

/* On standard error: a partial result does not tell it, and its report has the same bytes. */
static void summary_note_children_lost(const struct report *r, const struct tally *t)
{
	uint64_t count = 0;
	exact_sum total = 0;

	for (size_t i = 0; i < t->count; i++) {
		count += t->groups[i]->time.count;
		exact_add(&total, t->groups[i]->total);
	}
	report_note_children_lost(r, t->children_lost, count,
		(double)t->children_lost_time / (double)total, "time", "");
}

int report_summary(struct report *r)
{
	struct tally t = {0};
	int rc = tallies_read(r, &t);

	if (!rc)
		rc = summary_print(r, &t);
	if (!rc)
		summary_note_children_lost(r, &t);
	tally_free(&t);
	return rc;
}
