/*
 * Which groups a diff prints, and in what order: --having, --sort and --top; and the table of
 * --columns that has a row for each group. Its columns are the group's, and figures of metrics:
 * METRIC.FIGURE, and METRIC alone, its value after.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../sink/units.h"
#include "../query/choice.h"
#include "choose.h"

enum figure {
	FIGURE_AFTER_ALONE, /* called as the metric */
	FIGURE_BEFORE,
	FIGURE_AFTER,
	FIGURE_CHANGE,
	FIGURE_CHANGE_PCT,
	FIGURE_VERDICT,
	FIGURE_P_VALUE,
	FIGURES,
};

static const char *const figure_names[FIGURES] = {
	"", ".before", ".after", ".change", ".change_pct", ".verdict", ".p_value"};

/* What a column shows. */
struct diff_figure {
	unsigned metric;
	enum figure figure;
};

struct diff_chosen_row {
	const struct tally_group *group;
	const struct diff *d;
	const struct diff_row *row;
};

static struct cell diff_get_runs(const void *row, const void *of)
{
	const enum diff_when side = of ? DIFF_AFTER : DIFF_BEFORE;

	return cell_u64(((const struct diff_chosen_row *)row)->row->runs[side], true);
}

static struct cell diff_get_in(const void *row)
{
	const char *in = diff_find_in(((const struct diff_chosen_row *)row)->row);

	return cell_string(in, strlen(in), true);
}

static const struct column group_columns[] = {
	{TALLIES_LABEL},
	{TALLIES_MINOR},
	{TALLIES_MAJOR},
	{"in", "in", .get = diff_get_in, .left = true},
	{"runs_before", "runs_before", .source = COLUMN_GET_OF, .get_of = diff_get_runs},
	{"runs_after", "runs_after", .source = COLUMN_GET_OF, .get_of = diff_get_runs, .of = ""},
	{.name = NULL},
};

static struct cell diff_get_figure(const void *row, const void *of)
{
	const struct diff_chosen_row *r = row;
	const struct diff_figure *f = of;
	const struct diff_value *v = &r->row->values[f->metric];
	struct cell figures[3];
	const char *verdict;

	switch (f->figure) {
	case FIGURE_CHANGE_PCT:
		return cell_real(diff_percent(v->before, v->after), 2);
	case FIGURE_VERDICT:
		verdict = diff_verdict_word(v->judged.verdict);
		return cell_string(verdict, verdict ? strlen(verdict) : 0, verdict);
	case FIGURE_P_VALUE:
		return cell_real(v->judged.p, 6);
	default:
		diff_find_figures(r->d, r->row, f->metric, figures);
		return figures[f->figure == FIGURE_BEFORE ? 0 : f->figure == FIGURE_CHANGE ? 2 : 1];
	}
}

/* Spells the change of a time, with its sign. */
static void diff_spell_time_change(struct out *o, const void *row, const void *of)
{
	const struct diff_figure *f = of;
	const struct diff_value *v = &((const struct diff_chosen_row *)row)->row->values[f->metric];

	units_duration_change(o, v->after - v->before);
}

static void diff_make_figure(struct diff_choosing *c, unsigned m, enum figure f, const char *name)
{
	const size_t i = (size_t)f * c->d->metrics + m; /* the metrics alone come first */
	const bool is_time = diff_is_time(c->d, m) && f <= FIGURE_CHANGE;
	struct column *column = &c->figures[i];

	c->of[i] = (struct diff_figure){m, f};
	*column = (struct column){.name = name,
		.heading = name,
		.source = COLUMN_GET_OF,
		.get_of = diff_get_figure,
		.of = &c->of[i],
		.unit = is_time ? UNIT_DURATION : UNIT_NONE,
		.is_text = f == FIGURE_VERDICT,
		.left = f == FIGURE_VERDICT};
	if (is_time && f == FIGURE_CHANGE)
		column->text_of = diff_spell_time_change;
}

/* The names are those of CSV, safe for a terminal. */
static int diff_make_figures(struct diff_choosing *c)
{
	struct out name;
	int rc = 0;

	out_memory(&name);
	for (unsigned m = 0; m < c->d->metrics && !rc; m++)
		for (enum figure f = 0; f < FIGURES && !rc; f++) {
			const struct value_name metric = diff_metric_name(c->d, m);
			const char *kept;

			name.len = 0;
			value_spell_text(&name, metric.text, metric.length);
			out_str(&name, figure_names[f]);
			kept = name.error ? NULL
					  : intern_bytes(&c->names, name.buf, (uint32_t)name.len);
			if (kept)
				diff_make_figure(c, m, f, kept);
			else
				rc = CPIDECODE_ENOMEM;
		}
	out_discard(&name);
	return rc;
}

int diff_choosing_begin(struct diff_choosing *c, const struct diff *d)
{
	const size_t n = (size_t)d->metrics * FIGURES;

	*c = (struct diff_choosing){.d = d,
		.columns = by_name_columns(d->by, group_columns,
			sizeof group_columns / sizeof *group_columns, PLACE_FIRST),
		.figures = calloc(n + 1, sizeof *c->figures),
		.of = calloc(n + 1, sizeof *c->of)};
	return c->columns && c->figures && c->of ? diff_make_figures(c) : CPIDECODE_ENOMEM;
}

void diff_choosing_end(struct diff_choosing *c)
{
	free(c->columns);
	free(c->figures);
	free(c->of);
	intern_free(&c->names);
	*c = (struct diff_choosing){.d = NULL};
}

static struct diff_chosen_row diff_chosen(const struct diff *d, const struct diff_row *row)
{
	return (struct diff_chosen_row){.group = diff_name(row), .d = d, .row = row};
}

struct diff_choice {
	const struct diff *d;
	struct diff_chosen_row row;
};

static const void *diff_choose_row(void *ctx, const void *element)
{
	struct diff_choice *c = ctx;

	c->row = diff_chosen(c->d, element);
	return &c->row;
}

int diff_choose(struct report *r, const struct diff_choosing *c, struct diff *shown, void **rows)
{
	struct diff_choice ctx = {.d = c->d};
	const struct choice choice = {.columns = c->columns,
		.more = c->figures,
		.what = "a column of the report",
		.row = diff_choose_row,
		.ctx = &ctx};

	*shown = *c->d;
	int rc = choice_copy(r, &choice, c->d->rows, &shown->count, sizeof *shown->rows, rows);
	if (*rows)
		shown->rows = *rows;
	return rc;
}

int diff_check_columns(struct report *r, const struct diff_choosing *c)
{
	return rows_check_columns(r, c->columns, c->figures);
}

void diff_print_groups(struct report *r, const struct diff_choosing *c, const struct diff *shown)
{
	struct rows rows;

	rows_begin_more(&rows, r, c->columns, c->figures, 0);
	if (r->format == FORMAT_TEXT && shown->count)
		diff_print_runs(r, shown);
	while (tallies_pass(&rows, r, shown->count))
		for (size_t i = 0; i < shown->count && !r->out->error; i++) {
			const struct diff_chosen_row row = diff_chosen(c->d, &shown->rows[i]);

			rows_add(&rows, &row);
		}
	rows_end(&rows);
}
