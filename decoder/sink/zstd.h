/*
 * Compression by libzstd, which is loaded when it is first asked for: neither the build nor other
 * formats need it. Several threads may call these.
 */
#ifndef SWT_DECODER_SINK_ZSTD_H
#define SWT_DECODER_SINK_ZSTD_H

#include <stddef.h>

/* The missing library; NULL: none. Call it before the others. */
const char *zstd_find_lacking(void);
/* The most bytes that n compress to. */
size_t zstd_bound(size_t n);
/* Compresses into a frame, at zstd's default level. room: at least zstd_bound. Returns the frame's
 * size; 0: no memory. */
size_t zstd_compress(void *to, size_t room, const void *from, size_t n);

#endif
