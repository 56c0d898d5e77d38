#include "fields.h"

void fields_read(const struct hook *h)
{
	struct field_cursor c;
	struct field_value v;
	unsigned count = 0, took = 0;

	if (h->schema)
		schema_hook_fields(h->schema, &count);
	for (field_start(&c, h); field_next(&c, &v); took++) {
		PROMISE(h->schema && v.index < count, "field %u of %u", v.index, count);
		PROMISE(c.words_used <= h->nwords && c.strings_used <= h->nstrings,
			"more than there is");
		PROMISE(v.field->repeated || !v.turn, "a turn of no repeat");
		if (v.field->type == FIELD_STRING)
			PROMISE(v.length <= h->size, "a string of %u", v.length);
	}
	/* Every value takes a word or a string. */
	PROMISE(took <= (unsigned)h->nwords + h->nstrings, "%u values", took);
	PROMISE(!h->schema || c.fit & FIT_LONG ||
			(c.words_used == h->nwords && c.strings_used == h->nstrings),
		"something left and not told");
}
