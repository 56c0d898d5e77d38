/* One record of a HOOKS payload. */
#ifndef SWT_DECODER_RECORD_H
#define SWT_DECODER_RECORD_H

#include "../../formats/record.h"
#include "model.h"

enum record_kind {
	RECORD_HOOK,
	RECORD_PAD,
	RECORD_TORN,	  /* never committed */
	RECORD_RESERVED,  /* of a kind that this version does not know */
	RECORD_MALFORMED, /* its words or strings do not fit into its size */
	RECORD_BROKEN,	  /* its size leads nowhere: what follows cannot be found */
};

/* n strings in that many bytes (a multiple of 4). */
bool record_strings_fit(const uint8_t *p, uint32_t left, unsigned n);

static inline bool record_parse_hook(const uint8_t *p, uint32_t size, struct hook *h)
{
	if (size < REC_HEADER_SIZE)
		return false;
	unsigned nwords = get_le16(p + REC_NWORDS), nstrings = p[REC_NSTRINGS];
	uint32_t left = size - REC_HEADER_SIZE, words = 4 * (uint32_t)nwords;
	if (words > left)
		return false;
	const uint8_t *strings = p + REC_DATA + words;
	if (nstrings && !record_strings_fit(strings, left - words, nstrings))
		return false;
	h->nwords = (uint16_t)nwords;
	h->nstrings = (uint8_t)nstrings;
	h->words = p + REC_DATA;
	h->strings = strings;
	h->major = p[REC_MAJOR];
	h->minor = get_le32(p + REC_MINOR);
	h->tid = get_le32(p + REC_TID);
	h->ticks = get_le64(p + REC_STAMP);
	h->size = size;
	return true;
}

/*
 * What stands at p with left bytes after it. Unless BROKEN, *size (at least 8, at most
 * left) leads to the next record. For a HOOK the fields of *h that stand in the record
 * are set; every word and string of it lies within the record. Inline: it is run for
 * every record there is.
 */
static inline enum record_kind record_parse(
	const uint8_t *p, size_t left, struct hook *h, uint32_t *size)
{
	if (left < REC_ALIGN)
		return RECORD_BROKEN;
	uint32_t control = get_le32(p);
	*size = control & REC_SIZE_MASK;
	if (*size < REC_ALIGN || *size > left)
		return RECORD_BROKEN;
	/* Of whatever kind: its writer was going to say. */
	if (!(control & REC_COMMITTED))
		return RECORD_TORN;
	switch (control & REC_KIND_MASK) {
	case REC_KIND_HOOK:
		return record_parse_hook(p, *size, h) ? RECORD_HOOK : RECORD_MALFORMED;
	case REC_KIND_PAD:
		return RECORD_PAD;
	default:
		return RECORD_RESERVED;
	}
}

#endif
