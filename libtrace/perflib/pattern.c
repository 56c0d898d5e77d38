#include "pattern.h"

#include "../../formats/base/utf8.h"

bool pattern_valid(const char *pattern, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		size_t length = pattern[at] ? utf8_length(pattern + at, bytes - at) : 0;

		if (length == 0)
			return false;
		at += length;
	}
	return true;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The end of the character that begins here. */
static size_t next(const char *text, size_t bytes, size_t at)
{
	do
		at++;
	while (at < bytes && ((unsigned char)text[at] & 0xc0) == 0x80);
	return at;
}

/* Where it fails, only the last '*' need take more: what those before it took was enough. */
bool pattern_matches(const char *pattern, size_t bytes, const char *name, size_t name_bytes)
{
	size_t p = 0, n = 0, after_star = 0, taken = 0;
	bool star = false;

	while (n < name_bytes) {
		if (p < bytes && pattern[p] == '*') {
			if (++p == bytes)
				return true;
			star = true;
			after_star = p;
			taken = n;
		} else if (p < bytes && pattern[p] == '?') {
			p++;
			n = next(name, name_bytes, n);
		} else if (p < bytes && lower(pattern[p]) == lower(name[n])) {
			p++;
			n++;
		} else if (star) {
			p = after_star;
			n = taken = next(name, name_bytes, taken);
		} else {
			return false;
		}
	}
	while (p < bytes && pattern[p] == '*')
		p++;
	return p == bytes;
}

bool pattern_same(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	if (a_bytes != b_bytes)
		return false;
	for (size_t i = 0; i < a_bytes; i++)
		if (lower(a[i]) != lower(b[i]))
			return false;
	return true;
}
