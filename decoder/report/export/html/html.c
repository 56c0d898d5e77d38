/*
 * The intervals as a page (sink/page/README.md): a block of `core` for the columns that every
 * picture needs, a block of `more` for the rest. The page reads the names and the lanes first, but
 * they are known last, so finished blocks wait in a temporary file. With tiles, the data of
 * pictures goes to a file of its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "../../../../formats/base/time_ns.h"
#include "../../../../formats/cpi_hooks.h"
#include "../../../base/grow.h"
#include "../../../base/spill.h"
#include "../../../model/hooks/switches.h"
#include "../../../sink/page.h"
#include "../../flame/names.h"
#include "../../values/columns.h"
#include "../export.h"
#include "about.h"
#include "markers.h"
#include "reports.h"
#include "runs.h"
#include "tiled.h"
#include "times.h"

enum {
	HTML_MOST_INTERVALS = 10000000, /* in the page itself */
	HTML_BLOCK_INTERVALS = 1 << 15,
	HTML_BLOCK_BYTES = 2 << 20,
	HTML_LIST_BYTES = 1 << 20, /* of a block of names or lanes */
};

/* The page counts in doubles. */
static const uint64_t html_most_ns = UINT64_C(1) << 53;

/* With tiles: intervals have numbers of 32 bits. */
static const uint64_t html_most_tiled = UINT32_MAX;

/* The intervals of one lane and one level of nesting in it. */
struct html_row {
	uint32_t count;
};

/* A thread's, as a struct lane. One that was dropped and returns continues. */
struct html_lane {
	uint32_t machine, tid, pid, index, file;
	bool is_apart;		/* has another number in the kernel's switches */
	uint32_t name, process; /* of flame_names, process 0: unknown */
	uint32_t *rows;		/* by level */
	size_t nrows, room;
};

enum html_marker { MARKER_TIME, MARKER_NAME, MARKER_LANE, MARKER_RING, MARKER_COLUMNS };

enum html_core { CORE_START, CORE_DURATION, CORE_NAME, CORE_ROW, CORES };

struct html_export {
	struct report *r;
	struct page_packer *packer;
	struct cells cells;
	struct times times;
	struct flame_names names;
	uint32_t *name_ids; /* by their number in flame_names: dense, + 1; 0: none yet */
	size_t name_room;
	uint32_t nnames;
	struct html_lane *lanes;
	size_t nlanes, lane_room;
	struct hash_index by_lane;
	struct html_row *rows;
	size_t nrows, row_room;
	struct buffer core[CORES], marker_columns[MARKER_COLUMNS], block, adopted;
	struct markers markers;
	bool has_switches, is_without_runs; /* is_without_runs: they are left out */
	struct tiled tiled;
	uint32_t held; /* intervals in core */
	uint64_t last_start, until, open;
	uint64_t open_no_end; /* of these, those whose end may have been overwritten */
	struct report_children_lost lost;
	uint64_t added; /* intervals: a --where that asks others selects them while they are read */
	struct overview overview;
	struct out text, names_text, later;
	struct json names_json;
	struct spill spill;
	size_t spilled;
	int spill_error, spill_errno;
	int64_t base;
};

/* A write function of an out. */
static int html_keep(void *ctx, const void *bytes, size_t n)
{
	struct html_export *e = ctx;
	int rc = spill_reserve(&e->spill, e->spilled + n);

	if (rc) {
		e->spill_error = rc;
		e->spill_errno = errno;
		return rc == CPIDECODE_ENOMEM ? ENOMEM : EIO;
	}
	memcpy((char *)e->spill.p + e->spilled, bytes, n);
	e->spilled += n;
	return 0;
}

/* Ends the block of names if it is long enough. */
static void html_end_names(struct html_export *e, size_t above)
{
	if (e->names_text.len <= above)
		return;
	json_close(&e->names_json, ']');
	page_put_block(e->packer, &e->later, "names", e->names_text.buf, e->names_text.len);
	e->names_text.len = 0;
	e->names_json = (struct json){.o = &e->names_text};
}

/* Writes the name in e->text, which ends with `group` bytes. */
static void html_put_name(struct html_export *e, size_t group)
{
	struct json *j = &e->names_json;
	const size_t length = e->text.len - group;
	const char *code = e->text.buf + length;

	if (!e->names_text.len)
		json_open(j, '[');
	if (!group) {
		json_string(j, e->text.buf, length);
	} else {
		json_open(j, '[');
		json_string(j, e->text.buf, length);
		json_u64(j, (uint8_t)code[0]);
		if ((uint8_t)code[1] != CPI_MAJOR)
			json_u64(j, (uint8_t)code[1]);
		json_close(j, ']');
	}
	html_end_names(e, HTML_LIST_BYTES);
}

/*
 * The number of a name in the page: 0, 1, ... in order of appearance. iv: the interval that it
 * names, NULL: none. One label has a name for each minor and major, as a row in a summary.
 */
static int html_name(struct html_export *e, char kind, const char *name, size_t length,
	const struct interval *iv, uint32_t *id)
{
	/* A kind before it: a label is not a minor that is spelled alike. */
	e->text.len = 0;
	out_char(&e->text, kind);
	out_bytes(&e->text, name, length);
	if (iv) {
		out_char(&e->text, (char)iv->mm);
		out_char(&e->text, (char)iv->major);
	}
	if (e->text.error)
		return CPIDECODE_ENOMEM;
	uint32_t number = flame_names_add(&e->names, e->text.buf, e->text.len);
	if (!number)
		return CPIDECODE_ENOMEM;
	size_t room = e->name_room;
	if (!array_reserve(&e->name_ids, &e->name_room, (size_t)number + 1, sizeof *e->name_ids))
		return CPIDECODE_ENOMEM;
	if (e->name_room > room)
		memset(e->name_ids + room, 0, (e->name_room - room) * sizeof *e->name_ids);
	if (!e->name_ids[number]) {
		e->name_ids[number] = ++e->nnames;
		html_put_name(e, iv ? 2 : 0);
	}
	*id = e->name_ids[number] - 1;
	return e->names_text.error ? CPIDECODE_ENOMEM : 0;
}

static uint64_t html_hash(const struct html_lane *l)
{
	return lane_hash(l->machine, l->tid, l->pid, l->index, l->name);
}

static int html_find_lane(struct html_export *e, const struct html_lane *l, uint32_t *found)
{
	uint64_t hash = html_hash(l);
	size_t i;

	for (uint32_t at; (at = hash_index_next(&e->by_lane, &hash));) {
		*found = at - 1;
		if (memcmp(&e->lanes[*found], l, offsetof(struct html_lane, file)) == 0 &&
			e->lanes[*found].name == l->name)
			return 0;
	}
	if (array_grow(&e->lanes, e->nlanes, &e->lane_room, sizeof *l) ||
		!hash_index_grow(&e->by_lane, e->nlanes + 1, &i))
		return CPIDECODE_ENOMEM;
	*found = (uint32_t)e->nlanes;
	e->lanes[e->nlanes++] = *l;
	for (; i < e->nlanes; i++)
		hash_index_add(&e->by_lane, html_hash(&e->lanes[i]), (uint32_t)i);
	return 0;
}

/* The lane of a thread: its first one (index 0), or a further one. */
static int html_lane(struct html_export *e, struct html_lane lane, const struct task *task,
	const char *name, uint32_t *found)
{
	const struct task *leader = NULL;

	if (task) {
		lane.is_apart =
			e->has_switches && !switches_number_task(e->r->trace, lane.machine, task);
		lane.pid = task->pid;
		leader = trace_task(e->r->trace, lane.machine, task->pid, task->first);
	}
	const char *process = leader && leader->pid == task->pid ? report_task_name(leader) : NULL;
	int rc = html_name(e, 't', name, strlen(name), NULL, &lane.name);
	if (!rc && process) {
		rc = html_name(e, 't', process, strlen(process), NULL, &lane.process);
		lane.process++;
	}
	return rc ? rc : html_find_lane(e, &lane, found);
}

static int html_begin_lane(void *ctx, struct lane_thread *t, struct lane *l)
{
	const struct html_lane lane = {
		.machine = t->machine, .tid = t->tid, .index = l->index, .file = t->file};
	char room[EXPORT_THREAD_ROOM];
	uint32_t *own = l->own = malloc(sizeof *own);

	if (!own)
		return CPIDECODE_ENOMEM;
	return html_lane(ctx, lane, t->task, export_thread_name(t, room), own);
}

/* The row of a lane's level. */
static int html_row(struct html_export *e, struct html_lane *lane, size_t level, uint32_t *row)
{
	if (level >= lane->nrows) {
		if (array_grow(&lane->rows, lane->nrows, &lane->room, sizeof *lane->rows) ||
			array_grow(&e->rows, e->nrows, &e->row_room, sizeof *e->rows))
			return CPIDECODE_ENOMEM;
		lane->rows[lane->nrows++] = (uint32_t)e->nrows;
		e->rows[e->nrows++] = (struct html_row){0};
	}
	*row = lane->rows[level];
	return 0;
}

/* Tells what an outermost interval of a further lane is nested in. Others are below their parent.
 */
static void html_adopt(struct html_export *e, const struct lane_thread *t,
	const struct interval *iv, uint32_t row, uint32_t place)
{
	for (size_t i = 0; i < t->count; i++)
		for (size_t k = t->lanes[i].count; k-- > 0;) {
			if (t->lanes[i].open[k].place != iv->parent)
				continue;
			const uint32_t *own = t->lanes[i].own;
			uint32_t around = e->lanes[*own].rows[k];

			if (e->tiled.tiles) {
				tiles_adopt(e->tiled.tiles, row, around, e->rows[around].count - 1);
				return;
			}
			varint_put(&e->adopted, row);
			varint_put(&e->adopted, place);
			varint_put(&e->adopted, around);
			varint_put(&e->adopted, e->rows[around].count - 1);
			return;
		}
}

static void html_put_block(struct html_export *e, const char *kind, struct buffer *block)
{
	page_put_block(e->packer, &e->later, kind, block->p, block->n);
	block->n = 0;
}

/* With tiles: the order of the block's intervals in the trace, and the other columns. */
static int html_end_order(struct html_export *e)
{
	struct buffer more = {0};
	int rc = cells_write(&e->cells, &more);

	if (rc) {
		free(more.p);
		return rc;
	}
	tiles_add_order(e->tiled.tiles, e->held, &e->core[CORE_ROW], &e->core[CORE_NAME], &more);
	e->core[CORE_ROW].n = e->core[CORE_NAME].n = 0;
	e->held = 0;
	return 0;
}

static int html_end_block(struct html_export *e)
{
	struct buffer *block = &e->block;

	if (!e->held)
		return 0;
	if (e->tiled.tiles)
		return html_end_order(e);
	varint_put(block, e->held);
	for (size_t i = 0; i < CORES; i++) {
		if (e->core[i].failed)
			return CPIDECODE_ENOMEM;
		varint_put_string(block, e->core[i].p, e->core[i].n);
		e->core[i].n = 0;
	}
	if (block->failed)
		return CPIDECODE_ENOMEM;
	html_put_block(e, "core", block);
	int rc = cells_write(&e->cells, block);
	if (rc)
		return rc;
	html_put_block(e, "more", block);
	e->held = 0;
	e->last_start = 0;
	if (e->adopted.failed)
		return CPIDECODE_ENOMEM;
	if (e->adopted.n)
		html_put_block(e, "adopted", &e->adopted);
	return 0;
}

static int html_refuse_time(const struct html_export *e, uint64_t until)
{
	report_note(e->r,
		"--format html: the trace is %" PRIu64
		" s long, the page takes 104 days: choose with --from and --to",
		until / TIME_SECOND_NS);
	return CPIDECODE_EINVAL;
}

static int html_begin_slice(
	void *ctx, struct lane_thread *t, struct lane *l, const struct interval *iv, int64_t end)
{
	struct html_export *e = ctx;
	const uint32_t *own = l->own;
	uint64_t start = (uint64_t)iv->start_ns - (uint64_t)e->base;
	uint64_t until = (uint64_t)end - (uint64_t)e->base;
	char room[REPORT_NAME_ROOM];
	size_t length;
	uint32_t name, row;

	if (start > until)
		return html_refuse_time(e, UINT64_MAX);
	if (until > html_most_ns)
		return html_refuse_time(e, until);
	const char *text = report_name(iv, room, &length);
	int rc = html_name(e, iv->has_label ? 'l' : 'm', text, length, iv, &name);
	if (!rc)
		rc = html_row(e, &e->lanes[*own], l->count - 1, &row);
	if (!rc)
		rc = times_add(&e->times, name, iv);
	if (rc)
		return rc;
	if (l->count == 1 && iv->parent >= 0)
		html_adopt(e, t, iv, row, e->rows[row].count);
	e->rows[row].count++;
	rc = cells_add(&e->cells, iv, until, iv->depth == l->count - 1);
	if (rc)
		return rc;
	if (e->tiled.tiles) {
		const struct tiles_interval one = {.start = start,
			.duration = until - start,
			.number = e->added,
			.name = name,
			.measured = e->cells.measured,
			.nmeasured = e->cells.nmeasured};

		tiles_add(e->tiled.tiles, row, &one);
	} else {
		varint_put(&e->core[CORE_START], start - e->last_start);
		varint_put(&e->core[CORE_DURATION], until - start);
	}
	e->added++;
	varint_put(&e->core[CORE_NAME], name);
	varint_put(&e->core[CORE_ROW], row);
	e->last_start = start;
	overview_add(&e->overview, start, until - start);
	if (e->until < until)
		e->until = until;
	e->open += (iv->flags & IV_OPEN) != 0;
	e->open_no_end += (iv->flags & IV_OPEN) && (iv->flags & IV_NO_END);
	report_count_children_lost(&e->lost, iv);
	if (++e->held >= HTML_BLOCK_INTERVALS || e->cells.bytes >= HTML_BLOCK_BYTES)
		rc = html_end_block(e);
	return rc;
}

static int html_end_slice(void *ctx, struct lane_thread *t, struct lane *l, int64_t end)
{
	(void)ctx;
	(void)t;
	(void)l;
	(void)end;
	return 0;
}

static int html_add_marker(struct html_export *e, const struct marker *marker, uint64_t since)
{
	const struct lane_thread thread = {
		.machine = marker->machine, .tid = marker->tid, .task = marker->task};
	const struct html_lane lane = {
		.machine = marker->machine, .tid = marker->tid, .file = marker->file};
	const char *name = marker->schema ? schema_hook_name(marker->schema) : NULL;
	char room[EXPORT_THREAD_ROOM], code[32];
	uint32_t id, found;
	int rc = html_lane(e, lane, marker->task, export_thread_name(&thread, room), &found);

	if (!name) {
		snprintf(code, sizeof code, "hook 0x%02X 0x%" PRIX32, marker->major, marker->minor);
		name = code;
	}
	if (!rc)
		rc = html_name(e, 'h', name, strlen(name), NULL, &id);
	if (rc)
		return rc;
	varint_put(&e->marker_columns[MARKER_TIME], since);
	varint_put(&e->marker_columns[MARKER_NAME], id);
	varint_put(&e->marker_columns[MARKER_LANE], found);
	varint_put(&e->marker_columns[MARKER_RING],
		marker->ring & TF_GUEST_RING ? 0 : marker->ring + 1u);
	return 0;
}

static int html_end_markers(struct html_export *e, size_t count)
{
	varint_put(&e->block, count);
	for (size_t i = 0; i < MARKER_COLUMNS; i++) {
		if (e->marker_columns[i].failed)
			return CPIDECODE_ENOMEM;
		varint_put_string(&e->block, e->marker_columns[i].p, e->marker_columns[i].n);
		e->marker_columns[i].n = 0;
	}
	if (e->block.failed)
		return CPIDECODE_ENOMEM;
	html_put_block(e, "marks", &e->block);
	return 0;
}

static int html_put_markers(struct html_export *e)
{
	const struct markers *m = &e->markers;
	int64_t last = e->base;
	size_t begin = 0;
	int rc = 0;

	for (size_t i = 0; i < m->count && !rc; i++) {
		rc = html_add_marker(e, &m->at[i], (uint64_t)m->at[i].time - (uint64_t)last);
		last = m->at[i].time;
		if (rc || (i + 1 - begin < HTML_BLOCK_INTERVALS && i + 1 < m->count))
			continue;
		rc = html_end_markers(e, i + 1 - begin);
		begin = i + 1;
		last = e->base;
	}
	return rc;
}

static void html_put_lane(struct html_export *e, struct json *j, const struct html_lane *lane)
{
	json_open(j, '{');
	json_member_u64(j, "name", lane->name);
	json_member_u64(j, "tid", lane->tid);
	if (lane->pid)
		json_member_u64(j, "pid", lane->pid);
	if (lane->process)
		json_member_u64(j, "process", lane->process - 1);
	json_member_u64(j, "file", lane->file);
	json_member_u64(j, "machine", lane->machine);
	json_member_u64(j, "further", lane->index);
	if (lane->is_apart)
		json_member_bool(j, "apart", true);
	json_member_open(j, "rows", '[');
	for (size_t i = 0; i < lane->nrows; i++) {
		json_u64(j, lane->rows[i]);
		json_u64(j, e->rows[lane->rows[i]].count);
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void html_put_lanes(struct html_export *e, struct out *to)
{
	struct json json = {.o = &e->text};

	e->text.len = 0;
	for (size_t i = 0; i < e->nlanes; i++) {
		if (!e->text.len)
			json_open(&json, '[');
		html_put_lane(e, &json, &e->lanes[i]);
		if (e->text.len < HTML_LIST_BYTES && i + 1 < e->nlanes)
			continue;
		json_close(&json, ']');
		page_put_block(e->packer, to, "lanes", e->text.buf, e->text.len);
		e->text.len = 0;
		json = (struct json){.o = &e->text};
	}
}

static void html_put_times(struct html_export *e, struct out *to)
{
	struct json json = {.o = &e->text};

	e->text.len = 0;
	times_write(&e->times, &json);
	page_put_block(e->packer, to, "times", e->text.buf, e->text.len);
}

static int html_put_about(struct html_export *e, struct out *to, uint64_t intervals)
{
	const struct about about = {.base = e->base,
		.until = e->until,
		.intervals = intervals,
		.open = e->open,
		.open_no_end = e->open_no_end,
		.children_lost = e->lost.lost,
		.markers = e->markers.count,
		.has_no_markers = e->markers.too_many,
		.has_cut_times = e->times.is_cut,
		.is_without_runs = e->is_without_runs,
		.names = e->nnames,
		.lanes = (uint32_t)e->nlanes,
		.rows = (uint32_t)e->nrows,
		.overview = &e->overview,
		.cells = &e->cells,
		.tiled = e->tiled.tiles ? &e->tiled : NULL};
	struct json json = {.o = &e->text};

	e->text.len = 0;
	int rc = about_write(e->r, &about, &json);
	if (!rc)
		page_put_block(e->packer, to, "meta", e->text.buf, e->text.len);
	return rc;
}

static int html_put_reports(struct html_export *e, struct out *to, uint64_t intervals)
{
	struct json json = {.o = &e->text};
	struct report r = *e->r;

	/* Groups of intervals may lack an event that a metric is made of. */
	if (e->cells.ncolumns > TALLY_EVENTS)
		r.nmetrics = 0;
	e->text.len = 0;
	int rc = reports_write(&r, intervals, &json);
	if (!rc)
		page_put_block(e->packer, to, "reports", e->text.buf, e->text.len);
	return rc;
}

/* The stream was walked. 0 or a code. */
static int html_write(struct html_export *e)
{
	struct out *o = e->r->out;

	if (e->tiled.tiles) {
		int rc = tiled_end(&e->tiled, e->r);

		if (rc)
			return rc;
	}
	html_end_names(e, 0);
	if (out_close(&e->later) || e->spill_error) {
		errno = e->spill_errno;
		return e->spill_error ? e->spill_error : CPIDECODE_ENOMEM;
	}
	page_begin(o, e->tiled.kind);
	int rc = html_put_about(e, o, e->added);
	if (rc)
		return rc;
	page_show_early(o);
	html_put_lanes(e, o);
	html_put_times(e, o);
	rc = e->r->is_span ? 0 : html_put_reports(e, o, e->added);
	if (rc)
		return rc;
	for (size_t at = 0, piece; at < e->spilled && !o->error; at += piece) {
		piece = e->spilled - at < SPILL_IN_MEMORY ? e->spilled - at : SPILL_IN_MEMORY;
		out_bytes(o, (const char *)e->spill.p + at, piece);
		if (e->spill.mapped)
			spill_drop(&e->spill);
	}
	page_end(o);
	return e->text.error || e->names_text.error ? CPIDECODE_ENOMEM : 0;
}

static int html_open(struct html_export *e)
{
	out_memory(&e->text);
	out_memory(&e->names_text);
	e->names_json.o = &e->names_text;
	e->overview.width = 1;
	int rc = cells_init(&e->cells, e->r);
	e->packer = page_packer_new();
	if (rc || !e->packer || out_function(&e->later, html_keep, e))
		return CPIDECODE_ENOMEM;
	return 0;
}

static void html_close(struct html_export *e)
{
	int saved = errno;

	for (size_t i = 0; i < e->nlanes; i++)
		free(e->lanes[i].rows);
	for (size_t i = 0; i < CORES; i++)
		free(e->core[i].p);
	for (size_t i = 0; i < MARKER_COLUMNS; i++)
		free(e->marker_columns[i].p);
	markers_free(&e->markers);
	free(e->block.p);
	free(e->adopted.p);
	free(e->lanes);
	free(e->rows);
	free(e->name_ids);
	hash_index_free(&e->by_lane);
	flame_names_free(&e->names);
	cells_free(&e->cells);
	times_free(&e->times);
	tiled_close(&e->tiled);
	page_packer_free(e->packer);
	out_discard(&e->later);
	out_discard(&e->text);
	out_discard(&e->names_text);
	spill_free(&e->spill);
	free(e);
	errno = saved;
}

/* Times count from the first start or marker. */
static int html_span_markers(struct html_export *e, uint64_t intervals)
{
	const struct markers *m = &e->markers;

	if (m->too_many)
		report_note(e->r,
			"--format html: no hooks outside intervals are marked: there are more than %d (choose with --from and --to)",
			MARKERS_MAX);
	if (!m->count)
		return 0;
	if (!intervals || m->at[0].time < e->base)
		e->base = m->at[0].time;
	if (m->at[m->count - 1].time > e->base)
		e->until = (uint64_t)m->at[m->count - 1].time - (uint64_t)e->base;
	return e->until > html_most_ns ? html_refuse_time(e, e->until) : 0;
}

/* The time of a page without intervals and markers: that of the hooks and of the runs in them,
 * within the filter's. */
static int html_runs_span(struct html_export *e, struct runs_span *span)
{
	const struct filter *filter = e->r->filter;
	int64_t first, last;

	if (!trace_span(e->r->trace, &first, &last))
		return 0;
	const int rc = runs_read_span(e->r, &first, &last);
	if (rc)
		return rc;
	first = first < filter->from ? filter->from : first;
	last = last > filter->to ? filter->to : last;
	if (first >= last)
		return 0;
	span->base = first;
	span->until = (uint64_t)last - (uint64_t)first;
	if (span->until > html_most_ns)
		return html_refuse_time(e, span->until);
	e->base = span->base;
	e->until = span->until;
	return 0;
}

/* Who ran on the processors. A page of a span has none: finding them means reading the entire
 * trace. */
static int html_put_runs(struct html_export *e)
{
	struct runs_span span = {.base = e->base, .until = e->until};
	bool too_many = false;
	int rc = 0;

	if (!e->has_switches)
		return 0;
	e->is_without_runs = e->r->is_span;
	if (e->is_without_runs)
		return 0;
	if (!e->added && !e->markers.count)
		rc = html_runs_span(e, &span);
	if (rc)
		return rc;
	rc = runs_write(e->r, &span, e->packer, &e->later, &too_many);
	e->is_without_runs = too_many;
	if (too_many)
		report_note(e->r,
			"--format html shows up to %d runs of threads, by the kernel's switches, and there are more while its intervals ran: none is shown (choose fewer intervals with --from and --to)",
			RUNS_MOST);
	return rc;
}

static int html_walk(struct html_export *e, struct interval_stream *s)
{
	static const struct lane_writer writer = {.begin_lane = html_begin_lane,
		.begin_slice = html_begin_slice,
		.end_slice = html_end_slice};
	struct lanes lanes;
	int rc = export_find_base(e->r, s, &e->base);

	if (!rc)
		rc = markers_read(&e->markers, e->r);
	if (!rc)
		rc = html_span_markers(e, interval_stream_count(s));
	if (rc)
		return rc;
	lanes_init(&lanes, &writer, e);
	rc = export_lanes(e->r, s, &lanes);
	if (!rc)
		rc = html_end_block(e);
	if (!rc)
		rc = html_put_markers(e);
	if (!rc)
		rc = html_put_runs(e);
	if (!rc)
		rc = html_write(e);
	if (!rc) {
		export_note_lanes(e->r, &lanes, "lanes");
		report_note_counted_lost(e->r, &e->lost, REPORT_SELF_BOUNDS);
	}
	if (!rc && e->cells.values_left_out)
		report_note(e->r,
			"--format html: %" PRIu64
			" names of values have no column: only the first %d do",
			e->cells.values_left_out, VALUE_COLUMNS_MAX);
	return rc;
}

int export_html(struct report *r, struct interval_stream *s)
{
	uint64_t n = interval_stream_count(s);
	enum page_tiles tiles = r->tiles;

	if (!tiles && n > HTML_MOST_INTERVALS && r->tiles_out)
		tiles = PAGE_TILES_SERVED;
	if (!tiles && n > HTML_MOST_INTERVALS && r->out->temp)
		tiles = PAGE_TILES_FILE;
	if (n > HTML_MOST_INTERVALS && !tiles) {
		report_note(r,
			"--format html: %" PRIu64
			" intervals: one file holds up to %d (use -o to write tiles next to the page, or choose with --from and --to, --label or --where)",
			n, HTML_MOST_INTERVALS);
		return CPIDECODE_EINVAL;
	}
	if (n > html_most_tiled) {
		report_note(r,
			"--format html takes up to %" PRIu64 " intervals, these are %" PRIu64
			": choose with --from and --to, --label or --where",
			html_most_tiled, n);
		return CPIDECODE_EINVAL;
	}
	struct html_export *e = calloc(1, sizeof *e);
	if (!e)
		return CPIDECODE_ENOMEM;
	e->r = r;
	e->has_switches = switches_are_recorded(r->trace);
	int rc = html_open(e);
	if (!rc && tiles)
		rc = tiled_open(&e->tiled, r, tiles, n);
	if (!rc)
		rc = html_walk(e, s);
	html_close(e);
	return rc;
}
