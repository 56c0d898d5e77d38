/*
 * Shared libraries that one feature wants and the rest does without: loaded when they are first
 * needed. A program that is linked statically lacks them.
 */
#ifndef SWT_FORMATS_BASE_LIBRARY_H
#define SWT_FORMATS_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_call {
	const char *symbol;
	void *to; /* a pointer to a function */
};

/* Loads the library, for good, and sets each call. False: it is not here, or lacks one of them. */
bool library_load(const char *file, const struct library_call *calls, size_t count);

#endif
