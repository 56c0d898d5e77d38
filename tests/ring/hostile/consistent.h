/*
 * Checks that a trace.bin, dumped from rings that were scribbled on, does not contradict itself.
 */
#ifndef SWT_TESTS_RING_CONSISTENT_H
#define SWT_TESTS_RING_CONSISTENT_H

/* NULL, or the error. Sections must be stored without a codec; others are skipped. */
const char *consistent_file(const char *path);

#endif
