/*
 * Files of partial results: their bytes, and the results in them, which are one, or one for each of
 * several hosts (formats/partial.md). Errors: 0 or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_REPORT_PARTIAL_RESULTS_H
#define SWT_DECODER_REPORT_PARTIAL_RESULTS_H

#include <stddef.h>
#include <stdint.h>

/* Where a result is in a file. */
struct results_range {
	uint64_t at;
	size_t bytes;
};

/* The bytes of a file ("-": standard input), or the first ones of another kind of file. The caller
 * frees them, also after a failure. CPIDECODE_EOPEN and CPIDECODE_EREAD: errno is set. */
int results_read_file(const char *path, uint8_t **bytes, size_t *n);
/* The bytes of a range of a regular file, which is CPIDECODE_EREAD if it is shorter now. Returns
 * the same.
 */
int results_read_range(const char *path, struct results_range range, uint8_t **bytes);

typedef int results_fn(void *ctx, struct results_range range);

/* Calls fn for each result of a file's bytes, in order, until it does not return 0, and returns
 * that. 1 with *why set: not a partial result, or a damaged one. */
int results_each(const uint8_t *bytes, size_t n, results_fn *fn, void *ctx, const char **why);

#endif
