/*
 * Names and help: UTF-8 without control characters, which a terminal might obey.
 */
#ifndef SWT_PERFLIB_SHARED_TEXT_H
#define SWT_PERFLIB_SHARED_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Nothing in it to be repaired, and at most `most` bytes. */
bool prov_text_is_clean(const char *text, size_t most);

/* A copy that is, up to the first NUL: U+FFFD for each byte that is not UTF-8 and each control
 * character, cut after `most` bytes; and a NUL. Returns its bytes without it. */
size_t prov_text_repair(char *to, size_t most, const char *from, size_t bytes);

#endif
