/*
 * A hook's fields as a JSON object: in the schema's order, a repeated one as an array. In
 * a cell of CSV it is quoted.
 */
#ifndef SWT_DECODER_HOOK_FIELDS_H
#define SWT_DECODER_HOOK_FIELDS_H

#include "../model/schema.h"
#include "../sink/json.h"

enum { HOOK_FIELDS_CACHED = 64 };

/* The keys of a schema's hook as they are written. */
struct hook_keys {
	const struct schema_hook *schema;
	bool straight;			 /* all are integers, once each */
	struct out text;		 /* one after the other */
	uint32_t end[SCHEMA_MAX_FIELDS]; /* of each in it */
};

/* Reused from hook to hook. */
struct hook_fields {
	bool quoted;
	struct hook_field_entry *entries;
	uint32_t allocated, count;
	uint32_t first[SCHEMA_MAX_FIELDS], last[SCHEMA_MAX_FIELDS]; /* entry + 1; 0: none */
	struct hook_keys *keys[HOOK_FIELDS_CACHED];
	struct out scratch; /* for a cell of CSV that is put together first */
	uint32_t fit;	    /* enum field_fit, of the hook last written */
};

void hook_fields_init(struct hook_fields *f, bool quoted);
/* An object, or null for a hook that nobody describes. 0, or CPIDECODE_ENOMEM. */
int hook_fields_write(struct hook_fields *f, struct out *o, const struct hook *h);
void hook_fields_free(struct hook_fields *f);

/* "short", "long", or NULL: the hook is as its schema says. */
const char *hook_fields_fit(uint32_t fit);

#endif
