/* sysfs formats: the bits of a term. */
#include <string.h>

#include "../../formats/base/number.h"
#include "private.h"

/* A bit's number; false if there are no digits or it is no bit of a word. */
static bool bit_number(const char **p, unsigned *bit)
{
	uint64_t v;
	bool is_bit = number_scan(p, *p + strlen(*p), 10, 63, &v);

	*bit = (unsigned)v;
	return is_bit;
}

bool event_field_parse(const char *text, struct event_field *field)
{
	*field = (struct event_field){0};
	if (strncmp(text, "config", 6) != 0)
		return false;
	const char *p = text + 6;
	if (*p == '1' || *p == '2')
		field->word = (unsigned)number_digit(*p++, 10);
	if (*p++ != ':')
		return false;
	for (;;) {
		unsigned from, to;

		if (!bit_number(&p, &from))
			return false;
		to = from;
		if (*p == '-') {
			p++;
			if (!bit_number(&p, &to) || to < from)
				return false;
		}
		uint64_t bits = UINT64_MAX >> (63 - (to - from)) << from;
		/* Values fill the mask's ranges from the lowest bit up. */
		if (field->mask & bits || bits < field->mask)
			return false;
		field->mask |= bits;
		if (*p == 0 || (*p == '\n' && !p[1]))
			return true;
		if (*p++ != ',')
			return false;
	}
}

unsigned event_field_bits(const struct event_field *field)
{
	return (unsigned)__builtin_popcountll(field->mask);
}

bool event_field_put(const struct event_field *field, uint64_t value, uint64_t word[3])
{
	unsigned bits = event_field_bits(field);

	if (bits < 64 && value >> bits)
		return false;
	word[field->word] &= ~field->mask;
	for (uint64_t left = field->mask; left; left &= left - 1, value >>= 1)
		if (value & 1)
			word[field->word] |= left & -left;
	return true;
}

uint64_t event_field_get(const struct event_field *field, const uint64_t word[3])
{
	uint64_t value = 0;
	unsigned n = 0;

	for (uint64_t left = field->mask; left; left &= left - 1, n++)
		if (word[field->word] & left & -left)
			value |= (uint64_t)1 << n;
	return value;
}

bool event_number(const char *text, uint64_t *value)
{
	uint64_t v;

	/* Octal to some, decimal to others. */
	if (text[0] == '0' && number_digit(text[1], 10) >= 0)
		return false;
	if (!number_parse(text, NUMBER_PREFIXED, UINT64_MAX, &v))
		return false;
	*value = v;
	return true;
}
