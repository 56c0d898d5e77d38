/*
 * What the slowest intervals are found by in partial results (formats/partial.md): the slowest of
 * each part, with all around them, and of each label, minor and major an interval for every
 * duration that its median can be told by. Merged ones have the bytes of the whole's.
 */
#ifndef SWT_DECODER_REPORT_QUERY_SLOWEST_KEPT_H
#define SWT_DECODER_REPORT_QUERY_SLOWEST_KEPT_H

#include "../../model/stats/partial.h"
#include "slowest.h"

struct slowest_file {
	uint8_t trace_id[16];
	uint64_t fingerprint;
};

/* Order among equals, whatever the order of files. */
struct slowest_key {
	uint32_t file; /* of slowest_kept */
	uint32_t ring;
	uint64_t start, position; /* start: ticks */
};

struct slowest_row {
	struct slowest_key key;
	uint64_t rank; /* the greatest is the first */
	struct kin kin;
	struct meanwhile meanwhile;
	const struct trace_text *names; /* of its values */
};

/* An interval that may be the nearest to its group's median. */
struct slowest_median {
	struct slowest_key key;
	const struct tally_group *group;
	uint64_t ns, slot, distance; /* slot: its duration, or the bucket of that */
	struct kin kin;		     /* without iv and parents */
};

/* Starts zeroed. Names and texts are those of the partial result that was read, or of the trace. */
struct slowest_kept {
	size_t most; /* rows */
	bool has_start;
	int64_t start;		    /* CLOCK_REALTIME ns of the first hook */
	struct slowest_file *files; /* the same one may be there again */
	struct slowest_row *rows;
	struct slowest_median *medians;
	size_t nfiles, files_room, nrows, rows_room, nmedians, medians_room;
	struct intern memory;
};

/* The duration that the median interval of a group is the nearest to, ns. */
uint64_t slowest_median_ns(const struct histogram *h);
/* Sets slot and distance by the group's times. */
void slowest_median_settle(struct slowest_median *m);

/* By group, slot and distance; ctx: the struct slowest_kept that both are of. */
int slowest_compare_medians(const void *x, const void *y, void *ctx);

/* New ones, zeroed; NULL: no memory. */
struct slowest_file *slowest_kept_file(struct slowest_kept *k);
struct slowest_row *slowest_kept_row(struct slowest_kept *k);
struct slowest_median *slowest_kept_median(struct slowest_kept *k);
/* Leaves the slowest rows, in order, and one median for each slot. False: an interval is there
 * twice. */
bool slowest_kept_reduce(struct slowest_kept *k);
/* The one nearest to the group's median; NULL: none. */
const struct slowest_median *slowest_kept_find(
	const struct slowest_kept *k, const struct tally_group *g);
void slowest_kept_free(struct slowest_kept *k);

/* Of reduced ones, whose groups p->tally has. 0 or CPIDECODE_ENOMEM. */
int slowest_kept_put(struct partial *p, const struct slowest_kept *k);
/* Reads all of *p, reduced. 0, CPIDECODE_ENOMEM, or CPIDECODE_EINVAL: they are damaged. */
int slowest_kept_get(struct slowest_kept *k, const struct partial *p);
/* Makes one of several. As slowest_kept_get. */
int slowest_kept_settle(struct partial *p);

#endif
