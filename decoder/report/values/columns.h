/*
 * Columns of intervals' named values: arguments and events. One for each name that occurs in the
 * intervals reported, by the names' bytes; in text one for all of them.
 *
 * decoder/report/values owns columns: of intervals, named values, events, metrics. It includes
 * report, base, model and sink. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_VALUES_COLUMNS_H
#define SWT_DECODER_REPORT_VALUES_COLUMNS_H

#include <stdatomic.h>

#include "../../base/intern.h"
#include "../rows.h"

enum { VALUE_COLUMNS_MAX = 1000 };

/* Before an event's name that is taken. */
#define VALUE_EVENT_PREFIX "event."
/* Before an argument's name. */
#define VALUE_ARGUMENT_PREFIX "arg."

/* The contents of a column. */
struct value_name {
	uint32_t name; /* trace_text_at */
	uint8_t kind;  /* enum value_kind */
	uint32_t length;
	const char *text; /* with the kind's prefix */
};

struct value_columns {
	const struct trace *trace;
	size_t limit;	    /* of names */
	atomic_uchar *seen; /* by kind, then name */
	struct value_name *names;
	size_t count; /* all names; at most VALUE_COLUMNS_MAX have columns */
	struct column *columns;
	struct intern memory;
};

/* 0 or CPIDECODE_ENOMEM; to be freed in any case. */
int value_columns_init(struct value_columns *v, const struct trace *t);
/* Notes the values of an interval that will be reported. On any thread. */
void value_columns_see(struct value_columns *v, const struct interval *iv);
/* After the last one: v->columns, in addition to the report's own; NULL: there is no value. 0 or
 * CPIDECODE_ENOMEM. */
int value_columns_make(
	struct value_columns *v, enum report_format format, const struct column *own);
void value_columns_free(struct value_columns *v);

/* Gives names that would be spelled alike different ends. They are in order; memory: of new texts.
 * 0 or CPIDECODE_ENOMEM. */
int value_names_tell_apart(struct value_name *names, size_t n, struct intern *memory);

/* Spells a value in text: quoted if it could be confused with its surroundings. */
void value_spell_text(struct out *o, const char *s, size_t n);
void value_spell(struct out *o, struct cell cell);
/* All of an interval, with a name given for each: `size=3 key="k 1"`. */
void value_spell_named(struct out *o, const struct interval *iv, const struct trace_text *names);
struct cell value_cell(const struct interval *iv, const struct interval_value *v);

#endif
