/*
 * The hooks as a Parquet file: a row each, with the columns of the hooks' report. Their fields,
 * which differ from hook to hook, are a JSON object.
 */
#include <string.h>

#include "../../../model/hooks/pass.h"
#include "../../../sink/escapes.h"
#include "../../hooks/where.h"
#include "../../hooks/writer.h"
#include "../../rows.h"
#include "../export.h"
#include "meta.h"

enum hooks_column {
	HOOKS_TIME,
	HOOKS_TICKS,
	HOOKS_CPU,
	HOOKS_TID,
	HOOKS_PID,
	HOOKS_TASK,
	HOOKS_CONTAINER,
	HOOKS_MAJOR,
	HOOKS_MINOR,
	HOOKS_NAME,
	HOOKS_WORDS,
	HOOKS_STRINGS,
	HOOKS_FIELDS,
	HOOKS_FIT,
	HOOKS_FILE,
	HOOKS_RING,
	HOOKS_HOST,
	HOOKS_COLUMNS,
};

#define HOOKS_COLUMN(text, kind)                                                                   \
	{                                                                                          \
		.name = (text), .length = sizeof(text) - 1, .type = (kind)                         \
	}

static const struct parquet_column hooks_columns[HOOKS_COLUMNS] = {
	[HOOKS_TIME] = HOOKS_COLUMN("time_ns", PARQUET_I64),
	[HOOKS_TICKS] = HOOKS_COLUMN("ticks", PARQUET_U64),
	[HOOKS_CPU] = HOOKS_COLUMN("cpu", PARQUET_U32),
	[HOOKS_TID] = HOOKS_COLUMN("tid", PARQUET_U32),
	[HOOKS_PID] = HOOKS_COLUMN("pid", PARQUET_U32),
	[HOOKS_TASK] = HOOKS_COLUMN("task", PARQUET_TEXT),
	[HOOKS_CONTAINER] = HOOKS_COLUMN("container", PARQUET_TEXT),
	[HOOKS_MAJOR] = HOOKS_COLUMN("major", PARQUET_U32),
	[HOOKS_MINOR] = HOOKS_COLUMN("minor", PARQUET_U32),
	[HOOKS_NAME] = HOOKS_COLUMN("name", PARQUET_TEXT),
	[HOOKS_WORDS] = HOOKS_COLUMN("words", PARQUET_TEXT),
	[HOOKS_STRINGS] = HOOKS_COLUMN("strings", PARQUET_TEXT),
	[HOOKS_FIELDS] = HOOKS_COLUMN("fields", PARQUET_TEXT),
	[HOOKS_FIT] = HOOKS_COLUMN("fit", PARQUET_TEXT),
	[HOOKS_FILE] = HOOKS_COLUMN("file", PARQUET_U32),
	[HOOKS_RING] = HOOKS_COLUMN("ring", PARQUET_U32),
	[HOOKS_HOST] = HOOKS_COLUMN("host", PARQUET_TEXT),
};

struct hooks_export {
	struct report *r;
	struct parquet_file to;
	struct parquet_column columns[HOOKS_COLUMNS]; /* of the file */
	size_t count;
	size_t at[HOOKS_COLUMNS]; /* the columns' indexes in the file; HOOKS_COLUMNS: not there */
	struct hook_writer fields;
	struct out text;
};

static enum hooks_column hooks_find_column(const char *name, size_t length)
{
	enum hooks_column i = 0;

	while (i < HOOKS_COLUMNS && (hooks_columns[i].length != length ||
					    memcmp(hooks_columns[i].name, name, length) != 0))
		i++;
	return i;
}

bool export_parquet_hooks_have_column(const char *name, size_t length)
{
	return hooks_find_column(name, length) < HOOKS_COLUMNS;
}

static void hooks_add_column(struct hooks_export *e, enum hooks_column column)
{
	if (e->at[column] < HOOKS_COLUMNS)
		return;
	e->at[column] = e->count;
	e->columns[e->count++] = hooks_columns[column];
}

/* Chooses all columns, or those of --columns in its order, each once. */
static int hooks_choose_columns(struct hooks_export *e)
{
	const char *list = e->r->columns, *name;
	size_t length;

	for (enum hooks_column i = 0; i < HOOKS_COLUMNS; i++)
		e->at[i] = HOOKS_COLUMNS;
	/* The path of a partition's file names the host. */
	for (enum hooks_column i = 0; i < HOOKS_COLUMNS && !list; i++)
		if (i != HOOKS_HOST || !e->r->is_host_in_path)
			hooks_add_column(e, i);
	while ((name = rows_next_name(&list, &length))) {
		const enum hooks_column column = hooks_find_column(name, length);

		if (column == HOOKS_COLUMNS || (column == HOOKS_HOST && e->r->is_host_in_path))
			return parquet_refuse_column(e->r, hooks_columns,
				HOOKS_COLUMNS - e->r->is_host_in_path, name, length);
		hooks_add_column(e, column);
	}
	return 0;
}

static bool hooks_has(const struct hooks_export *e, enum hooks_column column)
{
	return e->at[column] < HOOKS_COLUMNS;
}

static void hooks_put_bits(struct hooks_export *e, enum hooks_column column, uint64_t bits)
{
	if (hooks_has(e, column))
		parquet_put_bits(&e->to, e->at[column], bits);
}

/* The text that was made; an error stays the output's. */
static void hooks_put_made(struct hooks_export *e, enum hooks_column column)
{
	if (e->text.error && !e->r->out->error)
		e->r->out->error = e->text.error;
	if (!e->text.error && e->text.len && hooks_has(e, column))
		parquet_put_text(&e->to, e->at[column], e->text.buf, e->text.len);
	e->text.len = 0;
}

static void hooks_put_text(struct hooks_export *e, enum hooks_column column, const char *s)
{
	if (!s || !hooks_has(e, column))
		return;
	escape_utf8(&e->text, s, strlen(s));
	hooks_put_made(e, column);
}

static void hooks_put_contents(struct hooks_export *e, const struct hook *h)
{
	struct json j = {.o = &e->text};

	if (h->nwords && hooks_has(e, HOOKS_WORDS))
		out_words(&e->text, h->words, h->nwords);
	hooks_put_made(e, HOOKS_WORDS);
	if (!h->nstrings || !hooks_has(e, HOOKS_STRINGS))
		return;
	json_open(&j, '[');
	for (unsigned i = 0; i < h->nstrings; i++) {
		uint32_t length;
		const char *s = hook_string(h, i, &length);

		json_string(&j, s, length);
	}
	json_close(&j, ']');
	hooks_put_made(e, HOOKS_STRINGS);
}

static int hooks_put_hook(struct hooks_export *e, const struct hook *h)
{
	int rc = 0;

	hooks_put_bits(e, HOOKS_TIME, (uint64_t)h->time_ns);
	hooks_put_bits(e, HOOKS_TICKS, h->ticks);
	if (hook_on_cpu(h))
		hooks_put_bits(e, HOOKS_CPU, h->ring);
	hooks_put_bits(e, HOOKS_TID, h->tid);
	if (h->task)
		hooks_put_bits(e, HOOKS_PID, h->task->pid);
	hooks_put_text(e, HOOKS_TASK, report_task_name(h->task));
	hooks_put_text(e, HOOKS_CONTAINER, h->task ? h->task->container : NULL);
	hooks_put_bits(e, HOOKS_MAJOR, h->major);
	hooks_put_bits(e, HOOKS_MINOR, h->minor);
	hooks_put_text(e, HOOKS_NAME, h->schema ? schema_hook_name(h->schema) : NULL);
	hooks_put_contents(e, h);
	if (h->schema && (hooks_has(e, HOOKS_FIELDS) || hooks_has(e, HOOKS_FIT))) {
		rc = hook_writer_write(&e->fields, &e->text, h);
		hooks_put_made(e, HOOKS_FIELDS);
		hooks_put_text(e, HOOKS_FIT, hook_form_fit(e->fields.fit));
	}
	hooks_put_bits(e, HOOKS_FILE, h->file);
	hooks_put_bits(e, HOOKS_RING, h->ring);
	hooks_put_text(e, HOOKS_HOST, trace_meta_value(trace_file(e->r->trace, h->file), "host"));
	parquet_end_row(&e->to);
	return rc;
}

static int hooks_read_slice(void *ctx, struct pass_slice *slice)
{
	struct hooks_export *e = ctx;
	struct filter_group group = {.trace = e->r->trace};
	const struct hook *h;
	int rc, failed = 0;

	while (!failed && (rc = pass_next(slice, &h)) > 0) {
		if (hooks_select(e->r, h, &group))
			failed = hooks_put_hook(e, h);
		if (e->r->out->error)
			failed = CPIDECODE_ECANCELED;
	}
	return failed ? failed : rc;
}

int report_parquet_hooks(struct report *r)
{
	struct hooks_export e = {.r = r};
	struct pass pass = report_pass(r, hooks_read_slice, &e);
	int rc = hooks_choose_columns(&e);

	if (rc)
		return rc;
	pass.threads = 1;
	pass.ordered = true;
	out_memory(&e.text);
	hook_writer_init_fields(&e.fields, r->trace);
	parquet_open(&e.to, r->out, e.columns, e.count);
	e.to.is_zstd = r->is_zstd;
	rc = pass_run(&pass, r->found);
	int closed = parquet_close_with_meta(&e.to, r->trace);
	hook_writer_free(&e.fields);
	out_discard(&e.text);
	return rc ? rc : closed;
}
