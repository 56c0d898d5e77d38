/* cpidecode merge: partial results put together. */
#ifndef SWT_DECODER_MERGE_H
#define SWT_DECODER_MERGE_H

#include "options.h"

/* Reads all files of o into *p. An exit code; what is wrong has been said. */
int merge_read(struct partial *p, const struct options *o);

/* One partial result more, *p zeroed but for what its tally wants. An exit code. */
int merge_read_file(struct partial *p, const char *path);

bool merge_is_partial(const char *path);

/*
 * Checks that a run used the same filters as the first; times may differ. Returns an exit code, and
 * reports the difference on stderr.
 */
int merge_comparable(const struct partial *first, const char *path, const struct partial *run);
/* What changed from the runs before to those after. 0 or a CPIDECODE_E code. */
int merge_diff(const struct diff_runs *before, const struct diff_runs *after,
	const struct options *o, struct out *out, size_t *gates_failed);

/* A report of them; *bad: data was lost or damaged, or is missing. 0 or a CPIDECODE_E code. */
int merge_report(const struct partial *p, const struct options *o, struct out *out, bool *bad);

#endif
