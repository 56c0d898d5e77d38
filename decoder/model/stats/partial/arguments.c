#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "../../../../formats/bytes.h"
#include "../../../base/grow.h"
#include "../../../base/varint.h"

int partial_arguments_add(struct partial_arguments *a, const char *text, size_t length)
{
	if (a->count == PARTIAL_ARGUMENTS || length > PARTIAL_ARGUMENTS_BYTES - a->bytes)
		return CPIDECODE_EINVAL;
	char *copy = strndup(length ? text : "", length);
	if (!copy || array_grow(&a->at, a->count, &a->cap, sizeof *a->at)) {
		free(copy);
		return CPIDECODE_ENOMEM;
	}
	a->at[a->count++] = copy;
	a->bytes += length;
	return 0;
}

int partial_arguments_copy(struct partial_arguments *a, const struct partial_arguments *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->count && !rc; i++)
		rc = partial_arguments_add(a, from->at[i], strlen(from->at[i]));
	return rc;
}

bool partial_arguments_are_same(
	const struct partial_arguments *a, const struct partial_arguments *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; i < a->count && same; i++)
		same = strcmp(a->at[i], b->at[i]) == 0;
	return same;
}

void partial_arguments_put(struct buffer *o, const struct partial_arguments *a)
{
	varint_put(o, a->count);
	for (size_t i = 0; i < a->count; i++)
		varint_put_string(o, a->at[i], strlen(a->at[i]));
}

int partial_arguments_get(struct varint_in *in, struct partial_arguments *a)
{
	uint64_t n = varint_get_max(in, PARTIAL_ARGUMENTS);
	uint32_t length;
	int rc = 0;

	for (uint64_t i = 0; i < n && !in->why && !rc; i++) {
		const uint8_t *text = varint_get_string(in, &length);

		if (length && memchr(text, 0, length))
			varint_fail(in, "an option with a zero byte");
		if (!in->why)
			rc = partial_arguments_add(a, (const char *)text, length);
		if (rc == CPIDECODE_EINVAL) {
			varint_fail(in, "too many options");
			rc = 0;
		}
	}
	return rc;
}

int partial_arguments_peek(struct partial_arguments *a, const uint8_t *bytes, size_t n)
{
	if (n < PARTIAL_HEADER_SIZE || memcmp(bytes, PARTIAL_MAGIC, 8) != 0)
		return 0;
	const uint32_t version = get_le32(bytes + PARTIAL_H_VERSION);
	if (version != PARTIAL_VERSION && version != PARTIAL_VERSION_HOSTS)
		return 0;
	struct varint_in in = {.p = bytes + PARTIAL_HEADER_SIZE, .end = bytes + n};
	return partial_arguments_get(&in, a);
}

void partial_arguments_free(struct partial_arguments *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->at[i]);
	free(a->at);
	*a = (struct partial_arguments){0};
}
