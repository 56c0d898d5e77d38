#include "group.h"

#include <string.h>

#include "../../../formats/cpi_hooks.h"

/* Hooks that wait, of all processors together; beyond this a group's thread may come too late. */
#define MAX_HELD (UINT64_C(16) << 20)

enum { PART_NONE = 7 };

static const struct {
	uint32_t kind;
	uint8_t elapsed; /* the first of its two integers */
} parts[PART_NONE] = {
	{CPI_MINOR_LABEL_START, CPI_LABEL_ELAPSED},
	{CPI_MINOR_SUMMARY, CPI_SUMMARY_ELAPSED},
	{CPI_MINOR_SYSTEM, CPI_SYSTEM_ELAPSED},
	{CPI_MINOR_PER_CPU, CPI_PER_CPU_ELAPSED},
	{CPI_MINOR_THREAD, CPI_THREAD_ELAPSED},
	{CPI_MINOR_QUALITY, CPI_QUALITY_ELAPSED},
	{CPI_MINOR_LABEL_END, CPI_LABEL_ELAPSED},
};

static unsigned nrm2_group_find_part(const struct nrm2_hook *h)
{
	unsigned part = 0;
	while (h->major == CPI_MAJOR && part < PART_NONE &&
		parts[part].kind != (h->minor & CPI_MINOR_KIND))
		part++;
	return h->major == CPI_MAJOR ? part : PART_NONE;
}

/* The records so far, with the thread that is known by now. */
static int write_out(struct nrm2_spool *s, struct nrm2_group *g, uint64_t *held)
{
	*held -= g->records.used;
	for (size_t at = 0; at < g->records.used;) {
		uint8_t *record = g->records.p + at, *to;
		uint32_t size = get_le32(record) & REC_SIZE_MASK;
		int rc = nrm2_spool_room(s, size, &to);
		if (rc)
			return rc;
		if (g->tid)
			put_le32(record + REC_TID, g->tid);
		memcpy(to, record, size);
		nrm2_spool_took(s, size, g->stamp);
		at += size;
	}
	nrm2_bytes_clear(&g->records);
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
	uint8_t *to;
	int rc = nrm2_bytes_room(&g->records, size, &to);
	if (rc)
		return rc;
	nrm2_hook_record(to, h, size, 0, g->stamp);
	g->records.used += size;
	*held += size;
	return 0;
}

int nrm2_group_take(
	struct nrm2_spool *s, struct nrm2_group *g, const struct nrm2_hook *h, uint64_t *held)
{
	unsigned part = nrm2_group_find_part(h);
	uint8_t mm = (uint8_t)(h->minor & CPI_MINOR_MM);
	uint64_t elapsed = 0, id = nrm2_hook_integer(h, 0);
	bool has_elapsed = part < PART_NONE && h->nintegers >= parts[part].elapsed + 2u;
	if (has_elapsed)
		elapsed = nrm2_hook_integer(h, parts[part].elapsed) << 32 |
			  (uint32_t)nrm2_hook_integer(h, parts[part].elapsed + 1u);
	bool fits = g->open && part < PART_NONE && part > g->part && mm == g->mm &&
		    !(has_elapsed && g->has_elapsed && elapsed != g->elapsed);
	int rc = fits || !g->open ? 0 : nrm2_group_end(s, g, held);
	if (rc || part == PART_NONE)
		return rc ? rc : nrm2_group_alone(s, h, 0, h->stamp);
	if (!fits)
		*g = (struct nrm2_group){
			.records = g->records, .stamp = h->stamp, .mm = mm, .open = true};
	g->part = (uint8_t)part;
	if (has_elapsed && !g->has_elapsed) {
		g->elapsed = elapsed;
		g->has_elapsed = true;
	}
	if (parts[part].kind == CPI_MINOR_THREAD && h->nintegers && id <= UINT32_MAX)
		g->tid = (uint32_t)id;
	rc = nrm2_group_append_record(g, h, held);
	if (!rc && parts[part].kind == CPI_MINOR_LABEL_END)
		rc = nrm2_group_end(s, g, held);
	else if (!rc && *held > MAX_HELD)
		rc = write_out(s, g, held);
	return rc;
}
