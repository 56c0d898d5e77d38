/*
 * `key: value` lines in a buffer; line breaks in values are replaced.
 */
#ifndef SWT_DUMP_TEXT_H
#define SWT_DUMP_TEXT_H

#include "../../formats/base/buffer.h"

/* In place: control characters become spaces, bytes that are not UTF-8 question marks. */
void text_clean(char *text);

/* `key: value` and a newline. Control bytes in the value become spaces, bytes that are
 * not UTF-8 become question marks. An empty value: no line. */
void text_line(struct buffer *t, const char *key, const char *value);
__attribute__((format(printf, 3, 4))) void text_linef(
	struct buffer *t, const char *key, const char *format, ...);

#endif
