/* The header of a section that is to be written, as trace_file.h lays it out. */
#ifndef SWT_FORMATS_SECTION_HEADER_H
#define SWT_FORMATS_SECTION_HEADER_H

#include <string.h>

#include "bytes.h"
#include "trace_file.h"

struct tf_section_header {
	enum tf_type type;
	enum tf_codec codec;
	uint32_t stored, raw, ring, hooks;
	uint64_t position, first, last;
	uint32_t lost, torn;
};

/* Without check byte and checksum. */
static inline void tf_section_fill(
	uint8_t header[TF_SECTION_SIZE], const struct tf_section_header *s)
{
	memset(header, 0, TF_SECTION_SIZE);
	put_le32(header + TF_S_MAGIC, TF_SECTION_MAGIC);
	put_le16(header + TF_S_TYPE, (uint16_t)s->type);
	header[TF_S_CODEC] = (uint8_t)s->codec;
	put_le32(header + TF_S_STORED, s->stored);
	put_le32(header + TF_S_RAW, s->raw);
	put_le32(header + TF_S_RING, s->ring);
	put_le32(header + TF_S_HOOKS, s->hooks);
	put_le64(header + TF_S_POSITION, s->position);
	put_le64(header + TF_S_FIRST, s->first);
	put_le64(header + TF_S_LAST, s->last);
	put_le32(header + TF_S_LOST, s->lost);
	put_le32(header + TF_S_TORN, s->torn);
}

#endif
