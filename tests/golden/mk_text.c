#include "mk_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned script_line;
static const char *script = "-";

void script_name(const char *name)
{
	script = name;
}

void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "mktrace: %s:%u: ", script, script_line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static void room_for(struct bytes *b, size_t n)
{
	if (b->n + n <= b->room)
		return;
	b->room = (b->n + n) * 2;
	b->p = realloc(b->p, b->room);
	if (!b->p)
		fail("out of memory");
}

void add(struct bytes *b, const void *p, size_t n)
{
	if (!n)
		return;
	room_for(b, n);
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

void add_zeros(struct bytes *b, size_t n)
{
	if (!n)
		return;
	room_for(b, n);
	memset(b->p + b->n, 0, n);
	b->n += n;
}

void add_align(struct bytes *b, size_t to)
{
	add_zeros(b, (to - b->n % to) % to);
}

void set_le(uint8_t *p, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size && i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

uint64_t le(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

void add_le(struct bytes *b, uint64_t v, unsigned size)
{
	uint8_t raw[8];

	set_le(raw, v, size);
	add(b, raw, size);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One escape, after its backslash; returns the first character behind it. */
static char *escape(char *p, char *out)
{
	static const char names[] = "nrte0\\\"", values[] = "\n\r\t\033\0\\\"";
	const char *name = *p ? strchr(names, *p) : NULL;

	if (name) {
		*out = values[name - names];
		return p + 1;
	}
	if (*p != 'x' || hex_digit(p[1]) < 0 || hex_digit(p[2]) < 0)
		fail("unknown escape \\%c", *p);
	*out = (char)(hex_digit(p[1]) << 4 | hex_digit(p[2]));
	return p + 3;
}

/* Unescapes in place from the opening quote; returns the position after the closing one. */
static char *quoted(char *p, struct token *t)
{
	char *out = p + 1;

	t->text = out;
	t->quoted = true;
	for (p++; *p != '"';) {
		if (!*p)
			fail("a quote is not closed");
		if (*p == '\\')
			p = escape(p + 1, out++);
		else
			*out++ = *p++;
	}
	t->length = (size_t)(out - t->text);
	if (p[1] && !isspace((unsigned char)p[1]))
		fail("something follows a closing quote");
	*out = '\0';
	return p + 1;
}

static char *one_token(char *p, struct token *t)
{
	*t = (struct token){.key = (char *)"", .text = p};
	while (*p && !isspace((unsigned char)*p) && *p != '"') {
		if (*p == '=' && !*t->key) {
			*p = '\0';
			t->key = t->text;
			t->text = p + 1;
		}
		p++;
	}
	if (*p == '"') {
		if (p != t->text)
			fail("a quote stands inside a word");
		return quoted(p, t);
	}
	t->length = (size_t)(p - t->text);
	if (*p)
		*p++ = '\0';
	return p;
}

void split(char *text, struct line *l)
{
	l->n = l->at = 0;
	for (;;) {
		while (isspace((unsigned char)*text))
			text++;
		if (!*text || *text == '#')
			return;
		if (l->n == MAX_TOKENS)
			fail("more than %d tokens", MAX_TOKENS);
		text = one_token(text, &l->token[l->n++]);
	}
}

struct token *next_token(struct line *l)
{
	return l->at < l->n ? &l->token[l->at++] : NULL;
}

uint64_t number(const char *text)
{
	const char *digits = *text == '-' ? text + 1 : text;
	int base = strncmp(digits, "0x", 2) ? 10 : 16;
	char *end;
	uint64_t v = strtoull(text, &end, base);

	if (!isdigit((unsigned char)*digits) || *end)
		fail("\"%s\" is not a number", text);
	return v;
}

uint64_t next_number(struct line *l)
{
	struct token *t = next_token(l);

	if (!t || *t->key || t->quoted)
		fail("a number is missing");
	return number(t->text);
}

void next_bytes(struct line *l, struct bytes *out)
{
	struct token *t;

	while ((t = next_token(l))) {
		if (t->quoted) {
			add(out, t->text, t->length);
			continue;
		}
		for (const char *p = t->text; *p; p += 2) {
			int high = hex_digit(p[0]), low = p[1] ? hex_digit(p[1]) : -1;
			uint8_t byte = (uint8_t)(high << 4 | low);

			if (high < 0 || low < 0)
				fail("\"%s\" is not pairs of hexadecimal digits", t->text);
			add(out, &byte, 1);
		}
	}
}
