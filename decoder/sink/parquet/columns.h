/* Buffers the values of a row group's columns, for parquet.c. */
#ifndef SWT_DECODER_SINK_PARQUET_COLUMNS_H
#define SWT_DECODER_SINK_PARQUET_COLUMNS_H

#include <errno.h>

#include "../../../formats/bytes.h"
#include "parquet.h"

/* Out of memory. */
static inline void parquet_fail(struct parquet_file *p)
{
	if (!p->o->error)
		p->o->error = ENOMEM;
}

/* A text by its number. */
static inline const char *parquet_text(const struct parquet_column *c, size_t i, size_t *n)
{
	const char *at = c->texts.buf + c->offsets[i];

	*n = get_le32((const uint8_t *)at);
	return at + 4;
}

/* Stores each value of a column whose values are all equal. */
void parquet_expand(struct parquet_column *c);

/* The least and the greatest of some numbers, at least one. False: one of them is no number. */
bool parquet_find_range(
	enum parquet_type type, const uint64_t *values, size_t n, uint64_t *least, uint64_t *most);

#endif
