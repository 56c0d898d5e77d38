/*
 * Sums of intervals' figures, and their packed form: with very many labels most have few
 * intervals, and most of their sums are zero or equal to another. Packing is lossless.
 *
 * decoder/model/stats owns sums and tests over intervals, and partial results. It includes base,
 * hooks and trace. Errors as in trace/trace.h.
 */
#ifndef SWT_DECODER_MODEL_STATS_SUMS_H
#define SWT_DECODER_MODEL_STATS_SUMS_H

#include "ratio.h"
#include "words.h"

enum { SUMS_FLAGS = 4 };

_Static_assert(IV_FLAGGED == ((1u << SUMS_FLAGS) - 1) * IV_MULTIPLEXED, "flags in a row");

/* The sum of a count over the intervals that measured it. */
struct counted_sum {
	exact_sum sum;
	uint64_t measured; /* intervals that measured it */
};

/* Starts zeroed, by memset. */
struct sums {
	struct ratios ratios;
	struct counted_sum thread_instructions, instructions;
	uint64_t scripted;	      /* intervals whose counters were, or may be, scripted */
	uint64_t quality;	      /* how many have a quality hook, */
	uint64_t flagged;	      /* were flagged by it, */
	uint64_t by_flag[SUMS_FLAGS]; /* and for what: IV_MULTIPLEXED and the bits above it */
};

enum {
	SUMS_WORDS = sizeof(struct sums) / sizeof(uint64_t),
	SUMS_PACKED = WORDS_PACKED(SUMS_WORDS), /* words, at most */
};

void sums_add(struct sums *s, const struct interval *iv);
void sums_merge(struct sums *s, const struct sums *from);
/* The mean; NAN: nothing was measured. */
double sums_mean(const struct counted_sum *c);

/* The words of packed needed; 0: all sums are zero. */
unsigned sums_pack(const struct sums *s, uint64_t packed[SUMS_PACKED]);
/* packed: NULL where nothing was packed. */
void sums_unpack(struct sums *s, const uint64_t *packed);

#endif
