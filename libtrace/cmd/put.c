/*
 * Strings that may hold anything, for terminals and spreadsheets.
 */
#include <errno.h>
#include <string.h>

#include "../../decoder/sink/escape.h"
#include "../../formats/base/utf8.h"
#include "cmd.h"

void put_plain_bytes(FILE *f, const char *text, size_t left)
{
	enum utf8_kind kind;

	for (size_t n; left; text += n, left -= n) {
		n = utf8_step(text, left, &kind);
		if (kind == UTF8_PLAIN)
			fwrite(text, 1, n, f);
		else
			fputc('?', f);
	}
}

void put_plain(FILE *f, const char *text)
{
	put_plain_bytes(f, text, strlen(text));
}

void put_csv(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

/* A failure stays in the file's error flag. */
static int put_bytes(void *f, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, f) == n ? 0 : EIO;
}

void put_json(FILE *f, const char *text)
{
	char buffer[256];
	struct out o = {
		.fd = -1, .buf = buffer, .cap = sizeof buffer, .write = put_bytes, .ctx = f};

	out_char(&o, '"');
	escape_json(&o, text, strlen(text));
	out_char(&o, '"');
	out_close(&o);
}
