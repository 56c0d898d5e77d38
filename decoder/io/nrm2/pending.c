#include "pending.h"

#include <string.h>

#include "../../../include/cpidecode.h"

/* Hooks that wait, of all processors together; beyond this a group's thread may come too late. */
#define MAX_HELD (UINT64_C(16) << 20)

/* Groups of CPU utilisation are newer than these files. */
static struct group_identity nrm2_group_identify(const struct nrm2_hook *h)
{
	enum group_part part = h->major == CPI_MAJOR ? group_part(CPI_MAJOR, h->minor) : PART_NONE;
	uint32_t at = group_kinds[part].elapsed;
	bool has_elapsed = part != PART_NONE && h->nintegers >= at + 2;
	uint64_t elapsed = nrm2_hook_integer(h, at) << 32 | (uint32_t)nrm2_hook_integer(h, at + 1);

	return group_identify(part, h->minor, has_elapsed, elapsed);
}

/* The records so far, with the thread that is known by now. */
static int write_out(struct nrm2_spool *s, struct nrm2_group *g, uint64_t *held)
{
	*held -= g->records.n;
	for (size_t at = 0; at < g->records.n;) {
		uint8_t *record = g->records.p + at, *to;
		uint32_t size = rec_control_size(get_le32(record));
		int rc = nrm2_spool_room(s, size, &to);

		if (rc)
			return rc;
		if (g->tid)
			put_le32(record + REC_TID, g->tid);
		memcpy(to, record, size);
		nrm2_spool_took(s, size, g->stamp);
		at += size;
	}
	nrm2_buffer_clear(&g->records);
	return 0;
}

int nrm2_group_end(struct nrm2_spool *s, struct nrm2_group *g, uint64_t *held)
{
	g->open = false;
	return write_out(s, g, held);
}

int nrm2_group_alone(struct nrm2_spool *s, const struct nrm2_hook *h, uint32_t tid, uint64_t stamp)
{
	uint32_t size = nrm2_hook_record_size(h, stamp);
	uint8_t *to;
	int rc = nrm2_spool_room(s, size, &to);

	if (rc)
		return rc;
	nrm2_hook_record(to, h, size, tid, stamp);
	nrm2_spool_took(s, size, stamp);
	return 0;
}

static int nrm2_group_append_record(struct nrm2_group *g, const struct nrm2_hook *h, uint64_t *held)
{
	uint32_t size = nrm2_hook_record_size(h, g->stamp);

	if (!buffer_reserve(&g->records, size))
		return CPIDECODE_ENOMEM;
	nrm2_hook_record(g->records.p + g->records.n, h, size, 0, g->stamp);
	g->records.n += size;
	*held += size;
	return 0;
}

int nrm2_group_add(
	struct nrm2_spool *s, struct nrm2_group *g, const struct nrm2_hook *h, uint64_t *held)
{
	struct group_identity next = nrm2_group_identify(h);
	uint64_t id = nrm2_hook_integer(h, 0);
	bool fits = g->open && group_goes_on(&g->identity, &next);
	int rc = fits || !g->open ? 0 : nrm2_group_end(s, g, held);

	if (rc || next.part == PART_NONE)
		return rc ? rc : nrm2_group_alone(s, h, 0, h->stamp);
	if (fits)
		group_go_on(&g->identity, &next);
	else
		*g = (struct nrm2_group){
			.records = g->records, .stamp = h->stamp, .identity = next, .open = true};
	if (next.part == PART_THREAD && h->nintegers && id <= UINT32_MAX)
		g->tid = (uint32_t)id;
	rc = nrm2_group_append_record(g, h, held);
	if (!rc && next.part == PART_LABEL_END)
		rc = nrm2_group_end(s, g, held);
	else if (!rc && *held > MAX_HELD)
		rc = write_out(s, g, held);
	return rc;
}
