/*
 * Strings that may hold anything, for terminals and spreadsheets.
 */
#include <errno.h>
#include <string.h>

#include "../../formats/base/utf8.h"
#include "cmd.h"
#include "put_json.h"

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

struct json *put_json_begin(struct put_json_stream *s, FILE *f)
{
	s->out = (struct out){
		.fd = -1, .buf = s->buffer, .cap = sizeof s->buffer, .write = put_bytes, .ctx = f};
	s->json = (struct json){.o = &s->out, .spaced = true};
	return &s->json;
}

void put_json_end(struct put_json_stream *s)
{
	out_close(&s->out);
}

void put_json(FILE *f, const char *text)
{
	struct put_json_stream s;

	json_text(put_json_begin(&s, f), text);
	put_json_end(&s);
}
