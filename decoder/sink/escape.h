/*
 * Bytes from a trace, made safe for where they go. A user's string may hold anything:
 * every output is valid UTF-8, and none has a control character (C0, DEL, C1) that a
 * terminal would obey, whatever it was meant for. Where nothing else is said, each byte that is
 * not part of a valid sequence has become one U+FFFD.
 */
#ifndef SWT_DECODER_ESCAPE_H
#define SWT_DECODER_ESCAPE_H

#include <stddef.h>

#include "out.h"

/* For CSV: control characters but tabs and line ends have become U+FFFD, too. */
void escape_utf8(struct out *o, const char *s, size_t n);
/*
 * For a person: control and invalid bytes as C writes them, and likewise the characters that
 * turn the direction of what follows, so that a name cannot rearrange the figures behind it.
 */
void escape_text(struct out *o, const char *s, size_t n);
/* The same in double quotes, quotes and backslashes escaped as well. */
void escape_quoted(struct out *o, const char *s, size_t n);
/* The inside of a JSON string. */
void escape_json(struct out *o, const char *s, size_t n);
/* XML text or a quoted attribute. What XML 1.0 cannot hold becomes U+FFFD. */
void escape_xml(struct out *o, const char *s, size_t n);
/* A frame of a folded stack: ';' and control characters become '_'. */
void escape_frame(struct out *o, const char *s, size_t n);

#endif
