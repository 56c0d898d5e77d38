/*
 * Octave 0 has the values below HISTOGRAM_STEPS, one each; octave k those from
 * HISTOGRAM_STEPS << (k - 1) on, to twice that, in as many steps.
 */
#include "histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/buckets.h"

enum { STEP_BITS = 7 };
_Static_assert(1 << STEP_BITS == HISTOGRAM_STEPS &&
		       BUCKETS_COUNT(STEP_BITS) / HISTOGRAM_STEPS == HISTOGRAM_OCTAVES,
	"every value has a bucket");

static uint64_t top_histogram_middle(unsigned octave, unsigned step)
{
	return bucket_middle(octave * HISTOGRAM_STEPS + step, STEP_BITS);
}

static uint64_t *need_octave(struct top_histogram *h, unsigned octave)
{
	if (!h->octave[octave])
		h->octave[octave] = calloc(HISTOGRAM_STEPS, sizeof **h->octave);
	return h->octave[octave];
}

static void top_histogram_widen(struct top_histogram *h, uint64_t min, uint64_t max)
{
	h->min = h->count == 0 || min < h->min ? min : h->min;
	h->max = h->count == 0 || max > h->max ? max : h->max;
}

bool top_histogram_add(struct top_histogram *h, uint64_t value)
{
	const uint32_t bucket = bucket_of(value, STEP_BITS);
	uint64_t *steps = need_octave(h, bucket / HISTOGRAM_STEPS);

	if (!steps)
		return false;
	steps[bucket % HISTOGRAM_STEPS]++;
	top_histogram_widen(h, value, value);
	h->count++;
	return true;
}

bool top_histogram_merge(struct top_histogram *to, const struct top_histogram *from)
{
	if (from->count == 0)
		return true;
	for (unsigned k = 0; k < HISTOGRAM_OCTAVES; k++)
		if (from->octave[k] && !need_octave(to, k))
			return false;
	for (unsigned k = 0; k < HISTOGRAM_OCTAVES; k++)
		for (unsigned i = 0; from->octave[k] && i < HISTOGRAM_STEPS; i++)
			to->octave[k][i] += from->octave[k][i];
	top_histogram_widen(to, from->min, from->max);
	to->count += from->count;
	return true;
}

void top_histogram_clear(struct top_histogram *h)
{
	for (unsigned k = 0; k < HISTOGRAM_OCTAVES; k++)
		if (h->octave[k])
			memset(h->octave[k], 0, HISTOGRAM_STEPS * sizeof **h->octave);
	h->count = h->min = h->max = 0;
}

void top_histogram_free(struct top_histogram *h)
{
	for (unsigned k = 0; k < HISTOGRAM_OCTAVES; k++)
		free(h->octave[k]);
	*h = (struct top_histogram){0};
}

uint64_t top_histogram_percentile(const struct top_histogram *h, double share)
{
	double rank = ceil(share * (double)h->count);
	uint64_t below = 0;

	for (unsigned k = 0; k < HISTOGRAM_OCTAVES; k++) {
		for (unsigned i = 0; h->octave[k] && i < HISTOGRAM_STEPS; i++) {
			uint64_t middle = top_histogram_middle(k, i);

			below += h->octave[k][i];
			if (below == 0 || (double)below < rank)
				continue;
			return middle < h->min ? h->min : middle > h->max ? h->max : middle;
		}
	}
	return h->max;
}

uint64_t top_histogram_between(const struct top_histogram *h, uint64_t from, uint64_t to)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < HISTOGRAM_OCTAVES; k++) {
		for (unsigned i = 0; h->octave[k] && i < HISTOGRAM_STEPS; i++) {
			uint64_t middle = top_histogram_middle(k, i);

			if (middle >= from && middle < to)
				n += h->octave[k][i];
		}
	}
	return n;
}
