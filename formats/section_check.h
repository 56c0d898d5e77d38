/*
 * Checksums of trace.bin, and the check byte of a section header, which distinguishes a header of
 * the file's writer from one in a hook's string, without the payload. It depends on the file's
 * trace id, which is drawn after the hooks of a dump were written.
 */
#ifndef SWT_FORMATS_SECTION_CHECK_H
#define SWT_FORMATS_SECTION_CHECK_H

#include <string.h>
#include <xxhash.h>

#include "bytes.h"
#include "trace_file.h"

/* The check of the trace id and the header's bytes 0-6 and 8-55; never 0. */
static inline uint8_t tf_section_check(const uint8_t trace_id[16], const uint8_t *header)
{
	uint8_t bytes[16 + TF_S_CHECKSUM - 1];

	memcpy(bytes, trace_id, 16);
	memcpy(bytes + 16, header, TF_S_CHECK);
	memcpy(bytes + 16 + TF_S_CHECK, header + TF_S_CHECK + 1, TF_S_CHECKSUM - TF_S_CHECK - 1);
	return (uint8_t)(1 + XXH3_64bits(bytes, sizeof bytes) % 255);
}

static inline uint64_t tf_header_checksum(const uint8_t *header)
{
	return XXH3_64bits(header, TF_H_CHECKSUM);
}

/* The checksum of a section's header and its stored payload. Uses and overwrites *state. */
static inline uint64_t tf_section_checksum(
	XXH3_state_t *state, const uint8_t *header, const void *stored, size_t size)
{
	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, header, TF_S_CHECKSUM);
	if (size)
		XXH3_64bits_update(state, stored, size);
	return XXH3_64bits_digest(state);
}

#endif
