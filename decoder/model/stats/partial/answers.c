#include "partial.h"

#include "../../../../formats/base/array.h"
#include "../../../base/varint.h"

/* Length-prefixed bytes. */
static int partial_append_answers(struct partial_answers *s, const uint8_t *bytes, size_t n)
{
	if (!array_reserve(&s->bytes, &s->cap, s->n + n, 1))
		return CPIDECODE_ENOMEM;
	if (n)
		memcpy(s->bytes + s->n, bytes, n);
	s->n += n;
	return 0;
}

int partial_add_answer(struct partial *p, enum partial_answer kind, const uint8_t *bytes, size_t n)
{
	struct buffer length = {0};
	int rc = CPIDECODE_ENOMEM;

	if (n > UINT32_MAX)
		return rc;
	varint_put(&length, n);
	if (!length.failed)
		rc = partial_append_answers(&p->answers, length.p, length.n);
	if (!rc)
		rc = partial_append_answers(&p->answers, bytes, n);
	p->answers.count += !rc;
	p->answers.kind = kind;
	free(length.p);
	return rc;
}

void partial_clear_answers(struct partial *p)
{
	p->answers.n = p->answers.count = 0;
}

int partial_merge_answers(struct partial *p, const struct partial *from)
{
	const struct partial_answers *more = &from->answers;
	int rc = partial_append_answers(&p->answers, more->bytes, more->n);

	if (rc)
		return rc;
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
