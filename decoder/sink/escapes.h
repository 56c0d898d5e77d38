/*
 * Escapes bytes from a trace for each output syntax. A user's string may hold any bytes. All
 * output is valid UTF-8 and free of control characters (C0, DEL, C1) that a terminal would obey.
 * Unless stated otherwise, each byte outside a valid sequence becomes one U+FFFD.
 */
#ifndef SWT_DECODER_ESCAPE_H
#define SWT_DECODER_ESCAPE_H

#include <stddef.h>

#include "out.h"

/* A printf format: the name of an interval without a label. */
#define ESCAPE_MINOR "minor 0x%02X"

/* For CSV: control characters except tabs and line ends become U+FFFD, too. */
void escape_utf8(struct out *o, const char *s, size_t n);
/*
 * Human-readable: control and invalid bytes as C escapes, and also the characters that change the
 * text direction, so that a name cannot rearrange the figures after it.
 */
void escape_text(struct out *o, const char *s, size_t n);
/* A label so; NULL: `minor 0xMM`, the name of an interval without one. */
void escape_label(struct out *o, const char *label, size_t n, unsigned minor);
/* escape_text in double quotes, quotes and backslashes escaped as well. */
void escape_quoted(struct out *o, const char *s, size_t n);
/* The inside of a JSON string. */
void escape_json(struct out *o, const char *s, size_t n);
/* XML text or a quoted attribute. Characters outside XML 1.0 become U+FFFD. */
void escape_xml(struct out *o, const char *s, size_t n);
/* A name on a line of its own: control characters become '_'. */
void escape_name(struct out *o, const char *s, size_t n);
/* A frame of a folded stack: ';' and control characters become '_'. */
void escape_frame(struct out *o, const char *s, size_t n);

#endif
