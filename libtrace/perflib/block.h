/*
 * Result blocks in callers' buffers. A writer runs twice: once to compute the block's size and, if
 * the buffer is large enough, once to write it. Buffers may be unaligned: access them with memcpy
 * only.
 */
#ifndef SWT_PERFLIB_BLOCK_H
#define SWT_PERFLIB_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct block {
	uint8_t *to; /* NULL: only computes the size */
	uint64_t room, size;
};

typedef void block_writer(struct block *b, const void *what);

/* Returns ERROR_SUCCESS, ERROR_NOT_ENOUGH_MEMORY with nothing written, or ERROR_OUTOFMEMORY if the
 * size exceeds 32 bits. *actual: the block's size. */
uint32_t block_deliver(
	block_writer *write, const void *what, void *to, uint32_t room, uint32_t *actual);

void block_put(struct block *b, const void *bytes, size_t size);
/* Overwrites bytes written earlier, at offset `at`. */
void block_patch(struct block *b, uint64_t at, const void *bytes, size_t size);
/* Appends zeros up to a multiple of 8. */
void block_pad(struct block *b);
/* Appends a string of that length, and a NUL. */
void block_string(struct block *b, const char *text, size_t bytes);

#endif
