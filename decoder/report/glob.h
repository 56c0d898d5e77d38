/* Shell patterns over bytes that need not be text: *, ?, [set], [!set], \c. */
#ifndef SWT_DECODER_GLOB_H
#define SWT_DECODER_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the whole of s matches; a '?' or a set takes one character, or one bad byte. */
bool glob_match(const char *pattern, const char *s, size_t n);

#endif
