/*
 * Texts that a hook of intervals has as numbers of the table of labels: its label, and the names of
 * its arguments or events, in the hook's order.
 */
#ifndef SWT_DECODER_REPORT_VALUES_HOOK_NAMES_H
#define SWT_DECODER_REPORT_VALUES_HOOK_NAMES_H

#include "../../model/hooks/schema.h"
#include "../../model/trace/trace.h"
#include "../rows.h"

struct hook_text {
	const char *at; /* NULL: the table of labels has no entry of the number */
	uint32_t length;
};

struct hook_argument {
	struct hook_text name;
	struct cell value; /* CELL_NONE: of an unknown type, or cut off */
	uint32_t type;
	bool lacks_name, lacks_text; /* they are the next strings of the hook */
};

/* Starts zeroed. Texts are the hook's or the trace's. */
struct hook_names {
	bool has_label, has_arguments;	   /* fields of the schema */
	bool has_events;		   /* `arguments` are events */
	bool tells_label, tells_arguments; /* no field has the member's name */
	struct hook_text label;
	struct hook_argument *arguments;
	size_t count, room;
	/* The last schema, and the roles of its fields. */
	const struct schema_hook *schema;
	uint8_t roles[SCHEMA_MAX_FIELDS];
};

/* False: the hook has neither. A hook for which there is no memory counts as cut off. */
bool hook_names_read(struct hook_names *n, const struct trace *t, const struct hook *h);
/* Spells them in text, behind the hook's name: ` label="parse" size=3`. */
void hook_names_spell(const struct hook_names *n, struct out *o);
/* Writes them as members of an object. */
void hook_names_write(const struct hook_names *n, struct json *j);
void hook_names_free(struct hook_names *n);

#endif
