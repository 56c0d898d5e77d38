#include "nrm2.h"

#include <stdlib.h>

#include "../../formats/base/array.h"
#include "../../include/cpidecode.h"

enum { FIRST_ROOM = 4096 };
/* The most bytes of hooks buffered in partly filled sections; beyond it all are written. */
#define MAX_HELD_HOOKS (UINT64_C(32) << 20)

int nrm2_out_open(struct nrm2_out *o, struct out *out, const struct nrm2_file *file,
	struct nrm2_ring *rings, size_t nrings)
{
	*o = (struct nrm2_out){.out = out, .file = file, .rings = rings, .nrings = nrings};
	o->table.type = NRM2_TYPE_TABLE;
	o->table.data = malloc(NRM2_SECTION_ROOM);
	return o->table.data ? 0 : CPIDECODE_ENOMEM;
}

void nrm2_out_close(struct nrm2_out *o)
{
	for (size_t i = 0; i < o->nrings; i++)
		free(o->rings[i].section.data);
	free(o->rings);
	free(o->table.data);
	*o = (struct nrm2_out){0};
}

static void nrm2_out_write_section(struct nrm2_out *o, struct nrm2_section *s)
{
	uint8_t header[NRM2_HEADER_SIZE];

	nrm2_put_header(header, o->file, s);
	out_bytes(o->out, header, sizeof header);
	if (s->used)
		out_bytes(o->out, s->data, s->used);
	o->written += NRM2_HEADER_SIZE + (uint64_t)s->used;
	nrm2_section_emptied(s);
}

void nrm2_out_table(struct nrm2_out *o, uint16_t major, uint32_t minor, uint64_t stamp,
	const uint64_t *integers, unsigned n, const char *string, uint32_t length)
{
	uint32_t most = NRM2_HK_MAX - nrm2_table_bytes(n, "", 0) - 8;

	if (length > most)
		length = most;
	if (!nrm2_has_room(&o->table, nrm2_table_bytes(n, string, length)))
		nrm2_out_write_section(o, &o->table);
	nrm2_add_table(&o->table, major, minor, stamp, integers, n, string, length);
}

void nrm2_out_text(
	struct nrm2_out *o, uint32_t minor, uint64_t first, const char *text, size_t length)
{
	do {
		uint32_t piece = length < NRM2_TEXT_PIECE ? (uint32_t)length : NRM2_TEXT_PIECE;

		nrm2_out_table(o, NRM2_SYSINFO, minor, 0, &first, 1, text, piece);
		text += piece;
		length -= piece;
		first = 0;
	} while (length);
}

void nrm2_out_table_end(struct nrm2_out *o)
{
	/* Written even if it is empty: the headers refer to it. */
	nrm2_out_write_section(o, &o->table);
}

static void write_held(struct nrm2_out *o)
{
	for (size_t i = 0; i < o->nrings; i++) {
		struct nrm2_ring *r = &o->rings[i];

		if (r->section.used)
			nrm2_out_write_section(o, &r->section);
		free(r->section.data);
		r->section.data = NULL;
		r->cap = 0;
	}
	o->held = 0;
}

static int nrm2_out_reserve_ring(struct nrm2_out *o, struct nrm2_ring *r, uint32_t more)
{
	const uint32_t need = r->section.used + more;

	if (need <= r->cap)
		return 0;
	uint32_t cap = (uint32_t)array_double_room(r->cap ? r->cap : FIRST_ROOM, need);
	if (cap > NRM2_SECTION_ROOM)
		cap = NRM2_SECTION_ROOM;
	if (!array_resize(&r->section.data, cap, 1))
		return CPIDECODE_ENOMEM;
	o->held += cap - r->cap;
	r->cap = cap;
	return 0;
}

int nrm2_out_hook(struct nrm2_out *o, size_t ring, const struct nrm2_hook_data *h, uint32_t size,
	uint32_t tid, uint64_t group)
{
	struct nrm2_ring *r = &o->rings[ring];

	if (!nrm2_has_room(&r->section, size))
		nrm2_out_write_section(o, &r->section);
	int rc = nrm2_out_reserve_ring(o, r, size + NRM2_DISPATCH_BYTES);
	if (rc)
		return rc;
	r->section.type = NRM2_TYPE_TRACE;
	nrm2_add(&r->section, h, size, tid, group);
	if (o->held > MAX_HELD_HOOKS)
		write_held(o);
	return 0;
}

void nrm2_out_end(struct nrm2_out *o)
{
	write_held(o);
}

void nrm2_out_loss(
	struct nrm2_out *o, size_t ring, uint32_t lost, bool full, const uint64_t loss[7])
{
	struct nrm2_section *s = &o->rings[ring].section;

	s->type = NRM2_TYPE_TRACE;
	s->lost = lost;
	s->full = full;
	s->has_loss = loss != NULL;
	if (loss)
		memcpy(s->loss, loss, sizeof s->loss);
	nrm2_out_write_section(o, s);
}

void nrm2_out_kernel(struct nrm2_out *o, const uint64_t sizes[2])
{
	uint64_t at = o->written + NRM2_HEADER_SIZE;

	o->table.type = NRM2_TYPE_FINAL_TABLE;
	for (int i = 0; i < 2; i++) {
		o->table.kernel[2 * i] = sizes[i] ? at : 0;
		o->table.kernel[2 * i + 1] = sizes[i];
		at += sizes[i];
	}
	nrm2_out_write_section(o, &o->table);
}
