/*
 * Patterns of instance names: '*' is any characters, '?' one character; all else is itself,
 * letters A to Z in either case. Characters are those of UTF-8.
 */
#ifndef SWT_PERFLIB_PATTERN_H
#define SWT_PERFLIB_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this is UTF-8 without a NUL. */
bool pattern_valid(const char *pattern, size_t bytes);

/* Both valid. Takes time in proportion to the product of the lengths at worst. */
bool pattern_matches(const char *pattern, size_t bytes, const char *name, size_t name_bytes);

/* The same letters, but for case as above. */
bool pattern_same(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

#endif
