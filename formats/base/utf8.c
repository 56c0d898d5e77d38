#include "utf8.h"

#include <stdint.h>
#include <string.h>

/* Bytes that a lead byte announces, by its high bits; 0: it is none. */
static size_t utf8_announced_length(uint8_t lead)
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
	size_t n = size ? utf8_announced_length(p[0]) : 0;

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

bool utf8_is_plain(const char *text, size_t most)
{
	const size_t size = strnlen(text, most + 1);
	enum utf8_kind kind = UTF8_PLAIN;

	for (size_t at = 0; at < size && kind == UTF8_PLAIN;)
		at += utf8_step(text + at, size - at, &kind);
	return size <= most && kind == UTF8_PLAIN;
}

const char *utf8_clean_next(
	const char **text, size_t *left, const char *control, const char *bad, size_t *length)
{
	enum utf8_kind kind;

	if (!*left)
		return NULL;
	size_t n = utf8_step(*text, *left, &kind);
	const char *clean = kind == UTF8_PLAIN ? *text : kind == UTF8_CONTROL ? control : bad;
	*length = kind == UTF8_PLAIN ? n : strlen(clean);
	*text += n;
	*left -= n;
	return clean;
}

size_t utf8_copy_clean(char *to, size_t most, const void *text, size_t size)
{
	static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
	const char *from = text, *clean;
	size_t used = 0, n;

	while ((clean = utf8_clean_next(&from, &size, replacement, replacement, &n)) &&
		n <= most - used) {
		memcpy(to + used, clean, n);
		used += n;
	}
	to[used] = 0;
	return used;
}

/* length: as utf8_length says; 0: one bad byte. */
static uint32_t code_point(const uint8_t *p, size_t length)
{
	uint32_t c = length < 2 ? *p : *p & (0xffu >> (length + 1));

	for (size_t i = 1; i < length; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

static bool is_wide(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} wide[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
		{0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6},
		{0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

	for (size_t i = 0; i < sizeof wide / sizeof *wide && c >= wide[i].first; i++)
		if (c <= wide[i].last)
			return true;
	return false;
}

size_t utf8_width(const void *text, size_t size)
{
	const uint8_t *p = text;
	size_t width = 0, at = 0;

	while (at < size) {
		size_t length = p[at] < 0x80 ? 1 : utf8_length(p + at, size - at);

		/* A stray continuation byte has no width; other bad bytes have one. */
		if (!length)
			width += (p[at] & 0xc0) != 0x80;
		else
			width += length > 2 && is_wide(code_point(p + at, length)) ? 2 : 1;
		at += length ? length : 1;
	}
	return width;
}

size_t utf8_fit(const void *text, size_t size, size_t cells)
{
	const uint8_t *p = text;
	size_t at = 0;

	while (at < size) {
		size_t length = utf8_length(p + at, size - at);
		size_t takes = is_wide(code_point(p + at, length)) ? 2 : 1;

		if (takes > cells)
			break;
		cells -= takes;
		at += length ? length : 1;
	}
	return at;
}
