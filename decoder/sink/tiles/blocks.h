/*
 * Blocks of raw deflate data in a stream, one after the other, packed and written by a thread of
 * their own, so that a second processor shares the work. A block is named by its number, in the
 * order in which it was put.
 *
 * No function returns an error but blocks_end: after the first one, blocks are dropped.
 */
#ifndef SWT_DECODER_SINK_TILES_BLOCKS_H
#define SWT_DECODER_SINK_TILES_BLOCKS_H

#include "../../base/varint.h"
#include "../out.h"

struct blocks;

/* `to` belongs to the thread until blocks_end. NULL: out of memory. */
struct blocks *blocks_new(struct out *to);
/* Takes the block's bytes, which leaves it empty. Waits while many are yet to be packed. */
uint32_t blocks_put(struct blocks *b, struct varint_out *block);
/* Waits until all are written. 0 or an errno. */
int blocks_end(struct blocks *b);
/* After blocks_end: the packed sizes by number. */
const uint32_t *blocks_sizes(const struct blocks *b, uint32_t *count);
void blocks_free(struct blocks *b); /* NULL is fine */

#endif
