/*
 * Compresses records of hooks into an LZ4 block, faster than LZ4's own compressor does.
 */
#ifndef SWT_DUMP_PACK_RECORDS_H
#define SWT_DUMP_PACK_RECORDS_H

#include <stdint.h>

/*
 * Writes one LZ4 block of at most `room` bytes to `to`. Returns its size, or 0 if it needs more.
 * Any LZ4 decoder reads it. Bytes that are not records are compressed badly, not wrongly.
 */
uint32_t pack_records_lz4(const uint8_t *records, uint32_t bytes, uint8_t *to, uint32_t room);

#endif
