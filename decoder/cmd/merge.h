/* Reports of partial results: merged, or as the runs of a diff. */
#ifndef SWT_DECODER_CMD_MERGE_H
#define SWT_DECODER_CMD_MERGE_H

#include "options.h"

/* Reports what changed between the runs before and after. 0 or a CPIDECODE_E code. *is_misused: an
 * option names what the runs do not have. */
int merge_diff(const struct diff_runs *before, const struct diff_runs *after,
	const struct options *o, struct out *out, size_t *gates_failed, bool *is_misused);

/*
 * Reads and merges the files. *absent, which starts zeroed, gets lines on missing parts, for
 * the head of a report. Returns an exit code.
 */
int merge_read(const struct options *o, struct partial *p, struct out *absent);

/* "flame graph" */
const char *merge_answer_name(enum partial_answer kind);
/* Whether the report can be made of the merged results; else an error is printed. path: of the
 * first. */
bool merge_fits(const struct partial *p, const struct options *o, const char *path);
/* Whether a partial result of partial results must distinguish their hosts, for --by host of a
 * report without keys. */
bool merge_keeps_hosts(const struct partial *p, const struct options *o);
/* Whether it was made with the --by of the options, if they have one. */
bool merge_fits_by(const struct partial *p, const struct options *o, const char *path);

/* Reports merged partial results, and missing parts. *bad: data was lost, damaged or is missing. 0
 * or a CPIDECODE_E code. */
int merge_report(const struct partial *p, const char *absent, const struct options *o,
	struct out *out, bool *bad, bool *is_misused);

/* Adds one partial result, which must hold the answer. Returns an exit code. */
int merge_add(struct partial *p, const char *path, const struct options *o);
/* Whether it was made with the filters that are given, if any are. Returns an exit code. */
int merge_check_filter(const struct partial *p, const char *path, const struct options *o);
/* After the last. Returns an exit code. */
int merge_end(struct partial *p);

#endif
