#include "meta_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../formats/base/utf8.h"

void meta_clean_text(char *text)
{
	const char *next = text, *clean;

	for (size_t left = strlen(text), n; (clean = utf8_clean_next(&next, &left, " ", "?", &n));
		text += next - text)
		if (clean != text)
			memset(text, *clean, (size_t)(next - text));
}

void meta_add_line(struct buffer *t, const char *key, const char *value)
{
	const char *clean;

	if (!value || !*value)
		return;
	buffer_add(t, key, strlen(key));
	buffer_add(t, ": ", 2);
	for (size_t left = strlen(value), n;
		(clean = utf8_clean_next(&value, &left, " ", "?", &n));)
		buffer_add(t, clean, n);
	buffer_add(t, "\n", 1);
}

void meta_add_linef(struct buffer *t, const char *key, const char *format, ...)
{
	char value[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof value, format, args);
	va_end(args);
	meta_add_line(t, key, value);
}
