/* The sections of a ring of an open file. */
#include "../../../formats/base/search.h"
#include "../../../formats/trace_file.h"
#include "trace_private.h"

enum {
	/* Sections read before a mapped directory's pages are dropped, which bounds resident
	 * memory. */
	DROP_LOADS = 1 << 10,
};

void file_sections_narrow(
	const struct file *f, size_t ring, uint64_t from, uint64_t to, size_t *begin, size_t *end)
{
	struct search s = {*begin, *end};

	while (s.low < s.high)
		search_narrow(&s, file_section(f, ring, search_middle(&s))->hi < from);
	*begin = s.low;
	for (s.high = *end; s.low < s.high;)
		search_narrow(&s, file_section(f, ring, search_middle(&s))->lo <= to);
	*end = s.low;
}

void file_sections_in(
	const struct file *f, size_t ring, uint64_t from, uint64_t to, size_t *begin, size_t *end)
{
	size_t n = file_nsections(f, ring);

	*begin = 0;
	*end = n;
	if (f->dir.rings[ring].disordered)
		return;
	file_sections_narrow(f, ring, from, to, begin, end);
}

static int count_section(void *ctx, const struct io_section *s)
{
	(void)s;
	++*(uint64_t *)ctx;
	return 0;
}

static int no_damage(void *ctx, const struct io_damage *d)
{
	(void)ctx;
	(void)d;
	return 0;
}

/* Checks whether a wrong header swallowed other sections. */
static int rings_check_inside(const struct file *f, const struct io_section *s, const char **why)
{
	uint64_t inside = 0;
	bool ended;
	struct io_scan_events events = {
		.section = count_section, .damage = no_damage, .ctx = &inside};
	int rc = io_rescue(f->in, s, &events, &ended);

	if (rc)
		return rc;
	if (inside)
		*why = "a section's checksum does not hold; it contains complete sections, which only verifying the file first can recover";
	return 1;
}

int file_load_section(const struct file *f, size_t ring, const struct section_ref *s,
	struct io_buffer *raw, struct io_buffer *scratch, const char **why)
{
	struct io_section section = {.offset = s->offset,
		.type = TF_TYPE_HOOKS,
		.codec = (uint8_t)s->codec,
		.stored = s->stored,
		.raw = s->raw,
		.ring = f->rings[ring].ring,
		.checked = f->verified};

	if (atomic_fetch_add_explicit(f->dir.loads, 1, memory_order_relaxed) % DROP_LOADS == 0)
		spill_drop(&f->dir.refs);
	int rc = io_load(f->in, &section, raw, scratch, why);
	return rc == 1 && !f->verified ? rings_check_inside(f, &section, why) : rc;
}
