/* Prints gaps: a line for each label, and one for each interval that filled them. */
#include <stdlib.h>
#include <string.h>

#include "../choice.h"
#include "gaps.h"

static const char gaps_nothing[] = "nothing recorded";

/* A line of text and CSV; cells that are not of the line are none. */
struct gap_line {
	const struct tally_group *group;
	const struct gap_row *row; /* NULL: the line is of an interval that filled them */
	const char *what;
	const struct tally_group *filler;
	struct cell tid, task; /* with --by thread */
	struct cell text_tid, text_task;
	struct cell filler_label, filler_minor;
	struct cell count, share, mean, p50, p99, max;
	double total;
	uint64_t off_ns; /* NOT_MEASURED: unknown */
};

static void gaps_spell_label(struct out *o, const void *line)
{
	const struct gap_line *l = line;

	if (l->row) {
		tallies_spell_label(o, line);
		return;
	}
	out_str(o, "  ");
	if (l->filler)
		tallies_spell_label(o, &l->filler);
	else
		out_printf(o, "(%s)", l->what);
}

static void gaps_spell_minor(struct out *o, const void *line)
{
	const struct gap_line *l = line;

	if (l->row)
		tallies_spell_code(o, line);
	else if (l->filler)
		tallies_spell_code(o, &l->filler);
}

#define AT(member) COLUMN_AT(struct gap_line, member)

static const struct column filler_columns[] = {
	{"label", AT(filler_label)},
	{"minor", AT(filler_minor)},
	{"count", AT(count)},
	{"total_ns", AT(total), .decimals = 1},
	{"share_pct", AT(share)},
	{"off_cpu_ns", COLUMN_COUNT_AT(struct gap_line, off_ns)},
	{.name = NULL},
};

static struct gap_line gaps_begin_line(const struct gap_row *row, const char *what, exact_sum total)
{
	const char *task = report_task_name(row->task);

	return (struct gap_line){.group = row->group,
		.what = what,
		.tid = cell_u64(row->tid, true),
		.task = cell_string(task, task ? strlen(task) : 0, task),
		.total = (double)total / EXACT_PER_NS};
}

static struct gap_line gaps_line_of(
	const struct gap_row *row, const struct gap_filler *filler, const char *what)
{
	struct gap_line line = gaps_begin_line(row, what, filler->time);

	line.filler = filler->group;
	if (filler->group)
		line.filler_label = tallies_get_label(&filler->group);
	line.filler_minor = cell_u64(filler->group ? filler->group->mm : 0, filler->group);
	/* Time without any interval has no count. */
	line.count = cell_u64(filler->count, what != gaps_nothing);
	line.share =
		cell_real(row->total ? 100 * (double)filler->time / (double)row->total : NAN, 2);
	line.off_ns = filler->tell_off ? filler->off_ns : NOT_MEASURED;
	return line;
}

static bool gaps_is_empty(const struct gap_filler *filler)
{
	return !filler->time && !filler->count;
}

/* Calls fn for each filler, the rest and nothing last. */
static void gaps_each_filler(
	const struct gap_row *row, void (*fn)(void *ctx, const struct gap_line *line), void *ctx)
{
	struct gap_line line;

	for (size_t i = 0; i < row->nfillers; i++) {
		line = gaps_line_of(row, &row->fillers[i], "label");
		fn(ctx, &line);
	}
	if (!gaps_is_empty(&row->others)) {
		line = gaps_line_of(row, &row->others, "others");
		fn(ctx, &line);
	}
	if (!gaps_is_empty(&row->nothing)) {
		line = gaps_line_of(row, &row->nothing, gaps_nothing);
		fn(ctx, &line);
	}
}

static void gaps_write_filler(void *ctx, const struct gap_line *line)
{
	struct json *j = ctx;

	json_open(j, '{');
	json_member_text(j, "what", line->what);
	column_write_members(j, filler_columns, IN_JSON, 0, line);
	json_close(j, '}');
}

static void gaps_nest_fillers(struct json *j, const void *line)
{
	json_open(j, '[');
	gaps_each_filler(((const struct gap_line *)line)->row, gaps_write_filler, j);
	json_close(j, ']');
}

enum { GAPS_HAS_THREAD = TALLIES_HAS_NEXT };
static const struct column gaps_columns[] = {
	{TALLIES_LABEL, .in = IN_CSV | IN_JSON},
	{TALLIES_MINOR, .in = IN_CSV | IN_JSON},
	{TALLIES_MAJOR},
	{"tid", AT(tid), .in = IN_CSV | IN_JSON, .when = GAPS_HAS_THREAD},
	{"task", AT(task), .in = IN_CSV | IN_JSON, .when = GAPS_HAS_THREAD},
	{"what", AT(what), .in = IN_CSV},
	{"filler", AT(filler_label), .in = IN_CSV},
	{"filler_minor", AT(filler_minor), .in = IN_CSV},
	{"count", "count", AT(count), .none = ""},
	{"total_ns", "total", AT(total), .decimals = 1, .unit = UNIT_DURATION},
	{"share_pct", "share%", AT(share), .unit = UNIT_PERCENT, .in = IN_TEXT | IN_CSV, .none = "",
		.spare = 1},
	{"mean_ns", "mean", AT(mean), .unit = UNIT_DURATION, .none = "", .spare = 4},
	{"p50_ns", "p50", AT(p50), .unit = UNIT_DURATION, .none = "", .spare = 3},
	{"p99_ns", "p99", AT(p99), .unit = UNIT_DURATION, .none = "", .spare = 1},
	{"max_ns", "max", AT(max), .unit = UNIT_DURATION, .none = "", .spare = 2},
	{"off_cpu_ns", "off CPU", COLUMN_COUNT_AT(struct gap_line, off_ns), .unit = UNIT_DURATION,
		.spare = 5},
	{"tid", "tid", AT(text_tid), .place = 7, .none = "", .in = IN_TEXT,
		.when = GAPS_HAS_THREAD},
	{"task", "task", AT(text_task), .place = 7, .none = "", .left = true, .in = IN_TEXT,
		.when = GAPS_HAS_THREAD, .spare = 6},
	{"minor", "mm", .place = 8, .text = gaps_spell_minor, .get = tallies_get_minor,
		.in = IN_TEXT, .spare = 10},
	{"label", "label", .left = true, .place = PLACE_FIRST, .text = gaps_spell_label,
		.get = tallies_get_label, .in = IN_TEXT},
	{"filled_by", .source = COLUMN_NEST, .nest = gaps_nest_fillers, .in = IN_JSON},
	{.name = NULL},
};

static struct gap_line gaps_head_line(const struct gap_row *row)
{
	struct gap_line line = gaps_begin_line(row, "gaps", row->total);
	struct gap_filler all = row->others;

	for (size_t i = 0; i < row->nfillers; i++) {
		all.off_ns += row->fillers[i].off_ns;
		all.tell_off += row->fillers[i].tell_off;
	}
	line.off_ns = all.tell_off ? all.off_ns : NOT_MEASURED;
	line.row = row;
	line.text_tid = line.tid;
	line.text_task = line.task.kind == CELL_NONE ? cell_string("-", 1, true) : line.task;
	line.count = cell_u64(row->gaps.count, true);
	line.mean = cell_real(line.total / (double)row->gaps.count, 1);
	line.p50 = cell_u64(histogram_percentile(&row->gaps, 50), true);
	line.p99 = cell_u64(histogram_percentile(&row->gaps, 99), true);
	line.max = cell_u64(histogram_percentile(&row->gaps, 100), true);
	return line;
}

/* ctx: the line. */
static const void *gaps_choose_line(void *ctx, const void *element)
{
	struct gap_line *line = ctx;

	*line = gaps_head_line(*(const struct gap_row *const *)element);
	return line;
}

static void gaps_add_line(void *ctx, const struct gap_line *line)
{
	rows_add(ctx, line);
}

static void gaps_print_rows(struct report *r, const struct gap_row *const *all, size_t count)
{
	struct rows rows;
	const unsigned has_thread = r->by_list ? GAPS_HAS_THREAD : 0;
	unsigned has = has_thread;

	for (size_t i = 0; i < count; i++)
		has |= tallies_has(all[i]->group);
	rows_begin(&rows, r, gaps_columns, tallies_of_hosts(r, has));
	if (!count && r->format == FORMAT_TEXT)
		out_str(r->out, "no gaps\n");
	while ((count || r->format != FORMAT_TEXT) && rows_pass(&rows))
		for (size_t i = 0; i < count && !r->out->error; i++) {
			const struct gap_line line = gaps_head_line(all[i]);

			rows.has = has_thread | tallies_has(all[i]->group);
			rows_add(&rows, &line);
			if (r->format != FORMAT_JSON)
				gaps_each_filler(all[i], gaps_add_line, &rows);
		}
	rows_end(&rows);
}

int gaps_print(struct report *r, const struct gap_row *const *all, size_t count)
{
	struct gap_line line;
	const struct choice choice = {.columns = gaps_columns,
		.what = "a column of the report",
		.row = gaps_choose_line,
		.ctx = &line};
	void *chosen = NULL;
	int rc = rows_check_columns(r, gaps_columns, NULL);

	if (!rc)
		rc = choice_copy(r, &choice, all, &count, sizeof *all, &chosen);
	if (!rc)
		gaps_print_rows(r, chosen ? chosen : all, count);
	free(chosen);
	return rc;
}

#undef AT
