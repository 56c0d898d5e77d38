/*
 * The tiles of a page of --format html: the file trace.tiles or the folder trace-tiles next to
 * trace.html. See sink/tiles/README.md.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_TILED_H
#define SWT_DECODER_REPORT_EXPORT_HTML_TILED_H

#include "../../../sink/json.h"
#include "../../../sink/page.h"
#include "../../../sink/tiles/chunks.h"
#include "../../../sink/tiles/tiles.h"
#include "../../report.h"
#include "cells.h"

/* Starts zeroed. */
struct tiled {
	struct tiles *tiles; /* NULL: the intervals are in the page itself */
	enum page_tiles kind;
	struct out *to; /* destination: `out`, `chunks`, or the server's */
	struct out out; /* of the file */
	struct chunks chunks;
	struct tiles_summary summary;
};

/* Creates the file or folder next to r->out's file. 0, or CPIDECODE_EINVAL: cannot be written,
 * noted. */
int tiled_open(struct tiled *t, struct report *r, enum page_tiles kind, uint64_t intervals);
/* Completes it and gives it its final name. Returns the same. */
int tiled_end(struct tiled *t, struct report *r);
/* A member of `meta`: the file's or folder's name, size and checksum, and the columns with means.
 */
void tiled_about(const struct tiled *t, const struct cells *cells, struct json *j);
void tiled_close(struct tiled *t);

#endif
