#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/time_ns.h"
#include "../../../formats/base/utf8.h"
#include "../../sink/csv.h"
#include "../../sink/escapes.h"
#include "../../sink/json.h"
#include "../../sink/fmt.h"
#include "../../sink/units.h"
#include "../open.h"
#include "../rows.h"

enum {
	CACHED = 256,	 /* spelled texts of a kind */
	LINE_ROOM = 320, /* for all parts of bounded length but words and cached texts */
	JSON_WORD = 11,
	TIME_TAIL_DIGITS = 4,
	TIME_TAIL = 10000,
	LINE_TIME = 2 * FMT_SECONDS + 2 * FMT_SLACK, /* with spaces before it */
};

#define HOOK_LINES_NO_HOST "n/a"

/* A name or task as spelled, with its fixed delimiters. */
struct spelled {
	const void *about;
	bool known;
	struct out text;
};

struct hook_lines {
	enum report_format format;
	bool has_containers; /* a column more */
	const struct trace *trace;
	struct out *hosts;	     /* by file, before each line; NULL: none */
	unsigned width;		     /* of text; 0: no limit */
	size_t words_from, words_to; /* in the buffer, of the line written last */
	struct time_text time;
	unsigned seconds; /* of relative times: digits of the trace's last second */
	struct spelled names[CACHED], tasks[CACHED];
	uint64_t head; /* of the time before: without its last digits */
	char head_text[LINE_TIME];
	size_t head_length;
	struct hook_fields fields;
};

static unsigned hook_lines_count_digits(const struct trace *t)
{
	int64_t first = 0, last = 0;
	unsigned digits = 1;

	trace_span(t, &first, &last);
	for (uint64_t s = ((uint64_t)last - (uint64_t)first) / TIME_SECOND_NS; s >= 10; s /= 10)
		digits++;
	return digits;
}

static size_t hook_lines_find_host_width(const struct trace *t)
{
	size_t most = strlen(HOOK_LINES_NO_HOST);

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const char *host = report_host_of(t, i);
		const size_t width = host ? utf8_width(host, strlen(host)) : 0;

		most = width > most ? width : most;
	}
	return most;
}

static void hook_lines_spell_host(
	struct out *o, enum report_format format, const char *host, size_t width)
{
	struct csv c = {.o = o};
	struct json j = {.o = o};
	const char *shown = host ? host : HOOK_LINES_NO_HOST;

	switch (format) {
	case FORMAT_CSV:
		csv_text(&c, host);
		out_char(o, ',');
		break;
	case FORMAT_JSON:
		json_open(&j, '{');
		json_member_text(&j, "host", host);
		break;
	default:
		escape_text(o, shown, strlen(shown));
		out_repeat(o, ' ', width + 1 - utf8_width(shown, strlen(shown)));
	}
}

static int hook_lines_spell_hosts(struct hook_lines *l, const struct report *r)
{
	const size_t n = trace_nfiles(r->trace), width = hook_lines_find_host_width(r->trace);
	bool failed = false;

	l->hosts = calloc(n + 1, sizeof *l->hosts);
	for (size_t i = 0; l->hosts && i < n; i++) {
		out_memory(&l->hosts[i]);
		l->hosts[i].csv_safe = r->out->csv_safe;
		hook_lines_spell_host(&l->hosts[i], l->format, report_host_of(r->trace, i), width);
		failed |= l->hosts[i].error != 0;
	}
	return l->hosts && !failed ? 0 : CPIDECODE_ENOMEM;
}

int hook_lines_new(const struct report *r, struct hook_lines **result)
{
	const enum report_format format = r->format;
	const bool csv_safe = r->out->csv_safe;
	struct hook_lines *l = *result = calloc(1, sizeof *l);

	if (!l)
		return CPIDECODE_ENOMEM;
	l->format = format;
	l->trace = r->trace;
	l->width = r->width;
	l->has_containers = trace_has_several_containers(r->trace);
	l->head = UINT64_MAX;
	l->time = time_text_of(r);
	l->seconds = hook_lines_count_digits(r->trace);
	hook_fields_init(&l->fields, r->trace,
		format == FORMAT_CSV	? HOOK_FIELDS_CSV
		: format == FORMAT_JSON ? HOOK_FIELDS_JSON
					: HOOK_FIELDS_TEXT);
	for (unsigned i = 0; i < CACHED; i++) {
		out_memory(&l->names[i].text);
		out_memory(&l->tasks[i].text);
		l->names[i].text.csv_safe = l->tasks[i].text.csv_safe = csv_safe;
	}
	return r->names_hosts ? hook_lines_spell_hosts(l, r) : 0;
}

void hook_lines_free(struct hook_lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; l->hosts && i < trace_nfiles(l->trace); i++)
		out_discard(&l->hosts[i]);
	free(l->hosts);
	for (unsigned i = 0; i < CACHED; i++) {
		out_discard(&l->names[i].text);
		out_discard(&l->tasks[i].text);
	}
	hook_fields_free(&l->fields);
	free(l);
}

void hook_lines_header(struct hook_lines *l, struct out *o)
{
	static const char *const names[] = {"time_ns", "ticks", "cpu", "tid", "pid", "task",
		"container", "major", "minor", "name", "words", "strings", "fields"};
	struct csv c = {.o = o};

	if (l->format != FORMAT_CSV)
		return;
	if (l->hosts)
		csv_text(&c, "host");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (l->has_containers || strcmp(names[i], "container") != 0)
			csv_text(&c, names[i]);
	csv_end(&c);
}

static struct spelled *find_spelled(struct spelled *of, const void *about)
{
	uintptr_t place = (uintptr_t)about;

	return &of[(place >> 4 ^ place >> 12) % CACHED];
}

static void spell_name(struct out *o, enum report_format format, const struct schema_hook *schema)
{
	const char *name = schema ? schema_hook_name(schema) : NULL;
	struct csv c = {.o = o, .comma = true};
	struct json j = {.o = o, .comma = true};

	switch (format) {
	case FORMAT_CSV:
		csv_text(&c, name);
		out_char(o, ',');
		break;
	case FORMAT_JSON:
		json_member_text(&j, "name", name);
		json_member_open(&j, "words", '[');
		break;
	default:
		if (!name)
			break;
		out_char(o, ' ');
		escape_text(o, name, strlen(name));
		break;
	}
}

static void spell_task(struct out *o, const struct hook_lines *l, const struct task *task)
{
	const char *container = task ? task->container : NULL;
	struct csv c = {.o = o, .comma = true};
	struct json j = {.o = o, .comma = true};

	if (l->format == FORMAT_CSV) {
		if (task)
			csv_u64(&c, task->pid);
		else
			csv_empty(&c);
		csv_text(&c, report_task_name(task));
		if (l->has_containers)
			csv_text(&c, container);
		out_char(o, ',');
		return;
	}
	json_member_count(&j, "pid", task, task ? task->pid : 0);
	json_member_text(&j, "task", report_task_name(task));
	if (l->has_containers)
		json_member_text(&j, "container", container);
	json_key(&j, "major");
}

/* NULL: no memory. */
static const struct out *hook_lines_find_name(
	struct hook_lines *l, const struct schema_hook *schema)
{
	struct spelled *s = find_spelled(l->names, schema);

	if (!s->known || s->about != schema) {
		s->text.len = 0;
		spell_name(&s->text, l->format, schema);
		out_pad(&s->text);
		s->about = schema;
		s->known = true;
	}
	return s->text.error ? NULL : &s->text;
}

static const struct out *task_text(struct hook_lines *l, const struct task *task)
{
	struct spelled *s = find_spelled(l->tasks, task);

	if (!s->known || s->about != task) {
		s->text.len = 0;
		spell_task(&s->text, l, task);
		out_pad(&s->text);
		s->about = task;
		s->known = true;
	}
	return s->text.error ? NULL : &s->text;
}

static char *hook_lines_fmt_spelled(char *p, const struct out *text)
{
	return text->len ? fmt_padded(p, text->buf, text->len) : p;
}

/* Aligned. since: after the trace's first hook. */
static char *hook_lines_spell_relative(const struct hook_lines *l, char *p, int64_t since)
{
	const size_t all = l->seconds + sizeof "+.000000000" - 1;
	char text[FMT_SECONDS + 1 + FMT_SLACK], *end = text;

	if (since >= 0)
		end = fmt_char(end, '+');
	end = fmt_seconds(end, since);
	const size_t length = (size_t)(end - text), spaces = length < all ? all - length : 0;

	memset(p, ' ', spaces);
	return fmt_copy(p + spaces, text, length);
}

static char *hook_lines_spell_time(const struct hook_lines *l, char *p, int64_t ns)
{
	if (l->format != FORMAT_TEXT)
		return fmt_i64(p, ns);
	return l->time.how == TIMES_UNIX ? fmt_seconds(p, ns) : hook_lines_spell_relative(l, p, ns);
}

/* Hooks that follow each other have all but the last digits in common. */
static char *hook_lines_fmt_time(struct hook_lines *l, char *p, int64_t ns)
{
	if (ns < TIME_TAIL)
		return hook_lines_spell_time(l, p, ns);
	if ((uint64_t)ns / TIME_TAIL != l->head) {
		l->head = (uint64_t)ns / TIME_TAIL;
		l->head_length = (size_t)(hook_lines_spell_time(l, l->head_text, ns) -
					  l->head_text - TIME_TAIL_DIGITS);
	}
	p = fmt_padded(p, l->head_text, l->head_length);
	return fmt_4(p, (uint32_t)((uint64_t)ns % TIME_TAIL));
}

/* Of text. */
static char *hook_lines_fmt_moment(struct hook_lines *l, struct out *o, char *p, int64_t ns)
{
	int64_t since;

	if (l->time.how == TIMES_ISO) {
		units_iso8601(o, ns);
		return o->buf + o->len;
	}
	if (l->time.how == TIMES_UNIX)
		return hook_lines_fmt_time(l, p, ns);
	if (__builtin_sub_overflow(ns, l->time.start, &since))
		since = ns < 0 ? INT64_MIN : INT64_MAX;
	return fmt_text(hook_lines_fmt_time(l, p, since), " s");
}

static void write_quoted(struct out *o, const struct hook *h)
{
	for (unsigned i = 0; i < h->nstrings; i++) {
		uint32_t length;
		const char *string = hook_string(h, i, &length);

		out_char(o, ' ');
		escape_quoted(o, string, length);
	}
}

static int write_text(struct hook_lines *l, struct out *o, const struct hook *h)
{
	const struct out *name = hook_lines_find_name(l, h->schema);

	if (!name)
		return CPIDECODE_ENOMEM;
	char *p = out_reserve(o, LINE_ROOM + (size_t)h->nwords * FMT_WORD + name->len);
	if (!p)
		return 0;
	p = fmt_char(hook_lines_fmt_moment(l, o, p, h->time_ns), ' ');
	p = hook_on_cpu(h) ? fmt_right(p, h->ring, 3) : fmt_text(p, "  -");
	p = fmt_char(fmt_right(fmt_char(p, ' '), h->tid, 7), ' ');
	p = fmt_char(fmt_hex8(p, h->major), ' ');
	p = fmt_hex8(p, h->minor);
	l->words_from = (size_t)(p - o->buf) + 1;
	if (h->nwords)
		p = fmt_words(fmt_char(p, ' '), h->words, h->nwords);
	l->words_to = (size_t)(p - o->buf);
	if (h->nstrings) {
		out_reach(o, p);
		write_quoted(o, h);
		p = out_reserve(o, LINE_ROOM + name->len);
		if (!p)
			return 0;
	}
	p = hook_lines_fmt_spelled(p, name);
	out_reach(o, p);
	if (hook_fields_write(&l->fields, o, h))
		return CPIDECODE_ENOMEM;
	p = out_reserve(o, LINE_ROOM);
	if (!p)
		return 0;
	const char *fit = hook_fields_fit(l->fields.fit);
	if (fit) {
		p = fmt_copy(fmt_text(p, " ["), fit, strlen(fit));
		p = fmt_char(p, ']');
	}
	out_reach(o, fmt_char(p, '\n'));
	return 0;
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

static char *hook_lines_fmt_decimals(char *p, const struct hook *h)
{
	for (unsigned i = 0; i < h->nwords; i++)
		p = fmt_char(fmt_u32(p, hook_word(h, i)), ',');
	return h->nwords ? p - 1 : p;
}

static int write_json(struct hook_lines *l, struct out *o, const struct hook *h)
{
	struct json j = {.o = o};
	const struct out *name = hook_lines_find_name(l, h->schema), *task = task_text(l, h->task);

	if (!name || !task)
		return CPIDECODE_ENOMEM;
	char *p = out_reserve(o, LINE_ROOM + (size_t)h->nwords * JSON_WORD + name->len + task->len);
	if (!p)
		return 0;
	p = hook_lines_fmt_time(l, json_fmt_first_key(p, "time_ns"), h->time_ns);
	p = fmt_u64(json_fmt_key(p, "ticks"), h->ticks);
	p = json_fmt_key(p, "cpu");
	p = hook_on_cpu(h) ? fmt_u32(p, h->ring) : fmt_text(p, "null");
	p = fmt_u32(json_fmt_key(p, "tid"), h->tid);
	p = fmt_u32(hook_lines_fmt_spelled(p, task), h->major);
	p = fmt_u32(json_fmt_key(p, "minor"), h->minor);
	p = hook_lines_fmt_decimals(hook_lines_fmt_spelled(p, name), h);
	p = json_fmt_key(fmt_char(p, ']'), "strings");
	if (h->nstrings) {
		out_reach(o, p);
		write_strings(&j, h);
		p = out_reserve(o, LINE_ROOM);
		if (!p)
			return 0;
	} else {
		p = fmt_text(p, "[]");
	}
	out_reach(o, json_fmt_key(p, "fields"));
	int rc = hook_fields_write(&l->fields, o, h);
	const char *fit = hook_fields_fit(l->fields.fit);
	if (fit) {
		j.comma = true;
		json_member_text(&j, "fit", fit);
	}
	out_bytes(o, "}\n", 2);
	return rc;
}

static int write_csv(struct hook_lines *l, struct out *o, const struct hook *h)
{
	const struct out *name = hook_lines_find_name(l, h->schema), *task = task_text(l, h->task);

	if (!name || !task)
		return CPIDECODE_ENOMEM;
	char *p = out_reserve(o, LINE_ROOM + (size_t)h->nwords * FMT_WORD + name->len + task->len);
	if (!p)
		return 0;
	p = fmt_char(hook_lines_fmt_time(l, p, h->time_ns), ',');
	p = fmt_char(fmt_u64(p, h->ticks), ',');
	p = fmt_char(hook_on_cpu(h) ? fmt_u32(p, h->ring) : p, ',');
	p = fmt_u32(p, h->tid);
	p = fmt_char(fmt_u32(hook_lines_fmt_spelled(p, task), h->major), ',');
	p = fmt_u32(p, h->minor);
	p = fmt_words(hook_lines_fmt_spelled(p, name), h->words, h->nwords);
	out_reach(o, p);
	if (h->nstrings) {
		struct csv c = {.o = o, .comma = true};
		struct out *scratch = &l->fields.scratch;
		struct json j = {.o = scratch};

		scratch->len = 0;
		write_strings(&j, h);
		csv_string(&c, scratch->buf, scratch->len);
		out_char(o, ',');
	} else {
		out_bytes(o, ",,", 2);
	}
	int rc = h->schema ? hook_fields_write(&l->fields, o, h) : 0;
	out_bytes(o, "\r\n", 2);
	return rc ? rc : l->fields.scratch.error ? CPIDECODE_ENOMEM : 0;
}

#define ELLIPSIS "\xe2\x80\xa6"

static bool hook_lines_fits(const struct hook_lines *l, const struct out *o, size_t start)
{
	return o->error || o->len <= start ||
	       utf8_width(o->buf + start, o->len - start - 1) <= l->width;
}

/* Shortens the line that begins at `start`: replaces words that fields repeat by an ellipsis, then
 * the line's end. */
static void hook_lines_fit(
	const struct hook_lines *l, struct out *o, size_t start, const struct hook *h)
{
	const size_t mark = sizeof ELLIPSIS - 1;

	if (hook_lines_fits(l, o, start))
		return;
	if (h->schema && l->words_to > l->words_from + mark) {
		memcpy(o->buf + l->words_from, ELLIPSIS, mark);
		memmove(o->buf + l->words_from + mark, o->buf + l->words_to, o->len - l->words_to);
		o->len -= l->words_to - l->words_from - mark;
	}
	if (hook_lines_fits(l, o, start))
		return;
	o->len = start + utf8_fit(o->buf + start, o->len - start - 1, l->width - 1);
	out_str(o, ELLIPSIS "\n");
}

static void hook_lines_write_host(const struct hook_lines *l, struct out *o, const struct hook *h)
{
	if (l->hosts)
		out_bytes(o, l->hosts[h->file].buf, l->hosts[h->file].len);
}

static int hook_lines_write_text(struct hook_lines *l, struct out *o, const struct hook *h)
{
	const size_t start = o->len;

	hook_lines_write_host(l, o, h);
	int rc = write_text(l, o, h);

	if (!rc && l->width)
		hook_lines_fit(l, o, start, h);
	return rc;
}

/* The host opens the object in place of the row's own brace. */
static int hook_lines_write_json(struct hook_lines *l, struct out *o, const struct hook *h)
{
	hook_lines_write_host(l, o, h);
	const size_t brace = o->len;
	int rc = write_json(l, o, h);

	if (l->hosts && o->len > brace)
		o->buf[brace] = ',';
	return rc;
}

int hook_lines_write(struct hook_lines *l, struct out *o, const struct hook *h)
{
	switch (l->format) {
	case FORMAT_CSV:
		hook_lines_write_host(l, o, h);
		return write_csv(l, o, h);
	case FORMAT_JSON:
		return hook_lines_write_json(l, o, h);
	default:
		return hook_lines_write_text(l, o, h);
	}
}
