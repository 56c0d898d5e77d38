/*
 * The slowest intervals in partial results (formats/partial.md): the slowest of each part with
 * their context, and for each label, minor and major one interval per duration that may be the
 * median. Merging gives the same bytes as reading the entire trace.
 */
#ifndef SWT_DECODER_REPORT_SLOWEST_KEPT_H
#define SWT_DECODER_REPORT_SLOWEST_KEPT_H

#include "../../model/stats/partial/partial.h"
#include "slowest.h"

struct slowest_file {
	uint8_t trace_id[16];
	uint64_t fingerprint;
};

/* Breaks ties, independent of the order of files. */
struct slowest_key {
	uint32_t file; /* of slowest_kept */
	uint32_t ring;
	uint64_t start, position; /* start: ticks */
};

struct slowest_row {
	struct slowest_key key;
	uint64_t rank; /* descending */
	struct kin kin;
	struct meanwhile meanwhile;
	const struct ran *ran;		/* NULL: the kernel's switches were not recorded */
	const struct trace_text *names; /* of its values */
};

/* A candidate for the interval nearest to its group's median. */
struct slowest_median {
	struct slowest_key key;
	const struct tally_group *group;
	uint64_t ns, slot, distance; /* slot: its duration, or the bucket of that */
	struct kin kin;		     /* without iv and parents */
};

/* Starts zeroed. Names and texts belong to the partial result that was read, or to the trace. */
struct slowest_kept {
	size_t most; /* rows */
	bool has_start;
	int64_t start;		    /* CLOCK_REALTIME ns of the first hook */
	struct slowest_file *files; /* may contain duplicates */
	struct slowest_row *rows;
	struct slowest_median *medians;
	size_t nfiles, files_room, nrows, rows_room, nmedians, medians_room;
	struct intern memory;
};

/* The median duration of a group in ns: the median interval is the nearest to it. */
uint64_t slowest_median_ns(const struct histogram *h);
/* Sets slot and distance by the group's times. */
void slowest_median_settle(struct slowest_median *m);

/* Compares group, slot and distance; ctx: the struct slowest_kept of both. */
int slowest_compare_medians(const void *x, const void *y, void *ctx);

/* Append a zeroed element; NULL: no memory. */
struct slowest_file *slowest_kept_file(struct slowest_kept *k);
struct slowest_row *slowest_kept_row(struct slowest_kept *k);
struct slowest_median *slowest_kept_median(struct slowest_kept *k);
/* Keeps the slowest rows, in order, and one median per slot. False: an interval occurs twice. */
bool slowest_kept_reduce(struct slowest_kept *k);
/* The candidate nearest to the group's median; NULL: none. */
const struct slowest_median *slowest_kept_find(
	const struct slowest_kept *k, const struct tally_group *g);
void slowest_kept_free(struct slowest_kept *k);

/* Flags of a row's switches in an answer. */
enum { SLOWEST_RECORDED = 1, SLOWEST_LOST = 2, SLOWEST_LOST_NUMBER = 4 };

/* Adds *k, which is reduced, to *p as an answer; p->tally has its groups. 0 or CPIDECODE_ENOMEM. */
int slowest_kept_put(struct partial *p, const struct slowest_kept *k);
/* Reads, merges and reduces all answers of *p. 0, CPIDECODE_ENOMEM, or CPIDECODE_EINVAL:
 * damaged. */
int slowest_kept_get(struct slowest_kept *k, const struct partial *p);
/* Joins the answers of *p, several, into one. Returns as slowest_kept_get. */
int slowest_kept_settle(struct partial *p);

#endif
