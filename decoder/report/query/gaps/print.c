/* Prints gaps: a line for each label, and one for each of what filled them. */
#include <string.h>

#include "../../../sink/escape.h"
#include "gaps.h"

static const char gaps_nothing[] = "nothing recorded";

/* A line of text and CSV. */
struct gap_line {
	const struct tally_group *group;
	const struct gap_row *owner;
	const struct gap_row *row; /* the same of the gaps themselves, else NULL */
	const char *what;
	const struct tally_group *filler;
	uint64_t count;
	double total, share;
	uint64_t off_ns; /* NOT_MEASURED: unknown */
};

static struct cell gaps_percentile(const void *line, unsigned percent)
{
	const struct gap_row *row = ((const struct gap_line *)line)->row;

	return cell_u64(row ? histogram_percentile(&row->gaps, percent) : 0, row);
}

static struct cell gaps_get_mean(const void *line)
{
	const struct gap_row *row = ((const struct gap_line *)line)->row;

	if (!row)
		return (struct cell){.kind = CELL_NONE};
	return cell_real((double)row->total / EXACT_PER_NS / (double)row->gaps.count, 1);
}

static struct cell gaps_get_share(const void *line)
{
	const struct gap_line *l = line;

	return l->row ? (struct cell){.kind = CELL_NONE} : cell_real(l->share, 2);
}

/* Of nothing there is no number. */
static struct cell gaps_get_line_count(const void *line)
{
	const struct gap_line *l = line;

	return cell_u64(l->count, l->what != gaps_nothing);
}

static struct cell gaps_get_p50(const void *line)
{
	return gaps_percentile(line, 50);
}

static struct cell gaps_get_p99(const void *line)
{
	return gaps_percentile(line, 99);
}

static struct cell gaps_get_max(const void *line)
{
	return gaps_percentile(line, 100);
}

/* Of a line of a thread; owner: the row, also of its fillers. */
static struct cell gaps_get_tid(const void *line)
{
	return cell_u64(((const struct gap_line *)line)->owner->tid, true);
}

static struct cell gaps_get_task(const void *line)
{
	const char *name = report_task_name(((const struct gap_line *)line)->owner->task);

	return cell_string(name, name ? strlen(name) : 0, name);
}

static void gaps_spell_tid(struct out *o, const void *line)
{
	const struct gap_line *l = line;

	if (l->row)
		out_u64(o, l->row->tid);
}

static void gaps_spell_task(struct out *o, const void *line)
{
	const struct gap_line *l = line;
	const char *name = l->row ? report_task_name(l->row->task) : NULL;

	if (l->row && !name)
		out_char(o, '-');
	if (name)
		escape_text(o, name, strlen(name));
}

static struct cell gaps_get_filler(const void *line)
{
	const struct tally_group *filler = ((const struct gap_line *)line)->filler;

	return filler ? tallies_get_label(&filler) : (struct cell){.kind = CELL_NONE};
}

static struct cell gaps_get_filler_minor(const void *line)
{
	const struct tally_group *filler = ((const struct gap_line *)line)->filler;

	return cell_u64(filler ? filler->mm : 0, filler);
}

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

enum { GAPS_HAS_THREAD = TALLIES_HAS_NEXT };
static const struct column gaps_columns[] = {
	{TALLIES_LABEL, .in = IN_CSV | IN_JSON},
	{TALLIES_MINOR, .in = IN_CSV | IN_JSON},
	{TALLIES_MAJOR},
	{"tid", .get = gaps_get_tid, .in = IN_CSV | IN_JSON, .when = GAPS_HAS_THREAD},
	{"task", .get = gaps_get_task, .in = IN_CSV | IN_JSON, .when = GAPS_HAS_THREAD},
	{"what", AT(what), .in = IN_CSV},
	{"filler", .get = gaps_get_filler, .in = IN_CSV},
	{"filler_minor", .get = gaps_get_filler_minor, .in = IN_CSV},
	{"count", "count", .get = gaps_get_line_count, .none = ""},
	{"total_ns", "total", AT(total), .decimals = 1, .unit = UNIT_DURATION},
	{"share_pct", "share%", .get = gaps_get_share, .unit = UNIT_PERCENT, .in = IN_TEXT | IN_CSV,
		.none = "", .spare = 1},
	{"mean_ns", "mean", .get = gaps_get_mean, .unit = UNIT_DURATION, .none = "", .spare = 4},
	{"p50_ns", "p50", .get = gaps_get_p50, .unit = UNIT_DURATION, .none = "", .spare = 3},
	{"p99_ns", "p99", .get = gaps_get_p99, .unit = UNIT_DURATION, .none = "", .spare = 1},
	{"max_ns", "max", .get = gaps_get_max, .unit = UNIT_DURATION, .none = "", .spare = 2},
	{"off_cpu_ns", "off CPU", COLUMN_COUNT_AT(struct gap_line, off_ns), .unit = UNIT_DURATION,
		.spare = 5},
	{NULL, "tid", .place = 7, .text = gaps_spell_tid, .get = gaps_get_tid, .in = IN_TEXT,
		.when = GAPS_HAS_THREAD},
	{NULL, "task", .place = 7, .text = gaps_spell_task, .get = gaps_get_task, .left = true,
		.in = IN_TEXT, .when = GAPS_HAS_THREAD, .spare = 6},
	{NULL, "mm", .place = 8, .text = gaps_spell_minor, .get = tallies_get_minor, .in = IN_TEXT,
		.spare = 10},
	{NULL, "label", .left = true, .place = PLACE_FIRST, .text = gaps_spell_label,
		.get = tallies_get_label, .in = IN_TEXT},
	{.name = NULL},
};

static const struct column filler_columns[] = {
	{"label", .get = gaps_get_filler},
	{"minor", .get = gaps_get_filler_minor},
	{"count", .get = gaps_get_line_count},
	{"total_ns", AT(total), .decimals = 1},
	{"share_pct", AT(share), .decimals = 2},
	{"off_cpu_ns", COLUMN_COUNT_AT(struct gap_line, off_ns)},
	{.name = NULL},
};

static struct gap_line gaps_line_of(
	const struct gap_row *row, const struct gap_filler *filler, const char *what)
{
	return (struct gap_line){.group = row->group,
		.owner = row,
		.what = what,
		.filler = filler->group,
		.count = filler->count,
		.total = (double)filler->time / EXACT_PER_NS,
		.share = row->total ? 100 * (double)filler->time / (double)row->total : NAN,
		.off_ns = filler->tell_off ? filler->off_ns : NOT_MEASURED};
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

static struct gap_line gaps_head_line(const struct gap_row *row)
{
	struct gap_line line = {.group = row->group,
		.owner = row,
		.row = row,
		.what = "gaps",
		.count = row->gaps.count,
		.total = (double)row->total / EXACT_PER_NS,
		.share = NAN};
	struct gap_filler all = row->others;

	for (size_t i = 0; i < row->nfillers; i++) {
		all.off_ns += row->fillers[i].off_ns;
		all.tell_off += row->fillers[i].tell_off;
	}
	line.off_ns = all.tell_off ? all.off_ns : NOT_MEASURED;
	return line;
}

static void gaps_add_line(void *ctx, const struct gap_line *line)
{
	rows_add(ctx, line);
}

static void gaps_write_filler(void *ctx, const struct gap_line *line)
{
	struct json *j = ctx;

	json_open(j, '{');
	json_member_text(j, "what", line->what);
	column_write_members(j, filler_columns, IN_JSON, 0, line);
	json_close(j, '}');
}

static void gaps_write_json(
	const struct report *r, struct json *j, const struct gap_row *row, unsigned has)
{
	const struct gap_line line = gaps_head_line(row);

	json_open(j, '{');
	rows_write_host(j, r);
	column_write_members(j, gaps_columns, IN_JSON, has | tallies_has(row->group), &line);
	json_member_open(j, "filled_by", '[');
	gaps_each_filler(row, gaps_write_filler, j);
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
}

void gaps_print(struct report *r, const struct gap_row *const *all, size_t count)
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

			if (r->format == FORMAT_JSON) {
				gaps_write_json(r, &rows.json, all[i], has_thread);
				continue;
			}
			rows_add(&rows, &line);
			gaps_each_filler(all[i], gaps_add_line, &rows);
		}
	rows_end(&rows);
}
