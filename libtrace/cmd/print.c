/*
 * Prints untrusted strings safely for terminals and spreadsheets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/utf8.h"
#include "cmd.h"
#include "print_stream.h"

/* Errors stay in the file's error flag. */
static int put_bytes(void *stream, const void *bytes, size_t n)
{
	struct print_stream *s = stream;

	if (fwrite(bytes, 1, n, s->f) == n)
		return 0;
	s->error = errno;
	return EIO;
}

struct out *print_stream_begin(struct print_stream *s, FILE *f)
{
	s->f = f;
	s->error = 0;
	s->table = (struct table){0};
	s->out = (struct out){
		.fd = -1, .buf = s->buffer, .cap = sizeof s->buffer, .write = put_bytes, .ctx = s};
	return &s->out;
}

struct csv *print_csv_begin(struct print_stream *s, FILE *f)
{
	s->csv = (struct csv){.o = print_stream_begin(s, f)};
	return &s->csv;
}

struct table *print_table_begin(struct print_stream *s, FILE *f, const unsigned *widths)
{
	table_begin_fixed(&s->table, print_stream_begin(s, f), widths, 1);
	return &s->table;
}

struct document *print_document_begin(struct print_stream *s, FILE *f, bool json)
{
	s->json = (struct json){.o = print_stream_begin(s, f), .spaced = true};
	s->document = (struct document){.o = &s->out, .j = json ? &s->json : NULL, .gap = 1};
	document_open(&s->document, NULL, '{');
	return &s->document;
}

void print_document_end(struct print_stream *s)
{
	document_close(&s->document, '}');
	if (s->document.j)
		json_end_line(&s->json);
	print_stream_end(s);
}

void print_stream_end(struct print_stream *s)
{
	table_free(&s->table);
	if (out_close(&s->out) == -ENOMEM) {
		fputs("swtrace: not enough memory\n", stderr);
		exit(EXIT_FAILED);
	}
	if (s->error)
		errno = s->error;
}

void print_plain_out(struct out *o, const char *text)
{
	const char *clean;

	for (size_t left = strlen(text), n; (clean = utf8_clean_next(&text, &left, "?", "?", &n));)
		out_bytes(o, clean, n);
}

void print_plain(FILE *f, const char *text)
{
	struct print_stream s;

	print_plain_out(print_stream_begin(&s, f), text);
	print_stream_end(&s);
}
