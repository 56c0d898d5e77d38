/* The checksum of a partial result's file. */
#ifndef SWT_DECODER_MODEL_STATS_PARTIAL_CHECKSUM_H
#define SWT_DECODER_MODEL_STATS_PARTIAL_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#include "../../../../formats/partial.h"

/* The checksum of a file of n bytes: hashes the parts before and after the checksum, and seeds the
 * second hash with the first. */
static inline uint64_t partial_checksum(const uint8_t *bytes, size_t n)
{
	const uint64_t head = XXH3_64bits(bytes, PARTIAL_H_CHECKSUM);

	return XXH3_64bits_withSeed(bytes + PARTIAL_HEADER_SIZE, n - PARTIAL_HEADER_SIZE, head);
}

#endif
