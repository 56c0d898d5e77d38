/*
 * JSON (RFC 8259), written as it comes: the writer only keeps the commas straight.
 * Reports are one object a line, so that a million of them need no parser's memory.
 */
#ifndef SWT_DECODER_JSON_H
#define SWT_DECODER_JSON_H

#include "out.h"

struct json {
	struct out *o;
	bool comma;  /* a value stands before the next one */
	bool spaced; /* a space after each comma and colon */
};

void json_open(struct json *j, char bracket);	/* '{' or '[' */
void json_close(struct json *j, char bracket);	/* '}' or ']' */
void json_key(struct json *j, const char *key); /* plain ASCII, written as it is */
void json_null(struct json *j);
void json_bool(struct json *j, bool v);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_fixed(struct json *j, double v, unsigned decimals); /* NaN, infinity: null */
void json_double(struct json *j, double v);		      /* likewise */
void json_string(struct json *j, const char *s, size_t n);
void json_text(struct json *j, const char *s); /* NULL: null */
void json_end_line(struct json *j);

#endif
