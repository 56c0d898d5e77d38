#include "protobuf.h"

#include "escapes.h"

void protobuf_init(struct protobuf *p)
{
	out_memory(&p->bytes);
	p->depth = 0;
}

void protobuf_free(struct protobuf *p)
{
	out_discard(&p->bytes);
}

void protobuf_double(struct protobuf *p, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	bits = htole64(bits);
	protobuf_tag(p, field, PROTOBUF_FIXED64);
	out_bytes(&p->bytes, &bits, sizeof bits);
}

void protobuf_open(struct protobuf *p, unsigned field)
{
	protobuf_tag(p, field, PROTOBUF_LENGTH);
	p->open[p->depth++] = p->bytes.len;
	out_char(&p->bytes, 0);
}

void protobuf_close(struct protobuf *p)
{
	size_t at = p->open[--p->depth];
	char length[VARINT_U64_MAX], *end;

	if (p->bytes.error)
		return;
	size_t n = p->bytes.len - at - 1;
	end = varint_store(length, n);
	size_t more = (size_t)(end - length) - 1;
	/* One byte was left for the length; few messages need more. */
	if (more) {
		if (!out_reserve(&p->bytes, more))
			return;
		memmove(p->bytes.buf + at + 1 + more, p->bytes.buf + at + 1, n);
		p->bytes.len += more;
	}
	memcpy(p->bytes.buf + at, length, 1 + more);
}

void protobuf_string(struct protobuf *p, unsigned field, const char *s, size_t n)
{
	protobuf_open(p, field);
	escape_utf8(&p->bytes, s, n);
	protobuf_close(p);
}

void protobuf_ascii(struct protobuf *p, unsigned field, const char *s)
{
	protobuf_string(p, field, s, strlen(s));
}

void protobuf_flush(struct protobuf *p, struct out *to)
{
	if (p->bytes.error && !to->error)
		to->error = p->bytes.error;
	out_bytes(to, p->bytes.buf, p->bytes.len);
	p->bytes.len = 0;
}
