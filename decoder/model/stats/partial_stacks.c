#include "partial.h"

#include "../../../formats/base/array.h"
#include "../../base/varint.h"

/* Bytes that have their length before them. */
static int partial_append_stacks(struct partial_stacks *s, const uint8_t *bytes, size_t n)
{
	if (!array_reserve(&s->bytes, &s->cap, s->n + n, 1))
		return CPIDECODE_ENOMEM;
	if (n)
		memcpy(s->bytes + s->n, bytes, n);
	s->n += n;
	return 0;
}

int partial_add_stacks(struct partial *p, const uint8_t *bytes, size_t n)
{
	struct varint_out length = {0};
	int rc = CPIDECODE_ENOMEM;

	if (n > UINT32_MAX)
		return rc;
	varint_put(&length, n);
	if (!length.failed)
		rc = partial_append_stacks(&p->stacks, length.p, length.n);
	if (!rc)
		rc = partial_append_stacks(&p->stacks, bytes, n);
	p->stacks.count += !rc;
	free(length.p);
	return rc;
}

int partial_merge_stacks(struct partial *p, const struct partial *from)
{
	int rc = partial_append_stacks(&p->stacks, from->stacks.bytes, from->stacks.n);

	if (!rc)
		p->stacks.count += from->stacks.count;
	return rc;
}
