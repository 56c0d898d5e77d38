/*
 * Each processor's ratios, one column after another. Those of many groups are packed while their
 * intervals are few, as a group's sums are: very many labels have few intervals each, and most
 * words of a column are zero, or those of the ratio or of the column before. All that return int
 * return 0 or CPIDECODE_ENOMEM, and then the columns are as they were, and can be freed.
 */
#ifndef SWT_DECODER_MODEL_STATS_COLUMNS_H
#define SWT_DECODER_MODEL_STATS_COLUMNS_H

#include "ratio.h"

/* A column's ratios. */
enum column_ratio {
	COLUMN_RAW,
	COLUMN_SCALED,
	COLUMN_BUSY,
	COLUMN_CPI_RATIOS,
	COLUMN_IDLE = COLUMN_CPI_RATIOS, /* of CPU utilisation */
	COLUMN_INTR,
	COLUMN_PERF,
	COLUMN_UTIL_RATIOS,
};

enum { COLUMN_WORDS = COLUMN_UTIL_RATIOS * RATIO_WORDS }; /* at most */

/* Starts zeroed but for width. */
struct ratio_columns {
	union {
		uint64_t *packed;   /* room words; NULL: none */
		struct ratio *full; /* of room columns */
	};
	uint32_t room;
	uint16_t count;
	uint8_t width; /* COLUMN_CPI_RATIOS or COLUMN_UTIL_RATIOS */
	bool is_full;  /* once it is, it stays so */
};

/* Packing costs time: it is not worth that while all groups together fit into this much memory. */
enum { COLUMNS_FULL_BYTES = 2 << 20 };

/* All groups share one; it starts zeroed. The caller frees words, which the columns are packed
 * into. */
struct columns_buffer {
	uint64_t *words;
	size_t count, cap;
	size_t full; /* bytes of columns that are not packed */
};

union ratio_column {
	uint64_t words[COLUMN_WORDS];
	struct ratio ratios[COLUMN_UTIL_RATIOS];
};

/* Columns in their order. Valid while the columns do not change. */
struct columns_reader {
	const struct ratio_columns *from;
	const uint64_t *at;
	uint32_t next;
	uint64_t differences[COLUMN_WORDS]; /* of the column's ratios */
	union ratio_column column;
};

/* Changes the column of that number. */
typedef void (*columns_change_fn)(void *ctx, uint32_t i, struct ratio *column);

/* Calls change for the first n columns, of which those that are new start zeroed. few: their
 * intervals are. */
int columns_change(struct ratio_columns *c, uint32_t n, bool few, struct columns_buffer *b,
	columns_change_fn change, void *ctx);
int columns_merge(struct ratio_columns *c, const struct ratio_columns *from, bool few,
	struct columns_buffer *b);
void columns_first(struct columns_reader *r, const struct ratio_columns *from);
/* The next column's width ratios, until the next call; zero ones after the last. */
const struct ratio *columns_next(struct columns_reader *r);
void columns_free(struct ratio_columns *c);

#endif
