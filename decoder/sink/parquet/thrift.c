#include "thrift.h"

static void thrift_zigzag(struct out *o, int64_t v)
{
	out_varint(o, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void thrift_field(struct thrift *t, unsigned field, enum thrift_type type)
{
	unsigned *last = &t->last[t->depth - 1], step = field - *last;

	*last = field;
	if (step <= 15) {
		out_char(t->o, (char)(step << 4 | type));
		return;
	}
	out_char(t->o, (char)type);
	thrift_zigzag(t->o, field);
}

void thrift_begin(struct thrift *t)
{
	t->last[t->depth++] = 0;
}

void thrift_end(struct thrift *t)
{
	t->depth--;
	out_char(t->o, 0);
}

void thrift_i32(struct thrift *t, unsigned field, int32_t v)
{
	thrift_field(t, field, THRIFT_I32);
	thrift_zigzag(t->o, v);
}

void thrift_i64(struct thrift *t, unsigned field, int64_t v)
{
	thrift_field(t, field, THRIFT_I64);
	thrift_zigzag(t->o, v);
}

void thrift_binary(struct thrift *t, unsigned field, const void *bytes, size_t n)
{
	thrift_field(t, field, THRIFT_BINARY);
	thrift_element_binary(t, bytes, n);
}

void thrift_struct(struct thrift *t, unsigned field)
{
	thrift_field(t, field, THRIFT_STRUCT);
	thrift_begin(t);
}

void thrift_list(struct thrift *t, unsigned field, enum thrift_type type, size_t n)
{
	thrift_field(t, field, THRIFT_LIST);
	if (n < 15) {
		out_char(t->o, (char)(n << 4 | type));
		return;
	}
	out_char(t->o, (char)(0xF0 | type));
	out_varint(t->o, n);
}

void thrift_element_i32(struct thrift *t, int32_t v)
{
	thrift_zigzag(t->o, v);
}

void thrift_element_binary(struct thrift *t, const void *bytes, size_t n)
{
	out_varint(t->o, n);
	out_bytes(t->o, bytes, n);
}
