/*
 * A file of tiles as a folder of scripts, which a page may load from disk. Each of 0000.js,
 * 0001.js, ... holds CHUNKS_BYTES bytes of the file in a call of tilesChunk (page/tiled.js).
 */
#ifndef SWT_DECODER_SINK_TILES_CHUNKS_H
#define SWT_DECODER_SINK_TILES_CHUNKS_H

#include "../folder.h"

enum {
	CHUNKS_BYTES = 3 << 18, /* 1 MiB of base64 */
	CHUNKS_MOST = 2000,
};

/* Starts zeroed. */
struct chunks {
	struct out out; /* receives the file; EFBIG: it needs more than CHUNKS_MOST */
	struct folder folder;
	unsigned char *bytes; /* of the next chunk */
	size_t n;
	unsigned count;
	struct out text;
};

/* 0 or an errno, as folder_open. Call chunks_discard in any case. */
int chunks_open(struct chunks *c, const char *path);
/* Ends the stream, and gives the folder its final name. 0 or an errno. */
int chunks_place(struct chunks *c);
void chunks_discard(struct chunks *c);

#endif
