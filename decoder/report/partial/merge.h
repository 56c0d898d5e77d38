/*
 * decoder/report/partial owns partial results: makes them from a trace, reads them from files and
 * merges them. It includes report, base, flame, gaps, heatmap, model, notes, query, sink, slowest
 * and why. Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_PARTIAL_MERGE_H
#define SWT_DECODER_REPORT_PARTIAL_MERGE_H

#include "../filter.h"
#include "../notes/notes.h"
#include "results.h"

/* Whether a regular file begins as a partial result. */
bool merge_is_partial(const char *path);
/* The options of the report that the partial result in a regular file is for; none of another file.
 * *a starts zeroed, and is to be freed. 0 or CPIDECODE_ENOMEM. */
int merge_peek_arguments(const char *path, struct partial_arguments *a);
/* 0, CPIDECODE_ENOMEM, or CPIDECODE_EINVAL: more than a partial result holds. */
int merge_add_argument(struct partial_arguments *a, const char *text);
void merge_free_arguments(struct partial_arguments *a);

enum {
	MERGE_UNREADABLE = 1,
	MERGE_MIXED, /* a result is of several hosts */
};

/*
 * Adds the partial results in a file ("-": standard input). *p starts zeroed except for
 * tally.wanted. A result that is in *p already changes nothing, and `say` reports it. 0;
 * CPIDECODE_EINVAL after `say` printed why it does not go with the others; or, with *p as it was,
 * MERGE_UNREADABLE after `say` printed the file's error, CPIDECODE_EREAD,
 * CPIDECODE_EOPEN with errno set, or CPIDECODE_ENOMEM.
 */
int merge_add_file(struct partial *p, const char *path, notes_say say);
/* The same of a file's bytes. */
int merge_add_bytes(
	struct partial *p, const char *path, const uint8_t *bytes, size_t n, notes_say say);
/* The same of one result of a regular file. */
int merge_add_range(struct partial *p, const char *path, struct results_range range, notes_say say);

/* host: valid during the call; NULL: unknown. */
typedef int merge_host_fn(void *ctx, const char *host, struct results_range range);

/* Calls `tell` for each result in a file until it does not return 0, and returns that. Else as
 * merge_add_file, silently, or MERGE_MIXED. */
int merge_each_host(const char *path, merge_host_fn *tell, void *ctx);

/* Call after the last file and before any report. 0, CPIDECODE_ENOMEM, or CPIDECODE_EINVAL:
 * damaged, reported by `say`. */
int merge_settle(struct partial *p, notes_say say);

/*
 * Which of n names are of no trace that *p has all of, by their indexes, *n_missing of them, in
 * `missing`, which has room for n. A name is a trace's path from the partial result, or,
 * without a slash, its last component. 0 or CPIDECODE_ENOMEM.
 */
int merge_find_missing(
	const struct partial *p, char *const *names, size_t n, size_t *missing, size_t *n_missing);

/* Whether two runs were made with the same filters; times may differ. */
bool merge_is_comparable(const struct partial *first, const struct partial *run);

/* A result records only whether a start and an end were given, not what a relative time was. */
struct merge_filter {
	const struct filter *filter;
	bool has_from, has_to;
	const char *where; /* NULL: none */
};

/* Whether a result was made with that filter. */
int merge_is_filtered(const struct partial *p, const struct merge_filter *f, bool *is);

struct by; /* query/by.h */
/* Whether its groups' names are values of these keys. */
bool merge_has_groups(const struct partial *p, const struct by *by);

/* How many traces a settled result is of. */
size_t merge_count_traces(const struct partial *p);

/* Whether any of its traces has scripted counters. */
bool merge_is_scripted(const struct partial *p);

/* Whether its intervals were read with r->compensate. */
bool merge_is_compensated(const struct partial *p);

/* Whether its traces are of one host: *host, NULL if META lacks it. */
bool merge_find_host(const struct partial *p, const char **host);

void merge_free(struct partial *p);

#endif
