#include "writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/time_ns.h"
#include "../../../formats/base/utf8.h"
#include "../../sink/escapes.h"
#include "../../sink/fmt.h"
#include "../open.h"

enum {
	WRITER_LONG = 512,  /* words and strings: forms of more share a place */
	WRITER_TASKS = 256, /* spelled */
	WRITER_TAIL_DIGITS = 4,
	WRITER_TAIL = 10000,
};

#define WRITER_NO_HOST "n/a"

/* A task's pid, and the members or cells after it. */
struct writer_task {
	const struct task *task; /* NULL: unknown */
	bool is_there;
	struct out text; /* padded (out_pad) */
};

void hook_writer_init_fields(struct hook_writer *w, const struct trace *t)
{
	*w = (struct hook_writer){.how = {.trace = t, .names = &w->names, .scratch = &w->scratch}};
	out_memory(&w->scratch);
}

static unsigned writer_count_digits(const struct trace *t)
{
	int64_t first = 0, last = 0;
	unsigned digits = 1;

	trace_span(t, &first, &last);
	for (uint64_t s = ((uint64_t)last - (uint64_t)first) / TIME_SECOND_NS; s >= 10; s /= 10)
		digits++;
	return digits;
}

/* In text, the hosts have a column as wide as the longest. */
static size_t writer_find_host_width(const struct trace *t)
{
	size_t most = strlen(WRITER_NO_HOST);

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const char *host = report_host_of(t, i);
		const size_t width = host ? utf8_width(host, strlen(host)) : 0;

		most = width > most ? width : most;
	}
	return most;
}

static void writer_spell_host(struct out *o, enum hook_as as, const char *host, size_t width)
{
	const char *shown = host ? host : WRITER_NO_HOST;
	struct csv c = {.o = o};
	struct json j = {.o = o};

	switch (as) {
	case HOOK_AS_CSV:
		csv_text(&c, host);
		break;
	case HOOK_AS_JSON:
		cell_write_json(&j, cell_string(host, host ? strlen(host) : 0, host));
		break;
	default:
		escape_text(o, shown, strlen(shown));
		out_repeat(o, ' ', width + 1 - utf8_width(shown, strlen(shown)));
	}
	out_pad(o);
}

static int writer_spell_hosts(struct hook_writer *w)
{
	const struct trace *t = w->how.trace;
	const size_t n = trace_nfiles(t), width = writer_find_host_width(t);
	bool failed = false;

	w->hosts = calloc(n + 1, sizeof *w->hosts);
	for (size_t i = 0; w->hosts && i < n; i++) {
		out_memory(&w->hosts[i]);
		w->hosts[i].csv_safe = w->how.csv_safe;
		writer_spell_host(&w->hosts[i], w->how.as, report_host_of(t, i), width);
		failed |= w->hosts[i].error != 0;
	}
	return w->hosts && !failed ? 0 : CPIDECODE_ENOMEM;
}

int hook_writer_init(struct hook_writer *w, const struct report *r)
{
	hook_writer_init_fields(w, r->trace);
	w->how.as = r->format == FORMAT_CSV    ? HOOK_AS_CSV
		    : r->format == FORMAT_JSON ? HOOK_AS_JSON
					       : HOOK_AS_TEXT;
	w->how.times = r->times;
	w->width = r->width;
	w->start = time_text_of(r).start;
	w->how.has_containers = trace_has_several_containers(r->trace);
	w->how.names_hosts = r->names_hosts;
	w->how.csv_safe = r->out->csv_safe;
	w->seconds = writer_count_digits(r->trace);
	w->head = UINT64_MAX;
	w->tasks = calloc(WRITER_TASKS, sizeof *w->tasks);
	for (unsigned i = 0; w->tasks && i < WRITER_TASKS; i++) {
		out_memory(&w->tasks[i].text);
		w->tasks[i].text.csv_safe = w->how.csv_safe;
	}
	if (!w->tasks)
		return CPIDECODE_ENOMEM;
	return w->how.names_hosts ? writer_spell_hosts(w) : 0;
}

void hook_writer_free(struct hook_writer *w)
{
	for (unsigned i = 0; i <= WRITER_FORMS; i++)
		if (w->forms[i])
			hook_form_free(w->forms[i]);
	for (unsigned i = 0; w->tasks && i < WRITER_TASKS; i++)
		out_discard(&w->tasks[i].text);
	free(w->tasks);
	for (size_t i = 0; w->hosts && i < trace_nfiles(w->how.trace); i++)
		out_discard(&w->hosts[i]);
	free(w->hosts);
	out_discard(&w->scratch);
	hook_names_free(&w->names);
}

void hook_writer_header(const struct hook_writer *w, struct out *o)
{
	struct csv c = {.o = o};

	if (w->how.as == HOOK_AS_CSV)
		hook_form_header(&c, &w->how);
}

/* ------------------------------------------------------------------------------- parts */

/* NULL: no memory. */
static const struct out *writer_spell_task(
	const struct hook_writer *w, struct writer_task *t, const struct task *task)
{
	const char *container = task ? task->container : NULL;
	struct csv c = {.o = &t->text};
	struct json j = {.o = &t->text};

	t->text.len = 0;
	if (w->how.as == HOOK_AS_CSV) {
		cell_write_csv(&c, cell_u64(task ? task->pid : 0, task));
		csv_text(&c, report_task_name(task));
		if (w->how.has_containers)
			csv_text(&c, container);
	} else {
		cell_write_json(&j, cell_u64(task ? task->pid : 0, task));
		json_member_text(&j, "task", report_task_name(task));
		if (w->how.has_containers)
			json_member_text(&j, "container", container);
	}
	out_pad(&t->text);
	t->task = task;
	t->is_there = true;
	return t->text.error ? NULL : &t->text;
}

static const struct out *writer_find_task(const struct hook_writer *w, const struct task *task)
{
	const uintptr_t place = (uintptr_t)task;
	struct writer_task *t = &w->tasks[(place >> 4 ^ place >> 12) % WRITER_TASKS];

	return t->is_there && t->task == task ? &t->text : writer_spell_task(w, t, task);
}

/* Aligned. since: after the trace's first hook. */
static char *writer_spell_relative(const struct hook_writer *w, char *p, int64_t since)
{
	const size_t all = w->seconds + sizeof "+.000000000" - 1;
	char text[FMT_SECONDS + 1 + FMT_SLACK], *end = text;

	if (since >= 0)
		end = fmt_char(end, '+');
	end = fmt_seconds(end, since);
	const size_t length = (size_t)(end - text), spaces = length < all ? all - length : 0;

	memset(p, ' ', spaces);
	return fmt_copy(p + spaces, text, length);
}

static __attribute__((noinline)) char *writer_spell_time(
	const struct hook_writer *w, char *p, int64_t ns)
{
	if (w->how.as != HOOK_AS_TEXT)
		return fmt_i64(p, ns);
	return w->how.times == TIMES_UNIX ? fmt_seconds(p, ns) : writer_spell_relative(w, p, ns);
}

/* Hooks that follow each other have all but the last digits in common. */
static char *writer_fmt_time(struct hook_writer *w, char *p, int64_t ns)
{
	int64_t since = ns;

	if (w->how.as == HOOK_AS_TEXT && w->how.times == TIMES_RELATIVE &&
		__builtin_sub_overflow(ns, w->start, &since))
		since = ns < 0 ? INT64_MIN : INT64_MAX;
	if (since < WRITER_TAIL)
		return writer_spell_time(w, p, since);
	if ((uint64_t)since / WRITER_TAIL != w->head) {
		w->head = (uint64_t)since / WRITER_TAIL;
		w->head_length = (size_t)(writer_spell_time(w, w->head_text, since) - w->head_text -
					  WRITER_TAIL_DIGITS);
	}
	p = fmt_padded(p, w->head_text, w->head_length);
	return fmt_4(p, (uint32_t)((uint64_t)since % WRITER_TAIL));
}

/* Long hooks share a place: the forms take little memory. */
static unsigned writer_hash(const struct hook *h)
{
	const uintptr_t place = (uintptr_t)h->schema;

	if (h->nwords + h->nstrings > WRITER_LONG)
		return WRITER_FORMS;
	return (unsigned)(place >> 4 ^ place >> 10 ^ h->nwords ^ h->nstrings << 4) % WRITER_FORMS;
}

/* NULL: no memory. */
static __attribute__((noinline)) const struct hook_form *writer_make_form(
	struct hook_writer *w, struct hook_form **form, const struct hook *h)
{
	if (!*form) {
		*form = calloc(1, sizeof **form);
		if (!*form)
			return NULL;
		out_memory(&(*form)->text);
	}
	return hook_form_make(*form, &w->how, h) ? NULL : *form;
}

/* A number of two words, or one that may be negative or not measured. */
static char *writer_fmt_number(
	char *p, const struct schema_field *field, const uint8_t *words, bool is_text)
{
	bool narrow = schema_type_words(field->type) == 1;
	uint64_t v = narrow ? get_le32(words) : get_hl64(words);

	/* Exactly: the integral part has more bits than a double would keep. */
	if (field->type == FIELD_FIX4)
		v = (uint64_t)get_le32(words) * 10000 + get_le32(words + 4);
	if (v == 0 && field->attributes & FIELD_NA0)
		return is_text ? fmt_text(p, "n/a") : fmt_text(p, "null");
	switch (field->type) {
	case FIELD_I32:
		return fmt_i64(p, (int32_t)v);
	case FIELD_I64:
		return fmt_i64(p, (int64_t)v);
	case FIELD_FIX4:
		return fmt_4(fmt_char(fmt_u64(p, v / 10000), '.'), (uint32_t)(v % 10000));
	default:
		return fmt_u64(p, v);
	}
}

static char *writer_fmt_decimals(char *p, const struct hook *h)
{
	for (unsigned i = 0; i < h->nwords; i++)
		p = fmt_char(fmt_u32(p, hook_word(h, i)), ',');
	return p - 1;
}

static void writer_write_double(
	struct out *o, const struct schema_field *field, const uint8_t *words, bool is_text)
{
	const uint64_t bits = get_hl64(words);
	struct json j = {.o = o};
	double v;

	memcpy(&v, &bits, sizeof v);
	const bool is_known = v != 0 || !(field->attributes & FIELD_NA0);
	if (!is_text)
		json_double(&j, is_known ? v : NAN);
	else if (!is_known)
		out_str(o, "n/a");
	else if (isfinite(v))
		out_double(o, v);
	else
		out_str(o, isnan(v) ? "NaN" : v > 0 ? "inf" : "-inf");
}

/* JSON to write to, and later to copy into a cell of CSV. */
static struct json writer_begin_json(struct hook_writer *w, struct out *o)
{
	w->scratch.len = 0;
	return (struct json){.o = w->how.as == HOOK_AS_CSV ? &w->scratch : o};
}

static void writer_end_json(struct hook_writer *w, struct out *o)
{
	struct csv c = {.o = o};

	if (w->scratch.len)
		csv_add_quoted(&c, w->scratch.buf, w->scratch.len);
}

static void writer_write_string(
	struct hook_writer *w, struct out *o, const struct hook *h, uint32_t i)
{
	uint32_t length;
	const char *string = hook_string(h, i, &length);

	if (w->how.as == HOOK_AS_TEXT) {
		escape_quoted(o, string, length);
		return;
	}
	struct json j = writer_begin_json(w, o);
	json_string(&j, string, length);
	writer_end_json(w, o);
}

static void writer_write_names(
	struct hook_writer *w, struct out *o, const struct hook *h, bool has_fields)
{
	hook_names_read(&w->names, w->how.trace, h);
	if (w->how.as == HOOK_AS_TEXT) {
		hook_names_spell(&w->names, o);
		return;
	}
	struct json j = writer_begin_json(w, o);
	j.comma = has_fields;
	hook_names_write(&w->names, &j);
	writer_end_json(w, o);
}

/* A value that fmt.h does not spell. */
static __attribute__((noinline)) void writer_write_value(
	struct hook_writer *w, struct out *o, const struct hook *h, const struct form_value *v)
{
	switch (v->kind) {
	case FORM_ISO_TIME:
		units_iso8601(o, h->time_ns);
		break;
	case FORM_DOUBLE:
		writer_write_double(o, v->field, h->words + v->at, w->how.as == HOOK_AS_TEXT);
		break;
	case FORM_STRING:
		writer_write_string(w, o, h, v->at);
		break;
	default:
		writer_write_names(w, o, h, v->at);
	}
}

static char *writer_fmt_cpu(char *p, const struct hook *h, enum hook_as as)
{
	if (hook_on_cpu(h))
		return fmt_u32(p, h->ring);
	return as == HOOK_AS_JSON ? fmt_text(p, "null") : p;
}

#define WRITER_MEMBER(h, type, at) (*(const type *)((const char *)(h) + (at)))

/* Writes the line of a hook of that form. */
static void writer_write_line(struct hook_writer *w, struct out *o, const struct hook *h,
	const struct hook_form *form, const struct out *task)
{
	const struct form_value *v = form->values, *const end =
							   form->nvalues ? v + form->nvalues : v;
	const struct out *host = w->hosts ? &w->hosts[h->file] : NULL;
	const size_t room = form->room + (task ? task->len : 0) + (host ? host->len : 0);
	const char *text = form->text.buf;
	char *p = out_reserve(o, room);

	for (; v < end && p; v++) {
		p = fmt_padded(p, text + v->text, v->length);
		switch (v->kind) {
		case FORM_WORD:
			p = fmt_u32(p, get_le32(h->words + v->at));
			break;
		case FORM_NUMBER:
			p = writer_fmt_number(
				p, v->field, h->words + v->at, w->how.as == HOOK_AS_TEXT);
			break;
		case FORM_TIME:
			p = writer_fmt_time(w, p, h->time_ns);
			break;
		case FORM_U64:
			p = fmt_u64(p, WRITER_MEMBER(h, uint64_t, v->at));
			break;
		case FORM_U32:
			p = fmt_u32(p, WRITER_MEMBER(h, uint32_t, v->at));
			break;
		case FORM_MINOR_HEX:
			p = fmt_hex8(p, h->minor);
			break;
		case FORM_CPU:
			p = writer_fmt_cpu(p, h, w->how.as);
			break;
		case FORM_CPU_RIGHT:
			p = hook_on_cpu(h) ? fmt_right(p, h->ring, 3) : fmt_text(p, "  -");
			break;
		case FORM_TID_RIGHT:
			p = fmt_right(p, h->tid, 7);
			break;
		case FORM_HOST:
			p = fmt_padded(p, host->buf, host->len);
			break;
		case FORM_TASK:
			p = fmt_padded(p, task->buf, task->len);
			break;
		case FORM_WORDS:
			w->words_from = (size_t)(p - o->buf);
			p = fmt_words(p, h->words, h->nwords);
			w->words_to = (size_t)(p - o->buf);
			break;
		case FORM_DECIMALS:
			p = writer_fmt_decimals(p, h);
			break;
		default:
			out_reach(o, p);
			writer_write_value(w, o, h, v);
			p = out_reserve(o, room);
		}
	}
	if (p)
		out_reach(o, fmt_padded(p, text + form->end, form->length - form->end));
}

#define ELLIPSIS "\xe2\x80\xa6"

static bool writer_line_fits(const struct hook_writer *w, const struct out *o, size_t start)
{
	return o->error || o->len <= start ||
	       utf8_width(o->buf + start, o->len - start - 1) <= w->width;
}

/* Shortens the line that begins at `start`: replaces words that fields repeat by an ellipsis, then
 * the line's end. */
static void writer_fit_line(
	const struct hook_writer *w, struct out *o, size_t start, const struct hook *h)
{
	const size_t mark = sizeof ELLIPSIS - 1;

	if (writer_line_fits(w, o, start))
		return;
	if (h->schema && w->words_to > w->words_from + mark) {
		memcpy(o->buf + w->words_from, ELLIPSIS, mark);
		memmove(o->buf + w->words_from + mark, o->buf + w->words_to, o->len - w->words_to);
		o->len -= w->words_to - w->words_from - mark;
	}
	if (writer_line_fits(w, o, start))
		return;
	o->len = start + utf8_fit(o->buf + start, o->len - start - 1, w->width - 1);
	out_str(o, ELLIPSIS "\n");
}

int hook_writer_write(struct hook_writer *w, struct out *o, const struct hook *h)
{
	struct hook_form **place = &w->forms[writer_hash(h)];
	const struct hook_form *form =
		*place && hook_form_fits(*place, h) ? *place : writer_make_form(w, place, h);
	const bool has_task = w->how.as == HOOK_AS_JSON || w->how.as == HOOK_AS_CSV;
	const struct out *task = has_task ? writer_find_task(w, h->task) : NULL;
	const size_t start = o->len;

	if (!form || (has_task && !task))
		return CPIDECODE_ENOMEM;
	w->fit = form->fit;
	w->words_from = w->words_to = 0;
	writer_write_line(w, o, h, form, task);
	if (w->width && w->how.as == HOOK_AS_TEXT)
		writer_fit_line(w, o, start, h);
	return w->scratch.error ? CPIDECODE_ENOMEM : 0;
}
