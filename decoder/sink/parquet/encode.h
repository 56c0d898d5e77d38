/* Encodings of numbers in a Parquet file's pages. They append to a stream in memory. */
#ifndef SWT_DECODER_SINK_PARQUET_ENCODE_H
#define SWT_DECODER_SINK_PARQUET_ENCODE_H

#include "../out.h"

/* RLE: a run of n equal values. */
void parquet_put_run(struct out *o, uint32_t value, size_t n, unsigned width);
/* RLE: the hybrid of runs and packed bits. values: room for 8 more, which it writes. */
void parquet_put_indices(struct out *o, uint32_t *values, size_t n, unsigned width);
/* DELTA_BINARY_PACKED: differences of successive 64-bit numbers. */
void parquet_put_deltas(struct out *o, const uint64_t *values, size_t count);

#endif
