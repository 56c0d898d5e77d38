/*
 * Whether a trace.bin contradicts itself: what a dump writes of rings that were scribbled on.
 */
#ifndef SWT_TESTS_RING_CONSISTENT_H
#define SWT_TESTS_RING_CONSISTENT_H

/* NULL, or what is wrong. Sections are to be stored without a codec; others are passed over. */
const char *consistent_file(const char *path);

#endif
