#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/array.h"
#include "../../formats/base/utf8.h"

void text_free(struct text *t)
{
	free(t->bytes);
	t->bytes = NULL;
	t->length = t->room = 0;
}

void text_add(struct text *t, const void *bytes, size_t size)
{
	if (t->failed || size == 0)
		return;
	if (!array_reserve(&t->bytes, &t->room, t->length + size, 1)) {
		text_free(t);
		t->failed = true;
		return;
	}
	memcpy(t->bytes + t->length, bytes, size);
	t->length += size;
}

void text_clean(char *text)
{
	const char *next = text, *clean;

	for (size_t left = strlen(text), n; (clean = utf8_clean_next(&next, &left, " ", "?", &n));
		text += next - text)
		if (clean != text)
			memset(text, *clean, (size_t)(next - text));
}

void text_line(struct text *t, const char *key, const char *value)
{
	const char *clean;

	if (!value || !*value)
		return;
	text_add(t, key, strlen(key));
	text_add(t, ": ", 2);
	for (size_t left = strlen(value), n;
		(clean = utf8_clean_next(&value, &left, " ", "?", &n));)
		text_add(t, clean, n);
	text_add(t, "\n", 1);
}

void text_linef(struct text *t, const char *key, const char *format, ...)
{
	char value[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof value, format, args);
	va_end(args);
	text_line(t, key, value);
}
