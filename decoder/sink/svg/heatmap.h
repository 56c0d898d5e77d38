/*
 * Heat maps as input of the sink: counts of intervals by start and elapsed time.
 *
 * decoder/sink/svg owns pictures. It includes sink. Errors as in sink/out.h.
 */
#ifndef SWT_DECODER_HEATMAP_H
#define SWT_DECODER_HEATMAP_H

#include "../out.h"

/*
 * Latencies are on a logarithmic axis: each doubling is cut into 2^parts equal buckets; below
 * 2^parts ns each nanosecond is a bucket.
 */
struct heatmap {
	uint64_t *counts;	/* [row * columns + column], the least latency first */
	uint32_t columns, rows; /* 0: no interval */
	int64_t from;		/* ns since the origin: the start of the first column, */
	uint64_t step;		/* and the width of each, ns */
	uint32_t first_row;	/* the number of the first row's bucket */
	unsigned parts;
	uint64_t total, most;
	const char *origin;		    /* origin of the time axis, in words */
	const char *range;		    /* time range, to display */
	const char *host, *command, *label; /* NULL: unknown, several; all labels */
	uint64_t lost;
	bool scripted;
};

/* The number of a latency's bucket, below HEATMAP_BUCKETS. */
enum {
	HEATMAP_PARTS_MOST = 2,
	HEATMAP_BUCKETS = (64 - HEATMAP_PARTS_MOST + 1) << HEATMAP_PARTS_MOST
};
static inline uint32_t heatmap_bucket(uint64_t ns, unsigned parts)
{
	if (ns >> parts == 0)
		return (uint32_t)ns;
	const unsigned high = 63 - (unsigned)__builtin_clzll(ns);
	return ((high - parts + 1) << parts) +
	       (uint32_t)((ns >> (high - parts)) - (UINT64_C(1) << parts));
}

/* The least latency of a bucket; of the number after the last one, the greatest there is. */
static inline uint64_t heatmap_low(uint32_t bucket, unsigned parts)
{
	const uint32_t block = bucket >> parts;
	const uint64_t in = bucket & ((1u << parts) - 1);

	if (!block)
		return bucket;
	return block + parts > 64 ? UINT64_MAX : ((UINT64_C(1) << parts) + in) << (block - 1);
}

/* The least of 1, 2 and 5 times a power of ten that is at least that. */
uint64_t heatmap_round_up(uint64_t least);

/* A self-contained picture; without a script. */
void heatmap_svg(struct out *o, const struct heatmap *h);

#endif
