/*
 * Output for programs: decoder/sink's writers, straight into a FILE. JSON and
 * CSV need no memory; a failure to write shows in the FILE's error flag.
 */
#ifndef SWT_CMD_PRINT_STREAM_H
#define SWT_CMD_PRINT_STREAM_H

#include <stdio.h>

#include "../../decoder/sink/document.h"

struct print_stream {
	struct json json;
	struct csv csv;
	struct table table;
	struct document document;
	struct out out;
	FILE *f;
	int error;	  /* errno of the first failed write; 0: none */
	char buffer[512]; /* longer than any number: the writers never ask out for more room */
};

/* A writer, until print_stream_end. Between the two, write to f only through it. */
struct csv *print_csv_begin(struct print_stream *s, FILE *f);
struct out *print_stream_begin(struct print_stream *s, FILE *f);
struct table *print_table_begin(struct print_stream *s, FILE *f, const unsigned *widths);
/* Text, or with `json` an object, which print_document_end closes. */
struct document *print_document_begin(struct print_stream *s, FILE *f, bool json);
void print_document_end(struct print_stream *s);
/* Exits if there was no memory for a table; other errors show in f's flag, and errno says which. */
void print_stream_end(struct print_stream *s);
/* print_plain (cmd.h) into a stream. */
void print_plain_out(struct out *o, const char *text);

#endif
