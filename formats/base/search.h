/* Binary search in sorted data, with the caller's own access and order. */
#ifndef SWT_FORMATS_BASE_SEARCH_H
#define SWT_FORMATS_BASE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Finds the first index of [low, high) that is not below the key, or `high` if all are:
 *
 *     struct search s = {0, n};
 *     while (s.low < s.high)
 *             search_narrow(&s, array[search_middle(&s)] < key);
 *     return s.low;
 */
struct search {
	uint64_t low, high;
};

static inline uint64_t search_middle(const struct search *s)
{
	return s->low + (s->high - s->low) / 2;
}

static inline void search_narrow(struct search *s, bool is_middle_below)
{
	const uint64_t middle = search_middle(s);

	if (is_middle_below)
		s->low = middle + 1;
	else
		s->high = middle;
}

#endif
