/*
 * Prints untrusted strings safely for terminals and spreadsheets.
 */
#include <errno.h>
#include <string.h>

#include "../../formats/base/utf8.h"
#include "cmd.h"
#include "put_stream.h"

/* Errors stay in the file's error flag. */
static int put_bytes(void *f, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, f) == n ? 0 : EIO;
}

struct out *put_stream_begin(struct put_stream *s, FILE *f)
{
	s->out = (struct out){
		.fd = -1, .buf = s->buffer, .cap = sizeof s->buffer, .write = put_bytes, .ctx = f};
	return &s->out;
}

struct json *put_json_begin(struct put_stream *s, FILE *f)
{
	s->json = (struct json){.o = put_stream_begin(s, f), .spaced = true};
	return &s->json;
}

struct csv *put_csv_begin(struct put_stream *s, FILE *f)
{
	s->csv = (struct csv){.o = put_stream_begin(s, f)};
	return &s->csv;
}

int put_stream_end(struct put_stream *s)
{
	return out_close(&s->out);
}

void put_plain_out(struct out *o, const char *text)
{
	const char *clean;

	for (size_t left = strlen(text), n; (clean = utf8_clean_next(&text, &left, "?", "?", &n));)
		out_bytes(o, clean, n);
}

void put_plain(FILE *f, const char *text)
{
	struct put_stream s;

	put_plain_out(put_stream_begin(&s, f), text);
	put_stream_end(&s);
}

void put_json(FILE *f, const char *text)
{
	struct put_stream s;

	json_text(put_json_begin(&s, f), text);
	put_stream_end(&s);
}
