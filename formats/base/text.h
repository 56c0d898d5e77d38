/* Text in bounded buffers, and letters whatever the locale. */
#ifndef SWT_FORMATS_BASE_TEXT_H
#define SWT_FORMATS_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Appends what printf would print to the text in text[size], cut to fit. */
__attribute__((format(printf, 3, 4))) static inline void text_append(
	char *text, size_t size, const char *format, ...)
{
	size_t have = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + have, size - have, format, args);
	va_end(args);
}

/* Two hexadecimal digits a byte; text has room for them and a NUL. */
static inline void text_of_bytes(char *text, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* The ending of a noun after its number. */
static inline const char *text_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static inline bool text_is(const char *text, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Whether a word, such as a column's name, may begin with it. */
static inline bool text_is_word_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

#endif
