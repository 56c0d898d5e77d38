/*
 * Patterns for labels and names: * any bytes, ? one character, [abc] [a-z] [!abc] one byte of
 * a set or not of it, \c the character c.
 */
#ifndef SWT_DUMP_PATTERN_H
#define SWT_DUMP_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* In time of at most the product of both lengths, whatever they hold. */
bool pattern_matches(const char *pattern, const void *text, size_t size);

#endif
