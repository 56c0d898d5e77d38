/* CSV by RFC 4180: CRLF ends a record; quotes only where needed. */
#ifndef SWT_DECODER_CSV_H
#define SWT_DECODER_CSV_H

#include "out.h"

struct csv {
	struct out *o;
	bool comma;
	bool is_tsv; /* quote every field; tabs separate fields, a newline ends a record */
};

static inline void csv_empty(struct csv *c)
{
	if (c->comma)
		out_char(c->o, ',');
	c->comma = true;
}

void csv_u64(struct csv *c, uint64_t v);
void csv_i64(struct csv *c, int64_t v);
void csv_fixed(struct csv *c, double v, unsigned decimals); /* NaN, infinity: empty */
void csv_string(struct csv *c, const char *s, size_t n);
void csv_text(struct csv *c, const char *s);
/* A quoted field in parts: the caller may also write numbers to c->o. Text is written unchanged. */
void csv_begin_quoted(struct csv *c);
void csv_add_quoted(struct csv *c, const char *s, size_t n);
void csv_end_quoted(struct csv *c);
void csv_end(struct csv *c);

#endif
