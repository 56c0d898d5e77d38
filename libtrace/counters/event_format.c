/*
 * The formats of sysfs: where the bits of a term go.
 */
#include <string.h>

#include "event_private.h"

/* A bit's number; false if there are no digits or it is no bit of a word. */
static bool bit_number(const char **p, unsigned *bit)
{
	const char *start = *p;
	unsigned v = 0;

	for (; **p >= '0' && **p <= '9' && v < 64; (*p)++)
		v = v * 10 + (unsigned)(**p - '0');
	*bit = v;
	return *p > start && v < 64;
}

bool event_field_parse(const char *text, struct event_field *field)
{
	*field = (struct event_field){0};
	if (strncmp(text, "config", 6) != 0)
		return false;
	const char *p = text + 6;
	if (*p == '1' || *p == '2')
		field->word = (unsigned)(*p++ - '0');
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
		/* Values fill the ranges from the lowest bit up, as the mask says them. */
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

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

bool event_number(const char *text, uint64_t *value)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	} else if (text[0] == '0' && text[1]) {
		return false; /* octal to some, decimal to others */
	}
	if (!*text)
		return false;
	for (; *text; text++) {
		unsigned digit = (unsigned)digit_of(*text);

		if (digit >= base || v > (UINT64_MAX - digit) / base)
			return false;
		v = v * base + digit;
	}
	*value = v;
	return true;
}
