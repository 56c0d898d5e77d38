/*
 * A writer of protobuf messages (the wire format of proto2 and proto3). A top-level message is
 * built in memory and then flushed, so messages in it may be opened before their length is known.
 *
 *	protobuf_open(&p, 1);
 *	protobuf_uint(&p, 2, 7);
 *	protobuf_close(&p);
 *	protobuf_flush(&p, out);
 */
#ifndef SWT_DECODER_PROTOBUF_H
#define SWT_DECODER_PROTOBUF_H

#include "../../formats/bytes.h"
#include "out.h"

enum { PROTOBUF_DEPTH = 8 }; /* messages that may be open at once */

struct protobuf {
	struct out bytes; /* in memory */
	size_t open[PROTOBUF_DEPTH];
	unsigned depth;
};

enum protobuf_wire {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_LENGTH = 2,
};

void protobuf_init(struct protobuf *p);
void protobuf_free(struct protobuf *p);

static inline void protobuf_tag(struct protobuf *p, unsigned field, enum protobuf_wire wire)
{
	out_varint(&p->bytes, field << 3 | wire);
}

static inline void protobuf_uint(struct protobuf *p, unsigned field, uint64_t v)
{
	char *to = out_reserve(&p->bytes, 2 * VARINT_U64_MAX);

	if (to)
		out_reach(&p->bytes, varint_store(varint_store(to, field << 3), v));
}

/* An int64 (not a sint64): a negative one has ten bytes. */
static inline void protobuf_int(struct protobuf *p, unsigned field, int64_t v)
{
	protobuf_uint(p, field, (uint64_t)v);
}

void protobuf_double(struct protobuf *p, unsigned field, double v);
/* A string of any bytes, made valid UTF-8. */
void protobuf_string(struct protobuf *p, unsigned field, const char *s, size_t n);
/* A string of ASCII. */
void protobuf_ascii(struct protobuf *p, unsigned field, const char *s);

void protobuf_open(struct protobuf *p, unsigned field);
void protobuf_close(struct protobuf *p);
/* Appends the built message to a stream, and begins again. Failures show in to->error. */
void protobuf_flush(struct protobuf *p, struct out *to);

#endif
