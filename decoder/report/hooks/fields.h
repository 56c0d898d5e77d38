/*
 * A hook's fields as a JSON object: in the schema's order, a repeated one as an array. In
 * a cell of CSV it is quoted. Or as text: ` size=3 name="x" parts=1,2`.
 *
 * What stands before each value, and where the values are, is the same for all hooks of a form:
 * those of a schema, with equal numbers of words and strings, whose conditions and repeats come out
 * alike. It is found once, by the schema's cursor.
 */
#ifndef SWT_DECODER_REPORT_HOOKS_FIELDS_H
#define SWT_DECODER_REPORT_HOOKS_FIELDS_H

#include "../../model/hooks/schema.h"
#include "../values/hook_names.h"
#include "../../sink/json.h"

enum { HOOK_FORMS = 256 };

struct hook_form;

enum hook_fields_as { HOOK_FIELDS_JSON, HOOK_FIELDS_CSV, HOOK_FIELDS_TEXT };

/* Reused from hook to hook. */
struct hook_fields {
	enum hook_fields_as as;
	const struct trace *trace;
	struct hook_form *forms[HOOK_FORMS + 1]; /* by a hash; the last one is for long hooks */
	struct hook_names names;
	struct out scratch; /* for a part of a CSV cell, before its quotes are doubled */
	uint32_t fit;	    /* enum field_fit, of the hook last written */
};

void hook_fields_init(struct hook_fields *f, const struct trace *t, enum hook_fields_as as);
/* Writes an object, or null for a hook without a schema; as text nothing for that, and texts of the
 * table of labels, which say more than their numbers. Returns 0 or CPIDECODE_ENOMEM. */
int hook_fields_write(struct hook_fields *f, struct out *o, const struct hook *h);
void hook_fields_free(struct hook_fields *f);

/* "short", "long", or NULL: the hook is as its schema says. */
const char *hook_fields_fit(uint32_t fit);

#endif
