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
	enum utf8_kind kind;

	for (size_t left = strlen(text), n; left; text += n, left -= n) {
		n = utf8_step(text, left, &kind);
		if (kind != UTF8_PLAIN)
			memset(text, kind == UTF8_BAD ? '?' : ' ', n);
	}
}

static void text_add_value(struct text *t, const char *value)
{
	enum utf8_kind kind;

	for (size_t left = strlen(value), n; left; value += n, left -= n) {
		n = utf8_step(value, left, &kind);
		if (kind == UTF8_PLAIN)
			text_add(t, value, n);
		else
			text_add(t, kind == UTF8_BAD ? "?" : " ", 1);
	}
}

void text_line(struct text *t, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	text_add(t, key, strlen(key));
	text_add(t, ": ", 2);
	text_add_value(t, value);
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
