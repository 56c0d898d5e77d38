#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#include "../../../formats/bytes.h"
#include "part.h"

/* A magic with one byte wrong is still ours: then the header is damaged, not foreign. */
static bool looks_own(const uint8_t *header)
{
	unsigned same = 0;

	for (unsigned i = 0; i < 8; i++)
		same += header[NRM2_X_MAGIC + i] == (uint8_t)NRM2_EXTENSION[i];
	return same >= 7;
}

static void parse_header(struct nrm2_part *p, uint64_t at)
{
	const uint8_t *h = p->header;

	p->at = at;
	p->data = at + NRM2_HEADER_SIZE;
	p->end = p->data + nrm2_get32(h + NRM2_H_DATA_SIZE, p->big);
	p->cpu = nrm2_get32(h + NRM2_H_CPU, p->big);
	p->mode = nrm2_get32(h + NRM2_H_MODE, p->big);
	p->type = nrm2_get32(h + NRM2_H_TYPE, p->big);
	p->lost = nrm2_get32(h + NRM2_H_LOST, p->big);
	p->ring = p->own ? get_le32(h + NRM2_X_RING) : p->cpu;
	p->tid = 0;
	p->grouped = false;
}

int nrm2_section_at(struct nrm2_scan *s, uint64_t at, struct nrm2_part *part, const char **why)
{
	const uint8_t *p;
	size_t got;

	*why = "no section header here";
	int rc = nrm2_peek(s, at, NRM2_HEADER_SIZE, &p, &got);
	if (rc)
		return rc;
	if (got < NRM2_PEEK || !nrm2_magic(p, &part->big))
		return 0;
	*why = "cut off within a section's header";
	if (got < NRM2_HEADER_SIZE)
		return 0;
	*why = "a section's header is damaged";
	memcpy(part->header, p, NRM2_HEADER_SIZE);
	if (nrm2_get32(p + NRM2_H_HEADER_SIZE, part->big) != NRM2_HEADER_SIZE)
		return 0;
	part->own = looks_own(p);
	if (part->own &&
		(part->big || get_le64(p + NRM2_X_CHECKSUM) != XXH3_64bits(p, NRM2_X_CHECKSUM)))
		return 0;
	if (s->own && !part->own)
		return 0;
	parse_header(part, at);
	return 1;
}
