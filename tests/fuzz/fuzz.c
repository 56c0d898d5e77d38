#include "fuzz.h"

uint8_t *exact_copy(const void *p, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, p, n);
	return copy;
}

static void feed_copy(struct feed *f, void *to, size_t n)
{
	size_t there = f->n < n ? f->n : n;

	memset(to, 0, n);
	if (there)
		memcpy(to, f->p, there);
	f->p += there;
	f->n -= there;
}

uint8_t feed_u8(struct feed *f)
{
	uint8_t v;

	feed_copy(f, &v, sizeof v);
	return v;
}

uint16_t feed_u16(struct feed *f)
{
	uint8_t b[2];

	feed_copy(f, b, sizeof b);
	return get_le16(b);
}

uint32_t feed_u32(struct feed *f)
{
	uint8_t b[4];

	feed_copy(f, b, sizeof b);
	return get_le32(b);
}

uint64_t feed_u64(struct feed *f)
{
	uint8_t b[8];

	feed_copy(f, b, sizeof b);
	return get_le64(b);
}

size_t feed_bytes(struct feed *f, size_t n, const uint8_t **p)
{
	n = f->n < n ? f->n : n;
	*p = f->p;
	f->p += n;
	f->n -= n;
	return n;
}
