/*
 * The trimmed mean of a few measured times. A clock may advance in steps longer than the time
 * measured (10 ns on some machines), so a single value or the median may be off by a step, the mean
 * is not. Trims the highest and lowest quarter: the first call, interrupts.
 */
#ifndef SWT_MEASURE_SCOPE_TYPICAL_H
#define SWT_MEASURE_SCOPE_TYPICAL_H

#include <stdint.h>

/* count: a multiple of 4. Sorts the samples without qsort: signal handlers measure, too. */
static inline uint32_t typical_of(uint32_t *sample, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t n = 1; n < count; n++) {
		const uint32_t v = sample[n];
		uint32_t at = n;

		for (; at > 0 && sample[at - 1] > v; at--)
			sample[at] = sample[at - 1];
		sample[at] = v;
	}
	for (uint32_t n = count / 4; n < count - count / 4; n++)
		sum += sample[n];
	return (uint32_t)((sum + count / 4) / (count / 2));
}

#endif
