#include "utf8.h"

#include <stdint.h>

/* Bytes that a lead byte announces, by its high bits; 0: it is none. */
static size_t announced(uint8_t lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

size_t utf8_length(const void *text, size_t size)
{
	const uint8_t *p = text;
	size_t n = size ? announced(p[0]) : 0;

	if (n < 2 || n > size)
		return n > size ? 0 : n;
	/* Overlong forms, surrogates and values beyond U+10FFFF show in the second byte. */
	uint8_t low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
	uint8_t high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

bool utf8_valid(const void *text, size_t size)
{
	const uint8_t *p = text;

	while (size) {
		size_t n = utf8_length(p, size);

		if (n == 0)
			return false;
		p += n;
		size -= n;
	}
	return true;
}

size_t utf8_step(const void *text, size_t size, enum utf8_kind *kind)
{
	size_t n = utf8_length(text, size);

	*kind = n == 0 ? UTF8_BAD : utf8_is_control(text, n) ? UTF8_CONTROL : UTF8_PLAIN;
	return n ? n : 1;
}

size_t utf8_width(const void *text, size_t size)
{
	const uint8_t *p = text;
	size_t width = 0;

	/* Counts lead bytes, and bad bytes other than stray continuations. */
	for (size_t i = 0; i < size; i++)
		width += (p[i] & 0xc0) != 0x80;
	return width;
}
