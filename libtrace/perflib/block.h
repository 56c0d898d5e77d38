/*
 * Blocks that callers get. What writes one is run twice: to see how large it is, and, if there is
 * room for all of it, to write it. Callers' buffers may be anywhere: nothing of theirs is touched
 * but by memcpy.
 */
#ifndef SWT_PERFLIB_BLOCK_H
#define SWT_PERFLIB_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct block {
	uint8_t *to; /* NULL: its size is asked for */
	uint64_t room, size;
};

typedef void block_writer(struct block *b, const void *what);

/* ERROR_SUCCESS, or ERROR_NOT_ENOUGH_MEMORY with nothing written; *actual: its size.
 * ERROR_OUTOFMEMORY: there is no number for it. */
uint32_t block_deliver(
	block_writer *write, const void *what, void *to, uint32_t room, uint32_t *actual);

void block_put(struct block *b, const void *bytes, size_t size);
/* Writes over what was put at `at`. */
void block_patch(struct block *b, uint64_t at, const void *bytes, size_t size);
/* Zeros up to a multiple of 8. */
void block_pad(struct block *b);
/* A string of so many bytes, and its NUL. */
void block_string(struct block *b, const char *text, size_t bytes);

#endif
