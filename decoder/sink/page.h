/*
 * A page of a trace: one HTML file with its style, its script (page/) and blocks of data.
 *
 *	page_begin(out, PAGE_NO_TILES);
 *	page_put_block(packer, out, "meta", ...);
 *	page_show_early(out);
 *	page_put_block(packer, out, "names", ...);
 *	page_end(out);
 *
 * A block is a <script type="text/plain"> element of base64 of raw deflate data. Nothing of a
 * trace is in the page in any other form, so no name can end an element or run.
 */
#ifndef SWT_DECODER_PAGE_H
#define SWT_DECODER_PAGE_H

#include "out.h"

struct page_packer;

/* NULL: out of memory. */
struct page_packer *page_packer_new(void);
void page_packer_free(struct page_packer *p); /* NULL is fine */
/* Writes a block of n bytes; kind: its class, a name of page/decode.js. */
void page_put_block(
	struct page_packer *p, struct out *o, const char *kind, const void *bytes, size_t n);

/* Where the intervals are: in the page, in a file next to it, in a folder of scripts next to it, or
 * at its server (tiles/README.md). */
enum page_tiles {
	PAGE_NO_TILES,
	PAGE_TILES_FILE,
	PAGE_TILES_FOLDER,
	PAGE_TILES_SERVED,
};

/* Writes everything before the blocks. */
void page_begin(struct out *o, enum page_tiles tiles);
/* The same for the page of a differential flame graph. Its only block is `change`. */
void page_begin_change(struct out *o);
/* The same for the page that a server shows while it makes the other. Its only block is `early`. */
void page_begin_early(struct out *o);
/* After the block of `meta`: lets the page show it while the browser reads the rest. */
void page_show_early(struct out *o);
/* After the last block. */
void page_end(struct out *o);

/* Padded. When joining pieces, each but the last has a multiple of three bytes. */
void page_put_base64(struct out *o, const unsigned char *bytes, size_t n);

#endif
