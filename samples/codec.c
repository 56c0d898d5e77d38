#include "codec.h"

#include <lz4.h>
#include <lz4hc.h>
#include <zlib.h>

static size_t zlib_bound(size_t n)
{
	return compressBound(n);
}

static size_t zlib_compress(int level, const void *from, size_t n, void *to, size_t room)
{
	uLongf size = room;

	return compress2(to, &size, from, n, level) == Z_OK ? size : 0;
}

static size_t zlib_decompress(const void *from, size_t n, void *to, size_t room)
{
	uLongf size = room;

	return uncompress(to, &size, from, n) == Z_OK ? size : 0;
}

static size_t lz4_bound(size_t n)
{
	return (size_t)LZ4_compressBound((int)n);
}

static size_t lz4_compress(int level, const void *from, size_t n, void *to, size_t room)
{
	int size = level < LZ4HC_CLEVEL_MIN ? LZ4_compress_default(from, to, (int)n, (int)room)
					    : LZ4_compress_HC(from, to, (int)n, (int)room, level);

	return size > 0 ? (size_t)size : 0;
}

static size_t lz4_decompress(const void *from, size_t n, void *to, size_t room)
{
	int size = LZ4_decompress_safe(from, to, (int)n, (int)room);

	return size > 0 ? (size_t)size : 0;
}

const struct codec codecs[CODECS] = {
	{.name = "zlib",
		.levels = 3,
		.level = {{1, "zlib -1"}, {6, "zlib -6"}, {9, "zlib -9"}},
		.bound = zlib_bound,
		.compress = zlib_compress,
		.decompress = zlib_decompress},
	{.name = "lz4",
		.levels = 2,
		.level = {{1, "lz4 -1"}, {9, "lz4 -9"}},
		.bound = lz4_bound,
		.compress = lz4_compress,
		.decompress = lz4_decompress},
};
