/*
 * Octave 0 has the values below HISTOGRAM_STEPS, one each; octave k those from
 * HISTOGRAM_STEPS << (k - 1) on, to twice that, in as many steps.
 */
#include "histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_BITS = 7 };
_Static_assert(1 << STEP_BITS == HISTOGRAM_STEPS && HISTOGRAM_OCTAVES == 64 - STEP_BITS + 1,
	"every value has a bucket");

static unsigned octave_of(uint64_t value)
{
	return value < HISTOGRAM_STEPS ? 0 : 64 - STEP_BITS - (unsigned)__builtin_clzll(value);
}

/* The middle of a bucket. */
static uint64_t middle_of(unsigned octave, unsigned step)
{
	unsigned shift = octave ? octave - 1 : 0;
	uint64_t low = (uint64_t)(octave ? step + HISTOGRAM_STEPS : step) << shift;

	return low + ((UINT64_C(1) << shift) >> 1);
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
	unsigned octave = octave_of(value);
	uint64_t *steps = need_octave(h, octave);

	if (!steps)
		return false;
	steps[(octave ? value >> (octave - 1) : value) & (HISTOGRAM_STEPS - 1)]++;
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
			uint64_t middle = middle_of(k, i);

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
			uint64_t middle = middle_of(k, i);

			if (middle >= from && middle < to)
				n += h->octave[k][i];
		}
	}
	return n;
}
