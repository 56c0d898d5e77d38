#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	if (t->room - t->length < size) {
		size_t room = (t->length + size) * 2;
		char *grown = realloc(t->bytes, room);

		if (!grown) {
			text_free(t);
			t->failed = true;
			return;
		}
		t->bytes = grown;
		t->room = room;
	}
	memcpy(t->bytes + t->length, bytes, size);
	t->length += size;
}

static bool is_control(const uint8_t *p, size_t length)
{
	/* U+0080 to U+009F are controls too. */
	return *p < 0x20 || *p == 0x7f || (length == 2 && p[0] == 0xc2 && p[1] < 0xa0);
}

void text_clean(char *text)
{
	uint8_t *p = (uint8_t *)text;

	for (size_t left = strlen(text), n; left; p += n, left -= n) {
		n = utf8_length(p, left);
		if (n == 0)
			*p = '?';
		else if (is_control(p, n))
			memset(p, ' ', n);
		n = n ? n : 1;
	}
}

static void add_value(struct text *t, const char *value)
{
	const uint8_t *p = (const uint8_t *)value;
	size_t size = strlen(value);

	while (size) {
		size_t n = utf8_length(p, size);

		if (n == 0)
			text_add(t, "?", 1);
		else if (is_control(p, n))
			text_add(t, " ", 1);
		else
			text_add(t, p, n);
		n = n ? n : 1;
		p += n;
		size -= n;
	}
}

void text_line(struct text *t, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	text_add(t, key, strlen(key));
	text_add(t, ": ", 2);
	add_value(t, value);
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
