/*
 * Names and help: UTF-8 without control characters, which a terminal might obey.
 */
#ifndef SWT_PERFLIB_CLEAN_H
#define SWT_PERFLIB_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Nothing in it to be repaired, and at most `most` bytes. */
bool clean_text(const char *text, size_t most);

/* A copy that is: U+FFFD for each byte that is not UTF-8 and each control character, cut between
 * characters after `most` bytes; and a NUL. Returns its bytes without it. */
size_t clean_copy(char *to, size_t most, const char *from, size_t bytes);

#endif
