#ifndef SWT_DECODER_UTF8_H
#define SWT_DECODER_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Well-formed as RFC 3629 has it: shortest forms, no surrogates, at most U+10FFFF. */
bool utf8_valid(const char *text, size_t length);

#endif
