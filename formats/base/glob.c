#include "glob.h"

#include <stdint.h>
#include <string.h>

#include "utf8.h"

/* The elements of a pattern, and where it ends. */
struct dialect {
	const char *end;
	bool has_sets; /* [set] and \c, not '*' and '?' alone */
	bool folds_case;
};

/* The character at s < end, and its length; a bad byte is a value that no character has. */
static uint32_t glob_decode(const char *s, const char *end, size_t *length)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t len = p[0] < 0x80 ? 1 : utf8_length(s, (size_t)(end - s));

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

static uint32_t glob_next(const char **p, const char *end)
{
	size_t length;
	uint32_t c = glob_decode(*p, end, &length);

	*p += length;
	return c;
}

/* The other case of a letter of ASCII, any other character itself: other scripts' case would depend
 * on a locale. */
static uint32_t glob_other_case(uint32_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? c ^ 0x20 : c;
}

/* Whether *p is a backslash before another character. */
static bool glob_is_escape(const char *p, const char *end)
{
	return end - p > 1 && *p == '\\';
}

/* Whether the set has c or `other`. *p is after '['. Returns false, *p unmoved, when no ']' closes
 * it: '[' is then itself. */
static bool glob_match_set(
	const char **p, const char *end, uint32_t c, uint32_t other, bool *matched)
{
	const char *at = *p;
	bool negated = at < end && (*at == '!' || *at == '^'), found = false;

	at += negated;
	for (bool first = true; at < end && (first || *at != ']'); first = false) {
		at += glob_is_escape(at, end);
		uint32_t low = glob_next(&at, end), high = low;
		if (end - at > 1 && at[0] == '-' && at[1] != ']') {
			at++;
			at += glob_is_escape(at, end);
			high = glob_next(&at, end);
		}
		found |= (low <= c && c <= high) || (low <= other && other <= high);
	}
	if (at == end)
		return false;
	*p = at + 1;
	*matched = found != negated;
	return true;
}

/* One element of the pattern other than '*' against one character. */
static bool glob_match_one(const struct dialect *d, const char **p, uint32_t c)
{
	const uint32_t other = d->folds_case ? glob_other_case(c) : c;
	bool matched;

	if (*p == d->end)
		return false;
	const char *at = *p + 1;
	if (**p == '?') {
		*p = at;
		return true;
	}
	if (d->has_sets && **p == '[' && glob_match_set(&at, d->end, c, other, &matched)) {
		*p = at;
		return matched;
	}
	*p += d->has_sets && glob_is_escape(*p, d->end);
	uint32_t own = glob_next(p, d->end);
	return own == c || own == other;
}

static bool glob_match_all(const struct dialect *d, const char *p, const char *s, const char *end)
{
	const char *star = NULL, *resume = NULL;

	while (s < end) {
		if (p < d->end && *p == '*') {
			star = ++p;
			if (star == d->end)
				return true;
			resume = s;
			continue;
		}
		size_t length;
		uint32_t c = glob_decode(s, end, &length);
		if (glob_match_one(d, &p, c)) {
			s += length;
			continue;
		}
		/* Only the last '*' has to try again: an earlier one could gain nothing. */
		if (!star)
			return false;
		glob_decode(resume, end, &length);
		resume += length;
		s = resume;
		p = star;
	}
	while (p < d->end && *p == '*')
		p++;
	return p == d->end;
}

/* Nothing is added to NULL, which a text of size 0 may be. */
static const char *glob_end(const char *s, size_t size)
{
	return size ? s + size : s;
}

bool glob_match(const char *pattern, const void *s, size_t n)
{
	const struct dialect d = {.end = pattern + strlen(pattern), .has_sets = true};

	return glob_match_all(&d, pattern, s, glob_end(s, n));
}

const char *glob_check(const char *pattern)
{
	const char *end = pattern + strlen(pattern);
	bool matched;

	for (const char *p = pattern; p < end; p++) {
		const char *set = p + 1;

		if (glob_is_escape(p, end))
			p++;
		else if (*p == '[' && !glob_match_set(&set, end, 0, 0, &matched))
			return "a ] that closes the set after [ (\\[ is the character itself)";
		else if (*p == '[')
			p = set - 1;
	}
	return NULL;
}

bool glob_match_listed(const char *pattern, const char *name)
{
	const size_t n = strlen(pattern), size = strlen(name);
	const struct dialect d = {.end = pattern + n, .has_sets = true, .folds_case = true};

	if (strpbrk(pattern, "*?["))
		return glob_match_all(&d, pattern, name, name + size);
	for (size_t at = 0; at + n <= size; at++)
		if (glob_same_name(pattern, n, name + at, n))
			return true;
	return false;
}

bool glob_match_name(const char *pattern, size_t pattern_size, const char *name, size_t size)
{
	const struct dialect d = {.end = glob_end(pattern, pattern_size), .folds_case = true};

	return glob_match_all(&d, pattern, name, glob_end(name, size));
}

bool glob_same_name(const char *a, size_t a_size, const char *b, size_t b_size)
{
	if (a_size != b_size)
		return false;
	for (size_t i = 0; i < a_size; i++)
		if (a[i] != b[i] && (unsigned char)a[i] != glob_other_case((unsigned char)b[i]))
			return false;
	return true;
}
