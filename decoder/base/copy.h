/* Copies of constant size. */
#ifndef SWT_DECODER_BASE_COPY_H
#define SWT_DECODER_BASE_COPY_H

#include <stddef.h>
#include <string.h>

/*
 * memcpy for a few hundred bytes, n being a constant: gcc makes `rep movs` of one call, which
 * starts more slowly than the copy runs.
 */
static inline __attribute__((always_inline)) void copy_blocks(void *to, const void *from, size_t n)
{
	enum { BLOCK = 64 };
	size_t at = 0;

	for (; n - at >= BLOCK; at += BLOCK)
		memcpy((char *)to + at, (const char *)from + at, BLOCK);
	memcpy((char *)to + at, (const char *)from + at, n - at);
}

#endif
