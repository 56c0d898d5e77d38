/*
 * Bytes from a trace, made safe for where they go. A user's string may hold anything:
 * every output but text() is valid UTF-8, each byte that is not part of a valid
 * sequence having become one U+FFFD.
 */
#ifndef SWT_DECODER_ESCAPE_H
#define SWT_DECODER_ESCAPE_H

#include <stddef.h>

#include "out.h"

/* Length of the valid UTF-8 sequence that s starts with, 0: none (RFC 3629). */
size_t utf8_sequence(const char *s, size_t n);

/* Valid UTF-8, otherwise unchanged. */
void escape_utf8(struct out *o, const char *s, size_t n);
/* For a person: control and invalid bytes as C writes them, so that no terminal obeys. */
void escape_text(struct out *o, const char *s, size_t n);
/* The same in double quotes, quotes and backslashes escaped as well. */
void escape_quoted(struct out *o, const char *s, size_t n);
/* The inside of a JSON string. */
void escape_json(struct out *o, const char *s, size_t n);
/* XML text or a quoted attribute. What XML 1.0 cannot hold becomes U+FFFD. */
void escape_xml(struct out *o, const char *s, size_t n);
/* A frame of a folded stack: ';' and control bytes become '_'. */
void escape_frame(struct out *o, const char *s, size_t n);

#endif
