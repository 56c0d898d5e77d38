/*
 * The usual value of a few measured times. A clock may advance by more than what is measured (10 ns
 * on some machines), so one value, a median too, may be off by as much; their mean is not. The
 * highest and lowest quarter are left out: the first call, an interrupt.
 */
#ifndef SWT_MEASURE_SCOPE_TYPICAL_H
#define SWT_MEASURE_SCOPE_TYPICAL_H

#include <stdint.h>

/* count: a multiple of 4. Sorts the samples, without a call: signal handlers measure, too. */
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
