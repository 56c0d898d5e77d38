/* Count, times and CPIs per label, minor and major. */
#include "summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../sink/document.h"
#include "notes/missing.h"
#include "query/choice.h"
#include "query/groups.h"
#include "tallies.h"
#include "values/columns.h"
#include "values/events.h"
#include "values/percentiles.h"

struct summary_row {
	const struct tally_group *group;
	const struct summary_more *more;
	struct cell total, mean, flagged;
	uint64_t min, p50, p90, p99, max;
	double raw, scaled, thread, busy, util[COLUMN_UTIL_RATIOS];
	const char *weighting;
	bool scripted;
	const struct tally_event *const *events;
};

#define SUMMARY_AT(member) COLUMN_AT(struct summary_row, member)
#define TIME_AT(member) SUMMARY_AT(member), .unit = UNIT_DURATION
/* n/a of a group that has intervals in flight alone. */
#define LEAST_AT(member) COLUMN_COUNT_AT(struct summary_row, member), .unit = UNIT_DURATION
#define RATIO_AT(member) SUMMARY_AT(member), .decimals = 4
#define PERCENT_AT(member) RATIO_AT(member), .unit = UNIT_PERCENT
#define UTIL_AT(member) PERCENT_AT(member), .when = TALLIES_HAS_UTIL, .spare = 8

/* A group without CPIs has none. */
static struct cell summary_get_weighting(const void *row)
{
	const char *weighting = ((const struct summary_row *)row)->weighting;

	return cell_string(weighting, strlen(weighting), strcmp(weighting, "none") != 0);
}

static const struct column summary_columns[] = {
	{TALLIES_LABEL},
	{TALLIES_MINOR},
	{TALLIES_MAJOR, .in = IN_JSON},
	{TALLIES_COUNT},
	{"total_ns", "total", TIME_AT(total)},
	{"mean_ns", "mean", TIME_AT(mean), .spare = 4},
	{"min_ns", "min", LEAST_AT(min), .spare = 9},
	{"p50_ns", "p50", LEAST_AT(p50), .spare = 3},
	{"p90_ns", "p90", LEAST_AT(p90), .spare = 5},
	{"p99_ns", "p99", LEAST_AT(p99), .spare = 1},
	{"max_ns", "max", LEAST_AT(max), .spare = 2},
	{"raw_cpi", "raw CPI", RATIO_AT(raw), .spare = 3},
	{"scaled_cpi", "scaled", RATIO_AT(scaled), .spare = 7},
	{"thread_cpi", "thread", RATIO_AT(thread), .spare = 2},
	{"cpi_weighting", NULL, SUMMARY_AT(weighting), .left = true},
	{NULL, "by", .get = summary_get_weighting, .left = true, .spare = 11, .none = "none"},
	{"busy_pct", "busy%", PERCENT_AT(busy), .spare = 6},
	{"scripted", NULL, SUMMARY_AT(scripted)},
	{"flagged", NULL, SUMMARY_AT(flagged)},
	{TALLIES_MAJOR, .in = IN_CSV},
	{"idle_pct", "idle%", UTIL_AT(util[COLUMN_IDLE])},
	{"intr_pct", "intr%", UTIL_AT(util[COLUMN_INTR])},
	{"actual_perf_pct", "perf%", UTIL_AT(util[COLUMN_PERF])},
	{TALLIES_METHOD},
	{TALLIES_CONTAINER},
	{.name = NULL},
};

/* The columns, and their data in addition to a tally. */
struct summary_more {
	struct report *r;
	const struct groups *groups; /* NULL: none */
	struct column *own;	     /* of all traces */
	/* Columns after them. */
	struct event_names names;
	struct event_columns events;
	struct derived_set metrics;
	struct column *columns;		  /* of both */
	const struct tally_event **found; /* of the row's group */
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

static uint64_t summary_percentile(const struct tally_group *g, unsigned percent)
{
	return g->time.count ? histogram_percentile(&g->time, percent) : NOT_MEASURED;
}

/* Finds the group's events, too. */
static struct summary_row summary_make_row(
	const struct tally_group *g, const struct summary_more *more)
{
	struct sums scratch;
	const struct sums *s = tally_sums(g, &scratch);
	const double mean = tally_total_ns(g) / (double)g->time.count;
	struct summary_row row = {.group = g,
		.more = more,
		.total = summary_get_ns(g, 1, tally_total_ns(g)),
		.mean = mean >= TALLY_LONG_NS ? summary_get_ns(g, g->time.count, mean)
					      : cell_real(mean, 1),
		.min = summary_percentile(g, 0),
		.p50 = summary_percentile(g, 50),
		.p90 = summary_percentile(g, 90),
		.p99 = summary_percentile(g, 99),
		.max = summary_percentile(g, 100),
		.raw = ratio_cpi(&s->ratios.raw),
		.scaled = ratio_cpi(&s->ratios.scaled),
		.thread = ratio_cpi(&s->ratios.thread),
		.weighting = ratios_weighting(&s->ratios),
		.busy = ratios_busy(&s->ratios),
		.util = {NAN, NAN, NAN, NAN, NAN, NAN},
		.scripted = s->scripted,
		.flagged = cell_u64(s->flagged, s->quality || s->flagged),
		.events = more->found};

	event_names_find(&more->names, g, more->found);

	if (tally_is_util(g)) {
		struct columns_reader reader;
		const struct ratio *util = tally_util(g, &reader);

		for (unsigned i = COLUMN_IDLE; i < COLUMN_UTIL_RATIOS; i++)
			row.util[i] = 100 * ratio_value(&util[i]);
	}
	return row;
}

static struct cell summary_get_metric(const void *row, const void *of)
{
	return cell_real(
		derived_of_group(of, ((const struct summary_row *)row)->group), METRIC_DECIMALS);
}

/* In text an event or a metric has a row: there may be very many. */
struct summary_event {
	const struct tally_group *group;
	const struct tally_event *event; /* NULL: a metric */
	const char *metric;
	struct cell figures[EVENT_FIGURES];
};

static void summary_spell_event(struct out *o, const void *row)
{
	const struct summary_event *e = row;

	if (e->event)
		value_spell_text(o, e->event->name, e->event->length);
	else
		out_str(o, e->metric);
}

#define EVENT_AT(figure) COLUMN_AT(struct summary_event, figures[figure])
static const struct column event_rows[] = {
	{TALLIES_LABEL},
	{TALLIES_MINOR},
	{NULL, "event", .text = summary_spell_event, .left = true},
	{NULL, "total", EVENT_AT(EVENT_TOTAL)},
	{NULL, "mean", EVENT_AT(EVENT_MEAN)},
	{NULL, "known%", EVENT_AT(EVENT_KNOWN)},
	{NULL, "scaled", EVENT_AT(EVENT_SCALED)},
	{.name = NULL},
};

static void summary_add_events(
	struct document *d, const struct tally_group *g, const struct summary_more *more)
{
	struct summary_event row = {.group = g, .event = tally_extra(g)->events};

	for (; row.event; row.event = row.event->next) {
		for (enum event_figure f = 0; f < EVENT_FIGURES; f++) {
			row.figures[f] = event_cell(row.event, g->time.count, f);
			row.figures[f].decimals = 2;
		}
		document_add_row(d, &row);
	}
	for (enum event_figure f = 0; f < EVENT_FIGURES; f++)
		row.figures[f] = cell_string("", 0, true);
	for (size_t k = 0; k < more->metrics.count; k++) {
		const double value = derived_of_group(&more->metrics.at[k], g);

		row.metric = more->metrics.at[k].name;
		row.figures[EVENT_MEAN] = cell_real(value, METRIC_DECIMALS);
		if (!isnan(value) || tally_extra(g)->events)
			document_add_row(d, &row);
	}
}

static void summary_write_more(
	struct report *r, const struct tally *t, const struct summary_more *more)
{
	struct column *columns = by_name_columns(
		r->by, event_rows, sizeof event_rows / sizeof *event_rows, PLACE_FIRST);
	struct document d = {.o = r->out, .width = r->width, .title = "\n", .keeps_heading = true};

	if (!columns) {
		r->out->error = ENOMEM;
		return;
	}
	for (document_begin_list(&d, NULL, columns, 0); document_pass(&d);)
		for (size_t i = 0; i < t->count && !r->out->error; i++)
			summary_add_events(&d, t->groups[i], more);
	free(columns);
}

static void summary_print_groups(
	struct report *r, const struct tally *t, const struct summary_more *more)
{
	struct rows rows;

	rows_begin_more(&rows, r, more->own,
		r->format == FORMAT_TEXT && !r->columns ? NULL : more->columns, tallies_have(t));
	if (r->format == FORMAT_TEXT)
		tallies_flagged_line(r, t);
	while (tallies_pass(&rows, r, t->count))
		for (size_t i = 0; i < t->count; i++) {
			rows.has = tallies_has(t->groups[i]);
			struct summary_row row = summary_make_row(t->groups[i], more);
			rows_add(&rows, &row);
		}
	rows_end(&rows);
	if (r->format == FORMAT_TEXT && !r->columns && t->count &&
		(more->names.count || more->metrics.count))
		summary_write_more(r, t, more);
	/* Groups by keys do not tell which of them have light intervals alone. */
	if (r->format == FORMAT_TEXT && (!r->by || more->groups->has_cpi))
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
			"intervals of one label have more than %d events: only the first by name are counted",
			TALLY_EVENTS);
}

static struct cell summary_get_percentile(const void *row, const void *of)
{
	const struct summary_row *at = row;
	const struct percentile *p = of;
	const struct tally_group *g = at->group;
	const struct percentiles *all = at->more->r->percentiles;
	uint64_t value = NOT_MEASURED;

	if (at->more->r->exact)
		value = groups_exact_value(at->more->groups, g, (unsigned)(p - all->at));
	else if (g->time.count)
		value = histogram_at_rank(&g->time, percentile_rank(p, g->time.count));
	return cell_u64(value, value != NOT_MEASURED);
}

/* The parts of the bucket's time. */
static double summary_width_ns(const struct summary_row *row)
{
	return (double)row->more->r->by->width_ns;
}

static struct cell summary_get_starts(const void *row)
{
	const struct summary_row *at = row;

	return cell_real((double)at->group->time.count / summary_width_ns(at) * 1e9, 3);
}

static struct cell summary_get_flying_mean(const void *row)
{
	const struct summary_row *at = row;
	const struct in_flight_row *f = groups_in_flight(at->more->groups, at->group);

	return cell_real(f ? (double)f->sum / summary_width_ns(at) : 0, 4);
}

static struct cell summary_get_flying_most(const void *row)
{
	const struct summary_row *at = row;
	const struct in_flight_row *f = groups_in_flight(at->more->groups, at->group);

	return cell_u64(f ? f->most : 0, true);
}

static struct cell summary_get_flying_pct(const void *row)
{
	const struct summary_row *at = row;
	const struct in_flight_row *f = groups_in_flight(at->more->groups, at->group);

	return cell_real(f ? 100 * (double)f->busy_ns / summary_width_ns(at) : 0, 4);
}

/* Columns of buckets of time. */
static const struct column time_columns[] = {
	{"starts_per_s", "starts/s", .get = summary_get_starts},
	{"in_flight_mean", "in flight", .get = summary_get_flying_mean},
	{"in_flight_most", "most", .get = summary_get_flying_most},
	{"in_flight_pct", "in flight%", .get = summary_get_flying_pct, .unit = UNIT_PERCENT},
};

enum {
	SUMMARY_COLUMNS = sizeof summary_columns / sizeof *summary_columns,
	SUMMARY_TIMES = sizeof time_columns / sizeof *time_columns,
};
_Static_assert(SUMMARY_COLUMNS + SUMMARY_TIMES + BY_KEYS + PERCENTILES <= DERIVED_TAKEN, "fit");

static bool summary_is_percentile(const struct column *c)
{
	return c->offset == offsetof(struct summary_row, p50) ||
	       c->offset == offsetof(struct summary_row, p90) ||
	       c->offset == offsetof(struct summary_row, p99);
}

static size_t summary_add_percentiles(const struct percentiles *p, struct column *to)
{
	for (unsigned i = 0; i < p->count; i++)
		to[i] = (struct column){.name = p->at[i].name,
			.heading = p->at[i].heading,
			.source = COLUMN_GET_OF,
			.get_of = summary_get_percentile,
			.of = &p->at[i],
			.spare = 3,
			.unit = UNIT_DURATION};
	return p->count;
}

size_t summary_list_names(const char *taken[DERIVED_TAKEN])
{
	return derived_list_names(summary_columns, taken);
}

/* The list above, with the keys instead of label and minor, the percentiles that are asked for, and
 * the columns of time. */
static int summary_make_columns(struct summary_more *more)
{
	const struct report *r = more->r;
	size_t n = r->by ? r->by->count : 0;
	struct column *to = calloc(DERIVED_TAKEN + 1, sizeof *to);

	if (!to)
		return CPIDECODE_ENOMEM;
	if (r->by)
		by_make_columns(r->by, to);
	for (size_t i = r->by ? 2 : 0; i < SUMMARY_COLUMNS - 1; i++) {
		if (!r->percentiles || !summary_is_percentile(&summary_columns[i]))
			to[n++] = summary_columns[i];
		else if (summary_columns[i].offset == offsetof(struct summary_row, p50))
			n += summary_add_percentiles(r->percentiles, to + n);
	}
	if (r->by && r->by->asks_time)
		memcpy(to + n, time_columns, sizeof time_columns);
	more->own = to;
	return 0;
}

static int summary_find_more(struct summary_more *more, struct report *r, const struct tally *t)
{
	const char *taken[DERIVED_TAKEN];
	int rc = summary_make_columns(more);

	if (!rc)
		rc = event_names_gather(&more->names, t);
	if (rc)
		return rc;
	event_names_sort(&more->names);
	more->found = calloc(more->names.count + 1, sizeof *more->found);
	rc = more->found ? event_columns_make(&more->events, &more->names, summary_get_event)
			 : CPIDECODE_ENOMEM;
	if (!rc)
		rc = derived_make(&more->metrics, r, &more->names, taken,
			derived_list_names(more->own, taken));
	if (rc)
		return rc;
	more->columns = derived_add_columns(
		&more->metrics, more->events.columns, summary_get_metric, false);
	return more->columns ? 0 : CPIDECODE_ENOMEM;
}

/* To choose groups. */
struct summary_choosing {
	const struct summary_more *more;
	struct summary_row row;
};

static const void *summary_choose_row(void *ctx, const void *element)
{
	struct summary_choosing *c = ctx;

	c->row = summary_make_row(*(const struct tally_group *const *)element, c->more);
	return &c->row;
}

/* The groups that are printed, in their order: *to, a copy of t, gets an array of its own. */
static int summary_arrange(
	struct report *r, const struct summary_more *more, const struct tally *t, struct tally *to)
{
	struct summary_choosing choosing = {.more = more};
	const struct choice choice = {.columns = more->own,
		.more = more->columns,
		.what = "a column of the summary",
		.otherwise = "-total_ns",
		.row = summary_choose_row,
		.ctx = &choosing};
	int rc = 0;

	if (!choice_is_asked(r) && !r->by)
		return 0;
	to->groups = calloc(t->count + 1, sizeof *to->groups);
	if (!to->groups)
		return CPIDECODE_ENOMEM;
	if (t->count)
		memcpy(to->groups, t->groups, t->count * sizeof *to->groups);
	if (r->by)
		rc = groups_order(r, to->groups, to->count);
	return rc ? rc : choice_make(r, &choice, to->groups, &to->count, sizeof *to->groups);
}

static void summary_free_more(struct summary_more *more)
{
	free(more->own);
	free(more->columns);
	free(more->found);
	derived_free(&more->metrics);
	event_columns_free(&more->events);
	event_names_free(&more->names);
}

int summary_choose(
	struct report *r, const struct tally *t, const struct groups *groups, struct tally *chosen)
{
	struct summary_more more = {.r = r, .groups = groups};
	int rc = summary_find_more(&more, r, t);

	*chosen = *t;
	chosen->groups = NULL;
	if (!rc)
		rc = summary_arrange(r, &more, t, chosen);
	summary_free_more(&more);
	return rc;
}

int summary_print(struct report *r, const struct tally *t, const struct groups *groups)
{
	struct summary_more more = {.r = r, .groups = groups};
	struct tally sorted = *t;
	int rc = summary_find_more(&more, r, t);

	sorted.groups = NULL;
	if (!rc)
		rc = rows_check_columns(r, more.own, more.columns);
	if (!rc)
		rc = summary_arrange(r, &more, t, &sorted);
	if (!rc) {
		summary_print_groups(r, sorted.groups ? &sorted : t, &more);
		summary_note_events(r, t, &more.names);
	}
	free(sorted.groups);
	summary_free_more(&more);
	return rc;
}

static int summary_print_read(struct report *r, const struct tally *t, const struct groups *groups)
{
	int rc = summary_print(r, t, groups);

	if (!rc)
		tallies_note_children_lost(r, t, "");
	return rc;
}

static int summary_print_by(struct report *r)
{
	struct groups groups = {.nexact = 0};
	int rc = groups_read(r, &groups);

	if (!rc)
		rc = summary_print_read(r, &groups.tally, &groups);
	groups_free(&groups);
	return rc;
}

int report_summary(struct report *r)
{
	struct tally t = {.wanted = tallies_want_containers(r)};

	if (r->by || r->exact)
		return summary_print_by(r);
	int rc = tallies_read(r, &t);
	if (!rc)
		rc = summary_print_read(r, &t, NULL);
	tally_free(&t);
	return rc;
}
