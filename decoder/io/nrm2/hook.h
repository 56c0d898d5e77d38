/* One hook of an NRM2 file: checked, then made a record. */
#ifndef SWT_DECODER_IO_NRM2_HOOK_H
#define SWT_DECODER_IO_NRM2_HOOK_H

#include "../../../formats/nrm2.h"
#include "spool.h"

/* A hook whose parts lie within its length. */
struct nrm2_hook {
	const uint8_t *integers; /* u64 each */
	const uint8_t *strings;	 /* u64 length, bytes, zeros to 8, up to end */
	const uint8_t *end;
	uint64_t stamp;
	uint32_t minor, nintegers, nstrings;
	uint16_t length;
	uint8_t major;
	bool mixed, big;
};

static inline uint16_t nrm2_hook_length(const uint8_t *p, bool big)
{
	return nrm2_get16(p + NRM2_HK_LENGTH, big) & (uint16_t)~NRM2_HK_TYPE_MASK;
}

/* The 16 bytes at p cannot be a hook's header: why (a constant string), or NULL. */
const char *nrm2_hook_wrong(const uint8_t *p, bool big);

/* Parses a hook whose header is not wrong and which is there to its end. NULL, or why not. */
const char *nrm2_hook_parse(struct nrm2_hook *h, const uint8_t *p, bool big);

/* Integer i, 0 if there are not so many. */
uint64_t nrm2_hook_integer(const struct nrm2_hook *h, uint32_t i);
/* The first string, NULL if there is none. */
const char *nrm2_hook_string(const struct nrm2_hook *h, uint32_t *length);

/* Bytes of the record with this stamp, which is the hook's own or its group's. */
uint32_t nrm2_hook_record_size(const struct nrm2_hook *h, uint64_t stamp);
/* Builds the record at to, which has that many bytes of room. */
void nrm2_hook_record(
	uint8_t *to, const struct nrm2_hook *h, uint32_t size, uint32_t tid, uint64_t stamp);

#endif
