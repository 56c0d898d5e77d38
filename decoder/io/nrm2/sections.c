/* The sections of an NRM2 file, and the bytes between and after them. */
#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#include "../../../formats/bytes.h"
#include "../../../include/cpidecode.h"
#include "../../../formats/base/temporary.h"
#include "data.h"
#include "sections.h"

/* ------------------------------------------------------ bytes after the sections */

static void note_region(
	struct nrm2_scan *s, const struct nrm2_part *p, unsigned field, unsigned which)
{
	uint64_t at = nrm2_get64(p->header + field, p->big);
	uint64_t size = nrm2_get64(p->header + field + 8, p->big);

	if (!size || at < NRM2_HEADER_SIZE || s->nregions == NRM2_MAX_REGIONS)
		return;
	for (unsigned i = 0; i < s->nregions; i++)
		if (s->regions[i].at == at)
			return;
	s->regions[s->nregions++] = (struct nrm2_region){.at = at, .size = size, .which = which};
}

static const struct nrm2_region *region_at(const struct nrm2_scan *s, uint64_t at)
{
	for (unsigned i = 0; i < s->nregions; i++)
		if (s->regions[i].at == at)
			return &s->regions[i];
	return NULL;
}

/* Keeps a copy, for writing the file again. */
static int keep_region(struct nrm2_scan *s, const struct nrm2_region *r, uint64_t size)
{
	struct io_import *im = s->import;
	struct io_kernel_file *k = &im->kernel[r->which];
	int rc = 0;

	if (k->size || !size) /* two headers contradict each other */
		return 0;
	if (im->kernel_fd < 0)
		im->kernel_fd = temporary_open_unnamed();
	if (im->kernel_fd < 0)
		return CPIDECODE_ESPOOL;
	k->at = im->kernel[!r->which].size;
	while (k->size < size && !rc) {
		const uint8_t *p;
		size_t got, n = size - k->size < NRM2_WINDOW ? size - k->size : NRM2_WINDOW;

		rc = nrm2_peek(s, r->at + k->size, n, &p, &got);
		if (!rc && !got)
			break;
		if (!rc)
			rc = nrm2_write_at(im->kernel_fd, k->at + k->size, p, got);
		k->size += got;
	}
	return rc;
}

static int skip_region(struct nrm2_scan *s, const struct nrm2_region *r, uint64_t *at)
{
	uint64_t left = s->size - r->at;
	bool cut = r->size > left;

	*at = cut ? s->size : r->at + r->size;
	int rc = keep_region(s, r, *at - r->at);
	if (!rc && cut)
		rc = nrm2_damage(s, s->size, 0, "cut off within a copy of a kernel file");
	return rc;
}

/* The first offset from `at` on where a section or a region begins, or the file's end. */
static int find_next(struct nrm2_scan *s, uint64_t *at)
{
	for (; *at < s->size; ++*at) {
		struct nrm2_part part;
		const uint8_t *p, *found;
		const char *why;
		size_t got;
		int rc = nrm2_progress(s, *at);

		if (!rc)
			rc = nrm2_peek(s, *at, NRM2_WINDOW / 2, &p, &got);
		if (rc)
			return rc;
		uint64_t stop = *at + got;
		for (unsigned i = 0; i < s->nregions; i++)
			if (s->regions[i].at >= *at && s->regions[i].at < stop)
				stop = s->regions[i].at;
		found = got ? memchr(p, NRM2_MAGIC[0], (size_t)(stop - *at)) : NULL;
		*at = found ? *at + (uint64_t)(found - p) : stop;
		if (region_at(s, *at) || *at >= s->size)
			return 0;
		if (!found) {
			--*at;
			continue;
		}
		rc = nrm2_section_at(s, *at, &part, &why);
		if (rc)
			return rc < 0 ? rc : 0;
	}
	*at = s->size;
	return 0;
}

/* -------------------------------------------------------------------- a section */

/* Checks size and checksum of one of our own sections. *why: its fault; NULL: none. */
static int check_own(struct nrm2_scan *s, const struct nrm2_part *part, const char **why)
{
	uint64_t n = part->end - part->data;
	const uint8_t *p;
	size_t got;

	*why = "a section is larger than its writer makes them";
	if (n > NRM2_SECTION_ROOM)
		return 0;
	int rc = nrm2_peek(s, part->data, (size_t)n, &p, &got);
	if (rc)
		return rc;
	*why = "cut off within a section";
	if (got < n)
		return 0;
	*why = "a section's checksum does not hold";
	uint64_t sum = get_le64(part->header + NRM2_X_DATA_CHECKSUM);
	if (XXH3_64bits(got ? p : (const uint8_t *)"", got) == sum)
		*why = NULL;
	return 0;
}

static void note_own(struct nrm2_scan *s, const struct nrm2_part *part)
{
	const uint8_t *h = part->header;
	struct nrm2_spool_head *head = &s->head;

	s->own_flags = get_le32(h + NRM2_X_FLAGS);
	head->clock = get_le32(h + NRM2_X_CLOCK);
	head->flags = s->own_flags & NRM2_X_SCRIPTED ? TF_FLAG_SCRIPTED : 0;
	head->ticks_per_second = get_le64(h + NRM2_X_TICKS_PER_SECOND);
	for (int i = 0; i < 3; i++)
		head->sync[i] = get_le64(h + NRM2_X_SYNC + 8 * i);
	memcpy(head->trace_id, h + NRM2_X_TRACE_ID, sizeof head->trace_id);
}

static int note_loss(struct nrm2_scan *s, const struct nrm2_part *part)
{
	uint64_t counts[7];

	if (!(get_le32(part->header + NRM2_X_FLAGS) & NRM2_X_HAS_LOSS))
		return 0;
	for (int i = 0; i < 7; i++)
		counts[i] = get_le64(part->header + NRM2_X_LOSS + 8 * i);
	return nrm2_spool_loss(&s->spool, part->ring, counts);
}

static void note_first(struct nrm2_scan *s, const struct nrm2_part *part)
{
	s->any = true;
	s->own = part->own;
	s->mode = part->mode;
	s->big = part->big;
	s->head.cpus = nrm2_get32(part->header + NRM2_H_CPUS, part->big);
	memcpy(s->os, part->header + NRM2_H_OS, 8);
	if (s->own)
		note_own(s, part);
}

static int read_section(struct nrm2_scan *s, struct nrm2_part *part)
{
	const char *why = NULL;
	int rc = part->own ? check_own(s, part, &why) : 0;

	if (!rc && why) {
		if (part->end > s->size)
			part->end = s->size;
		s->gaps++;
		rc = nrm2_damage(s, part->at, part->end - part->at, why);
	}
	if (rc || why)
		return rc;
	if (!s->any)
		note_first(s, part);
	note_region(s, part, NRM2_H_KALLSYMS, 0);
	note_region(s, part, NRM2_H_MODULES, 1);
	s->final_table |= part->type == NRM2_TYPE_FINAL_TABLE;
	s->full |= nrm2_get32(part->header + NRM2_H_FLAG, part->big) & NRM2_FLAG_FULL;
	if (part->own)
		rc = note_loss(s, part);
	return rc ? rc : nrm2_data(s, part);
}

int nrm2_sections(struct nrm2_scan *s)
{
	uint64_t at = 0;

	while (at < s->size) {
		struct nrm2_part part;
		const char *why;
		const struct nrm2_region *region = region_at(s, at);
		int rc = nrm2_progress(s, at);

		if (!rc && region) {
			rc = skip_region(s, region, &at);
			if (!rc)
				continue;
		}
		if (!rc)
			rc = nrm2_section_at(s, at, &part, &why);
		if (rc < 0)
			return rc;
		uint64_t from = at;
		if (rc) {
			rc = read_section(s, &part);
			at = part.end < s->size ? part.end : s->size;
		} else {
			at++;
			rc = find_next(s, &at);
			s->gaps++;
			if (!rc)
				rc = nrm2_damage(s, from, at - from, why);
		}
		if (rc)
			return rc;
	}
	return 0;
}
