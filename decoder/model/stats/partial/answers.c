#include "partial.h"

#include "../../../base/varint.h"

int partial_add_answer(struct partial *p, enum partial_answer kind, const uint8_t *bytes, size_t n)
{
	struct buffer *to = &p->answers.bytes;

	if (n > UINT32_MAX)
		return CPIDECODE_ENOMEM;
	varint_put_string(to, bytes, n);
	p->answers.count += !to->failed;
	p->answers.kind = kind;
	return to->failed ? CPIDECODE_ENOMEM : 0;
}

void partial_clear_answers(struct partial *p)
{
	p->answers.bytes.n = p->answers.count = 0;
}

int partial_merge_answers(struct partial *p, const struct partial *from)
{
	const struct partial_answers *more = &from->answers;

	buffer_add(&p->answers.bytes, more->bytes.p, more->bytes.n);
	if (p->answers.bytes.failed)
		return CPIDECODE_ENOMEM;
	p->answers.count += more->count;
	p->answers.kind = more->kind;
	if (more->has_origin) {
		p->answers.has_origin = true;
		p->answers.origin = more->origin;
	}
	return 0;
}

bool partial_has_other_origin(const struct partial *p, const struct partial *from)
{
	return p->answers.has_origin && from->answers.has_origin &&
	       p->answers.origin != from->answers.origin;
}
