#include "overlaps.h"

#include <stdlib.h>

#include "../../../formats/base/search.h"
#include "../../../include/cpidecode.h"
#include "../../model/intervals/order.h"

static int overlap_compare(const void *x, const void *y)
{
	const struct interval *a = ((const struct overlap *)x)->iv;
	const struct interval *b = ((const struct overlap *)y)->iv;
	const struct interval_order at = interval_order_of(a), other = interval_order_of(b);

	return interval_order_compare(&at, &other);
}

int overlaps_begin(struct overlaps *o, const struct interval *const *intervals, size_t count)
{
	o->at = calloc(count + 1, sizeof *o->at);
	if (!o->at)
		return CPIDECODE_ENOMEM;
	o->count = count;
	for (size_t i = 0; i < count; i++)
		o->at[i].iv = intervals[i];
	if (count)
		qsort(o->at, count, sizeof *o->at, overlap_compare);
	for (size_t i = 0; i < count; i++) {
		const bool is_first = !i || o->at[i - 1].iv->machine != o->at[i].iv->machine;

		o->at[i].latest_end = o->at[i].iv->end_ticks;
		if (!is_first && o->at[i - 1].latest_end > o->at[i].latest_end)
			o->at[i].latest_end = o->at[i - 1].latest_end;
	}
	return 0;
}

void overlaps_free(struct overlaps *o)
{
	free(o->at);
	*o = (struct overlaps){0};
}

size_t overlaps_find(const struct overlaps *o, const struct interval *iv)
{
	const struct overlap wanted = {.iv = iv}, *found = NULL;

	if (o->count)
		found = bsearch(&wanted, o->at, o->count, sizeof *o->at, overlap_compare);
	return found ? (size_t)(found - o->at) : o->count;
}

size_t overlaps_count_begun(const struct overlaps *o, uint32_t machine, uint64_t end)
{
	struct search s = {0, o->count};

	while (s.low < s.high) {
		const struct interval *at = o->at[search_middle(&s)].iv;

		search_narrow(&s,
			at->machine < machine || (at->machine == machine && at->start_ticks < end));
	}
	return s.low;
}

bool overlaps_next(const struct overlaps *o, uint32_t machine, uint64_t start, size_t *i)
{
	while (*i) {
		const struct overlap *at = &o->at[--*i];

		if (at->iv->machine != machine || at->latest_end <= start)
			return false;
		if (at->iv->end_ticks > start)
			return true;
	}
	return false;
}
