#include "where.h"

#include <stdio.h>
#include <string.h>

#include "../../model/trace/nrm2_tail.h"
#include "../../sink/fmt.h"
#include "../open.h"
#include "writer.h"

static const struct {
	const char *name;
	struct expression_word word;
} hook_words[HOOK_WORD_FIELD] = {
	[HOOK_WORD_TIME_NS] = {"time_ns", {.type = EXPRESSION_DURATION, .is_signed = true}},
	[HOOK_WORD_TIME] = {"time", {.type = EXPRESSION_DURATION, .is_signed = true}},
	[HOOK_WORD_TICKS] = {"ticks", {.type = EXPRESSION_WHOLE}},
	[HOOK_WORD_CPU] = {"cpu", {.type = EXPRESSION_WHOLE}},
	[HOOK_WORD_TID] = {"tid", {.type = EXPRESSION_WHOLE}},
	[HOOK_WORD_PID] = {"pid", {.type = EXPRESSION_WHOLE}},
	[HOOK_WORD_TASK] = {"task", {.type = EXPRESSION_TEXT}},
	[HOOK_WORD_CONTAINER] = {"container", {.type = EXPRESSION_TEXT}},
	[HOOK_WORD_MAJOR] = {"major", {.type = EXPRESSION_WHOLE}},
	[HOOK_WORD_MINOR] = {"minor", {.type = EXPRESSION_WHOLE}},
	[HOOK_WORD_NAME] = {"name", {.type = EXPRESSION_TEXT}},
	[HOOK_WORD_WORDS] = {"words", {.type = EXPRESSION_TEXT}},
	[HOOK_WORD_STRINGS] = {"strings", {.type = EXPRESSION_TEXT}},
	[HOOK_WORD_FIELDS] = {"fields", {.type = EXPRESSION_TEXT}},
};

static const char field_prefix[] = "field.";
/* Also of hooks that have the number of their label. */
static const char label_field[] = "label", label_number_field[] = "label_number";

/* Whether a trace has the field is known only once it is open. */
static bool hook_where_find_word(void *ctx, const char *text, size_t length,
	struct expression_word *word, char expected[EXPRESSION_EXPECTED])
{
	const size_t prefix = sizeof field_prefix - 1;
	const bool is_field = length > prefix && memcmp(text, field_prefix, prefix) == 0;
	struct hook_where *w = ctx;
	struct hook_where_word *to = &w->words[w->nwords];
	const uint32_t id = w->nwords;

	for (enum hook_word i = 0; i < HOOK_WORD_FIELD; i++) {
		if (strlen(hook_words[i].name) != length ||
			memcmp(hook_words[i].name, text, length) != 0)
			continue;
		*word = hook_words[i].word;
		*to = (struct hook_where_word){.word = i};
		w->asks_task |= i >= HOOK_WORD_PID && i <= HOOK_WORD_CONTAINER;
		word->id = id;
		w->nwords++;
		return true;
	}
	if (!is_field && memchr(text, '.', length)) {
		snprintf(expected, EXPRESSION_EXPECTED,
			"a column of hooks, or a field: hooks have no other intervals or arguments");
		return false;
	}
	*to = (struct hook_where_word){.word = HOOK_WORD_FIELD,
		.name = text + (is_field ? prefix : 0),
		.length = (uint32_t)(length - (is_field ? prefix : 0))};
	*word = (struct expression_word){.type = EXPRESSION_ANY, .is_signed = true, .id = id};
	w->nwords++;
	return true;
}

bool hook_where_parse(struct hook_where *w, const char *text, struct expression_error *error)
{
	const struct expression_names names = {.find_word = hook_where_find_word,
		.ctx = w,
		.word = "a column: those of --report hooks --format csv, time, or a field of hooks"};

	w->nwords = 0;
	w->asks_task = false;
	w->start = 0;
	return expression_parse(&w->expression, text, &names, error);
}

static bool hook_where_is_label(const struct hook_where_word *word)
{
	return word->length == sizeof label_field - 1 &&
	       memcmp(word->name, label_field, word->length) == 0;
}

static bool hook_where_has_field(
	const struct schema_set *schemas, const struct hook_where_word *word)
{
	return schema_set_has_field(schemas, word->name, word->length) ||
	       (hook_where_is_label(word) && schema_set_has_field(schemas, label_number_field,
						     sizeof label_number_field - 1));
}

const struct hook_where_word *hook_where_settle(struct hook_where *w, const struct trace *t)
{
	w->start = report_start(t);
	for (uint32_t i = 0; i < w->nwords; i++) {
		const struct hook_where_word *word = &w->words[i];
		bool is_known = word->word != HOOK_WORD_FIELD;

		for (size_t k = 0; k < trace_nfiles(t) && !is_known; k++)
			is_known = hook_where_has_field(trace_file(t, k)->schemas, word);
		if (!is_known)
			return word;
	}
	return NULL;
}

/* --------------------------------------------------------------------------- evaluation */

struct hook_where_row {
	const struct hook_where *where;
	const struct trace *trace;
	const struct hook *h;
};

static struct expression_value hook_where_whole(uint64_t size, bool is_known)
{
	return (struct expression_value){
		.kind = is_known ? EXPRESSION_VALUE_WHOLE : EXPRESSION_VALUE_NONE, .size = size};
}

static struct expression_value hook_where_signed(int64_t i)
{
	struct expression_value value = hook_where_whole(i < 0 ? -(uint64_t)i : (uint64_t)i, true);

	value.is_negative = i < 0;
	return value;
}

static struct expression_value hook_where_real(double real)
{
	return (struct expression_value){.kind = EXPRESSION_VALUE_REAL, .real = real};
}

static struct expression_value hook_where_bytes(const void *text, size_t length)
{
	return (struct expression_value){
		.kind = EXPRESSION_VALUE_TEXT, .text = text, .length = length};
}

static struct expression_value hook_where_text(const char *text)
{
	return text ? hook_where_bytes(text, strlen(text))
		    : (struct expression_value){.kind = EXPRESSION_VALUE_NONE};
}

static struct expression_value hook_where_column(
	const struct hook_where_row *row, enum hook_word word)
{
	const struct hook *h = row->h;
	const struct task *task = h->task;

	switch (word) {
	case HOOK_WORD_TIME_NS:
		return hook_where_signed(h->time_ns);
	case HOOK_WORD_TIME:
		return hook_where_signed(
			(int64_t)((uint64_t)h->time_ns - (uint64_t)row->where->start));
	case HOOK_WORD_TICKS:
		return hook_where_whole(h->ticks, true);
	case HOOK_WORD_CPU:
		return hook_where_whole(h->ring, hook_on_cpu(h));
	case HOOK_WORD_TID:
		return hook_where_whole(h->tid, true);
	case HOOK_WORD_PID:
		return hook_where_whole(task ? task->pid : 0, task);
	case HOOK_WORD_TASK:
		return hook_where_text(report_task_name(task));
	case HOOK_WORD_CONTAINER:
		return hook_where_text(task ? task->container : NULL);
	case HOOK_WORD_MAJOR:
		return hook_where_whole(h->major, true);
	case HOOK_WORD_MINOR:
		return hook_where_whole(h->minor, true);
	default:
		return hook_where_text(h->schema ? schema_hook_name(h->schema) : NULL);
	}
}

/* Tests the words as CSV spells them. */
static bool hook_where_test_words(
	const struct expression *e, const struct expression_node *leaf, const struct hook *h)
{
	struct out text;
	bool holds;

	out_memory(&text);
	char *p = out_reserve(&text, (size_t)h->nwords * FMT_WORD + FMT_SLACK);
	if (p)
		out_reach(&text, fmt_words(p, h->words, h->nwords));
	struct expression_value value = hook_where_bytes(text.buf, text.len);
	if (!h->nwords)
		value.kind = EXPRESSION_VALUE_NONE;
	holds = expression_test(e, leaf, &value);
	out_discard(&text);
	return holds;
}

static bool hook_where_test_strings(
	const struct expression *e, const struct expression_node *leaf, const struct hook *h)
{
	struct expression_value value = {.kind = EXPRESSION_VALUE_NONE};
	bool holds = !h->nstrings && expression_test(e, leaf, &value);

	for (unsigned i = 0; i < h->nstrings && !holds; i++) {
		uint32_t length;
		const char *string = hook_string(h, i, &length);

		value = hook_where_bytes(string, length);
		holds = expression_test(e, leaf, &value);
	}
	return holds;
}

static struct expression_value hook_where_field_value(const struct field_value *v)
{
	if (v->not_measured)
		return (struct expression_value){.kind = EXPRESSION_VALUE_NONE};
	switch (v->field->type) {
	case FIELD_STRING:
		return hook_where_bytes(v->string, v->length);
	case FIELD_F64:
		return hook_where_real(v->f);
	case FIELD_FIX4:
		return hook_where_real((double)v->u / 10000);
	case FIELD_I32:
	case FIELD_I64:
		return hook_where_signed(v->i);
	default:
		return hook_where_whole(v->u, true);
	}
}

static bool hook_where_test_field(const struct expression *e, const struct expression_node *leaf,
	const struct hook *h, const struct hook_where_word *word)
{
	struct expression_value value = {.kind = EXPRESSION_VALUE_NONE};
	struct field_cursor cursor;
	struct field_value v;
	bool is_there = false;

	field_start(&cursor, h);
	while (field_next(&cursor, &v)) {
		if (strncmp(v.field->name, word->name, word->length) != 0 ||
			v.field->name[word->length])
			continue;
		value = hook_where_field_value(&v);
		is_there |= value.kind != EXPRESSION_VALUE_NONE;
		if (leaf->kind != EXPRESSION_ABSENT && expression_test(e, leaf, &value))
			return true;
	}
	return leaf->kind == EXPRESSION_ABSENT && !is_there;
}

static bool hook_where_test_fields(const struct hook_where_row *row, const struct expression *e,
	const struct expression_node *leaf)
{
	struct expression_value value = {.kind = EXPRESSION_VALUE_NONE};
	struct hook_writer writer;
	struct out text;
	bool holds;

	if (!row->h->schema)
		return expression_test(e, leaf, &value);
	out_memory(&text);
	hook_writer_init_fields(&writer, row->trace);
	hook_writer_write(&writer, &text, row->h);
	value = hook_where_bytes(text.buf, text.len);
	holds = text.len && expression_test(e, leaf, &value);
	hook_writer_free(&writer);
	out_discard(&text);
	return holds;
}

/* The label that the table of labels has for the hook's number; false: it has none. */
static bool hook_where_read_label(const struct hook_where_row *row, struct expression_value *value)
{
	struct hook_names names = {0};
	bool has_label = row->h->schema && hook_names_read(&names, row->trace, row->h) &&
			 names.tells_label && names.label.at;

	if (has_label)
		*value = hook_where_bytes(names.label.at, names.label.length);
	hook_names_free(&names);
	return has_label;
}

static bool hook_where_test_leaf(
	void *ctx, const struct expression *e, const struct expression_node *leaf)
{
	const struct hook_where_row *row = ctx;
	const struct hook_where_word *word = &row->where->words[leaf->id];
	struct expression_value value;

	switch (word->word) {
	case HOOK_WORD_WORDS:
		return hook_where_test_words(e, leaf, row->h);
	case HOOK_WORD_STRINGS:
		return hook_where_test_strings(e, leaf, row->h);
	case HOOK_WORD_FIELDS:
		return hook_where_test_fields(row, e, leaf);
	case HOOK_WORD_FIELD:
		if (!hook_where_is_label(word) || !hook_where_read_label(row, &value))
			return hook_where_test_field(e, leaf, row->h, word);
		break;
	default:
		value = hook_where_column(row, word->word);
		break;
	}
	return expression_test(e, leaf, &value);
}

static bool hook_where_holds(
	const struct hook_where *w, const struct trace *t, const struct hook *h)
{
	struct hook copy;
	struct hook_where_row row = {w, t, hook_as_written(t, h, &copy)};

	return expression_holds(&w->expression, hook_where_test_leaf, &row);
}

bool hooks_take_all(const struct report *r)
{
	return !r->hook_where && filter_takes_all(r->filter);
}

bool hooks_select(const struct report *r, const struct hook *h, struct filter_group *group)
{
	return filter_hook(r->filter, h, group) &&
	       (!r->hook_where || hook_where_holds(r->hook_where, r->trace, h));
}
