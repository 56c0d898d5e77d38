/*
 * Points of groups in partial results: for each group's name, unique keys in order, each with an
 * amount (formats/partial.md). They are the values of --exact with their counts, or the times at
 * which the number of intervals of a series in flight changes, with the change. Functions return 0
 * or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_REPORT_PARTIAL_POINTS_H
#define SWT_DECODER_REPORT_PARTIAL_POINTS_H

#include "../../base/sorter/sorter.h"
#include "../../base/varint.h"
#include "../../model/stats/tally/tally.h"

/* A record's addition to the amount of its key. */
typedef int64_t points_amount_fn(const struct sorter_record *r);

/*
 * Writes the records of s by key. A record's group is a number in names, which must not be settled.
 * Adds the amounts of equal keys, and omits keys whose sum is 0.
 * CPIDECODE_EINVAL: an amount out of range.
 */
int points_put(
	struct buffer *o, struct sorter *s, const struct tally *names, points_amount_fn *amount);

/* Callbacks of points_get for each group and its points. */
struct points_reader {
	void *ctx;
	int (*begin)(void *ctx, bool has_label, const char *label, uint32_t length, uint8_t major,
		uint8_t mm);
	int (*point)(void *ctx, uint64_t key, int64_t amount);
	int (*end)(void *ctx);
};

/* Parses what points_put wrote; CPIDECODE_EINVAL: damaged. */
int points_get(struct varint_in *in, const struct points_reader *to);

/* Another label for that of a group, valid up to the next call. */
typedef int points_label_fn(void *ctx, const char **label, uint32_t *length);

/* Points of several parts, to be written as one. Starts zeroed but for label and ctx. */
struct points_merge {
	points_label_fn *label; /* NULL: all keep theirs */
	void *ctx;
	struct tally names;
	struct sorter *sorter;
	uint64_t added;
	uint32_t group; /* of the last begin */
};

/* CPIDECODE_ESPOOL: errno is set. */
int points_merge_add(struct points_merge *m, struct varint_in *in);
int points_merge_put(struct points_merge *m, struct buffer *o);
void points_merge_free(struct points_merge *m);

#endif
