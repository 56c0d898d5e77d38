#include "recipe.h"

#include <lz4.h>
#include <zlib.h>

#include "../../decoder/model/hooks/record.h"
#include "../lib/trace_build.h"
#include "short_form.h"

enum { SHAPE = 7, LARGEST = 1 << 20 };

static const uint8_t *next_magic(const uint8_t *p, size_t n)
{
	return n ? memmem(p, n, "SWTS", 4) : NULL;
}

static void build_header(struct feed *in, struct bytes *file)
{
	const uint8_t *p;
	size_t n = feed_bytes(in, TF_HEADER_SIZE, &p);

	bytes_put(file, p, n);
	bytes_put(file, NULL, TF_HEADER_SIZE - n);
	uint8_t *h = file->p;
	if (h[TF_H_RESERVED] == 1)
		return;
	memcpy(h, TF_MAGIC, 8);
	put_le16(h + TF_H_VERSION_MAJOR, TF_VERSION_MAJOR);
	if (get_le32(h + TF_H_HEADER_SIZE) < TF_HEADER_SIZE)
		put_le32(h + TF_H_HEADER_SIZE, TF_HEADER_SIZE);
	seal_header(h);
}

static void pack(struct bytes *payload, uint8_t codec)
{
	struct bytes packed = {0};

	bytes_put(&packed, NULL,
		codec == TF_CODEC_LZ4 ? (size_t)LZ4_compressBound((int)payload->n)
				      : compressBound(payload->n));
	packed.n = pack_payload(codec, 1, payload->p, payload->n, packed.p, packed.n);
	bytes_free(payload);
	*payload = packed;
}

/* The payload's bytes; in a complete trace without the padding. */
static size_t payload_length(const uint8_t *header, size_t there)
{
	uint32_t stored = get_le32(header + TF_S_STORED);

	return stored <= there && there - stored < TF_ALIGN ? stored : there;
}

/* The positions of a valid trace's rings; NULL: the trace may be invalid. */
struct honesty {
	struct {
		uint64_t position, stamp;
	} rings[16];
};

/* The record's stamp, no less than those before it. */
static void keep_order(uint8_t *record, uint64_t *stamp)
{
	uint64_t own = get_le64(record + REC_STAMP);

	*stamp = own > *stamp ? own : *stamp;
	put_le64(record + REC_STAMP, *stamp);
}

/* Makes the header describe the actual hooks; the payload is not packed yet. */
static void make_honest(struct honesty *honesty, uint8_t *h, struct bytes *payload)
{
	uint32_t ring = get_le32(h + TF_S_RING), hooks = 0, torn = 0, size;

	ring &= TF_GUEST_RING | 7;
	uint64_t first = 0, *stamp = &honesty->rings[(ring >> 28 | ring) & 15].stamp;
	uint64_t *position = &honesty->rings[(ring >> 28 | ring) & 15].position;
	for (size_t at = 0; at < payload->n; at += size) {
		struct hook hook;
		enum record_kind kind =
			record_parse(payload->p + at, payload->n - at, &hook, &size);

		if (kind == RECORD_BROKEN)
			break;
		torn += kind == RECORD_TORN;
		if (kind != RECORD_HOOK)
			continue;
		keep_order(payload->p + at, stamp);
		first = hooks++ ? first : *stamp;
	}
	put_le32(h + TF_S_RING, ring);
	put_le32(h + TF_S_HOOKS, hooks);
	put_le32(h + TF_S_TORN, torn);
	put_le64(h + TF_S_POSITION, *position);
	put_le64(h + TF_S_FIRST, first);
	put_le64(h + TF_S_LAST, hooks ? *stamp : 0);
	*position += payload->n;
}

static void build_section(const uint8_t *p, size_t n, struct bytes *file, struct honesty *honesty)
{
	uint8_t h[TF_SECTION_SIZE] = {0};
	struct bytes payload = {0};

	memcpy(h, p, n < sizeof h ? n : sizeof h);
	size_t there = n < sizeof h ? 0 : n - sizeof h;
	bool honest = honesty && get_le16(h + TF_S_TYPE) == TF_TYPE_HOOKS;
	if (honest) {
		h[SHAPE] &= (uint8_t) ~(SHAPE_LIES | SHAPE_WRONG);
		if (!(h[SHAPE] & SHAPE_PACKED))
			h[TF_S_CODEC] = TF_CODEC_NONE;
	}
	unsigned shape = h[SHAPE], codec = h[TF_S_CODEC];
	bytes_put(&payload, p + n - there, payload_length(h, there));
	if (shape & SHAPE_SHORT)
		short_form_expand(&payload, h);
	if (honest)
		make_honest(honesty, h, &payload);
	size_t raw = payload.n;
	bool packed = shape & SHAPE_PACKED && raw && codec && codec <= TF_CODEC_ZLIB;
	if (packed)
		pack(&payload, h[TF_S_CODEC]);
	if (!(shape & SHAPE_LIES)) {
		put_le32(h + TF_S_STORED, (uint32_t)payload.n);
		if (packed || codec == TF_CODEC_NONE)
			put_le32(h + TF_S_RAW, (uint32_t)raw);
	}
	if (!(shape & SHAPE_WRONG))
		seal_section(h, payload.p, payload.n);
	bytes_align(file, TF_ALIGN);
	bytes_put(file, h, sizeof h);
	bytes_put(file, payload.p, payload.n);
	bytes_align(file, TF_ALIGN);
	bytes_free(&payload);
}

static void build(const uint8_t *p, size_t n, struct bytes *file, struct honesty *honesty)
{
	struct feed in = {p, n};

	build_header(&in, file);
	const uint8_t *end = in.p + in.n, *at = next_magic(in.p, in.n);
	/* Before the first section: the rest of a longer header, or garbage. */
	bytes_put(file, in.p, (size_t)((at ? at : end) - in.p));
	while (at && file->n < LARGEST) {
		const uint8_t *next = next_magic(at + 4, (size_t)(end - at) - 4);

		build_section(at, (size_t)((next ? next : end) - at), file, honesty);
		at = next;
	}
}

void recipe_build(const uint8_t *p, size_t n, struct bytes *file)
{
	build(p, n, file, NULL);
}

void recipe_build_honest(const uint8_t *p, size_t n, struct bytes *file)
{
	build(p, n, file, &(struct honesty){0});
}

void recipe_fix(uint8_t *p, size_t n)
{
	if (n < TF_HEADER_SIZE)
		return;
	seal_header(p);
	uint32_t from = get_le32(p + TF_H_HEADER_SIZE);
	size_t at =
		from >= TF_HEADER_SIZE && from < n && from % TF_ALIGN == 0 ? from : TF_HEADER_SIZE;
	while (n - at >= TF_SECTION_SIZE) {
		uint8_t *h = p + at;
		uint32_t stored = get_le32(h + TF_S_STORED);
		size_t left = n - at - TF_SECTION_SIZE;

		if (get_le32(h) != TF_SECTION_MAGIC || stored > left) {
			at += TF_ALIGN;
			continue;
		}
		seal_section(h, h + TF_SECTION_SIZE, stored);
		size_t step = section_step(h);
		at += step < n - at ? step : n - at;
	}
}
