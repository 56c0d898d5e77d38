#include <inttypes.h>
#include <math.h>

#include "../sink/escape.h"
#include "../sink/table.h"
#include "../sink/units.h"
#include "why.h"

static const struct row {
	const char *csv, *json, *text;
	unsigned decimals;
} rows[WHY_TERMS] = {[WHY_INSTRUCTIONS] = {"instructions", "instructions", "instructions", 1},
	[WHY_CPI] = {"cpi", "cpi", "CPI", 4},
	[WHY_FREQUENCY] = {"cycles_per_ns", "cycles_per_ns", "cycles_per_ns", 4},
	[WHY_OFF_CPU] = {"off_cpu_ns", "off_cpu", "off CPU", 1},
	[WHY_UNATTRIBUTED] = {"unattributed", "unattributed", "unattributed", 0}};

static double ns_of(int64_t tenths)
{
	return (double)tenths / WHY_PER_NS;
}

/* Percent of the difference; NAN: there is none. */
static double share_of(const struct why_answer *a, enum why_term term)
{
	if (!a->told[term] || !a->difference)
		return NAN;
	return 100 * (double)a->term[term] / (double)a->difference;
}

/* NULL: no term needs to know how long a cycle takes. */
static const char *cycle_word(const struct why_answer *a)
{
	if (!a->told[WHY_CPI])
		return NULL;
	return a->nominal ? "nominal" : "measured";
}

static void csv_begin(struct csv *c, const struct why_group *g, const char *quantity)
{
	tallies_csv_name(c, g->group);
	csv_u64(c, g->group->time.count);
	csv_text(c, quantity);
}

/* util: there are columns for the major and the method. */
static void csv_finish(struct csv *c, const struct why_group *g, bool util)
{
	if (util) {
		csv_u64(c, g->group->major);
		tallies_csv_methods(c, tally_extra(g->group)->methods);
	}
	csv_end(c);
}

static void csv_counts(struct csv *c, const struct why_group *g, const char *quantity, uint64_t m,
	uint64_t t, bool util)
{
	csv_begin(c, g, quantity);
	csv_u64(c, m);
	csv_u64(c, t);
	for (unsigned empty = 0; empty < 3; empty++)
		csv_empty(c);
	csv_finish(c, g, util);
}

static void group_csv(
	struct csv *c, const struct why_group *g, const struct why_answer *a, bool util)
{
	csv_counts(c, g, "intervals", g->sums[WHY_MIDDLE].count, g->sums[WHY_TAIL].count, util);
	csv_counts(c, g, "from_ns", g->from[WHY_MIDDLE], g->from[WHY_TAIL], util);
	csv_counts(c, g, "to_ns", g->to[WHY_MIDDLE], g->to[WHY_TAIL], util);
	csv_begin(c, g, "time_ns");
	csv_fixed(c, ns_of(a->mean[WHY_MIDDLE]), 1);
	csv_fixed(c, ns_of(a->mean[WHY_TAIL]), 1);
	csv_fixed(c, ns_of(a->difference), 1);
	csv_fixed(c, a->difference ? 100 : NAN, 2);
	csv_empty(c);
	csv_finish(c, g, util);
	for (unsigned term = 0; term < WHY_TERMS; term++) {
		csv_begin(c, g, rows[term].csv);
		csv_fixed(c, a->value[WHY_MIDDLE][term], rows[term].decimals);
		csv_fixed(c, a->value[WHY_TAIL][term], rows[term].decimals);
		csv_fixed(c, a->told[term] ? ns_of(a->term[term]) : NAN, 1);
		csv_fixed(c, share_of(a, term), 2);
		csv_text(c, term == WHY_INSTRUCTIONS || term == WHY_CPI ? cycle_word(a) : NULL);
		csv_finish(c, g, util);
	}
}

static void json_side(
	struct json *j, const struct why_group *g, const struct why_answer *a, enum why_side side)
{
	json_open(j, '{');
	json_member_u64(j, "count", g->sums[side].count);
	json_member_u64(j, "from_ns", g->from[side]);
	json_member_u64(j, "to_ns", g->to[side]);
	json_member_fixed(j, "mean_ns", ns_of(a->mean[side]), 1);
	for (unsigned term = 0; term < WHY_UNATTRIBUTED; term++) {
		json_member_fixed(j, rows[term].csv, a->value[side][term], rows[term].decimals);
	}
	json_close(j, '}');
}

static void group_json(
	struct report *r, struct json *j, const struct why_group *g, const struct why_answer *a)
{
	json_open(j, '{');
	tallies_json_name(j, g->group);
	json_member_u64(j, "count", g->group->time.count);
	json_member_bool(j, "scripted", r->scripted);
	if (tally_is_util(g->group))
		tallies_json_methods(j, "method", tally_extra(g->group)->methods);
	json_member_fixed(j, "tail_pct", r->tail / 10.0, 1);
	json_key(j, "middle");
	json_side(j, g, a, WHY_MIDDLE);
	json_key(j, "tail");
	json_side(j, g, a, WHY_TAIL);
	json_member_fixed(j, "difference_ns", ns_of(a->difference), 1);
	json_member_text(j, "cycle", cycle_word(a));
	json_member_open(j, "terms_ns", '{');
	for (unsigned term = 0; term < WHY_TERMS; term++) {
		json_member_fixed(
			j, rows[term].json, a->told[term] ? ns_of(a->term[term]) : NAN, 1);
	}
	json_close(j, '}');
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
	tallies_text_name(o, g->group);
	if (tally_is_util(g->group)) {
		out_str(o, ", method ");
		report_methods_text(o, tally_extra(g->group)->methods);
	}
	out_printf(o, ", %" PRIu64 " interval%s: %" PRIu64 " around p50, %" PRIu64 " from ",
		g->group->time.count, g->group->time.count == 1 ? "" : "s",
		g->sums[WHY_MIDDLE].count, g->sums[WHY_TAIL].count);
	spell_percentile(o, r->tail);
	out_str(o, " up\n");
}

static void text_difference(struct table *t, int64_t tenths)
{
	struct out *o = table_right(t);
	out_char(o, tenths < 0 ? '-' : '+');
	out_fixed(o, fabs(ns_of(tenths)), 1);
}

static void text_value(struct table *t, const struct why_answer *a, unsigned side, unsigned term)
{
	double v = a->value[side][term];
	if (term == WHY_OFF_CPU)
		units_duration(table_right(t), v);
	else if (term == WHY_UNATTRIBUTED)
		table_text(t, "");
	else
		units_fixed(table_right(t), v, rows[term].decimals);
}

static void why_write_text_row(struct table *t, const struct why_answer *a, unsigned term)
{
	table_text(t, rows[term].text);
	text_value(t, a, WHY_MIDDLE, term);
	text_value(t, a, WHY_TAIL, term);
	if (a->told[term])
		text_difference(t, a->term[term]);
	else
		out_str(table_right(t), "n/a");
	units_fixed(table_right(t), share_of(a, term), 1);
	table_end_row(t);
}

static void group_text(struct report *r, const struct why_group *g, const struct why_answer *a)
{
	struct table t;
	text_heading(r, g);
	for (table_begin(&t, r->out); table_pass(&t);) {
		table_text(&t, "");
		table_heading(&t, "middle");
		table_heading(&t, "tail");
		table_heading(&t, "difference (ns)");
		table_heading(&t, "%");
		table_end_row(&t);
		table_text(&t, "time");
		units_duration(table_right(&t), ns_of(a->mean[WHY_MIDDLE]));
		units_duration(table_right(&t), ns_of(a->mean[WHY_TAIL]));
		text_difference(&t, a->difference);
		units_fixed(table_right(&t), a->difference ? 100 : NAN, 1);
		table_end_row(&t);
		for (unsigned term = 0; term < WHY_TERMS; term++)
			why_write_text_row(&t, a, term);
	}
	table_free(&t);
	if (a->nominal)
		out_str(r->out, "(a cycle is taken to be a tick of the trace's clock)\n");
	out_char(r->out, '\n');
}

void why_print(struct report *r, const struct why_group *groups, size_t n)
{
	bool util = false;
	for (size_t i = 0; i < n; i++)
		util |= tally_is_util(groups[i].group);
	const char *names[] = {"label", "minor", "count", "quantity", "middle", "tail",
		"difference_ns", "share_pct", "cycle", util ? "major" : NULL, "method", NULL};
	struct csv c = {.o = r->out};
	struct json j = {.o = r->out};
	if (r->format == FORMAT_CSV)
		csv_header(&c, names);
	if (r->format == FORMAT_TEXT) {
		report_scripted_line(r);
		if (!n)
			out_str(r->out, "no intervals\n");
	}
	for (size_t i = 0; i < n && !r->out->error; i++) {
		struct why_answer a;
		why_answer(groups[i].sums, &a);
		if (r->format == FORMAT_CSV)
			group_csv(&c, &groups[i], &a, util);
		else if (r->format == FORMAT_JSON)
			group_json(r, &j, &groups[i], &a);
		else
			group_text(r, &groups[i], &a);
	}
}
