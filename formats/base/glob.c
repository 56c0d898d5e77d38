#include "glob.h"

#include <stdint.h>
#include <string.h>

#include "utf8.h"

/* One character of s: its value and length; a bad byte is a value no character has. */
static uint32_t character(const char *s, size_t n, size_t *length)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t len = utf8_length(s, n);
	*length = len ? len : 1;
	if (!len)
		return 0x80000000u | p[0];
	if (len == 1)
		return p[0];
	uint32_t c = p[0] & (0x7Fu >> len);
	for (size_t i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3F);
	return c;
}

static uint32_t next(const char **p)
{
	size_t length;
	uint32_t c = character(*p, strlen(*p), &length);
	*p += length;
	return c;
}

/* *p is after '['. Returns false, *p unmoved, when no ']' closes it: '[' is then itself. */
static bool match_set(const char **p, uint32_t c, bool *matched)
{
	const char *at = *p;
	bool negated = *at == '!' || *at == '^', found = false;
	at += negated;
	for (bool first = true; *at && (first || *at != ']'); first = false) {
		if (*at == '\\' && at[1])
			at++;
		uint32_t low = next(&at), high = low;
		if (at[0] == '-' && at[1] && at[1] != ']') {
			at++;
			if (*at == '\\' && at[1])
				at++;
			high = next(&at);
		}
		found |= low <= c && c <= high;
	}
	if (!*at)
		return false;
	*p = at + 1;
	*matched = found != negated;
	return true;
}

/* One element of the pattern other than '*' against one character. */
static bool match_one(const char **p, uint32_t c)
{
	bool matched;
	const char *at = *p + 1;
	switch (**p) {
	case '\0':
		return false;
	case '?':
		*p = at;
		return true;
	case '[':
		if (match_set(&at, c, &matched)) {
			*p = at;
			return matched;
		}
		break;
	case '\\':
		if (*at)
			(*p)++;
		break;
	}
	return next(p) == c;
}

bool glob_match(const char *pattern, const void *text, size_t n)
{
	const char *s = text, *end = s + n, *star = NULL, *resume = NULL;
	while (s < end) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = s;
			continue;
		}
		size_t length;
		uint32_t c = character(s, (size_t)(end - s), &length);
		if (match_one(&pattern, c)) {
			s += length;
			continue;
		}
		/* Only the last '*' has to try again: an earlier one could gain nothing. */
		if (!star)
			return false;
		character(resume, (size_t)(end - resume), &length);
		resume += length;
		s = resume;
		pattern = star;
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

const char *glob_check(const char *pattern)
{
	bool matched;

	for (const char *p = pattern; *p; p++) {
		const char *set = p + 1;

		if (*p == '\\' && p[1])
			p++;
		else if (*p == '[' && !match_set(&set, 0, &matched))
			return "a ] that closes the set after [ (\\[ is the character itself)";
		else if (*p == '[')
			p = set - 1;
	}
	return NULL;
}
