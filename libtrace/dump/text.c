#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

size_t utf8_length(const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	static const struct {
		uint8_t from, to, low, high, length; /* first byte; range of the second */
	} form[] = {{0x00, 0x7f, 0, 0, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

	for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
		if (*p < form[i].from || *p > form[i].to)
			continue;
		if (form[i].length > size)
			return 0;
		if (form[i].length > 1 && (p[1] < form[i].low || p[1] > form[i].high))
			return 0;
		for (size_t k = 2; k < form[i].length; k++)
			if ((p[k] & 0xc0) != 0x80)
				return 0;
		return form[i].length;
	}
	return 0;
}

static void add_value(struct text *t, const char *value)
{
	const uint8_t *p = (const uint8_t *)value;
	size_t size = strlen(value);

	while (size) {
		size_t n = utf8_length(p, size);
		/* U+0080 to U+009F are controls too. */
		bool c1 = n == 2 && p[0] == 0xc2 && p[1] < 0xa0;

		if (n == 0)
			text_add(t, "?", 1);
		else if (*p < 0x20 || *p == 0x7f || c1)
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
