/* A hook's fields as a JSON object: in the schema's order, a repeated one as an array. */
#ifndef SWT_DECODER_HOOK_FIELDS_H
#define SWT_DECODER_HOOK_FIELDS_H

#include "../model/schema.h"
#include "../sink/json.h"

/* Reused from hook to hook; starts zeroed. */
struct hook_fields {
	struct hook_field_entry *entries;
	uint32_t allocated, count;
	uint32_t first[SCHEMA_MAX_FIELDS], last[SCHEMA_MAX_FIELDS]; /* entry + 1; 0: none */
	uint32_t fit; /* enum field_fit, of the hook last written */
};

/* An object, or null for a hook that nobody describes. 0, or -1: no memory. */
int hook_fields_write(struct hook_fields *f, struct json *j, const struct hook *h);
void hook_fields_free(struct hook_fields *f);

/* "short", "long", or NULL: the hook is as its schema says. */
const char *hook_fields_fit(uint32_t fit);

#endif
