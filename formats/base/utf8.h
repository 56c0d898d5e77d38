/*
 * UTF-8 as RFC 3629 has it: shortest forms, no surrogates, at most U+10FFFF.
 *
 * formats/base holds what both halves need and no trace knows: no mutable state, no errors but by
 * return value, compiled hidden into each library.
 */
#ifndef SWT_FORMATS_BASE_UTF8_H
#define SWT_FORMATS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed character that text begins with, 1 to 4; 0: none, or size is 0. */
size_t utf8_length(const void *text, size_t size);

bool utf8_valid(const void *text, size_t size);

#endif
