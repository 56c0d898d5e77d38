#include "asked.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/nearest.h"
#include "../../base/grow.h"
#include "select.h"

static int asked_add(
	struct asked *a, uint8_t kind, const char *name, uint32_t length, bool is_chosen)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->at[i].kind == kind && a->at[i].length == length &&
			memcmp(a->at[i].name, name, length) == 0)
			return 0;
	if (array_grow(&a->at, a->count, &a->room, sizeof *a->at))
		return CPIDECODE_ENOMEM;
	a->at[a->count++] = (struct asked_value){.name = name,
		.length = length,
		.kind = kind,
		.is_chosen = is_chosen,
		.edits = NEAREST_NONE};
	return 0;
}

static int asked_add_words(struct asked *a, const struct where *w, bool is_chosen)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->nwords && !rc; i++)
		if (w->words[i].source == WHERE_VALUE)
			rc = asked_add(a, w->words[i].kind, w->words[i].name, w->words[i].length,
				is_chosen);
	return rc;
}

static int asked_add_sort(struct asked *a, const char *sort)
{
	struct where *column = malloc(sizeof *column);

	if (!column)
		return CPIDECODE_ENOMEM;
	int rc = where_parse_column(column, sort + (*sort == '-'))
			 ? asked_add_words(a, column, true)
			 : 0;
	free(column);
	return rc;
}

int asked_gather(struct asked *a, const struct where *where, const struct by *by, const char *sort)
{
	int rc = where ? asked_add_words(a, where, false) : 0;

	for (unsigned i = 0; by && i < by->count && !rc; i++) {
		const char *name = by->keys[i].name + strlen("arg.");

		if (by->keys[i].kind == BY_ARGUMENT)
			rc = asked_add(a, VALUE_ARGUMENT, name, (uint32_t)strlen(name), true);
	}
	return rc || !sort ? rc : asked_add_sort(a, sort);
}

int asked_begin(const struct asked *a, struct trace *t)
{
	return a->count ? trace_note_values(t) : 0;
}

/* Breaks ties by the names' bytes: indexes depend on the order of reading. */
static void asked_keep_nearest(struct asked_value *v, const struct trace_text *text)
{
	unsigned edits = v->edits + (v->edits != NEAREST_NONE);
	const uint32_t n = text->length < v->nearest_length ? text->length : v->nearest_length;

	if (text->length > ASKED_NEAREST ||
		!nearest_improves(v->name, v->length, text->at, text->length, &edits))
		return;
	const int order = memcmp(text->at, v->nearest, n);
	if (edits == v->edits && (order > 0 || (!order && text->length >= v->nearest_length)))
		return;
	memcpy(v->nearest, text->at, text->length);
	v->nearest_length = text->length;
	v->edits = edits;
}

/* trace_texts_limit bounds the names of a trace. */
static void asked_find_nearest(struct asked_value *v, const struct trace *t)
{
	const size_t limit = trace_texts_limit(t);

	for (uint32_t i = 0; i < limit; i++) {
		if (!trace_had_value(t, v->kind, i))
			continue;
		const struct trace_text text = trace_text_at(t, i);

		asked_keep_nearest(v, &text);
	}
}

void asked_end(struct asked *a, const struct report *r)
{
	a->is_read = true;
	a->is_partial |= r->filter->from != INT64_MIN || r->filter->to != INT64_MAX || r->slices;
	for (size_t i = 0; i < a->count; i++) {
		struct asked_value *v = &a->at[i];

		if (!v->is_known)
			v->is_known = trace_had_value(
				r->trace, v->kind, trace_text_index(r->trace, v->name, v->length));
		if (!v->is_known)
			asked_find_nearest(v, r->trace);
		v->is_chosen &= !select_takes_all(r);
	}
}

void asked_tell(const struct asked *a, asked_say say)
{
	for (size_t i = 0; i < a->count && a->is_read; i++) {
		const struct asked_value *v = &a->at[i];
		const char *which = a->is_partial || v->is_chosen ? " that was read" : "";
		const char *what = v->kind == VALUE_ARGUMENT ? "argument" : "event";

		if (v->is_known)
			continue;
		if (v->edits == NEAREST_NONE)
			say("no interval%s has an %s named \"%.*s\"", which, what, (int)v->length,
				v->name);
		else
			say("no interval%s has an %s named \"%.*s\"; the nearest is \"%.*s\"",
				which, what, (int)v->length, v->name, (int)v->nearest_length,
				v->nearest);
	}
}

void asked_free(struct asked *a)
{
	free(a->at);
}
