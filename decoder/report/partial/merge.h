/*
 * report/partial: partial results, made of a trace, read from files and put together. It includes
 * what report does. Errors: 0 or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_REPORT_PARTIAL_MERGE_H
#define SWT_DECODER_REPORT_PARTIAL_MERGE_H

#include "../notes/notes.h"

/* Whether a regular file begins as a partial result. */
bool merge_is_partial(const char *path);

/*
 * Adds the partial result in a file ("-": standard input). *p starts zeroed but for tally.wanted.
 * 0; CPIDECODE_EINVAL: say told why; or another CPIDECODE_E code.
 */
int merge_add_file(struct partial *p, const char *path, notes_say say);

/* Whether two runs were made with the same filters; times may differ. */
bool merge_is_comparable(const struct partial *first, const struct partial *run);

/* Whether counters of some trace in it were scripted. */
bool merge_is_scripted(const struct partial *p);

void merge_free(struct partial *p);

#endif
