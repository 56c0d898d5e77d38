#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../sink/table.h"
#include "../../sink/units.h"
#include "../diff/diff.h"
#include "../notes/missing.h"
#include "../values/columns.h"
#include "../values/events.h"
#include "explain.h"
#include "metrics.h"

/* Behind an event's name. */
#define RATE "/1k instr"

static const struct {
	const char *csv, *json, *text;
	unsigned decimals;
} terms[WHY_TERMS + 1] = {[WHY_INSTRUCTIONS] = {"instructions", "instructions", "instructions", 1},
	[WHY_CPI] = {"cpi", "cpi", "CPI", 4},
	[WHY_FREQUENCY] = {"cycles_per_ns", "cycles_per_ns", "cycles_per_ns", 4},
	[WHY_OFF_CPU] = {"off_cpu_ns", "off_cpu", "off CPU", 1},
	[WHY_UNATTRIBUTED] = {"unattributed", "unattributed", "unattributed", 0},
	[WHY_TERMS] = {"time_ns", NULL, "time", 1}};

static double ns_of(int64_t tenths)
{
	return (double)tenths / WHY_PER_NS;
}

/* NULL: no term depends on the time of a cycle. */
static const char *cycle_word(const struct why_answer *a)
{
	if (!a->is_known[WHY_CPI])
		return NULL;
	return a->nominal ? "nominal" : "measured";
}

struct why_row {
	struct why_explained of;
	bool scripted;
	double tail; /* percent */
	struct cell quantity;
	const char *heading; /* of text */
	unsigned term;	     /* enum why_term; WHY_TERMS: the time */
	const char *cycle;
	struct cell sides[WHY_SIDES];
	double difference, share;
};

#define AT(member) COLUMN_AT(struct why_row, member)

/* CSV has a row per quantity; in JSON these members begin the group's object. */
static const struct column why_columns[] = {
	{TALLIES_LABEL},
	{TALLIES_MINOR},
	{TALLIES_MAJOR, .in = IN_JSON},
	{TALLIES_COUNT},
	{"scripted", AT(scripted), .in = IN_JSON},
	{TALLIES_METHOD, .in = IN_JSON},
	{"tail_pct", AT(tail), .in = IN_JSON, .decimals = 1},
	{"quantity", AT(quantity), .in = IN_CSV},
	{"middle", AT(sides[WHY_MIDDLE]), .in = IN_CSV},
	{"tail", AT(sides[WHY_TAIL]), .in = IN_CSV},
	{"difference_ns", AT(difference), .in = IN_CSV, .decimals = 1},
	{"share_pct", AT(share), .in = IN_CSV, .decimals = 2},
	{"cycle", AT(cycle), .in = IN_CSV},
	{TALLIES_MAJOR, .in = IN_CSV},
	{TALLIES_METHOD, .in = IN_CSV},
	{TALLIES_CONTAINER},
	{.name = NULL},
};

static void why_add_quantity(struct rows *rows, struct why_row row, const char *quantity,
	struct cell middle, struct cell tail)
{
	row.quantity = cell_string(quantity, strlen(quantity), true);
	row.sides[WHY_MIDDLE] = middle;
	row.sides[WHY_TAIL] = tail;
	rows_add(rows, &row);
}

#define OFF_CPU_INTERVALS "off_cpu_intervals"
#define COUNTED_INTERVALS "counted_intervals"

const char *const why_quantities[WHY_QUANTITIES] = {"intervals", "from_ns", "to_ns", "time_ns",
	"instructions", "cpi", "cycles_per_ns", "off_cpu_ns", "unattributed", OFF_CPU_INTERVALS,
	COUNTED_INTERVALS};

/* Whether some of a group's intervals measured it, but not all. */
static bool why_is_partial(const struct why_group *g, uint64_t middle, uint64_t tail)
{
	const uint64_t known = middle + tail;

	return known && known < g->sums[WHY_MIDDLE].count + g->sums[WHY_TAIL].count;
}

/* Its name in CSV, where quantities have names, too. */
static void why_name_candidate(struct out *o, const struct why_candidate *c)
{
	const struct event_name name = {c->event->name, c->event->length};

	if (event_needs_prefix(&name, why_quantities, WHY_QUANTITIES))
		out_str(o, VALUE_EVENT_PREFIX);
	out_bytes(o, name.text, name.length);
	if (c->is_rate)
		out_str(o, RATE);
}

static void why_add_candidate(struct rows *rows, struct why_row row, const struct why_candidate *c)
{
	struct out name;

	out_memory(&name);
	why_name_candidate(&name, c);
	if (name.error)
		rows->csv.o->error = name.error;
	row.quantity = cell_string(name.buf, name.len, true);
	for (unsigned side = 0; side < WHY_SIDES; side++)
		row.sides[side] = cell_real(c->value[side], 4);
	rows_add(rows, &row);
	out_discard(&name);
}

static void why_add_metrics(struct rows *rows, struct why_row row, const struct why_metrics *m)
{
	for (size_t k = 0; k < m->derived.count; k++) {
		const struct why_metric metric = why_metrics_get(m, k, row.of.group);

		if (why_metrics_has(m, k, row.of.group))
			why_add_quantity(rows, row, metric.name,
				cell_real(metric.value[WHY_MIDDLE], METRIC_DECIMALS),
				cell_real(metric.value[WHY_TAIL], METRIC_DECIMALS));
	}
}

static void why_add_explanations(
	struct rows *rows, struct why_row row, const struct why_explanations *e)
{
	size_t count;
	const struct why_explanation *of = why_explanations_of(e, row.of.group->index, &count);

	for (size_t i = 0; i < count; i++) {
		why_explained_set(&row.of, &of[i]);
		row.difference = of[i].excess_ns;
		row.share = of[i].share;
		why_add_quantity(rows, row, "explanation", cell_real(NAN, 1), cell_real(NAN, 1));
	}
}

/* term: enum why_term, or WHY_TERMS for the time that the terms add up to. */
static void why_set_term_row(struct why_row *row, const struct why_answer *a, unsigned term)
{
	const bool is_time = term == WHY_TERMS;

	row->term = term;
	row->heading = terms[term].text;
	row->quantity = cell_string(terms[term].csv, strlen(terms[term].csv), true);
	row->difference = row->share = NAN;
	if (is_time || a->is_known[term]) {
		const int64_t tenths = is_time ? a->difference : a->term[term];

		row->difference = ns_of(tenths);
		if (a->difference)
			row->share = 100 * (double)tenths / (double)a->difference;
	}
	row->cycle = term == WHY_INSTRUCTIONS || term == WHY_CPI ? cycle_word(a) : NULL;
	for (unsigned side = 0; side < WHY_SIDES; side++)
		row->sides[side] = cell_real(is_time ? ns_of(a->mean[side]) : a->value[side][term],
			terms[term].decimals);
}

static void why_add_partial(struct rows *rows, struct why_row row, const struct why_group *g,
	const char *quantity, uint64_t middle, uint64_t tail)
{
	if (why_is_partial(g, middle, tail))
		why_add_quantity(rows, row, quantity, cell_u64(middle, true), cell_u64(tail, true));
}

static void group_csv(const struct report *r, struct rows *rows, const struct why_group *g,
	const struct why_answer *a, const struct why_explanations *e,
	const struct why_metrics *metrics)
{
	struct why_row row = {.of.group = g->group,
		.scripted = r->scripted,
		.tail = r->tail / 10.0,
		.difference = NAN,
		.share = NAN};
	const struct why_row none = row;

	why_add_quantity(rows, row, "intervals", cell_u64(g->sums[WHY_MIDDLE].count, true),
		cell_u64(g->sums[WHY_TAIL].count, true));
	why_add_quantity(rows, row, "from_ns", cell_u64(g->from[WHY_MIDDLE], true),
		cell_u64(g->from[WHY_TAIL], true));
	why_add_quantity(rows, row, "to_ns", cell_u64(g->to[WHY_MIDDLE], true),
		cell_u64(g->to[WHY_TAIL], true));
	why_set_term_row(&row, a, WHY_TERMS);
	rows_add(rows, &row);
	why_add_explanations(rows, none, e);
	struct why_candidate all[TALLY_EVENTS];
	why_find_candidates(g, all);
	for (unsigned term = 0; term < WHY_TERMS; term++) {
		why_set_term_row(&row, a, term);
		rows_add(rows, &row);
	}
	const struct why_sums *middle = &g->sums[WHY_MIDDLE], *tail = &g->sums[WHY_TAIL];
	why_add_partial(rows, none, g, OFF_CPU_INTERVALS, middle->tell_off, tail->tell_off);
	why_add_partial(rows, none, g, COUNTED_INTERVALS, middle->tell_counts, tail->tell_counts);
	for (uint32_t k = 0; k < tally_extra(g->group)->num_events; k++)
		why_add_candidate(rows, none, &all[k]);
	why_add_metrics(rows, none, metrics);
}

/* A figure next to the difference, not in it: the cost of an event is unknown. */
struct why_change {
	const struct why_candidate *event; /* NULL: a metric */
	struct cell name, sides[WHY_SIDES];
	double change; /* percent */
};

static struct cell why_get_per(const void *row)
{
	const char *per =
		((const struct why_change *)row)->event->is_rate ? "1k instr" : "interval";

	return cell_string(per, strlen(per), true);
}

static void why_spell_event(struct out *o, const void *row)
{
	const struct why_change *change = row;

	value_spell_text(o, change->name.s, change->name.len);
	if (change->event->is_rate)
		out_str(o, RATE);
}

static void why_spell_change(struct out *o, const void *row)
{
	diff_spell_percent(o, ((const struct why_change *)row)->change);
}

#define CHANGE_AT(member) COLUMN_AT(struct why_change, member)
#define WHY_CHANGE                                                                                 \
	{"middle", "middle", CHANGE_AT(sides[WHY_MIDDLE])},                                        \
		{"tail", "tail", CHANGE_AT(sides[WHY_TAIL])},                                      \
	{                                                                                          \
		"change_pct", "change", CHANGE_AT(change), .decimals = 2, .text = why_spell_change \
	}
static const struct column event_columns[] = {
	{"event", "event", CHANGE_AT(name), .text = why_spell_event, .left = true,
		.place = PLACE_FIRST},
	{"per", .get = why_get_per},
	WHY_CHANGE,
	{.name = NULL},
};

static const struct column metric_columns[] = {
	{"metric", "metric", CHANGE_AT(name), .left = true, .place = PLACE_FIRST},
	WHY_CHANGE,
	{.name = NULL},
};

static void why_write_candidates(struct document *d, const struct why_group *g)
{
	struct why_candidate all[TALLY_EVENTS];
	const uint32_t n = tally_extra(g->group)->num_events;

	if (!n)
		return;
	why_find_candidates(g, all);
	for (document_begin_list(d, "events", event_columns, 0); document_pass(d);)
		for (uint32_t k = 0; k < n; k++) {
			struct why_change row = {.event = &all[k],
				.name = cell_string(all[k].event->name, all[k].event->length, true),
				.change = all[k].change};

			for (unsigned side = 0; side < WHY_SIDES; side++)
				row.sides[side] = cell_real(all[k].value[side], d->j ? 4 : 2);
			document_add_row(d, &row);
		}
}

static void why_write_metrics(
	struct document *d, const struct why_group *g, const struct why_metrics *m)
{
	bool any = false;

	for (size_t k = 0; k < m->derived.count && !any; k++)
		any = why_metrics_has(m, k, g->group);
	if (!any)
		return;
	for (document_begin_list(d, "metrics", metric_columns, 0); document_pass(d);)
		for (size_t k = 0; k < m->derived.count; k++) {
			const struct why_metric metric = why_metrics_get(m, k, g->group);
			struct why_change row = {
				.name = cell_string(metric.name, strlen(metric.name), true),
				.change = metric.change};

			for (unsigned side = 0; side < WHY_SIDES; side++)
				row.sides[side] = cell_real(metric.value[side], METRIC_DECIMALS);
			if (why_metrics_has(m, k, g->group))
				document_add_row(d, &row);
		}
}

static void json_side(
	struct json *j, const struct why_group *g, const struct why_answer *a, enum why_side side)
{
	const struct why_sums *middle = &g->sums[WHY_MIDDLE], *tail = &g->sums[WHY_TAIL];

	json_open(j, '{');
	json_member_u64(j, "count", g->sums[side].count);
	if (why_is_partial(g, middle->tell_off, tail->tell_off))
		json_member_u64(j, OFF_CPU_INTERVALS, g->sums[side].tell_off);
	if (why_is_partial(g, middle->tell_counts, tail->tell_counts))
		json_member_u64(j, COUNTED_INTERVALS, g->sums[side].tell_counts);
	json_member_u64(j, "from_ns", g->from[side]);
	json_member_u64(j, "to_ns", g->to[side]);
	json_member_fixed(j, "mean_ns", ns_of(a->mean[side]), 1);
	for (unsigned term = 0; term < WHY_UNATTRIBUTED; term++) {
		json_member_fixed(j, terms[term].csv, a->value[side][term], terms[term].decimals);
	}
	json_close(j, '}');
}

/* Members of JSON that are no columns of why_columns in it. */
static const struct column why_members[] = {{.name = "middle"}, {.name = "tail"},
	{.name = "difference_ns"}, {.name = "explanations"}, {.name = "cycle"},
	{.name = "terms_ns"}, {.name = "events"}, {.name = "metrics"}, {.name = NULL}};

static bool why_lists(const struct report *r, const char *name)
{
	return rows_lists(r, name, strlen(name));
}

static void why_write_terms_json(struct json *j, const struct why_answer *a)
{
	json_member_open(j, "terms_ns", '{');
	for (unsigned term = 0; term < WHY_TERMS; term++) {
		json_member_fixed(
			j, terms[term].json, a->is_known[term] ? ns_of(a->term[term]) : NAN, 1);
	}
	json_close(j, '}');
}

/* columns: those of why_columns that are shown. */
static void group_json(struct report *r, struct json *j, const struct column *columns,
	const struct why_group *g, const struct why_answer *a, const struct why_explanations *e,
	const struct why_metrics *metrics)
{
	const struct why_row row = {
		.of.group = g->group, .scripted = r->scripted, .tail = r->tail / 10.0};
	struct document d = {.j = j};

	json_open(j, '{');
	rows_write_host(j, r);
	column_write_members(j, columns, IN_JSON, tallies_has(g->group), &row);
	for (enum why_side side = 0; side < WHY_SIDES; side++) {
		const char *name = side == WHY_MIDDLE ? "middle" : "tail";

		if (!why_lists(r, name))
			continue;
		json_key(j, name);
		json_side(j, g, a, side);
	}
	if (why_lists(r, "difference_ns"))
		json_member_fixed(j, "difference_ns", ns_of(a->difference), 1);
	if (why_lists(r, "explanations"))
		why_write_explanations(&d, e, g->group->index);
	if (why_lists(r, "cycle"))
		json_member_text(j, "cycle", cycle_word(a));
	if (why_lists(r, "terms_ns"))
		why_write_terms_json(j, a);
	if (why_lists(r, "events"))
		why_write_candidates(&d, g);
	if (why_lists(r, "metrics"))
		why_write_metrics(&d, g, metrics);
	json_close(j, '}');
	json_end_line(j);
}

static void spell_percentile(struct out *o, unsigned permille)
{
	out_printf(o, "p%u", permille / 10);
	if (permille % 10)
		out_printf(o, ".%u", permille % 10);
}

static void text_heading(struct report *r, const struct why_group *g)
{
	struct out *o = r->out;

	tallies_text_heading(o, g->group, true);
	out_printf(o, ": %" PRIu64 " around p50, %" PRIu64 " from ", g->sums[WHY_MIDDLE].count,
		g->sums[WHY_TAIL].count);
	spell_percentile(o, r->tail);
	out_str(o, " up\n");
}

/* side: into the row's sides. */
static void why_spell_side(struct out *o, const void *row, const void *side)
{
	const struct why_row *w = row;
	const double v = w->sides[*(const enum why_side *)side].real;

	if (w->term == WHY_TERMS || w->term == WHY_OFF_CPU)
		units_duration(o, v);
	else if (w->term != WHY_UNATTRIBUTED)
		units_fixed(o, v, terms[w->term].decimals);
}

static void why_spell_difference(struct out *o, const void *row)
{
	const double ns = ((const struct why_row *)row)->difference;

	/* What is left unattributed by rounding is tenths of a nanosecond. */
	units_duration_change(o, fabs(ns) < 0.5 ? 0 : ns);
}

static const enum why_side why_sides[] = {WHY_MIDDLE, WHY_TAIL};
static const struct column term_columns[] = {
	{.heading = "", AT(heading), .left = true, .place = PLACE_FIRST},
	{.heading = "middle", .text_of = why_spell_side, .of = &why_sides[WHY_MIDDLE]},
	{.heading = "tail", .text_of = why_spell_side, .of = &why_sides[WHY_TAIL]},
	{.heading = "difference", .text = why_spell_difference},
	{.heading = "%", AT(share), .decimals = 1},
	{.name = NULL},
};

static void why_write_terms(struct document *d, const struct why_answer *a)
{
	struct why_row row = {0};

	for (document_begin_list(d, NULL, term_columns, 0); document_pass(d);) {
		why_set_term_row(&row, a, WHY_TERMS);
		document_add_row(d, &row);
		for (unsigned term = 0; term < WHY_TERMS; term++) {
			why_set_term_row(&row, a, term);
			document_add_row(d, &row);
		}
	}
}

static void why_note_partial(struct report *r, const struct why_group *g, const char *what,
	uint64_t middle, uint64_t tail, bool is_known)
{
	if (!why_is_partial(g, middle, tail))
		return;
	out_printf(r->out,
		"(%s measured in %" PRIu64 " of %" PRIu64 " around p50, %" PRIu64 " of %" PRIu64
		" from ",
		what, middle, g->sums[WHY_MIDDLE].count, tail, g->sums[WHY_TAIL].count);
	spell_percentile(r->out, r->tail);
	out_str(r->out, is_known ? " up)\n" : " up; nine in ten of each are needed)\n");
}

static void group_text(struct report *r, const struct why_group *g, const struct why_answer *a,
	const struct why_explanations *e, const struct why_metrics *metrics)
{
	struct document d = {.o = r->out, .width = r->width};

	text_heading(r, g);
	why_write_explanations(&d, e, g->group->index);
	why_write_terms(&d, a);
	if (a->nominal)
		out_str(r->out, "(a cycle is taken to be a tick of the trace's clock)\n");
	const struct why_sums *middle = &g->sums[WHY_MIDDLE], *tail = &g->sums[WHY_TAIL];
	why_note_partial(
		r, g, "off CPU", middle->tell_off, tail->tell_off, a->is_known[WHY_OFF_CPU]);
	why_note_partial(r, g, "instructions", middle->tell_counts, tail->tell_counts,
		a->is_known[WHY_INSTRUCTIONS]);
	why_write_candidates(&d, g);
	why_write_metrics(&d, g, metrics);
	out_char(r->out, '\n');
}

static void why_print_text(struct report *r, const struct why_group *groups, const struct tally *t,
	const struct why_explanations *e, const struct why_metrics *metrics)
{
	struct missing_why found = {0};

	report_head_lines(r);
	if (!t->count)
		out_str(r->out, "no intervals\n");
	for (size_t i = 0; i < t->count && !r->out->error; i++) {
		struct why_answer a;

		why_answer(groups[i].sums, &a);
		group_text(r, &groups[i], &a, e, metrics);
		found.counts |= !isnan(a.value[WHY_TAIL][WHY_CPI]);
		found.split |= a.is_known[WHY_CPI];
		found.frequency |= a.is_known[WHY_FREQUENCY];
		found.off |= a.is_known[WHY_OFF_CPU];
		found.difference |= a.difference != 0;
	}
	missing_why_line(r, t, &found);
}

int why_check_columns(struct report *r)
{
	struct column members[sizeof why_columns / sizeof *why_columns] = {{.name = NULL}};
	size_t n = 0;

	if (r->format != FORMAT_JSON)
		return rows_check_columns(r, why_columns, why_explanation_columns);
	for (const struct column *c = why_columns; !column_is_last(c); c++)
		if (column_is_in(c, IN_JSON, ~0u))
			members[n++] = *c;
	return rows_check_columns(r, members, why_members);
}

static void why_print_rows(struct report *r, const struct column *columns,
	const struct why_group *groups, const struct tally *t, const struct why_explanations *e,
	const struct why_metrics *metrics)
{
	struct rows rows;

	/* Explanations get columns only if there are any. */
	for (rows_begin_more(&rows, r, why_columns,
		     e->count || r->of_host || r->columns ? why_explanation_columns : NULL,
		     tallies_of_hosts(r, tallies_have(t)));
		rows_pass(&rows);)
		for (size_t i = 0; i < t->count && !r->out->error; i++) {
			struct why_answer a;

			why_answer(groups[i].sums, &a);
			if (r->format == FORMAT_CSV)
				group_csv(r, &rows, &groups[i], &a, e, metrics);
			else
				group_json(r, &rows.json, columns, &groups[i], &a, e, metrics);
		}
	rows_end(&rows);
}

void why_print(struct report *r, const struct why_group *groups, const struct tally *t,
	const struct why_explanations *e, const struct why_metrics *metrics)
{
	struct column *columns;

	if (r->format == FORMAT_TEXT) {
		why_print_text(r, groups, t, e, metrics);
		return;
	}
	columns = rows_choose_columns(r, why_columns);
	if (columns)
		why_print_rows(r, columns, groups, t, e, metrics);
	else
		r->out->error = ENOMEM;
	free(columns);
}

#undef AT
