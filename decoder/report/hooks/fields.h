/*
 * A hook's fields as a JSON object: in the schema's order, a repeated one as an array. In
 * a cell of CSV it is quoted. Or as text: ` size=3 name="x" parts=1,2`.
 */
#ifndef SWT_DECODER_REPORT_HOOKS_FIELDS_H
#define SWT_DECODER_REPORT_HOOKS_FIELDS_H

#include "../../model/hooks/schema.h"
#include "../values/hook_names.h"
#include "../../sink/json.h"

enum { HOOK_FIELDS_CACHED = 64 };

/* How one field is written. */
struct hook_key {
	const struct schema_field *field;
	uint32_t at, length; /* of the key, and the comma before it, in the texts */
	uint32_t bytes;	     /* of the value in a hook */
	bool plain;	     /* a word as it is */
};

/* The fields of a schema's hook. */
struct hook_keys {
	const struct schema_hook *schema;
	bool straight; /* all are integers, once each */
	unsigned count;
	struct out text; /* keys, one after the other */
	struct hook_key of[SCHEMA_MAX_FIELDS];
};

enum hook_fields_as { HOOK_FIELDS_JSON, HOOK_FIELDS_CSV, HOOK_FIELDS_TEXT };

/* Reused from hook to hook. */
struct hook_fields {
	enum hook_fields_as as;
	struct hook_field_entry *entries;
	size_t count, room;
	uint32_t first[SCHEMA_MAX_FIELDS], last[SCHEMA_MAX_FIELDS]; /* entry + 1; 0: none */
	struct hook_keys *keys[HOOK_FIELDS_CACHED];
	const struct trace *trace;
	struct hook_names names;
	struct out scratch; /* for a cell of CSV that is assembled first */
	uint32_t fit;	    /* enum field_fit, of the hook last written */
};

void hook_fields_init(struct hook_fields *f, const struct trace *t, enum hook_fields_as as);
/* Writes an object, or null for a hook without a schema; as text nothing for that. Returns 0 or
 * CPIDECODE_ENOMEM. */
int hook_fields_write(struct hook_fields *f, struct out *o, const struct hook *h);
void hook_fields_free(struct hook_fields *f);

/* "short", "long", or NULL: the hook is as its schema says. */
const char *hook_fields_fit(uint32_t fit);

#endif
