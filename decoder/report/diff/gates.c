/* The gates of a diff: what a change may not exceed. */
#include <math.h>
#include <string.h>

#include "../../sink/units.h"
#include "diff.h"
#include "../tallies.h"

/* The result of a gate that a row's change exceeds. */
enum finding {
	FINDING_NOISE,
	FINDING_CHANGE,
	FINDING_TOO_FEW,
	FINDING_NO_TEST,
};

static const char *diff_row_name(const struct diff *d)
{
	return d->by ? "groups" : "labels and minors";
}

/*
 * A gate's condition is refuted only beyond no change at all. Where it asks for a change in the
 * other direction (mean>-5%: at least 5 % faster), beyond that one.
 */
static struct compare_null null_of(const struct gate *g)
{
	struct compare_null null = COMPARE_EQUAL;
	double edge = g->above ? fmin(g->limit, 0) : fmax(g->limit, 0);

	if (g->percent)
		null.factor = fmax(1 + edge / 100, 0);
	else
		null.offset = edge;
	return null;
}

static int gate_judge_row(const struct diff *d, const struct gate *g, const struct diff_row *row,
	double alpha, enum finding *f)
{
	struct compare_distance far;

	*f = FINDING_NO_TEST;
	if (!diff_has_test(d, g->metric))
		return 0;
	int rc = diff_distance(d, row, g->metric, null_of(g), &far);
	double p = compare_chance_of_side(far, g->above);
	*f = isnan(p) ? FINDING_TOO_FEW : p <= alpha ? FINDING_CHANGE : FINDING_NOISE;
	return rc;
}

static void spell_value(struct out *o, const struct diff *d, unsigned m, double v)
{
	if (diff_is_time(d, m))
		units_duration(o, v);
	else
		units_fixed(o, v, diff_metric_decimals(d, m));
}

static void spell_why(struct out *o, const struct diff *d, const struct gate *g,
	const struct diff_row *row, enum finding f)
{
	const struct value_name name = diff_metric_name(d, g->metric);

	if (f == FINDING_NO_TEST) {
		out_str(o, "; ");
		if (g->metric < METRICS)
			out_str(o, metric_names[g->metric]);
		else
			value_spell_text(o, name.text, name.length);
		out_printf(o, " has no statistical test%s: the gate compares the value itself",
			diff_is_time(d, g->metric) || g->metric == METRIC_COUNT
				? ""
				: " of one run each");
	} else if (f == FINDING_TOO_FEW && diff_is_single(d))
		out_str(o, "; too few independent intervals to tell it from noise");
	else if (f == FINDING_TOO_FEW)
		out_printf(o, "; too few %s to tell it from noise (%zu and %zu, of %d a side)",
			diff_unit_name(d), diff_row_units(d, row, DIFF_BEFORE),
			diff_row_units(d, row, DIFF_AFTER), COMPARE_RUNS);
	else if (diff_is_single(d))
		out_str(o, "; " DIFF_SINGLE);
}

static void tell_failed(struct report *r, const struct diff *d, const struct gate *g,
	const struct diff_row *row, enum finding f)
{
	const struct tally_group *group = diff_name(row);
	const struct diff_value *v = &row->values[g->metric];
	double percent = diff_percent(v->before, v->after);
	struct out o;

	out_memory(&o);
	out_printf(&o, "gate failed: %s: ", g->text);
	diff_spell_name(&o, d, group);
	out_str(&o, ": ");
	spell_value(&o, d, g->metric, v->before);
	out_str(&o, " -> ");
	spell_value(&o, d, g->metric, v->after);
	if (isfinite(percent)) {
		out_str(&o, " (");
		diff_spell_percent(&o, percent);
		out_char(&o, ')');
	}
	spell_why(&o, d, g, row, f);
	out_char(&o, '\0');
	report_note(r, "%s", o.error ? "gate failed" : o.buf);
	out_discard(&o);
}

/* Rows that a gate is about, and how many of them are on both sides. */
static size_t count_matches(const struct diff *d, const struct gate *g, size_t *common)
{
	size_t n = 0;

	*common = 0;
	for (size_t i = 0; i < d->count; i++) {
		bool match = diff_matches(d, g, &d->rows[i]);

		n += match;
		*common += match && diff_in_both(&d->rows[i]);
	}
	return n;
}

static int check_gate(struct report *r, const struct gate *g, const struct diff *d)
{
	size_t absent = 0, few = 0, common, matched = count_matches(d, g, &common);
	double alpha = DIFF_ALPHA / (double)(common ? common : 1);

	for (size_t i = 0; i < d->count; i++) {
		const struct diff_row *row = &d->rows[i];
		const struct diff_value *v = &row->values[g->metric];
		enum finding f;

		if (!diff_matches(d, g, row))
			continue;
		if (isnan(v->before) || isnan(v->after)) {
			absent++;
			continue;
		}
		int rc = gate_judge_row(d, g, row, alpha, &f);
		if (rc)
			return rc;
		if (f != FINDING_NOISE && gate_exceeded(g, v->before, v->after)) {
			tell_failed(r, d, g, row, f);
			r->gates_failed++;
		} else {
			few += f == FINDING_TOO_FEW;
		}
	}
	/* A gate that watches nothing would let everything through, a mistyped label for ever. */
	if (!matched) {
		report_note(r, "gate failed: %s: no such intervals on either side", g->text);
		r->gates_failed++;
	}
	if (absent)
		report_note(r, "gate %s: n/a for %zu of %zu %s", g->text, absent, matched,
			diff_row_name(d));
	if (few)
		report_note(r, "gate %s: too few %s to judge %zu of %zu %s", g->text,
			diff_is_single(d) ? "independent intervals" : diff_unit_name(d), few,
			matched, diff_row_name(d));
	return 0;
}

/* Whether the gate's metric is known. One about an event is settled. */
static bool diff_settle_gate(const struct diff *d, struct gate *g)
{
	for (size_t i = 0; i < d->events.count && g->event_length; i++) {
		const struct event_name *name = &d->events.at[i];
		const struct value_name *spelled = &d->spelled[i];

		gate_settle(g, name->text, name->length, METRICS + (unsigned)i);
		if (spelled->length != name->length)
			gate_settle(g, spelled->text, spelled->length, METRICS + (unsigned)i);
	}
	for (size_t i = 0; i < d->derived.count && g->event_length; i++) {
		const char *name = d->derived.at[i].name;

		gate_settle(g, name, strlen(name), METRICS + (unsigned)(d->events.count + i));
	}
	for (unsigned i = 0; i < d->npercentiles && g->event_length; i++) {
		const struct percentile *p = d->percentiles[i];
		const unsigned metric = d->metrics - d->npercentiles + i;

		gate_settle(g, p->heading, strlen(p->heading), metric);
		gate_settle(g, p->name, strlen(p->name), metric);
	}
	return g->metric != GATE_OPEN && (!g->has_unit || diff_is_time(d, g->metric));
}

bool diff_refuse_gates(struct report *r, const struct diff *d)
{
	for (size_t i = 0; i < r->ngates; i++) {
		struct gate g = r->gates[i];

		if (diff_settle_gate(d, &g))
			continue;
		report_note(r,
			"--fail-if: \"%s\": expected " GATE_METRICS
			", one of --percentiles, or an event of the runs (LABEL: before it)",
			g.text);
		r->is_misused = true;
		return true;
	}
	return false;
}

int diff_gates(struct report *r, const struct diff *d)
{
	int rc = 0;

	r->gates_failed = 0;
	for (size_t i = 0; i < r->ngates && !rc; i++) {
		struct gate g = r->gates[i];

		diff_settle_gate(d, &g);
		rc = check_gate(r, &g, d);
	}
	return rc;
}
