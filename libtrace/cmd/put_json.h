/*
 * JSON of the verbs: decoder/sink's writer, straight into a FILE. Needs no memory; a failure shows
 * in the FILE's error flag.
 */
#ifndef SWT_CMD_PUT_JSON_H
#define SWT_CMD_PUT_JSON_H

#include <stdio.h>

#include "../../decoder/sink/json.h"

struct put_json_stream {
	struct json json;
	struct out out;
	char buffer[512]; /* longer than any number: json never asks out for more room */
};

/* The writer, until put_json_end. Between the two, write to f only through it. */
struct json *put_json_begin(struct put_json_stream *s, FILE *f);
void put_json_end(struct put_json_stream *s);

#endif
