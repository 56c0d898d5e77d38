/*
 * Compresses the payload of a section. A packer belongs to one thread at a time.
 */
#ifndef SWT_DUMP_PACK_H
#define SWT_DUMP_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/trace_file.h"

struct packer {
	uint8_t *bytes; /* of the last payload, compressed */
	uint32_t room;
	uint32_t sections; /* of records so far */
	bool searches;	   /* LZ4's own compressor makes these records much smaller */
};

/* For payloads of up to max_raw bytes. False: out of memory. */
bool packer_open(struct packer *p, uint32_t max_raw);
void packer_close(struct packer *p);

/* Returns the bytes in p->bytes, or 0 if the payload is better stored as it is. `records`: it
 * consists of records. */
uint32_t packer_pack(
	struct packer *p, enum tf_codec codec, bool records, const void *payload, uint32_t raw);

#endif
