/*
 * A stream of raw deflate blocks, compressed and written by a separate thread to use a second
 * processor. Blocks are numbered in the order in which they were added. Only blocks_end returns
 * errors; after the first error, blocks are dropped.
 */
#ifndef SWT_DECODER_SINK_TILES_BLOCKS_H
#define SWT_DECODER_SINK_TILES_BLOCKS_H

#include "../../base/varint.h"
#include "../out.h"

struct blocks;

/* The thread owns `to` until blocks_end. NULL: out of memory. */
struct blocks *blocks_new(struct out *to);
/* Moves the block's bytes and leaves it empty. Waits while the queue is full. */
uint32_t blocks_put(struct blocks *b, struct buffer *block);
/* Waits until all are written. 0 or an errno. */
int blocks_end(struct blocks *b);
/* After blocks_end: the packed sizes by number. */
const uint32_t *blocks_sizes(const struct blocks *b, uint32_t *count);
void blocks_free(struct blocks *b); /* NULL is fine */

#endif
