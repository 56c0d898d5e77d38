/* The text's table of events, derived metrics and percentiles, of a diff and of its noise. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../sink/document.h"
#include "../../sink/units.h"
#include "diff.h"

void diff_spell_percent(struct out *o, double percent)
{
	if (!isfinite(percent)) {
		out_str(o, "n/a");
		return;
	}
	if (percent > -0.05)
		out_char(o, '+');
	out_fixed(o, percent, 1);
	out_char(o, '%');
}

void diff_spell_change(struct out *o, const struct diff_value *v)
{
	const double percent = diff_percent(v->before, v->after);

	diff_spell_percent(o, percent);
	if (v->judged.verdict == VERDICT_CHANGED)
		out_char(o, '!');
	else
		out_char(o, v->judged.verdict == VERDICT_TOO_FEW && isfinite(percent) ? '?' : ' ');
}

struct diff_event {
	const struct tally_group *group;
	struct value_name name;
	bool is_time;
	struct diff_value value;
	struct noise noise;
};

enum { DIFF_HAS_CHANGE = 1 << 0, DIFF_HAS_NOISE = 1 << 1 };

static void events_spell_name(struct out *o, const void *row)
{
	const struct diff_event *e = row;

	value_spell_text(o, e->name.text, e->name.length);
}

static void events_spell_figure(struct out *o, const void *row, const void *of)
{
	const struct diff_event *e = row;
	const double figure = *(const double *)((const char *)row + (uintptr_t)of);

	if (e->is_time)
		units_duration(o, figure);
	else
		units_fixed(o, figure, 2);
}

static void events_spell_change(struct out *o, const void *row)
{
	diff_spell_change(o, &((const struct diff_event *)row)->value);
}

#define AT(member) COLUMN_AT(struct diff_event, member)
#define FIGURE(member)                                                                             \
	.text_of = events_spell_figure, .of = (const void *)offsetof(struct diff_event, member)

static const struct column event_columns[] = {
	{DIFF_LABEL},
	{TALLIES_MINOR},
	{NULL, "event", .text = events_spell_name, .left = true},
	{NULL, "mean", FIGURE(value.before), .when = DIFF_HAS_CHANGE},
	{NULL, "after", FIGURE(value.after), .when = DIFF_HAS_CHANGE},
	{NULL, "mean ", .text = events_spell_change, .when = DIFF_HAS_CHANGE},
	{NULL, "mean", FIGURE(noise.value), .when = DIFF_HAS_NOISE},
	{NULL, "noise", AT(noise.share), .unit = UNIT_SHARE, .when = DIFF_HAS_NOISE},
	{NULL, "least", AT(noise.least), .unit = UNIT_SHARE, .when = DIFF_HAS_NOISE},
	{.name = NULL},
};

void diff_print_events(struct report *r, const struct diff *d,
	struct noise (*noise)(const struct diff *d, const struct diff_row *row, unsigned m))
{
	struct column *columns;
	struct document t = {.o = r->out, .width = r->width, .title = "\n", .keeps_heading = true};

	if (d->metrics == METRICS)
		return;
	columns = by_name_columns(
		d->by, event_columns, sizeof event_columns / sizeof *event_columns, PLACE_LAST);
	if (!columns) {
		r->out->error = ENOMEM;
		return;
	}
	for (document_begin_list(&t, NULL, columns, noise ? DIFF_HAS_NOISE : DIFF_HAS_CHANGE);
		document_pass(&t);)
		for (size_t i = 0; i < d->count && !r->out->error; i++)
			for (unsigned m = METRICS; m < d->metrics; m++) {
				struct diff_event e = {.group = diff_name(&d->rows[i]),
					.name = diff_metric_name(d, m),
					.is_time = diff_percentile(d, m),
					.value = d->rows[i].values[m]};

				if (!diff_has_event(d, &d->rows[i], m))
					continue;
				if (noise)
					e.noise = noise(d, &d->rows[i], m);
				document_add_row(&t, &e);
			}
	free(columns);
}

#undef AT
