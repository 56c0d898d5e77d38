#include "hook.h"

const char *nrm2_hook_wrong(const uint8_t *p, bool big)
{
	unsigned type = nrm2_get16(p + NRM2_HK_LENGTH, big) & NRM2_HK_TYPE_MASK;
	uint16_t major = nrm2_get16(p + NRM2_HK_MAJOR, big);

	if (nrm2_hook_length(p, big) < NRM2_HK_HEADER_SIZE)
		return "a hook's length is less than its header";
	if (!major || major > NRM2_MAJOR_MAX)
		return "a hook's major is not 1 to 255";
	if (type != NRM2_HK_INTEGERS && type != NRM2_HK_MIXED)
		return "a hook is of an unknown type";
	return NULL;
}

/* Length and padded length of the string at p; false: it does not end before end. */
static bool string_at(
	const uint8_t *p, const uint8_t *end, bool big, uint32_t *length, uint32_t *padded)
{
	size_t left = (size_t)(end - p);
	uint64_t n = left >= 8 ? nrm2_get64(p, big) : UINT64_MAX;

	*length = *padded = 0;
	if (left < 8 || n > left - 8)
		return false;
	*length = (uint32_t)n;
	*padded = (*length + 7u) & ~7u;
	/* Some other writer may have saved the last zeros. */
	if (*padded > left - 8)
		*padded = (uint32_t)(left - 8);
	return true;
}

const char *nrm2_hook_parse(struct nrm2_hook *h, const uint8_t *p, bool big)
{
	static const char misfit[] = "a hook's integers and strings do not fit its length";
	uint32_t length, padded;

	*h = (struct nrm2_hook){.length = nrm2_hook_length(p, big),
		.major = (uint8_t)nrm2_get16(p + NRM2_HK_MAJOR, big),
		.minor = nrm2_get32(p + NRM2_HK_MINOR, big),
		.stamp = nrm2_get64(p + NRM2_HK_STAMP, big),
		.mixed = (nrm2_get16(p, big) & NRM2_HK_TYPE_MASK) == NRM2_HK_MIXED,
		.big = big};
	h->end = p + h->length;
	h->integers = p + NRM2_HK_DATA;
	uint64_t left = h->length - NRM2_HK_HEADER_SIZE, n = left / 8;
	if (h->mixed) {
		if (left < 8)
			return misfit;
		n = nrm2_get64(h->integers, big);
		h->integers += 8;
		if (n > left / 8 - 1)
			return misfit;
	} else if (left % 8) {
		return misfit;
	}
	h->nintegers = (uint32_t)n;
	h->strings = h->integers + 8 * n;
	for (p = h->strings; p < h->end; p += 8 + padded) {
		if (!string_at(p, h->end, big, &length, &padded))
			return misfit;
		if (++h->nstrings > REC_MAX_STRINGS)
			return "a hook of more than 255 strings";
	}
	return NULL;
}

uint64_t nrm2_hook_integer(const struct nrm2_hook *h, uint32_t i)
{
	return i < h->nintegers ? nrm2_get64(h->integers + 8 * i, h->big) : 0;
}

const char *nrm2_hook_string(const struct nrm2_hook *h, uint32_t *length)
{
	uint32_t padded;

	if (!h->nstrings || !string_at(h->strings, h->end, h->big, length, &padded))
		return NULL;
	return (const char *)h->strings + 8;
}

/* Where the record's words stop and where its strings do. */
static void nrm2_hook_measure_payload(const struct nrm2_hook *h, uint32_t *nwide, uint32_t *strings)
{
	const uint8_t *p = h->strings;
	uint32_t length, padded;

	*nwide = *strings = 0;
	for (uint32_t i = 0; i < h->nintegers; i++)
		*nwide += nrm2_get64(h->integers + 8 * i, h->big) > UINT32_MAX;
	for (uint32_t i = 0; i < h->nstrings; i++, p += 8 + padded) {
		string_at(p, h->end, h->big, &length, &padded);
		*strings += rec_string_bytes(length);
	}
}

static void put_strings(uint8_t *to, const struct nrm2_hook *h)
{
	const uint8_t *p = h->strings;
	uint32_t length, padded;

	for (uint32_t i = 0; i < h->nstrings; i++, p += 8 + padded) {
		string_at(p, h->end, h->big, &length, &padded);
		put_le32(to, length);
		memcpy(to + 4, p + 8, length);
		to += rec_string_bytes(length);
	}
}

uint32_t nrm2_hook_record_size(const struct nrm2_hook *h, uint64_t stamp)
{
	uint32_t nwide, strings;

	nrm2_hook_measure_payload(h, &nwide, &strings);
	uint32_t size = rec_size(h->nintegers + nwide, strings);
	return nwide || stamp != h->stamp ? (size + NRM2_T_INDEX + 4 * nwide + 7) & ~7u : size;
}

/* The words, and behind the strings which of them are pairs. */
static void put_integers(uint8_t *to, const struct nrm2_hook *h, uint8_t *index)
{
	uint8_t *word = to + REC_DATA;

	for (uint32_t i = 0; i < h->nintegers; i++) {
		uint64_t v = nrm2_hook_integer(h, i);

		if (v > UINT32_MAX) {
			put_le32(index, (uint32_t)(word - to - REC_DATA) / 4);
			index += 4;
			put_hl64(word, v);
			word += 8;
		} else {
			put_le32(word, (uint32_t)v);
			word += 4;
		}
	}
	put_strings(word, h);
}

void nrm2_hook_record(
	uint8_t *to, const struct nrm2_hook *h, uint32_t size, uint32_t tid, uint64_t stamp)
{
	uint32_t nwide, strings;

	nrm2_hook_measure_payload(h, &nwide, &strings);
	uint8_t *tail = to + rec_size(h->nintegers + nwide, strings);
	memset(to, 0, size);
	put_le32(to + REC_CONTROL, size | REC_KIND_HOOK | REC_COMMITTED);
	to[REC_MAJOR] = h->major;
	to[REC_NSTRINGS] = (uint8_t)h->nstrings;
	put_le16(to + REC_NWORDS, (uint16_t)(h->nintegers + nwide));
	put_le32(to + REC_MINOR, h->minor);
	put_le32(to + REC_TID, tid);
	put_le64(to + REC_STAMP, stamp);
	if (tail < to + size) {
		put_le32(tail + NRM2_T_MARK, NRM2_TAIL_MARK);
		put_le32(tail + NRM2_T_WIDE, nwide);
		put_le64(tail + NRM2_T_STAMP, h->stamp);
	}
	put_integers(to, h, tail + NRM2_T_INDEX);
}
