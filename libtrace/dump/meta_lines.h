/*
 * `key: value` lines in a buffer; line breaks in values are replaced.
 */
#ifndef SWT_DUMP_META_LINES_H
#define SWT_DUMP_META_LINES_H

#include "../../formats/base/buffer.h"

/* In place: control characters become spaces, bytes that are not UTF-8 question marks. */
void meta_clean_text(char *text);

/* `key: value` and a newline. Control bytes in the value become spaces, bytes that are
 * not UTF-8 become question marks. An empty value: no line. */
void meta_add_line(struct buffer *t, const char *key, const char *value);
__attribute__((format(printf, 3, 4))) void meta_add_linef(
	struct buffer *t, const char *key, const char *format, ...);

#endif
