/*
 * A histogram of durations with buckets of equal relative width: whatever the values, a percentile
 * is within 0.4 % of the exact one. Minimum and maximum are exact.
 */
#ifndef SWT_CMD_TOP_HISTOGRAM_H
#define SWT_CMD_TOP_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { HISTOGRAM_STEPS = 128, HISTOGRAM_OCTAVES = 58 };

/* Starts zeroed. An octave is allocated with its first value. */
struct top_histogram {
	uint64_t *octave[HISTOGRAM_OCTAVES];
	uint64_t count, min, max;
};

/* False: not enough memory, and the value is not counted. */
bool top_histogram_add(struct top_histogram *h, uint64_t value);
bool top_histogram_merge(struct top_histogram *to, const struct top_histogram *from);
/* Keeps the memory. */
void top_histogram_clear(struct top_histogram *h);
void top_histogram_free(struct top_histogram *h);

/* The value of that share (0 to 1) by nearest rank; count is not 0. */
uint64_t top_histogram_percentile(const struct top_histogram *h, double share);

/* How many values are in [from, to), buckets counted by their middle. */
uint64_t top_histogram_between(const struct top_histogram *h, uint64_t from, uint64_t to);

#endif
