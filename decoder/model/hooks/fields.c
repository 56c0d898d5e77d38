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

void schema_slot_bits(const struct schema_hook *s, const struct schema_field *f, uint32_t bits[2])
{
	const bool is_narrow = schema_type_words(f->type) == 1;
	uint64_t mask = 0;

	for (uint32_t pc = 0; f->slot >= 0 && pc < s->nops; pc++) {
		if (s->ops[pc].kind == OP_IF && s->ops[pc].slot == f->slot)
			mask |= s->ops[pc].number;
		if (s->ops[pc].kind == OP_REPEAT && s->ops[pc].slot == f->slot)
			mask = UINT64_MAX;
	}
	const uint32_t high = (uint32_t)(mask >> 32), low = (uint32_t)mask;
	/* The bits above an i32 are its sign. The higher word of a u64 is the first one. */
	bits[0] = is_narrow ? low | (high ? UINT32_C(1) << 31 : 0) : high;
	bits[1] = is_narrow ? 0 : low;
}

const char *hook_string(const struct hook *h, unsigned i, uint32_t *length)
{
	const uint8_t *p = h->strings;

	while (i--)
		p += rec_string_bytes(get_le32(p));
	*length = get_le32(p);
	return (const char *)p + 4;
}
