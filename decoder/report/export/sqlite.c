/*
 * The intervals as an SQLite database: a row of `intervals` each, with the columns of the
 * intervals' report. Texts other than ids are stored once, in tables of names; views join them.
 */
#include "../../sink/sqlite.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../../../formats/base/text.h"
#include "../../model/intervals/elapsed.h"
#include "../flame/names.h"
#include "../losses.h"
#include "../values/columns.h"
#include "../values/interval_columns.h"
#include "export.h"

enum { SQLITE_COLUMNS = 64 };

/* Texts that rows state by number; a text's row is written when it first occurs. */
struct sqlite_texts {
	struct flame_names names;
	struct sqlite_row rows;
};

struct sqlite_export {
	struct report *r;
	struct sqlite_file file;
	struct out text;
	const struct column *columns[SQLITE_COLUMNS];
	unsigned ncolumns;
	struct sqlite_texts labels, tasks, words; /* words: of all other columns */
	bool *named;				  /* of trace_texts_limit: in `names` */
	struct report_children_lost lost;	  /* the view `own` lacks their times */
	struct sqlite_row intervals, arguments, events, cpus, names;
};

static const char *const fixed_tables =
	"PRAGMA user_version = 1;"
	"CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT, host TEXT, machine INTEGER,"
	" first_ns INTEGER, last_ns INTEGER, hooks INTEGER, scripted INTEGER);"
	"CREATE TABLE meta(file INTEGER, key TEXT, value TEXT);"
	"CREATE TABLE losses(file INTEGER, cpu INTEGER, guest_ring INTEGER, hooks INTEGER,"
	" lost_full INTEGER, lost_too_big INTEGER, lost_held INTEGER, lost_no_guest INTEGER,"
	" lost_no_slot INTEGER, lost_no_memory INTEGER, lost_unattached INTEGER,"
	" lost_unwritten INTEGER, lost_unexplained INTEGER, overwritten INTEGER, torn INTEGER);"
	"CREATE TABLE labels(id INTEGER PRIMARY KEY, name TEXT);"
	"CREATE TABLE tasks(id INTEGER PRIMARY KEY, name TEXT);"
	"CREATE TABLE words(id INTEGER PRIMARY KEY, name TEXT);"
	"CREATE TABLE names(id INTEGER PRIMARY KEY, name TEXT);"
	"CREATE TABLE arguments(interval INTEGER, name_id INTEGER, value,"
	" PRIMARY KEY(interval, name_id)) WITHOUT ROWID;"
	"CREATE TABLE events(interval INTEGER, name_id INTEGER, value, scaled INTEGER,"
	" PRIMARY KEY(interval, name_id)) WITHOUT ROWID;"
	"CREATE TABLE cpus(interval INTEGER, cpu INTEGER, raw_cpi REAL, scaled_cpi REAL,"
	" busy_pct REAL, instructions INTEGER, cycles INTEGER, busy_cycles INTEGER,"
	" idle_pct REAL, intr_pct REAL, actual_perf_pct REAL,"
	" PRIMARY KEY(interval, cpu)) WITHOUT ROWID;";

/* After the rows: an index is made faster from all of them. */
static const char *const sqlite_indexes =
	"CREATE INDEX intervals_by_start ON intervals(start_ns);"
	"CREATE INDEX intervals_by_label ON intervals(label_id, minor);"
	"CREATE INDEX intervals_by_thread ON intervals(tid, start_ns);"
	"CREATE INDEX intervals_by_parent ON intervals(parent);"
	"CREATE INDEX arguments_by_name ON arguments(name_id);"
	"CREATE INDEX events_by_name ON events(name_id);";

/* The summary of the reports is without intervals that are open. */
static const char *const views =
	"CREATE VIEW named_arguments AS SELECT interval, name, value FROM arguments"
	" JOIN names ON names.id = name_id;"
	"CREATE VIEW named_events AS SELECT interval, name, value, scaled FROM events"
	" JOIN names ON names.id = name_id;"
	"CREATE VIEW summary AS SELECT labels.name AS label, minor, major, count(*) AS count,"
	" sum(elapsed_ns) AS total_ns, avg(elapsed_ns) AS mean_ns, min(elapsed_ns) AS min_ns,"
	" max(elapsed_ns) AS max_ns, sum(off_cpu_ns) AS off_cpu_ns,"
	" sum(thread_instructions) AS thread_instructions, sum(thread_cycles) AS thread_cycles"
	" FROM intervals LEFT JOIN labels ON labels.id = label_id"
	" WHERE flags_id NOT IN (SELECT id FROM words WHERE '+' || name || '+' LIKE '%+open+%')"
	" GROUP BY label_id, minor, major;"
	"CREATE VIEW own AS SELECT number, id, elapsed_ns - coalesce((SELECT sum(n.elapsed_ns)"
	" FROM intervals n WHERE n.parent = i.number), 0) AS own_ns,"
	" coalesce(flags_id IN (SELECT id FROM words"
	" WHERE '+' || name || '+' LIKE '%+children-lost+%'), 0) AS children_lost"
	" FROM intervals i;";

static void sqlite_choose_columns(struct sqlite_export *e)
{
	const struct column *c = interval_columns;

	for (; (c->name || c->heading) && e->ncolumns < SQLITE_COLUMNS; c++)
		if (c->name && (!c->in || c->in & IN_CSV))
			e->columns[e->ncolumns++] = c;
}

/* Whether its texts have a table. Ids do not repeat. */
static bool sqlite_is_named(const struct column *c)
{
	return c->is_text && !c->is_id;
}

/* Names of columns are plain ASCII, and no keywords. */
static int sqlite_create_intervals(struct sqlite_export *e)
{
	struct out *o = &e->text;

	o->len = 0;
	out_str(o,
		"CREATE TABLE intervals(number INTEGER PRIMARY KEY, parent INTEGER, file INTEGER,"
		" elapsed_ns INTEGER");
	for (unsigned i = 0; i < e->ncolumns; i++) {
		const struct column *c = e->columns[i];

		out_str(o, ", ");
		out_str(o, c->name);
		out_str(o, c->is_id		      ? " TEXT"
			   : c->is_text		      ? "_id INTEGER"
			   : c->source == COLUMN_REAL ? " REAL"
						      : " INTEGER");
	}
	out_bytes(o, ");", 3);
	if (o->error)
		return CPIDECODE_ENOMEM;
	sqlite_run(&e->file, o->buf);
	return 0;
}

static struct sqlite_texts *sqlite_find_texts(
	struct sqlite_export *e, const char *column, const char **table)
{
	if (strcmp(column, "label") == 0) {
		*table = "labels";
		return &e->labels;
	}
	if (strcmp(column, "task") == 0) {
		*table = "tasks";
		return &e->tasks;
	}
	*table = "words";
	return &e->words;
}

/* The intervals with their texts, in the order of CSV's columns. */
static int sqlite_create_named(struct sqlite_export *e)
{
	struct out *o = &e->text;
	const char *table;

	o->len = 0;
	out_str(o, "CREATE VIEW named_intervals AS SELECT number, parent, file, elapsed_ns");
	for (unsigned i = 0; i < e->ncolumns; i++) {
		const char *name = e->columns[i]->name;

		out_printf(o,
			sqlite_is_named(e->columns[i]) ? ", %s_text.name AS %s"
						       : ", intervals.%s AS %s",
			name, name);
	}
	out_str(o, " FROM intervals");
	for (unsigned i = 0; i < e->ncolumns; i++)
		if (sqlite_is_named(e->columns[i])) {
			const char *name = e->columns[i]->name;

			sqlite_find_texts(e, name, &table);
			out_printf(o, " LEFT JOIN %s AS %s_text ON %s_text.id = %s_id", table, name,
				name, name);
		}
	out_bytes(o, ";", 2);
	if (o->error)
		return CPIDECODE_ENOMEM;
	sqlite_run(&e->file, o->buf);
	return 0;
}

static void sqlite_put_known(struct sqlite_row *row, uint64_t count)
{
	if (count == NOT_MEASURED)
		sqlite_put_null(row);
	else
		sqlite_put_u64(row, count);
}

static void sqlite_put_real(struct sqlite_row *row, double v)
{
	if (isfinite(v))
		sqlite_put_double(row, v);
	else
		sqlite_put_null(row);
}

static void sqlite_put_string(struct sqlite_row *row, const char *s)
{
	if (s)
		sqlite_put_text(row, s, strlen(s));
	else
		sqlite_put_null(row);
}

/* Writes the number of a text. */
static int sqlite_put_name(
	struct sqlite_row *row, struct sqlite_texts *texts, const char *s, size_t n)
{
	uint32_t before = texts->names.count;
	uint32_t number = flame_names_add(&texts->names, s, n);

	if (!number)
		return CPIDECODE_ENOMEM;
	if (texts->names.count != before) {
		sqlite_put_i64(&texts->rows, number);
		sqlite_put_text(&texts->rows, s, n);
		sqlite_end_row(&texts->rows);
	}
	sqlite_put_i64(row, number);
	return 0;
}

static int sqlite_put_words(
	struct sqlite_export *e, struct sqlite_row *row, struct sqlite_texts *texts, struct cell c)
{
	e->text.len = 0;
	c.words(&e->text, (uint32_t)c.u);
	if (e->text.error)
		return CPIDECODE_ENOMEM;
	return sqlite_put_name(row, texts, e->text.len ? e->text.buf : "", e->text.len);
}

static int sqlite_put_id(struct sqlite_export *e, struct sqlite_row *row, struct cell c)
{
	e->text.len = 0;
	cell_spell_id(&e->text, &c);
	if (e->text.error)
		return CPIDECODE_ENOMEM;
	sqlite_put_text(row, e->text.buf, e->text.len);
	return 0;
}

static int sqlite_put_cell(
	struct sqlite_export *e, struct sqlite_row *row, struct sqlite_texts *texts, struct cell c)
{
	switch (c.kind) {
	case CELL_U64:
	case CELL_WHOLE:
	case CELL_BOOL:
		sqlite_put_u64(row, c.u);
		return 0;
	case CELL_I64:
		sqlite_put_i64(row, c.i);
		return 0;
	case CELL_REAL:
		sqlite_put_real(row, c.real);
		return 0;
	case CELL_DOUBLE:
		sqlite_put_double(row, c.real);
		return 0;
	case CELL_STRING:
		if (texts)
			return sqlite_put_name(row, texts, c.s, c.len);
		sqlite_put_text(row, c.s, c.len);
		return 0;
	case CELL_WORDS:
		return sqlite_put_words(e, row, texts, c);
	case CELL_ID:
		return sqlite_put_id(e, row, c);
	default:
		sqlite_put_null(row);
		return 0;
	}
}

static void sqlite_name_value(struct sqlite_export *e, uint32_t name)
{
	if (e->named[name])
		return;
	struct trace_text text = trace_text_at(e->r->trace, name);
	e->named[name] = true;
	sqlite_put_i64(&e->names, name);
	sqlite_put_text(&e->names, text.at, text.length);
	sqlite_end_row(&e->names);
}

static int sqlite_add_value(
	struct sqlite_export *e, const struct interval *iv, const struct interval_value *v)
{
	struct sqlite_row *row = v->kind == VALUE_EVENT ? &e->events : &e->arguments;

	sqlite_name_value(e, v->name);
	sqlite_put_i64(row, iv->place);
	sqlite_put_i64(row, v->name);
	int rc = sqlite_put_cell(e, row, NULL, value_cell(iv, v));
	if (v->kind == VALUE_EVENT)
		sqlite_put_i64(row, v->is_scaled);
	sqlite_end_row(row);
	return rc;
}

static void sqlite_add_cpus(struct sqlite_export *e, const struct interval *iv)
{
	struct sqlite_row *row = &e->cpus;

	for (uint32_t i = 0; iv->cpus && i < iv->num_cpus; i++) {
		const struct interval_cpu *c = &iv->cpus[i];
		const struct interval_util *u = iv->utils ? &iv->utils[i] : NULL;

		sqlite_put_i64(row, iv->place);
		sqlite_put_i64(row, i);
		sqlite_put_real(row, c->raw_cpi);
		sqlite_put_real(row, c->scaled_cpi);
		sqlite_put_real(row, c->busy_pct);
		sqlite_put_known(row, c->instructions);
		sqlite_put_known(row, c->cycles);
		sqlite_put_known(row, c->busy_cycles);
		sqlite_put_real(row, u ? u->idle_pct : NAN);
		sqlite_put_real(row, u ? u->intr_pct : NAN);
		sqlite_put_real(row, u ? u->actual_perf_pct : NAN);
		sqlite_end_row(row);
	}
}

static int sqlite_add_interval(struct sqlite_export *e, const struct interval *iv)
{
	struct sqlite_row *row = &e->intervals;
	const char *table;
	int rc = 0;

	report_count_children_lost(&e->lost, iv);
	sqlite_put_i64(row, iv->place);
	if (iv->parent >= 0)
		sqlite_put_i64(row, iv->parent);
	else
		sqlite_put_null(row);
	sqlite_put_i64(row, iv->file);
	sqlite_put_u64(row, elapsed_whole_ns(iv));
	for (unsigned i = 0; i < e->ncolumns && !rc; i++) {
		const struct column *c = e->columns[i];

		rc = sqlite_put_cell(e, row,
			sqlite_is_named(c) ? sqlite_find_texts(e, c->name, &table) : NULL,
			column_cell(c, iv));
	}
	sqlite_end_row(row);
	for (uint32_t i = 0; i < iv->num_values && !rc; i++)
		rc = sqlite_add_value(e, iv, &iv->values[i]);
	sqlite_add_cpus(e, iv);
	return rc;
}

static void sqlite_add_meta(
	struct sqlite_file *file, const struct trace_file *f, const char *creator)
{
	struct sqlite_row row;

	sqlite_prepare(file, &row, "meta", 3);
	for (size_t i = 0; f && i < f->nmeta; i++) {
		sqlite_put_i64(&row, f->index);
		sqlite_put_text(&row, f->meta[i].key, f->meta[i].key_length);
		sqlite_put_text(&row, f->meta[i].value, f->meta[i].value_length);
		sqlite_end_row(&row);
	}
	if (creator) {
		sqlite_put_null(&row);
		sqlite_put_string(&row, "creator");
		sqlite_put_string(&row, creator);
		sqlite_end_row(&row);
	}
	sqlite_finish(&row);
}

static void sqlite_add_losses(struct sqlite_export *e, const struct trace_file *f)
{
	struct sqlite_row row;

	sqlite_prepare(&e->file, &row, "losses", 15);
	for (size_t i = 0; i < f->nrings; i++) {
		const struct trace_ring *at = &f->rings[i];
		const bool is_guest = at->ring & TF_GUEST_RING;
		struct losses l = {0};

		losses_add_ring(&l, at, findings_ring(e->r->found, f->index, i));
		const uint64_t counts[] = {at->hooks, l.full, l.big, l.held, l.no_guest, l.no_slot,
			l.no_memory, l.unattached, l.unwritten, l.unexplained, l.overwritten,
			l.torn};

		sqlite_put_i64(&row, f->index);
		sqlite_put_known(&row, is_guest ? NOT_MEASURED : at->ring);
		sqlite_put_known(&row, is_guest ? at->ring & ~TF_GUEST_RING : NOT_MEASURED);
		for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
			sqlite_put_u64(&row, counts[k]);
		sqlite_end_row(&row);
	}
	sqlite_finish(&row);
}

static void sqlite_add_files(struct sqlite_export *e)
{
	const struct trace *t = e->r->trace;
	struct sqlite_row row;

	sqlite_prepare(&e->file, &row, "files", 8);
	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);

		sqlite_put_i64(&row, f->index);
		sqlite_put_string(&row, f->path);
		sqlite_put_string(&row, trace_meta_value(f, "host"));
		sqlite_put_i64(&row, f->machine);
		if (f->has_hooks) {
			sqlite_put_i64(&row, trace_time(f, f->first));
			sqlite_put_i64(&row, trace_time(f, f->last));
		} else {
			sqlite_put_null(&row);
			sqlite_put_null(&row);
		}
		sqlite_put_u64(&row, f->hooks);
		sqlite_put_i64(&row, (f->header.flags & TF_FLAG_SCRIPTED) != 0);
		sqlite_end_row(&row);
		sqlite_add_meta(&e->file, f, NULL);
		sqlite_add_losses(e, f);
	}
	sqlite_finish(&row);
	sqlite_add_meta(&e->file, NULL, "cpidecode " SWTRACE_VERSION);
}

static int sqlite_begin(struct sqlite_export *e)
{
	sqlite_choose_columns(e);
	sqlite_open(&e->file, e->r->out->temp);
	sqlite_run(&e->file, fixed_tables);
	int rc = sqlite_create_intervals(e);
	if (rc)
		return rc;
	sqlite_prepare(&e->file, &e->intervals, "intervals", 4 + e->ncolumns);
	sqlite_prepare(&e->file, &e->arguments, "arguments", 3);
	sqlite_prepare(&e->file, &e->events, "events", 4);
	sqlite_prepare(&e->file, &e->cpus, "cpus", 11);
	sqlite_prepare(&e->file, &e->names, "names", 2);
	sqlite_prepare(&e->file, &e->labels.rows, "labels", 2);
	sqlite_prepare(&e->file, &e->tasks.rows, "tasks", 2);
	sqlite_prepare(&e->file, &e->words.rows, "words", 2);
	e->named = calloc(trace_texts_limit(e->r->trace) + 1, sizeof *e->named);
	return e->named ? 0 : CPIDECODE_ENOMEM;
}

static int sqlite_end(struct sqlite_export *e)
{
	struct sqlite_row *rows[] = {&e->intervals, &e->arguments, &e->events, &e->cpus, &e->names,
		&e->labels.rows, &e->tasks.rows, &e->words.rows};
	int rc = 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		sqlite_finish(rows[i]);
	sqlite_add_files(e);
	sqlite_run(&e->file, sqlite_indexes);
	rc = sqlite_create_named(e);
	sqlite_run(&e->file, views);
	return rc;
}

static int sqlite_refuse(struct report *r, const char *why)
{
	report_note(r, "--format sqlite: %s", why);
	r->is_misused = true;
	return CPIDECODE_EINVAL;
}

int export_sqlite(struct report *r, struct interval_stream *s)
{
	struct sqlite_export e = {.r = r};
	const struct interval *iv;
	const char *lacking = sqlite_find_lacking();

	if (lacking)
		return sqlite_refuse(r, lacking);
	if (!r->out->temp)
		return sqlite_refuse(r, "a database is written in pages, not from its start to its "
					"end: give it a file with -o, not a pipe or a device");
	out_memory(&e.text);
	int rc = sqlite_begin(&e);
	while (!rc && !e.file.error && (rc = interval_stream_next(s, &iv)) > 0)
		rc = sqlite_add_interval(&e, iv);
	int ended = sqlite_end(&e);
	if (!rc)
		rc = ended;
	int error = sqlite_close(&e.file);
	if (error && !r->out->error)
		r->out->error = error;
	flame_names_free(&e.labels.names);
	flame_names_free(&e.tasks.names);
	flame_names_free(&e.words.names);
	free(e.named);
	out_discard(&e.text);
	if (!rc && e.file.reals)
		report_note(r,
			"SQLite's integers end at 2^63 - 1: %" PRIu64
			" larger number%s stored as real%s",
			e.file.reals, e.file.reals == 1 ? " is" : "s are",
			text_plural(e.file.reals));
	if (!rc)
		report_note_counted_lost(r, &e.lost, REPORT_SELF_BOUNDS);
	return rc;
}
