#include "gzip.h"

#include <errno.h>
#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

enum {
	GZIP_WINDOW = 15 + 16, /* the largest, in a gzip file */
	GZIP_MEMORY = 8,       /* zlib's default */
	GZIP_ROOM = 64 << 10,
};

struct gzip {
	z_stream z;
	struct out *to;
	unsigned char room[GZIP_ROOM];
};

static int gzip_deflate(struct gzip *g, int flush)
{
	int rc;

	do {
		g->z.next_out = g->room;
		g->z.avail_out = sizeof g->room;
		rc = deflate(&g->z, flush);
		out_bytes(g->to, g->room, sizeof g->room - g->z.avail_out);
	} while (rc == Z_OK && !g->to->error && (g->z.avail_in || !g->z.avail_out));
	return g->to->error;
}

static int gzip_write(void *ctx, const void *bytes, size_t n)
{
	struct gzip *g = ctx;
	int error = 0;

	/* zlib counts in unsigned ints. */
	for (const unsigned char *at = bytes; n && !error;) {
		size_t part = n < 1 << 30 ? n : 1 << 30;

		g->z.next_in = at;
		g->z.avail_in = (uInt)part;
		error = gzip_deflate(g, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
	return error;
}

int gzip_open(struct out *o, struct out *to)
{
	struct gzip *g = calloc(1, sizeof *g);

	out_memory(o);
	if (!g)
		return -ENOMEM;
	g->to = to;
	if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
		    Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g);
		return -ENOMEM;
	}
	if (out_function(o, gzip_write, g)) {
		deflateEnd(&g->z);
		free(g);
		return -ENOMEM;
	}
	return 0;
}

void gzip_close(struct out *o)
{
	struct gzip *g = o->ctx;
	int error = -out_close(o);

	if (!g)
		return;
	if (!error)
		gzip_deflate(g, Z_FINISH);
	if (error && !g->to->error)
		g->to->error = error;
	deflateEnd(&g->z);
	free(g);
	out_discard(o);
}
