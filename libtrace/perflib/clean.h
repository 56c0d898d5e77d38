/*
 * Names and help texts: valid UTF-8 without control characters, which could drive a terminal.
 */
#ifndef SWT_PERFLIB_CLEAN_H
#define SWT_PERFLIB_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text needs no repair and has at most `most` bytes. */
bool clean_text(const char *text, size_t most);

/* Copies a text and repairs it: U+FFFD replaces each byte that is not UTF-8 and each control
 * character. Cuts between characters after `most` bytes and appends a NUL. Returns the length in
 * bytes, without the NUL. */
size_t clean_copy(char *to, size_t most, const char *from, size_t bytes);

#endif
