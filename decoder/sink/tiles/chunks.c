#include "chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "../page.h"

static int chunks_end_chunk(struct chunks *c)
{
	char name[16];

	if (c->count == CHUNKS_MOST)
		return EFBIG;
	c->text.len = 0;
	out_printf(&c->text, "tilesChunk(%u, \"", c->count);
	page_put_base64(&c->text, c->bytes, c->n);
	out_str(&c->text, "\");\n");
	c->n = 0;
	if (c->text.error)
		return c->text.error;
	snprintf(name, sizeof name, "%04u.js", c->count++);
	return folder_put(&c->folder, name, O_EXCL, &c->text);
}

/* A write function of an out. */
static int chunks_write(void *ctx, const void *bytes, size_t n)
{
	struct chunks *c = ctx;
	const char *p = bytes;
	int error = 0;

	while (n && !error) {
		const size_t room = CHUNKS_BYTES - c->n, piece = n < room ? n : room;

		memcpy(c->bytes + c->n, p, piece);
		c->n += piece;
		p += piece;
		n -= piece;
		if (c->n == CHUNKS_BYTES)
			error = chunks_end_chunk(c);
	}
	return error;
}

int chunks_open(struct chunks *c, const char *path)
{
	out_memory(&c->text);
	out_memory(&c->out);
	int error = folder_open(&c->folder, path);
	if (error)
		return error;
	c->bytes = malloc(CHUNKS_BYTES);
	return c->bytes && out_function(&c->out, chunks_write, c) == 0 ? 0 : ENOMEM;
}

int chunks_place(struct chunks *c)
{
	int error = -out_close(&c->out);

	if (!error && c->n)
		error = chunks_end_chunk(c);
	return error ? error : folder_place(&c->folder);
}

void chunks_discard(struct chunks *c)
{
	out_discard(&c->out);
	out_discard(&c->text);
	folder_discard(&c->folder);
	free(c->bytes);
}
