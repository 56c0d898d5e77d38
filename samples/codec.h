/*
 * The compressors of compress_bench: zlib and LZ4 at several levels.
 */
#ifndef SAMPLES_CODEC_H
#define SAMPLES_CODEC_H

#include <stddef.h>

enum { CODECS = 2, LEVELS_MAX = 3 };

struct codec {
	const char *name; /* also the label of its intervals */
	int levels;
	struct {
		int level;
		const char *label;
	} level[LEVELS_MAX];
	/* Upper bound of the compressed size of n bytes. */
	size_t (*bound)(size_t n);
	/* Returns the compressed size, 0 on failure. */
	size_t (*compress)(int level, const void *from, size_t n, void *to, size_t room);
	/* Returns the unpacked size, 0 on failure. */
	size_t (*decompress)(const void *from, size_t n, void *to, size_t room);
};

extern const struct codec codecs[CODECS];

#endif
