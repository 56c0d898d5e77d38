/* Every hook, one a line: the document's notation, CSV or JSON. */
#include <string.h>

#include "../sink/csv.h"
#include "../sink/escape.h"
#include "../sink/json.h"
#include "../model/pass.h"
#include "hook_fields.h"
#include "report.h"

struct hooks {
	struct report *r;
	struct csv csv;
	struct hook_fields fields;
	struct out scratch; /* a CSV cell that is JSON */
};

static void pad_left(struct out *o, uint64_t v, unsigned width)
{
	uint64_t limit = 10;
	for (unsigned n = 1; n < width; n++, limit *= 10)
		if (v < limit)
			out_char(o, ' ');
	out_u64(o, v);
}

static void write_text(struct hooks *s, const struct hook *h)
{
	struct out *o = s->r->out;
	out_seconds(o, h->time_ns);
	out_char(o, ' ');
	if (hook_on_cpu(h))
		pad_left(o, h->ring, 3);
	else
		out_str(o, "  -");
	out_char(o, ' ');
	pad_left(o, h->tid, 7);
	out_char(o, ' ');
	out_hex(o, h->major, 8);
	out_char(o, ' ');
	out_hex(o, h->minor, 8);
	if (h->nwords)
		out_char(o, ' ');
	out_words(o, h->words, h->nwords);
	for (unsigned i = 0; i < h->nstrings; i++) {
		uint32_t length;
		const char *string = hook_string(h, i, &length);
		out_char(o, ' ');
		escape_quoted(o, string, length);
	}
	if (h->schema) {
		struct field_cursor c;
		struct field_value v;
		const char *name = schema_hook_name(h->schema);
		out_char(o, ' ');
		escape_text(o, name, strlen(name));
		field_start(&c, h);
		while (field_next(&c, &v))
			;
		if (hook_fields_fit(c.fit)) {
			out_str(o, " [");
			out_str(o, hook_fields_fit(c.fit));
			out_char(o, ']');
		}
	}
	out_char(o, '\n');
}

static void write_strings(struct json *j, const struct hook *h)
{
	json_open(j, '[');
	for (unsigned i = 0; i < h->nstrings; i++) {
		uint32_t length;
		const char *string = hook_string(h, i, &length);
		json_string(j, string, length);
	}
	json_close(j, ']');
}

static int write_json(struct hooks *s, const struct hook *h)
{
	struct json j = {.o = s->r->out};
	json_open(&j, '{');
	json_key(&j, "time_ns");
	json_i64(&j, h->time_ns);
	json_key(&j, "ticks");
	json_u64(&j, h->ticks);
	json_key(&j, "cpu");
	if (hook_on_cpu(h))
		json_u64(&j, h->ring);
	else
		json_null(&j);
	json_key(&j, "tid");
	json_u64(&j, h->tid);
	json_key(&j, "pid");
	if (h->task)
		json_u64(&j, h->task->pid);
	else
		json_null(&j);
	json_key(&j, "task");
	json_text(&j, report_task_name(h->task));
	json_key(&j, "major");
	json_u64(&j, h->major);
	json_key(&j, "minor");
	json_u64(&j, h->minor);
	json_key(&j, "name");
	json_text(&j, h->schema ? schema_hook_name(h->schema) : NULL);
	json_key(&j, "words");
	json_open(&j, '[');
	for (unsigned i = 0; i < h->nwords; i++)
		json_u64(&j, hook_word(h, i));
	json_close(&j, ']');
	json_key(&j, "strings");
	write_strings(&j, h);
	json_key(&j, "fields");
	int rc = hook_fields_write(&s->fields, &j, h);
	if (hook_fields_fit(s->fields.fit)) {
		json_key(&j, "fit");
		json_text(&j, hook_fields_fit(s->fields.fit));
	}
	json_close(&j, '}');
	json_end_line(&j);
	return rc;
}

static int write_csv(struct hooks *s, const struct hook *h)
{
	struct csv *c = &s->csv;
	struct json j = {.o = &s->scratch};
	csv_i64(c, h->time_ns);
	csv_u64(c, h->ticks);
	if (hook_on_cpu(h))
		csv_u64(c, h->ring);
	else
		csv_empty(c);
	csv_u64(c, h->tid);
	if (h->task)
		csv_u64(c, h->task->pid);
	else
		csv_empty(c);
	csv_text(c, report_task_name(h->task));
	csv_u64(c, h->major);
	csv_u64(c, h->minor);
	csv_text(c, h->schema ? schema_hook_name(h->schema) : NULL);
	csv_empty(c);
	out_words(c->o, h->words, h->nwords);
	s->scratch.len = 0;
	if (h->nstrings) {
		write_strings(&j, h);
		csv_string(c, s->scratch.buf, s->scratch.len);
	} else {
		csv_empty(c);
	}
	s->scratch.len = 0;
	j.comma = false;
	int rc = hook_fields_write(&s->fields, &j, h);
	if (h->schema)
		csv_string(c, s->scratch.buf, s->scratch.len);
	else
		csv_empty(c);
	csv_end(c);
	return rc ? rc : (s->scratch.error ? -1 : 0);
}

static int write_hook(struct hooks *s, const struct hook *h)
{
	switch (s->r->format) {
	case FORMAT_CSV:
		return write_csv(s, h);
	case FORMAT_JSON:
		return write_json(s, h);
	default:
		write_text(s, h);
		return 0;
	}
}

static int read_slice(void *ctx, struct pass_slice *slice)
{
	struct hooks *s = ctx;
	struct filter_group group = {0};
	const struct hook *h;
	int rc;
	while ((rc = pass_next(slice, &h)) > 0 && !s->r->out->error)
		if (filter_hook(s->r->filter, h, &group) && write_hook(s, h))
			return CPIDECODE_ENOMEM;
	return rc < 0 ? rc : 0;
}

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct report *r = ((struct hooks *)ctx)->r;
	return !r->progress || r->progress(r->ctx, done, total);
}

int report_hooks(struct report *r)
{
	static const char *const names[] = {"time_ns", "ticks", "cpu", "tid", "pid", "task",
		"major", "minor", "name", "words", "strings", "fields", NULL};
	struct hooks s = {.r = r, .csv = {.o = r->out}};
	struct pass pass = {.trace = r->trace,
		.from_ns = r->filter->from,
		.to_ns = r->filter->to,
		.threads = 1,
		.ordered = true,
		.read = read_slice,
		.progress = show_progress,
		.ctx = &s};
	out_memory(&s.scratch);
	if (r->format == FORMAT_CSV)
		csv_header(&s.csv, names);
	else if (r->format == FORMAT_TEXT)
		report_scripted_line(r);
	int rc = pass_run(&pass, r->found);
	hook_fields_free(&s.fields);
	out_discard(&s.scratch);
	return rc;
}
