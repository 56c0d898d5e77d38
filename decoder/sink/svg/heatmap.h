/*
 * Heat maps as input of the sink: counts of intervals by start and elapsed time.
 *
 * decoder/sink/svg owns pictures. It includes sink. Errors as in sink/out.h.
 */
#ifndef SWT_DECODER_HEATMAP_H
#define SWT_DECODER_HEATMAP_H

#include "../../../formats/base/buckets.h"
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

/* Latencies fall into buckets of up to so many bits (formats/base/buckets.h). */
enum { HEATMAP_PARTS_MOST = 2, HEATMAP_BUCKETS = BUCKETS_COUNT(HEATMAP_PARTS_MOST) };

/* The least of 1, 2 and 5 times a power of ten that is at least that. */
uint64_t heatmap_round_up(uint64_t least);

/* The start of a column, since `origin`. */
int64_t heatmap_time(const struct heatmap *h, int64_t origin, uint32_t column);

/* A self-contained picture; without a script. */
void heatmap_svg(struct out *o, const struct heatmap *h);

#endif
