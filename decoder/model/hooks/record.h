/* One record of a HOOKS payload. */
#ifndef SWT_DECODER_MODEL_HOOKS_RECORD_H
#define SWT_DECODER_MODEL_HOOKS_RECORD_H

#include "../../../formats/record.h"
#include "../trace/model.h"

enum record_kind {
	RECORD_HOOK,
	RECORD_PAD,
	RECORD_TORN,	  /* never committed */
	RECORD_RESERVED,  /* of a kind that this version does not know */
	RECORD_MALFORMED, /* its words or strings exceed its size */
	RECORD_BROKEN,	  /* its size is invalid: the next record cannot be found */
};

/* n strings in that many bytes (a multiple of 4). */
bool record_strings_fit(const uint8_t *p, uint32_t left, unsigned n);

/* Whether the words and strings of a hook of that size lie within it. */
static inline bool record_fits(const uint8_t *p, uint32_t size)
{
	if (size < REC_HEADER_SIZE)
		return false;
	uint32_t left = size - REC_HEADER_SIZE, words = 4 * (uint32_t)get_le16(p + REC_NWORDS);
	unsigned nstrings = p[REC_NSTRINGS];
	if (words > left)
		return false;
	p += REC_DATA + words;
	left -= words;
	if (nstrings == 1)
		return left >= 4 && get_le32(p) <= left - 4;
	return !nstrings || record_strings_fit(p, left, nstrings);
}

/* Sets the fields of *h that are in the record, of a hook that fits. */
static inline void record_decode(const uint8_t *p, uint32_t size, struct hook *h)
{
	h->nwords = get_le16(p + REC_NWORDS);
	h->nstrings = p[REC_NSTRINGS];
	h->words = p + REC_DATA;
	h->strings = h->words + 4 * (size_t)h->nwords;
	h->major = p[REC_MAJOR];
	h->minor = get_le32(p + REC_MINOR);
	h->tid = get_le32(p + REC_TID);
	h->ticks = get_le64(p + REC_STAMP);
	h->size = size;
}

/*
 * Parses the record at p, with left bytes after it. Unless BROKEN, *size (at least 8, at most left)
 * leads to the next record. For a HOOK the fields of *h that the record has are set; every word and
 * string of it lies within the record. Inline: it runs for every record.
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
	/* Uncommitted, of any kind: its writer had not set the kind yet. */
	if (!(control & REC_COMMITTED))
		return RECORD_TORN;
	switch (control & REC_KIND_MASK) {
	case REC_KIND_HOOK:
		if (!record_fits(p, *size))
			return RECORD_MALFORMED;
		record_decode(p, *size, h);
		return RECORD_HOOK;
	case REC_KIND_PAD:
		return RECORD_PAD;
	default:
		return RECORD_RESERVED;
	}
}

#endif
