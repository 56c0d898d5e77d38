/*
 * Values and how often they came. Up to HISTOGRAM_VALUES of them are kept as they are; of
 * more, how many fell into each bucket, and the least and the greatest. Buckets get wider with
 * the values: what a histogram gives for a percentile is at most 1/256 (0.4 %) away from
 * it. Nothing depends on the order in which values were added or histograms merged.
 */
#ifndef SWT_DECODER_MODEL_STATS_HISTOGRAM_H
#define SWT_DECODER_MODEL_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HISTOGRAM_VALUES = 256,
	HISTOGRAM_SUB_BITS = 7, /* each doubling of values is cut into that many bits' buckets */
	HISTOGRAM_SUB = 1 << HISTOGRAM_SUB_BITS,
	HISTOGRAM_ROWS = 64 - HISTOGRAM_SUB_BITS + 1,
};

struct intern;

/* Counts of buckets: few of many labels ever need the upper halves. */
struct histogram_counts {
	uint32_t low[HISTOGRAM_SUB];
	uint32_t *high; /* NULL: all 0 */
};

/* Starts zeroed. */
struct histogram {
	uint64_t count;
	uint64_t min, max; /* exact; of no meaning while count is 0 */
	/* All values; or, once there are rows, those that are not in them yet: so a value is mostly
	 * stored next to the one before it, not somewhere in many rows. A single value (cap 1)
	 * needs no further memory, and few small ones need half as much: of very many labels, most
	 * come once or seldom. */
	union {
		uint64_t *values;
		uint32_t *narrow; /* room is not 0; cap is held: there is none for the next one */
		uint64_t single;
	};
	uint16_t held, cap, room;
	bool is_lent;			/* an arena owns the values */
	struct histogram_counts **rows; /* NULL, or HISTOGRAM_ROWS of them, each may be NULL */
};

/* A step of histogram_next: count values from low to high. */
struct histogram_bin {
	uint64_t low, high, count;
	/* bucket_of(value, HISTOGRAM_SUB_BITS); of no meaning where values are exact */
	uint32_t bucket;
};

/* Where histogram_next is; starts zeroed. */
struct histogram_at {
	uint32_t row, sub;
};

/* A value n times. 0 or CPIDECODE_ENOMEM, as all that return int. */
int histogram_add_many(struct histogram *h, uint64_t value, uint64_t n);
/*
 * Sets the values of an empty histogram: at most HISTOGRAM_VALUES, in order. arena: owns them, and
 * no value may be added later; NULL: values may be added.
 */
int histogram_hold(struct histogram *h, const uint64_t *values, unsigned n, struct intern *arena);
int histogram_merge(struct histogram *h, const struct histogram *from);
/* n values more in the bucket of that number (below HISTOGRAM_ROWS * HISTOGRAM_SUB). */
int histogram_add_bucket(struct histogram *h, uint32_t number, uint64_t n);
/* Says what the least and greatest were; false: the buckets say otherwise. */
bool histogram_set_ends(struct histogram *h, uint64_t min, uint64_t max);
void histogram_free(struct histogram *h);

/* Has every value of its own. */
static inline bool histogram_exact(const struct histogram *h)
{
	return !h->rows;
}

/* A held value, of that number below held. */
static inline uint64_t histogram_held(const struct histogram *h, uint32_t i)
{
	if (h->room)
		return h->narrow[i];
	return h->cap == 1 ? h->single : h->values[i];
}

/* Before the questions below, after the last value. */
int histogram_settle(struct histogram *h);
/* The value of that rank, from 1 to count: exact, or its bucket's middle. */
uint64_t histogram_at_rank(const struct histogram *h, uint64_t rank);
/* The bucket of that rank: equal low and high where values are exact. */
struct histogram_bin histogram_bin_at_rank(const struct histogram *h, uint64_t rank);
/* The rank of a percentile in n values (nearest rank): at least that many percent are up to it. n
 * is not 0. */
uint64_t histogram_rank(uint64_t n, unsigned percent);
/* The rank at that many millionths. */
uint64_t histogram_rank_millionth(uint64_t n, uint32_t millionths);
/* The rank at that many tenths of a percent. */
uint64_t histogram_rank_permille(uint64_t n, unsigned permille);
uint64_t histogram_percentile(const struct histogram *h, unsigned percent);
/*
 * The same of values that are all different; else a value represents the middle of the ranks of it
 * or its bucket, and between two of them it is linear. So it follows the values, however wide the
 * buckets or coarse the clock. h is not empty.
 */
double histogram_middle(const struct histogram *h, unsigned percent);
/* The middle of the bin that holds the value of a rank from 1 to count. */
double histogram_middle_at_rank(const struct histogram *h, uint64_t rank);
/* The share of values up to that one, in the same way: what histogram_middle inverts. */
double histogram_share(const struct histogram *h, double value);
/* Values in order; false at the end. Equal exact ones come together. */
bool histogram_next(const struct histogram *h, struct histogram_at *at, struct histogram_bin *bin);

/* A value n times, which is stored elsewhere. */
static inline void histogram_count(struct histogram *h, uint64_t value, uint64_t n)
{
	if (!h->count || value < h->min)
		h->min = value;
	if (!h->count || value > h->max)
		h->max = value;
	h->count += n;
}

static inline int histogram_add(struct histogram *h, uint64_t value)
{
	if (h->held == h->cap)
		return histogram_add_many(h, value, 1);
	h->values[h->held++] = value;
	histogram_count(h, value, 1);
	return 0;
}

#endif
