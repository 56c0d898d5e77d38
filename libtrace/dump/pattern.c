#include "pattern.h"

#include <stdint.h>

#include "text.h"

static bool in_range(const uint8_t **set, uint8_t c)
{
	const uint8_t *p = *set;
	uint8_t low, high;

	p += *p == '\\' && p[1];
	low = high = *p++;
	if (p[0] == '-' && p[1] && p[1] != ']') {
		p++;
		p += *p == '\\' && p[1];
		high = *p++;
	}
	*set = p;
	return low <= c && c <= high;
}

/* After a '['. Where no ']' ends the set, the '[' is itself: NULL. */
static const uint8_t *match_set(const uint8_t *set, uint8_t c, bool *matched)
{
	bool other = *set == '!' || *set == '^', found = false;
	const uint8_t *first = set += other;

	while (*set && (*set != ']' || set == first))
		found |= in_range(&set, c);
	*matched = found != other;
	return *set ? set + 1 : NULL;
}

/* One element that is no '*' against the text's front: the bytes that it takes, 0: none. */
static size_t match_one(const uint8_t **pattern, const uint8_t *text, size_t size)
{
	const uint8_t *p = *pattern, *behind;
	bool matched;

	if (*p == '?') {
		size_t n = utf8_length(text, size);

		*pattern = p + 1;
		return n ? n : 1;
	}
	if (*p == '[' && (behind = match_set(p + 1, *text, &matched))) {
		*pattern = behind;
		return matched;
	}
	if (*p == '\\' && p[1])
		p++;
	if (*p == 0)
		return 0;
	*pattern = p + 1;
	return *p == *text;
}

bool pattern_matches(const char *pattern, const void *text, size_t size)
{
	const uint8_t *p = (const uint8_t *)pattern, *star = NULL;
	const uint8_t *t = text, *end = t + size, *again = NULL;

	while (t < end) {
		if (*p == '*') {
			star = ++p;
			again = t;
			continue;
		}
		size_t n = match_one(&p, t, (size_t)(end - t));
		if (n) {
			t += n;
			continue;
		}
		/* Only what the last '*' took can be more: the ones before could win nothing. */
		if (!star)
			return false;
		p = star;
		t = ++again;
	}
	while (*p == '*')
		p++;
	return *p == 0;
}
