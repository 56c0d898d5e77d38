/* Text, CSV and folded stacks; JSON and SVG have files of their own. */
#include "wellformed.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The character at p and its length, 0 if it is none. */
static size_t character(const char *p, size_t n, uint32_t *code)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {
		{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
	unsigned char c = (unsigned char)*p;

	for (size_t length = 1; length <= 4 && length <= n; length++) {
		if ((c & forms[length - 1].mask) != forms[length - 1].lead)
			continue;
		*code = c & (unsigned char)~forms[length - 1].mask;
		for (size_t i = 1; i < length; i++) {
			if (((unsigned char)p[i] & 0xC0) != 0x80)
				return 0;
			*code = *code << 6 | ((unsigned char)p[i] & 0x3F);
		}
		bool good = *code >= forms[length - 1].least && *code <= 0x10FFFF &&
			    (*code < 0xD800 || *code > 0xDFFF);
		return good ? length : 0;
	}
	return 0;
}

const char *wrong_text(const char *p, size_t n, const char *allowed, size_t *at)
{
	uint32_t code;

	for (*at = 0; *at < n;) {
		size_t length = character(p + *at, n - *at, &code);

		if (!length)
			return "not UTF-8";
		bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
		if (control && (code >= 0x7F || !code || !strchr(allowed, (int)code)))
			return "a control character";
		*at += length;
	}
	return NULL;
}

const char *wrong_for_people(const char *p, size_t n, size_t *at)
{
	const char *wrong = wrong_text(p, n, "\n", at);
	uint32_t code;

	for (*at = wrong ? *at : 0; !wrong && *at < n;) {
		*at += character(p + *at, n - *at, &code);
		if ((code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
			code == 0x200E || code == 0x200F || code == 0x061C)
			wrong = "a character that reverses the text behind it";
	}
	return wrong;
}

/* Past one cell; NULL if its quotes are wrong. */
static const char *cell_end(const char *p, const char *end)
{
	if (p == end || *p != '"') {
		while (p < end && *p != ',' && *p != '\r' && *p != '\n' && *p != '"')
			p++;
		return p < end && *p == '"' ? NULL : p;
	}
	for (p++; p < end; p++) {
		if (*p != '"')
			continue;
		if (p + 1 < end && p[1] == '"')
			p++;
		else
			return p + 1;
	}
	return NULL;
}

const char *wrong_csv(const char *p, size_t n, size_t *at)
{
	const char *wrong = wrong_text(p, n, "\t\r\n", at), *end = p + n, *from = p;
	size_t cells = 1, columns = 0;

	while (!wrong && p < end) {
		p = cell_end(from, end);
		*at = (size_t)(from - (end - n));
		if (!p)
			return "a quote where none belongs";
		if (p < end && *p == ',') {
			cells++;
			from = p + 1;
			continue;
		}
		if (end - p < 2 || p[0] != '\r' || p[1] != '\n')
			return "a record without its CRLF";
		if (columns && cells != columns)
			return "a record of more or fewer cells than the first";
		columns = cells;
		cells = 1;
		p = from = p + 2;
	}
	return wrong;
}

const char *wrong_folded(const char *p, size_t n, size_t *at)
{
	const char *wrong = wrong_text(p, n, "\n", at), *end = p + n;

	for (const char *line = p; !wrong && line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		*at = (size_t)(line - p);
		if (!newline)
			return "a line without its end";
		const char *digit = newline;
		while (digit > line && digit[-1] >= '0' && digit[-1] <= '9')
			digit--;
		if (digit == newline || digit <= line + 1 || digit[-1] != ' ')
			return "a line that is no stack and a count";
		line = newline + 1;
	}
	return wrong;
}
