#include <stdlib.h>
#include <string.h>

#include "../../sink/document.h"
#include "../query/choice.h"
#include "../tallies.h"
#include "choose.h"

static double change_of(const struct diff_value *v)
{
	return v->after - v->before;
}

/* A duration in whole nanoseconds, where it is one of the runs' or a sum of theirs. */
static bool whole_ns(const struct diff *d, const struct diff_row *row, unsigned m,
	enum diff_when side, uint64_t *ns)
{
	const struct diff_entry *e = row->entries[side];
	exact_sum total = 0;

	*ns = 0;
	for (size_t i = 0; i < row->runs[side]; i++) {
		exact_add(&total, e[i].group->total);
		if (*ns < e[i].group->time.max)
			*ns = e[i].group->time.max;
	}
	if (m == METRIC_MAX)
		return row->runs[side] != 0;
	if (m == METRIC_TOTAL) {
		*ns = tally_whole_ns(total, d->runs[side]);
		return true;
	}
	if (!diff_is_time(d, m) || d->runs[side] != 1 || !row->runs[side])
		return false;
	if (m == METRIC_MEAN)
		*ns = tally_whole_ns(total, e->group->time.count);
	else
		*ns = diff_at_percentile(d, m, e->group);
	return true;
}

/* An exact integer if known, else a double. */
static struct cell diff_make_cell(bool known, uint64_t whole, double value, unsigned decimals)
{
	if (!known || whole > INT64_MAX)
		return cell_real(value, decimals);
	return (struct cell){.kind = CELL_WHOLE, .decimals = 0, .u = whole, .real = value};
}

static struct cell diff_make_change(
	bool known, uint64_t before, uint64_t after, double value, unsigned decimals)
{
	const uint64_t size = after > before ? after - before : before - after;

	if (!known || size > INT64_MAX)
		return cell_real(value, decimals);
	return cell_i64(after < before ? -(int64_t)size : (int64_t)size);
}

void diff_find_figures(
	const struct diff *d, const struct diff_row *row, unsigned m, struct cell f[3])
{
	const struct diff_value *v = &row->values[m];
	bool is_long =
		diff_is_time(d, m) && (v->before >= TALLY_LONG_NS || v->after >= TALLY_LONG_NS);
	const unsigned decimals = diff_metric_decimals(d, m);
	uint64_t before = 0, after = 0;
	bool has_before = is_long && whole_ns(d, row, m, DIFF_BEFORE, &before);
	bool has_after = is_long && whole_ns(d, row, m, DIFF_AFTER, &after);

	f[0] = diff_make_cell(
		has_before && v->before >= TALLY_LONG_NS, before, v->before, decimals);
	f[1] = diff_make_cell(has_after && v->after >= TALLY_LONG_NS, after, v->after, decimals);
	f[2] = diff_make_change(has_before && has_after, before, after, change_of(v), decimals);
}

/* NULL: not judged. */
const char *diff_verdict_word(enum verdict v)
{
	switch (v) {
	case VERDICT_CHANGED:
		return "change";
	case VERDICT_NOISE:
		return "noise";
	case VERDICT_TOO_FEW:
		return "too-few";
	default:
		return NULL;
	}
}

const char *diff_kind_name(const struct diff_row *row, unsigned m)
{
	if (m == METRIC_CPI)
		return row->cpi_of;
	return m == METRIC_INSTRUCTIONS ? row->instructions_of : NULL;
}

const char *diff_find_in(const struct diff_row *row)
{
	return diff_in_both(row) ? "both" : row->runs[DIFF_BEFORE] ? "before" : "after";
}

static unsigned diff_has(const struct diff *d)
{
	unsigned has = 0;

	for (size_t i = 0; i < d->count; i++)
		has |= tallies_has(diff_name(&d->rows[i]));
	return has;
}

static uint32_t methods_of(const struct diff_row *row, enum diff_when side)
{
	uint32_t methods = 0;

	for (size_t i = 0; i < row->runs[side]; i++)
		methods |= tally_extra(row->entries[side][i].group)->methods;
	return methods;
}

/* A metric: a row in CSV, an object in the label's row in JSON. Text has all in the label's row. */
struct diff_cells {
	const struct tally_group *group;
	const char *in, *of, *verdict;
	bool scripted;
	struct cell metric, alpha, figures[3], methods[DIFF_SIDES];
	double percent, p;
	uint64_t runs[DIFF_SIDES], hosts[DIFF_SIDES];
	struct diff_value values[METRICS];
};

enum { HAS_HOSTS = DIFF_HAS_OF << 1 };

/* of: an enum metric. */
static void diff_spell_metric(struct out *o, const void *row, const void *of)
{
	diff_spell_change(o, &((const struct diff_cells *)row)->values[(uintptr_t)of]);
}

#define DIFF_AT(member) COLUMN_AT(struct diff_cells, member)
#define TEXT_FIGURES(metric, title, ...)                                                           \
	{.heading = title, DIFF_AT(values[metric].before), __VA_ARGS__},                           \
	{                                                                                          \
		.heading = "after", DIFF_AT(values[metric].after), __VA_ARGS__                     \
	}
#define TEXT_CHANGE(metric, title)                                                                 \
	.heading = title, .text_of = diff_spell_metric, .of = (const void *)metric

static const struct column method_columns[] = {
	{"before", DIFF_AT(methods[DIFF_BEFORE]), .in = IN_NESTED},
	{"after", DIFF_AT(methods[DIFF_AFTER]), .in = IN_NESTED},
	{.name = NULL},
};

static const struct column diff_columns[] = {
	{DIFF_LABEL},
	{TALLIES_MINOR},
	{TALLIES_MAJOR, .in = IN_JSON},
	{"metric", DIFF_AT(metric), .in = IN_CSV},
	{"of", DIFF_AT(of), .in = DIFF_IN_METRIC, .when = DIFF_HAS_OF},
	{"before", DIFF_AT(figures[0]), .in = DIFF_IN_METRIC},
	{"after", DIFF_AT(figures[1]), .in = DIFF_IN_METRIC},
	{"change", DIFF_AT(figures[2]), .in = DIFF_IN_METRIC},
	{"change_pct", DIFF_AT(percent), .in = DIFF_IN_METRIC, .decimals = 2},
	{"verdict", DIFF_AT(verdict), .in = DIFF_IN_METRIC},
	{"p_value", DIFF_AT(p), .in = DIFF_IN_METRIC, .decimals = 6},
	{"in", DIFF_AT(in), .in = IN_JSON},
	{"runs_before", DIFF_AT(runs[DIFF_BEFORE])},
	{"runs_after", DIFF_AT(runs[DIFF_AFTER])},
	{TALLIES_MAJOR, .in = IN_CSV},
	TEXT_FIGURES(METRIC_COUNT, "count", .decimals = 0),
	TEXT_FIGURES(METRIC_TOTAL, "total", .unit = UNIT_DURATION),
	TEXT_FIGURES(METRIC_MEAN, "mean", .unit = UNIT_DURATION),
	{TEXT_CHANGE(METRIC_MEAN, "mean ")},
	{TEXT_CHANGE(METRIC_P50, "p50 ")},
	{TEXT_CHANGE(METRIC_P90, "p90 ")},
	{TEXT_CHANGE(METRIC_P99, "p99 ")},
	TEXT_FIGURES(METRIC_CPI, "CPI", .decimals = 4),
	{TEXT_CHANGE(METRIC_CPI, "CPI ")},
	{TEXT_CHANGE(METRIC_INSTRUCTIONS, "instr. ")},
	{"method_before", "method", DIFF_AT(methods[DIFF_BEFORE]), .in = IN_CSV | IN_TEXT,
		.left = true, .when = TALLIES_HAS_UTIL},
	{"method_after", "after", DIFF_AT(methods[DIFF_AFTER]), .in = IN_CSV | IN_TEXT,
		.left = true, .when = TALLIES_HAS_UTIL},
	{"hosts_before", DIFF_AT(hosts[DIFF_BEFORE]), .when = HAS_HOSTS},
	{"hosts_after", DIFF_AT(hosts[DIFF_AFTER]), .when = HAS_HOSTS},
	{"scripted", DIFF_AT(scripted), .in = IN_JSON},
	{"alpha", DIFF_AT(alpha), .in = IN_JSON},
	{"method", .in = IN_JSON, .source = COLUMN_NEST, .of = method_columns,
		.when = TALLIES_HAS_UTIL},
	{.name = NULL},
};

static struct diff_cells cells_of(const struct diff *d, const struct diff_row *row, unsigned m)
{
	const struct diff_value *v = &row->values[m];
	const struct value_name name = diff_metric_name(d, m);
	struct diff_cells cells = {.group = diff_name(row),
		.metric = cell_string(name.text, name.length, true),
		.alpha = {.kind = CELL_DOUBLE, .real = d->alpha},
		.in = diff_find_in(row),
		.of = diff_kind_name(row, m),
		.verdict = diff_verdict_word(v->judged.verdict),
		.percent = diff_percent(v->before, v->after),
		.p = v->judged.p};

	diff_find_figures(d, row, m, cells.figures);
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		cells.runs[side] = row->runs[side];
		cells.hosts[side] = diff_row_units(d, row, side);
		cells.methods[side] = cell_methods(methods_of(row, side));
	}
	return cells;
}

/* names: of JSON's own members. */
static void diff_write_json_row(const struct report *r, struct json *j, const struct column *names,
	const struct diff *d, const struct diff_row *row)
{
	struct diff_cells cells = cells_of(d, row, 0);

	json_open(j, '{');
	cells.scripted = r->scripted;
	column_write_members(j, names, IN_JSON,
		tallies_has(cells.group) | (diff_by_host(d) ? HAS_HOSTS : 0), &cells);
	for (unsigned m = 0; m < d->metrics; m++) {
		const struct value_name name = diff_metric_name(d, m);

		if (!rows_lists(r, name.text, name.length))
			continue;
		cells = cells_of(d, row, m);
		json_key_bytes(j, name.text, name.length);
		column_write_object(j, diff_columns, IN_NESTED,
			m == METRIC_CPI || m == METRIC_INSTRUCTIONS ? DIFF_HAS_OF : 0, &cells);
	}
	json_close(j, '}');
	json_end_line(j);
}

/* names: columns of CSV, or members of JSON, that are shown. */
static void diff_print_rows(struct report *r, const struct diff *d, const struct column *columns,
	const struct column *names)
{
	struct rows rows;

	rows_begin(
		&rows, r, columns, DIFF_HAS_OF | (diff_by_host(d) ? HAS_HOSTS : 0) | diff_has(d));
	while (rows_pass(&rows))
		for (size_t i = 0; i < d->count && !r->out->error; i++) {
			if (r->format == FORMAT_JSON) {
				diff_write_json_row(r, &rows.json, names, d, &d->rows[i]);
				continue;
			}
			for (unsigned m = 0; m < d->metrics; m++) {
				struct diff_cells cells = cells_of(d, &d->rows[i], m);

				rows_add(&rows, &cells);
			}
		}
	rows_end(&rows);
}

void diff_print_runs(struct report *r, const struct diff *d)
{
	if (diff_is_single(d))
		out_str(r->out, "# " DIFF_SINGLE "\n");
	else if (diff_by_host(d))
		out_printf(r->out,
			"# %zu runs of %zu hosts before, %zu of %zu after: means of the hosts' figures, which the tests compare\n",
			d->runs[DIFF_BEFORE], d->nhosts[DIFF_BEFORE], d->runs[DIFF_AFTER],
			d->nhosts[DIFF_AFTER]);
	else
		out_printf(r->out, "# %zu runs before, %zu after: means of their figures\n",
			d->runs[DIFF_BEFORE], d->runs[DIFF_AFTER]);
}

static void diff_print_text(struct report *r, const struct diff *d, const struct column *columns)
{
	struct document t = {.o = r->out, .width = r->width};

	report_head_lines(r);
	if (!d->count) {
		out_str(r->out, "no intervals\n");
		return;
	}
	diff_print_runs(r, d);
	out_str(r->out, "# ! more than noise   ? too few to tell   otherwise it may be noise\n");
	for (document_begin_list(&t, NULL, columns, diff_has(d)); document_pass(&t);)
		for (size_t i = 0; i < d->count && !r->out->error; i++) {
			struct diff_cells cells = cells_of(d, &d->rows[i], 0);

			memcpy(cells.values, d->rows[i].values, sizeof cells.values);
			document_add_row(&t, &cells);
		}
	diff_print_events(r, d, NULL);
}

/* Whether r->columns names columns of CSV, or members of JSON, alone. */
static bool diff_has_columns(
	const struct report *r, const struct diff *d, const struct column *columns)
{
	const char *list = r->columns, *name;
	size_t length;

	while ((name = rows_next_name(&list, &length))) {
		const struct column *c = rows_find_column(columns, name, length, r->format);
		bool has = c && column_is_in(c, r->format == FORMAT_CSV ? IN_CSV : IN_JSON, ~0u);

		for (unsigned m = 0; m < d->metrics && !has && r->format == FORMAT_JSON; m++) {
			const struct value_name metric = diff_metric_name(d, m);

			has = metric.length == length && memcmp(metric.text, name, length) == 0;
		}
		if (!has)
			return false;
	}
	return true;
}

static int diff_print_shown(struct report *r, const struct diff *d, const struct column *columns)
{
	struct column *names = rows_choose_columns(r, columns);

	if (r->format == FORMAT_TEXT)
		diff_print_text(r, d, columns);
	else if (names)
		diff_print_rows(r, d, columns, names);
	free(names);
	return names ? 0 : CPIDECODE_ENOMEM;
}

/* By --having, --sort, --top and --columns. */
static int diff_print_chosen(struct report *r, const struct diff *d, const struct column *columns)
{
	const bool is_own =
		!r->columns || (r->format != FORMAT_TEXT && diff_has_columns(r, d, columns));
	struct diff_choosing choosing;
	struct diff shown;
	void *rows = NULL;
	int rc = diff_choosing_begin(&choosing, d);

	if (!rc && !is_own)
		rc = diff_check_columns(r, &choosing);
	if (!rc)
		rc = diff_choose(r, &choosing, &shown, &rows);
	if (!rc && is_own)
		rc = diff_print_shown(r, &shown, columns);
	else if (!rc)
		diff_print_groups(r, &choosing, &shown);
	free(rows);
	diff_choosing_end(&choosing);
	return rc;
}

static int diff_print(struct report *r, const struct diff *d)
{
	struct column *columns = by_name_columns(
		d->by, diff_columns, sizeof diff_columns / sizeof *diff_columns, PLACE_LAST);
	int rc = CPIDECODE_ENOMEM;

	if (columns)
		rc = r->columns || choice_is_asked(r) ? diff_print_chosen(r, d, columns)
						      : diff_print_shown(r, d, columns);
	if (!rc && r->format != FORMAT_TEXT && diff_is_single(d))
		report_note(r, DIFF_SINGLE);
	free(columns);
	return rc;
}

int report_diff(
	struct report *r, const struct diff_runs *before, const struct diff_runs *after, bool noise)
{
	struct diff d;
	int rc = diff_make(&d, r, before, after);

	if (rc)
		return rc;
	if (diff_refuse_gates(r, &d)) {
		rc = CPIDECODE_EINVAL;
	} else if (noise) {
		diff_print_noise(r, &d);
	} else {
		rc = diff_print(r, &d);
		if (!rc)
			rc = diff_gates(r, &d);
	}
	diff_free(&d);
	return rc;
}
