#include "record.h"

#include "../../formats/record.h"

static bool strings_fit(const uint8_t *p, uint32_t left, unsigned n)
{
	while (n--) {
		/* left stays a multiple of 4, so a length that fits does so with its zeros. */
		if (left < 4)
			return false;
		uint32_t length = get_le32(p);
		if (length > left - 4)
			return false;
		uint32_t bytes = rec_string_bytes(length);
		p += bytes;
		left -= bytes;
	}
	return true;
}

static bool parse_hook(const uint8_t *p, uint32_t size, struct hook *h)
{
	if (size < REC_HEADER_SIZE)
		return false;
	h->nwords = get_le16(p + REC_NWORDS);
	h->nstrings = p[REC_NSTRINGS];
	uint32_t left = size - REC_HEADER_SIZE, words = 4 * (uint32_t)h->nwords;
	if (words > left)
		return false;
	h->words = p + REC_DATA;
	h->strings = h->words + words;
	if (h->nstrings && !strings_fit(h->strings, left - words, h->nstrings))
		return false;
	h->major = p[REC_MAJOR];
	h->minor = get_le32(p + REC_MINOR);
	h->tid = get_le32(p + REC_TID);
	h->ticks = get_le64(p + REC_STAMP);
	h->size = size;
	return true;
}

enum record_kind record_parse(const uint8_t *p, size_t left, struct hook *h, uint32_t *size)
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
		return parse_hook(p, *size, h) ? RECORD_HOOK : RECORD_MALFORMED;
	case REC_KIND_PAD:
		return RECORD_PAD;
	default:
		return RECORD_RESERVED;
	}
}
