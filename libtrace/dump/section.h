/*
 * The sections of a trace.bin, one after the other: header, checksum, codec, index.
 */
#ifndef SWT_DUMP_SECTION_H
#define SWT_DUMP_SECTION_H

#include <stdint.h>

#include "../../formats/trace_file.h"
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
	enum tf_type type;
	enum tf_codec codec; /* requested; sections that it does not shrink are stored raw */
	const void *payload;
	uint32_t raw;
	uint32_t ring, hooks;
	uint64_t position, first, last;
	uint32_t lost, torn;
};

/* Reserves memory for sections of up to max_raw bytes and for an index of up to max_hooks HOOKS
 * sections; max_hooks 0: no index. Returns 0 or PU_ERROR_NOT_ENOUGH_MEMORY. */
int section_writer_open(struct section_writer *w, struct output *out, uint32_t max_raw,
	uint64_t max_hooks, struct session_error *error);
void section_writer_close(struct section_writer *w);

int section_write(struct section_writer *w, const struct section *s, struct session_error *error);

/* The same with the payload compressed already, by s->codec; packed_size 0: it is stored raw. */
int section_write_packed(struct section_writer *w, const struct section *s, const uint8_t *packed,
	uint32_t packed_size, struct session_error *error);

/* Writes the INDEX of the sections so far, or nothing if there were no HOOKS sections. */
int section_write_index(struct section_writer *w, enum tf_codec codec, struct session_error *error);

#endif
