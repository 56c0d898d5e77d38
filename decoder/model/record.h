/* One record of a HOOKS payload. */
#ifndef SWT_DECODER_RECORD_H
#define SWT_DECODER_RECORD_H

#include "model.h"

enum record_kind {
	RECORD_HOOK,
	RECORD_PAD,
	RECORD_TORN,	  /* never committed */
	RECORD_RESERVED,  /* of a kind that this version does not know */
	RECORD_MALFORMED, /* its words or strings do not fit into its size */
	RECORD_BROKEN,	  /* its size leads nowhere: what follows cannot be found */
};

/*
 * What stands at p with left bytes after it. Unless BROKEN, *size (at least 8, at most
 * left) leads to the next record. For a HOOK the fields of *h that stand in the record
 * are set; every word and string of it lies within the record.
 */
enum record_kind record_parse(const uint8_t *p, size_t left, struct hook *h, uint32_t *size);

#endif
