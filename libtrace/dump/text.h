/*
 * Growing text buffer of `key: value` lines; line breaks in values are replaced.
 */
#ifndef SWT_DUMP_TEXT_H
#define SWT_DUMP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *bytes; /* not terminated; NULL while empty */
	size_t length, room;
	bool failed; /* memory ran out: bytes are gone */
};

/* In place: control characters become spaces, bytes that are not UTF-8 question marks. */
void text_clean(char *text);

void text_add(struct text *t, const void *bytes, size_t size);

/* `key: value` and a newline. Control bytes in the value become spaces, bytes that are
 * not UTF-8 become question marks. An empty value: no line. */
void text_line(struct text *t, const char *key, const char *value);
__attribute__((format(printf, 3, 4))) void text_linef(
	struct text *t, const char *key, const char *format, ...);

void text_free(struct text *t);

#endif
