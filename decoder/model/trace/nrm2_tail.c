#include "nrm2_tail.h"

#include "../../../formats/nrm2.h"

bool nrm2_tail(const struct hook *h, struct nrm2_tail *tail)
{
	const uint8_t *record = h->words - REC_DATA, *p = h->strings;

	for (unsigned i = 0; i < h->nstrings; i++)
		p += rec_string_bytes(get_le32(p));
	size_t at = (size_t)(p - record + REC_ALIGN - 1) & ~(size_t)(REC_ALIGN - 1);
	if (h->size < at + NRM2_T_INDEX || get_le32(record + at) != NRM2_TAIL_MARK)
		return false;
	tail->stamp = get_le64(record + at + NRM2_T_STAMP);
	tail->nwide = get_le32(record + at + NRM2_T_WIDE);
	tail->wide = record + at + NRM2_T_INDEX;
	return true;
}

const struct hook *hook_as_written(const struct trace *t, const struct hook *h, struct hook *copy)
{
	const struct trace_file *f = trace_file(t, h->file);
	struct nrm2_tail tail;

	if (!f->import || !nrm2_tail(h, &tail))
		return h;
	*copy = *h;
	copy->ticks = tail.stamp;
	copy->time_ns = trace_time(f, tail.stamp);
	return copy;
}
