/* How hooks fit their schemas, and their strings. */
#include "../../../formats/record.h"
#include "../../../formats/schema_program.h"
#include "schema.h"

uint32_t field_fit(const struct hook *h)
{
	const struct schema_hook *s = h->schema;
	struct field_cursor c;
	struct field_value v;

	if (!s)
		return 0;
	if (s->straight) {
		if (h->nwords < s->all_words || h->nstrings < s->all_strings)
			return FIT_SHORT;
		bool more = h->nwords > s->all_words || h->nstrings > s->all_strings;
		return more ? FIT_LONG : 0;
	}
	field_start(&c, h);
	while (field_next(&c, &v))
		;
	return c.fit & FIT_SHORT ? FIT_SHORT : c.fit;
}

const char *hook_string(const struct hook *h, unsigned i, uint32_t *length)
{
	const uint8_t *p = h->strings;

	while (i--)
		p += rec_string_bytes(get_le32(p));
	*length = get_le32(p);
	return (const char *)p + 4;
}
