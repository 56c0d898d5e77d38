#include "histogram.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/buckets.h"
#include "../../../formats/base/compare.h"
#include "../../../include/cpidecode.h"
#include "../../base/intern.h"

static uint64_t histogram_bucket_count(const struct histogram *h, unsigned row, unsigned sub)
{
	const struct histogram_counts *r = h->rows[row];

	return r->low[sub] | (r->high ? (uint64_t)r->high[sub] << 32 : 0);
}

static struct histogram_bin histogram_bin_at(const struct histogram *h, unsigned row, unsigned sub)
{
	const uint32_t bucket = row * HISTOGRAM_SUB + sub;
	const uint64_t low = bucket_low(bucket, HISTOGRAM_SUB_BITS);
	const uint64_t high = bucket_high(bucket, HISTOGRAM_SUB_BITS);

	return (struct histogram_bin){.low = low < h->min ? h->min : low,
		.high = high > h->max ? h->max : high,
		.count = histogram_bucket_count(h, row, sub),
		.bucket = bucket};
}

/* n more in a bucket. */
static int histogram_count_bucket(struct histogram *h, unsigned row, unsigned sub, uint64_t n)
{
	struct histogram_counts *r = h->rows[row];

	if (!r)
		r = h->rows[row] = calloc(1, sizeof *r);
	if (!r)
		return CPIDECODE_ENOMEM;
	n += r->low[sub];
	if (n > UINT32_MAX) {
		if (!r->high)
			r->high = calloc(HISTOGRAM_SUB, sizeof *r->high);
		if (!r->high)
			return CPIDECODE_ENOMEM;
		r->high[sub] += (uint32_t)(n >> 32);
	}
	r->low[sub] = (uint32_t)n;
	return 0;
}

static int histogram_count_value(struct histogram *h, uint64_t value, uint64_t n)
{
	const uint32_t bucket = bucket_of(value, HISTOGRAM_SUB_BITS);

	return histogram_count_bucket(h, bucket / HISTOGRAM_SUB, bucket % HISTOGRAM_SUB, n);
}

/* Moves the kept values into the rows. After a failure the histogram can only be freed. */
static int into_rows(struct histogram *h)
{
	if (!h->rows)
		h->rows = calloc(HISTOGRAM_ROWS, sizeof *h->rows);
	if (!h->rows)
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; i < h->held; i++)
		if (histogram_count_value(h, histogram_held(h, i), 1))
			return CPIDECODE_ENOMEM;
	h->held = 0;
	/* It was no array of 64-bit values. */
	if (h->room)
		free(h->narrow);
	if (h->room || h->cap == 1)
		h->room = h->cap = 0;
	return 0;
}

enum { MOST_NARROW = 64 };

static bool may_be_narrow(const struct histogram *h, uint64_t value)
{
	return value <= UINT32_MAX && h->held < MOST_NARROW &&
	       (h->room || (h->cap == 1 && h->single <= UINT32_MAX));
}

static int add_narrow(struct histogram *h, uint64_t value)
{
	if (h->held >= h->room) {
		unsigned room = h->held + 4U + h->held / 4;
		uint32_t *more = h->room ? h->narrow : NULL;

		if (!array_resize(&more, room, sizeof *more))
			return CPIDECODE_ENOMEM;
		if (!h->room)
			more[0] = (uint32_t)h->single;
		h->narrow = more;
		h->room = (uint16_t)room;
	}
	h->narrow[h->held++] = (uint32_t)value;
	h->cap = h->held;
	histogram_count(h, value, 1);
	return 0;
}

/* Room for one more value to hold. */
static int histogram_grow_values(struct histogram *h)
{
	if (h->held < h->cap)
		return 0;
	if (h->cap == HISTOGRAM_VALUES)
		return into_rows(h);
	/* With very many labels, unused room would add up: grow slowly. */
	unsigned cap = h->cap + 2U + h->cap / 4U;
	bool is_array = h->cap > 1 && !h->room;
	if (cap > HISTOGRAM_VALUES / 2)
		cap = HISTOGRAM_VALUES;
	uint64_t *more = is_array ? h->values : NULL;
	if (!array_resize(&more, cap, sizeof *more))
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; !is_array && i < h->held; i++)
		more[i] = histogram_held(h, i);
	if (h->room)
		free(h->narrow);
	h->values = more;
	h->cap = (uint16_t)cap;
	h->room = 0;
	return 0;
}

static void hold_single(struct histogram *h, uint64_t value)
{
	h->single = h->min = h->max = value;
	h->held = h->cap = 1;
	h->count = 1;
}

int histogram_add_many(struct histogram *h, uint64_t value, uint64_t n)
{
	int rc = 0;

	if (n == 1 && !h->count && !h->cap && !h->rows) {
		hold_single(h, value);
		return 0;
	}
	if (n > HISTOGRAM_VALUES) {
		rc = into_rows(h);
		if (!rc)
			rc = histogram_count_value(h, value, n - 1);
		if (rc)
			return rc;
		histogram_count(h, value, n - 1);
		n = 1;
	}
	for (; n && !rc; n--) {
		if (may_be_narrow(h, value)) {
			rc = add_narrow(h, value);
			continue;
		}
		rc = histogram_grow_values(h);
		if (!rc)
			rc = histogram_add(h, value);
	}
	return rc;
}

/* Allocates no more than the values need. */
int histogram_hold(struct histogram *h, const uint64_t *values, unsigned n, struct intern *arena)
{
	if (n == 1)
		hold_single(h, values[0]);
	if (n < 2)
		return 0;
	const bool is_narrow = n <= MOST_NARROW && values[n - 1] <= UINT32_MAX;
	const size_t bytes = n * (is_narrow ? sizeof *h->narrow : sizeof *h->values);
	void *held = arena ? arena_alloc(arena, bytes) : malloc(bytes);

	if (!held)
		return CPIDECODE_ENOMEM;
	h->is_lent = arena != NULL;
	h->values = held;
	h->held = h->cap = (uint16_t)n;
	h->room = is_narrow ? h->held : 0;
	for (unsigned i = 0; i < n && is_narrow; i++)
		h->narrow[i] = (uint32_t)values[i];
	if (!is_narrow)
		memcpy(held, values, n * sizeof *h->values);
	h->count = n;
	h->min = values[0];
	h->max = values[n - 1];
	return 0;
}

int histogram_add_bucket(struct histogram *h, uint32_t number, uint64_t n)
{
	unsigned row = number / HISTOGRAM_SUB, sub = number % HISTOGRAM_SUB;
	int rc = h->rows && !h->held ? 0 : into_rows(h);

	if (!rc)
		rc = histogram_count_bucket(h, row, sub, n);
	if (!rc)
		h->count += n;
	return rc;
}

bool histogram_set_ends(struct histogram *h, uint64_t min, uint64_t max)
{
	struct histogram_at at = {0};
	struct histogram_bin bin = {0};

	/* Without least and greatest values, the buckets at the ends count as a whole. */
	h->min = 0;
	h->max = UINT64_MAX;
	if (min > max || !histogram_next(h, &at, &bin) || min < bin.low || min > bin.high)
		return false;
	while (histogram_next(h, &at, &bin))
		;
	h->min = min;
	h->max = max;
	return bucket_of(max, HISTOGRAM_SUB_BITS) == bin.bucket;
}

static int merge_rows(struct histogram *h, const struct histogram *from)
{
	int rc = into_rows(h);

	for (unsigned row = 0; row < HISTOGRAM_ROWS && !rc; row++) {
		for (unsigned sub = 0; from->rows[row] && sub < HISTOGRAM_SUB && !rc; sub++) {
			const uint64_t n = histogram_bucket_count(from, row, sub);

			if (n)
				rc = histogram_count_bucket(h, row, sub, n);
		}
	}
	uint64_t in_rows = from->count - from->held;
	if (!h->count || from->min < h->min)
		h->min = from->min;
	if (!h->count || from->max > h->max)
		h->max = from->max;
	h->count += in_rows;
	return rc;
}

int histogram_merge(struct histogram *h, const struct histogram *from)
{
	int rc = from->rows ? merge_rows(h, from) : 0;

	for (uint32_t i = 0; i < from->held && !rc; i++)
		rc = histogram_add_many(h, histogram_held(from, i), 1);
	return rc;
}

void histogram_free(struct histogram *h)
{
	for (unsigned row = 0; h->rows && row < HISTOGRAM_ROWS; row++) {
		if (h->rows[row])
			free(h->rows[row]->high);
		free(h->rows[row]);
	}
	free(h->rows);
	if (h->cap > 1 && !h->is_lent)
		free(h->values);
	*h = (struct histogram){0};
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return compare_u64(*x, *y);
}

static int by_narrow(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return compare_u64(*x, *y);
}

int histogram_settle(struct histogram *h)
{
	if (h->rows)
		return into_rows(h);
	if (h->room)
		qsort(h->narrow, h->held, sizeof *h->narrow, by_narrow);
	else if (h->held > 1)
		qsort(h->values, h->held, sizeof *h->values, by_value);
	return 0;
}

bool histogram_next(const struct histogram *h, struct histogram_at *at, struct histogram_bin *bin)
{
	if (!h->rows) {
		if (at->sub >= h->held)
			return false;
		uint64_t value = histogram_held(h, at->sub);
		*bin = (struct histogram_bin){.low = value, .high = value};
		for (; at->sub < h->held && histogram_held(h, at->sub) == value; at->sub++)
			bin->count++;
		return true;
	}
	for (; at->row < HISTOGRAM_ROWS; at->row++, at->sub = 0) {
		if (!h->rows[at->row])
			continue;
		while (at->sub < HISTOGRAM_SUB) {
			uint32_t sub = at->sub++;

			if (histogram_bucket_count(h, at->row, sub)) {
				*bin = histogram_bin_at(h, at->row, sub);
				return true;
			}
		}
	}
	return false;
}

struct histogram_bin histogram_bin_at_rank(const struct histogram *h, uint64_t rank)
{
	struct histogram_at at = {0};
	struct histogram_bin bin = {0};
	uint64_t before = 0;

	while (histogram_next(h, &at, &bin)) {
		before += bin.count;
		if (before >= rank)
			break;
	}
	return bin;
}

uint64_t histogram_at_rank(const struct histogram *h, uint64_t rank)
{
	if (rank <= 1)
		return h->min;
	if (rank >= h->count)
		return h->max;
	struct histogram_bin bin = histogram_bin_at_rank(h, rank);
	return bin.low + (bin.high - bin.low) / 2;
}

uint64_t histogram_rank_permille(uint64_t n, unsigned permille)
{
	uint64_t rank = n / 1000 * permille + (n % 1000 * permille + 999) / 1000;

	return rank ? rank : 1;
}

uint64_t histogram_rank_millionth(uint64_t n, uint32_t millionths)
{
	unsigned __int128 parts = (unsigned __int128)n * millionths;
	uint64_t rank = (uint64_t)((parts + 999999) / 1000000);

	return rank ? rank : 1;
}

uint64_t histogram_rank(uint64_t n, unsigned percent)
{
	return histogram_rank_permille(n, 10 * percent);
}

uint64_t histogram_percentile(const struct histogram *h, unsigned percent)
{
	return histogram_at_rank(h, histogram_rank(h->count, percent));
}

static double middle_of(const struct histogram_bin *bin)
{
	return (double)bin->low / 2 + (double)bin->high / 2;
}

double histogram_middle(const struct histogram *h, unsigned percent)
{
	return histogram_middle_at_rank(h, histogram_rank(h->count, percent));
}

double histogram_middle_at_rank(const struct histogram *h, uint64_t at_rank)
{
	double rank = (double)at_rank - 0.5;
	double value = 0, reached = 0, before = 0;
	struct histogram_at at = {0};
	struct histogram_bin bin;

	for (bool first = true; histogram_next(h, &at, &bin); first = false) {
		double middle = middle_of(&bin), here = before + (double)bin.count / 2;

		if (first && here >= rank)
			return middle;
		if (here >= rank)
			return value + (middle - value) * (rank - reached) / (here - reached);
		value = middle;
		reached = here;
		before += (double)bin.count;
	}
	return value;
}

double histogram_share(const struct histogram *h, double value)
{
	double below = 0, reached = 0, before = 0;
	struct histogram_at at = {0};
	struct histogram_bin bin;

	for (bool first = true; histogram_next(h, &at, &bin); first = false) {
		double middle = middle_of(&bin), here = before + (double)bin.count / 2;

		if (middle > value && first)
			return 0;
		if (middle > value) {
			reached += (here - reached) * (value - below) / (middle - below);
			break;
		}
		below = middle;
		reached = here;
		before += (double)bin.count;
	}
	return before == (double)h->count && value >= below ? 1
							    : (reached + 0.5) / (double)h->count;
}
