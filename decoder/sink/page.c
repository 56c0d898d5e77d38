#include "page.h"

#include <errno.h>
#include <stdlib.h>

#define ZLIB_CONST
#include <zlib.h>

/* A multiple of 3 bytes, which are complete groups of base64. */
enum { PAGE_PIECE = 3 << 14, PAGE_DEFLATE_MEMORY = 9 };

struct page_packer {
	z_stream z;
	unsigned char piece[PAGE_PIECE];
};

#define PAGE_DECLARE(name)                                                                         \
	extern const unsigned char page_##name[];                                                  \
	extern const unsigned page_##name##_size;
#define PAGE_PUT(name) out_bytes(o, page_##name, page_##name##_size);

/* Order matters: later scripts use the constants and classes of earlier ones. */
#define PAGE_SCRIPTS(X)                                                                            \
	X(decode)                                                                                  \
	X(store)                                                                                   \
	X(analysis)                                                                                \
	X(view)                                                                                    \
	X(draw)                                                                                    \
	X(dom)                                                                                     \
	X(explain)                                                                                 \
	X(metrics)                                                                                 \
	X(figures)                                                                                 \
	X(processors)                                                                              \
	X(runs)                                                                                    \
	X(why_words)                                                                               \
	X(limits)                                                                                  \
	X(reports)                                                                                 \
	X(flame_graph)                                                                             \
	X(flame_panel)                                                                             \
	X(curve_panel)                                                                             \
	X(processor_panel)                                                                         \
	X(run_panel)                                                                               \
	X(summary_panel)                                                                           \
	X(grid)                                                                                    \
	X(tiles)                                                                                   \
	X(ui)                                                                                      \
	X(tiled)                                                                                   \
	X(main)

#define PAGE_CHANGE_SCRIPTS(X)                                                                     \
	X(decode)                                                                                  \
	X(view)                                                                                    \
	X(draw)                                                                                    \
	X(dom)                                                                                     \
	X(flame_graph)                                                                             \
	X(change)

#define PAGE_EARLY_SCRIPTS(X)                                                                      \
	X(decode)                                                                                  \
	X(view)                                                                                    \
	X(dom)                                                                                     \
	X(early)

PAGE_SCRIPTS(PAGE_DECLARE)
PAGE_DECLARE(change)
PAGE_DECLARE(early)
PAGE_DECLARE(early_body)
PAGE_DECLARE(body)
PAGE_DECLARE(change_body)
PAGE_DECLARE(css)

struct page_packer *page_packer_new(void)
{
	struct page_packer *p = calloc(1, sizeof *p);

	/* Negative window bits: no header, which the page would only have to skip. */
	if (p && deflateInit2(&p->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS,
			 PAGE_DEFLATE_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(p);
		p = NULL;
	}
	return p;
}

void page_packer_free(struct page_packer *p)
{
	if (p)
		deflateEnd(&p->z);
	free(p);
}

void page_put_base64(struct out *o, const unsigned char *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t bits = (uint32_t)bytes[i] << 16;

		if (left > 1)
			bits |= (uint32_t)bytes[i + 1] << 8;
		if (left > 2)
			bits |= bytes[i + 2];
		const char four[] = {digits[bits >> 18], digits[bits >> 12 & 63],
			left > 1 ? digits[bits >> 6 & 63] : '=',
			left > 2 ? digits[bits & 63] : '='};
		out_bytes(o, four, sizeof four);
	}
}

void page_put_block(
	struct page_packer *p, struct out *o, const char *kind, const void *bytes, size_t n)
{
	z_stream *z = &p->z;
	int state = Z_OK;

	out_str(o, "<script type=\"text/plain\" class=\"");
	out_str(o, kind);
	out_str(o, "\">");
	z->next_in = bytes;
	z->avail_in = (uInt)n;
	while (state == Z_OK) {
		z->next_out = p->piece;
		z->avail_out = sizeof p->piece;
		/* Fills all of the piece but the last: its base64 needs no padding. */
		state = deflate(z, Z_FINISH);
		page_put_base64(o, p->piece, sizeof p->piece - z->avail_out);
	}
	if (state != Z_STREAM_END && !o->error)
		o->error = EIO;
	deflateReset(z);
	out_str(o, "</script>\n");
}

static void page_put_head(struct out *o, enum page_tiles tiles)
{
	/* No connection, frame or file: neither the page nor its contents can load anything but
	 * its tiles. */
	out_str(o, "<!DOCTYPE html>\n<html lang=\"en\" aria-busy=\"true\"");
	out_str(o, tiles ? " data-tiles>\n" : ">\n");
	out_str(o, "<head>\n"
		   "<meta charset=\"utf-8\">\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "script-src 'unsafe-inline'");
	/* Scripts next to it: for a page on disk, browsers disagree on the meaning of 'self'. */
	if (tiles == PAGE_TILES_FOLDER)
		out_str(o, " 'self' file:");
	if (tiles == PAGE_TILES_SERVED)
		out_str(o, "; connect-src 'self'");
	out_str(o, "; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
		   "form-action 'none'\">\n"
		   "<meta name=\"referrer\" content=\"no-referrer\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		   "<link rel=\"icon\" href=\"data:,\">\n"
		   "<title>Trace</title>\n"
		   "<style>\n");
	PAGE_PUT(css)
	out_str(o, "</style>\n</head>\n");
}

void page_begin(struct out *o, enum page_tiles tiles)
{
	page_put_head(o, tiles);
	PAGE_PUT(body)
	out_str(o, "<script>\n");
	PAGE_SCRIPTS(PAGE_PUT)
	out_str(o, "</script>\n");
}

void page_begin_change(struct out *o)
{
	page_put_head(o, PAGE_NO_TILES);
	PAGE_PUT(change_body)
	out_str(o, "<script>\n");
	PAGE_CHANGE_SCRIPTS(PAGE_PUT)
	out_str(o, "</script>\n");
}

void page_begin_early(struct out *o)
{
	page_put_head(o, PAGE_TILES_SERVED);
	PAGE_PUT(early_body)
	out_str(o, "<script>\n");
	PAGE_EARLY_SCRIPTS(PAGE_PUT)
	out_str(o, "</script>\n");
}

void page_show_early(struct out *o)
{
	out_str(o, "<script>page.begun = page.begin();</script>\n");
}

void page_end(struct out *o)
{
	out_str(o, "</body>\n</html>\n");
}
