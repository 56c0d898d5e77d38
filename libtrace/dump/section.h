/*
 * The sections of a trace.bin, one after the other: header, checksum, codec, index.
 */
#ifndef SWT_DUMP_SECTION_H
#define SWT_DUMP_SECTION_H

#include <stdint.h>

#include "../../formats/section_header.h"
#include "output.h"
#include "pack.h"

struct section_writer {
	struct output *out;
	struct packer packer;
	uint32_t max_raw;
	uint8_t *index; /* entries of the HOOKS sections written so far */
	uint64_t indexed, index_room;
	struct XXH3_state_s *hash;
	uint8_t trace_id[16]; /* of the file, set before the first section */
};

struct section {
	struct tf_section_header
		head; /* its codec is requested: a section that it does not shrink is stored raw */
	const void *payload;
};

/* Reserves memory for sections of up to max_raw bytes and for an index of up to max_hooks HOOKS
 * sections; max_hooks 0: no index. Returns 0 or PU_ERROR_NOT_ENOUGH_MEMORY. */
int section_writer_open(struct section_writer *w, struct output *out, uint32_t max_raw,
	uint64_t max_hooks, struct session_error *error);
void section_writer_close(struct section_writer *w);

int section_write(struct section_writer *w, const struct section *s, struct session_error *error);

/* The same with the payload compressed already, by s->head.codec; packed_size 0: it is stored raw.
 */
int section_write_packed(struct section_writer *w, const struct section *s, const uint8_t *packed,
	uint32_t packed_size, struct session_error *error);

/* Writes the INDEX of the sections so far, or nothing if there were no HOOKS sections. */
int section_write_index(struct section_writer *w, enum tf_codec codec, struct session_error *error);

#endif
