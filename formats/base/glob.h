/* Shell patterns over bytes that need not be text: *, ?, [set], [!set], \c. */
#ifndef SWT_FORMATS_BASE_GLOB_H
#define SWT_FORMATS_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether all of s matches; a '?' or a set matches one character, or one byte that is not UTF-8.
 * The time is at most the product of both lengths. In an invalid pattern the last '[' matches
 * itself.
 */
bool glob_match(const char *pattern, const void *s, size_t n);

/* NULL, or what a pattern lacks, for a message. */
const char *glob_check(const char *pattern);

/*
 * For listings: letters A to Z in either case; a pattern without *, ? and [ matches anywhere in
 * the name.
 */
bool glob_match_listed(const char *pattern, const char *name);

/*
 * Patterns of instance names: '*' and '?' alone, letters A to Z in either case. Neither text need
 * end in a NUL, one of size 0 may be NULL. The time is as above.
 */
bool glob_match_name(const char *pattern, size_t pattern_size, const char *name, size_t size);

/* Whether both are the same text, letters A to Z in either case. */
bool glob_same_name(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
