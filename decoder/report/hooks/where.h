/*
 * --where of hooks: a condition in the language of formats/base/expression.h. Its words are the
 * columns of hooks in CSV, time, and the fields of hooks by their schemas: NAME, or field.NAME of
 * one whose name is a column's. A hook has several strings, and a field may have several values:
 * a comparison holds if it holds for one of them.
 */
#ifndef SWT_DECODER_REPORT_HOOKS_WHERE_H
#define SWT_DECODER_REPORT_HOOKS_WHERE_H

#include "../../../formats/base/expression.h"
#include "../report.h"

enum hook_word {
	HOOK_WORD_TIME_NS,
	HOOK_WORD_TIME, /* since the trace's first hook */
	HOOK_WORD_TICKS,
	HOOK_WORD_CPU,
	HOOK_WORD_TID,
	HOOK_WORD_PID,
	HOOK_WORD_TASK,
	HOOK_WORD_CONTAINER,
	HOOK_WORD_MAJOR,
	HOOK_WORD_MINOR,
	HOOK_WORD_NAME,
	HOOK_WORD_WORDS,
	HOOK_WORD_STRINGS,
	HOOK_WORD_FIELDS,
	HOOK_WORD_FIELD, /* one of them */
};

struct hook_where {
	struct expression expression;
	struct hook_where_word {
		enum hook_word word;
		const char *name; /* of HOOK_WORD_FIELD: in the condition's text */
		uint32_t length;
	} words[EXPRESSION_NODES];
	uint32_t nwords;
	bool asks_task;
	int64_t start; /* of the trace; set by hook_where_settle */
};

/* False: *error has the error and its position. text is kept. */
bool hook_where_parse(struct hook_where *w, const char *text, struct expression_error *error);
/* Before anything is tested. The first field that no schema of the trace has; NULL: none. */
const struct hook_where_word *hook_where_settle(struct hook_where *w, const struct trace *t);

/* Whether the report is of all hooks; and whether it is of this one: they have to be shown to it in
 * order, as to filter_hook. */
bool hooks_take_all(const struct report *r);
bool hooks_select(const struct report *r, const struct hook *h, struct filter_group *group);

#endif
