/* The rings of a file: their sections in order of position, and what is said of them. */
#include <stdlib.h>

#include "../../formats/trace_file.h"
#include "grow.h"
#include "trace_private.h"

static int by_position(const void *a, const void *b)
{
	const struct io_section *x = a, *y = b;
	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_ring(const void *a, const void *b)
{
	const struct trace_ring *x = a, *y = b;
	return x->ring < y->ring ? -1 : x->ring > y->ring;
}

static int by_offset(const void *a, const void *b)
{
	const struct io_damage *x = a, *y = b;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Stamps that a header gives for hooks that it says are there. */
static bool tells_time(const struct io_section *s)
{
	return s->hooks && s->first <= s->last;
}

static void add_section(struct file *f, struct trace_ring *r, const struct io_section *s)
{
	r->stored += s->stored;
	r->raw += s->raw;
	r->torn += s->torn;
	r->lost += s->lost;
	if (!r->sections++)
		r->position_first = s->position;
	if (s->position + s->raw > r->position_end)
		r->position_end = s->position + s->raw;
	if (tells_time(s)) {
		if (!r->hooks || s->first < r->first)
			r->first = s->first;
		if (!r->hooks || s->last > r->last)
			r->last = s->last;
		if (!f->pub.has_hooks || s->first < f->pub.first)
			f->pub.first = s->first;
		if (!f->pub.has_hooks || s->last > f->pub.last)
			f->pub.last = s->last;
		f->pub.has_hooks = true;
	}
	r->hooks += s->hooks;
	f->pub.hooks += s->hooks;
}

static int too_many_rings(struct file *f, size_t from)
{
	uint64_t bytes = 0, offset = UINT64_MAX;
	for (size_t i = from; i < f->nsections; i++) {
		bytes += TF_SECTION_SIZE + (uint64_t)f->sections[i].stored;
		if (f->sections[i].offset < offset)
			offset = f->sections[i].offset;
	}
	f->nsections = from;
	return file_damage(f, offset, bytes, "sections of more rings than this reader follows");
}

static int rings_of_sections(struct file *f, size_t *cap)
{
	if (f->nsections)
		qsort(f->sections, f->nsections, sizeof *f->sections, by_position);
	for (size_t i = 0; i < f->nsections; i++) {
		const struct io_section *s = &f->sections[i];
		if (!i || s->ring != s[-1].ring) {
			if (f->pub.nrings == MAX_RINGS)
				return too_many_rings(f, i);
			int rc = grow(&f->rings, f->pub.nrings, cap, sizeof *f->rings);
			if (rc)
				return rc;
			f->rings[f->pub.nrings++] = (struct trace_ring){.ring = s->ring};
		}
		add_section(f, &f->rings[f->pub.nrings - 1], s);
	}
	return 0;
}

static int by_ring_last_first(const void *a, const void *b)
{
	const struct trace_ring *x = a, *y = b;
	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	return x->first > y->first ? -1 : x->first < y->first;
}

static void take_loss(struct trace_ring *r, const struct trace_ring *l)
{
	r->has_loss = true;
	r->loss_full = l->loss_full;
	r->loss_big = l->loss_big;
	r->loss_held = l->loss_held;
	r->loss_no_guest = l->loss_no_guest;
	r->overwritten = l->overwritten;
	r->loss_torn = l->loss_torn;
	r->skipped = l->skipped;
}

/* Counts go on from one LOSS section to the next: of a ring's entries the last holds. */
static int rings_of_losses(struct file *f, size_t *cap)
{
	size_t known = f->pub.nrings;
	for (size_t i = 0; i < f->nlosses; i++)
		f->losses[i].first = i;
	if (f->nlosses)
		qsort(f->losses, f->nlosses, sizeof *f->losses, by_ring_last_first);
	for (size_t i = 0; i < f->nlosses; i++) {
		const struct trace_ring *l = &f->losses[i];
		struct trace_ring *r = NULL;
		if (i && l->ring == l[-1].ring)
			continue;
		if (known)
			r = bsearch(l, f->rings, known, sizeof *f->rings, by_ring);
		if (!r) {
			int rc = grow(&f->rings, f->pub.nrings, cap, sizeof *f->rings);
			if (rc)
				return rc;
			r = &f->rings[f->pub.nrings++];
			*r = (struct trace_ring){.ring = l->ring};
		}
		take_loss(r, l);
	}
	if (f->pub.nrings > known)
		qsort(f->rings, f->pub.nrings, sizeof *f->rings, by_ring);
	return 0;
}

static struct section_ref make_ref(const struct io_section *s)
{
	return (struct section_ref){.offset = s->offset,
		.position = s->position,
		.lo = s->first,
		.hi = s->last,
		.stored = s->stored,
		.raw = s->raw & (IO_MAX_RAW * 2u - 1),
		.codec = s->codec & 3u,
		.told = tells_time(s),
		.hooks = s->hooks,
		.torn = s->torn};
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Where two headers contradict each other the later one's first stamp counts, so that one
 * absurd last stamp spoils nothing but its own section.
 */
static void settle_ranges(struct section_ref *s, struct ring_sections *ring)
{
	uint64_t cap = UINT64_MAX, before = 0;
	for (size_t i = ring->count; i-- > 0;) {
		uint64_t first = s[i].lo;
		if (!s[i].told) {
			/* Of two in a row nobody knows where the first one ends. */
			ring->disordered |= i + 1 < ring->count && !s[i + 1].told;
			s[i].lo = 0;
			s[i].hi = cap;
			continue;
		}
		ring->disordered |= s[i].hi > cap;
		s[i].lo = least(s[i].lo, cap);
		s[i].hi = least(s[i].hi, cap);
		cap = first;
	}
	for (size_t i = 0; i < ring->count; i++) {
		s[i].lo = most(s[i].lo, before);
		s[i].hi = most(s[i].hi, s[i].lo);
		before = s[i].hi;
	}
}

static int index_sections(struct file *f)
{
	size_t n = 0, at = 0;
	if (!f->pub.nrings)
		return 0;
	f->ring_sections = calloc(f->pub.nrings, sizeof *f->ring_sections);
	f->refs = malloc((f->nsections ? f->nsections : 1) * sizeof *f->refs);
	if (!f->ring_sections || !f->refs)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < f->pub.nrings; i++) {
		struct ring_sections *ring = &f->ring_sections[i];
		ring->first = n;
		for (uint64_t j = 0; j < f->rings[i].sections; j++, at++)
			if (f->sections[at].raw)
				f->refs[n++] = make_ref(&f->sections[at]);
		ring->count = n - ring->first;
		settle_ranges(f->refs + ring->first, ring);
	}
	free(f->sections);
	f->sections = NULL;
	return 0;
}

void file_sections_in(
	const struct file *f, size_t ring, uint64_t from, uint64_t to, size_t *begin, size_t *end)
{
	size_t n = file_nsections(f, ring), lo = 0, hi = n;
	*begin = 0;
	*end = n;
	if (f->ring_sections[ring].disordered)
		return;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (file_section(f, ring, mid)->hi < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	*begin = lo;
	for (hi = n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;
		if (file_section(f, ring, mid)->lo <= to)
			lo = mid + 1;
		else
			hi = mid;
	}
	*end = lo;
}

int file_load_section(const struct file *f, size_t ring, const struct section_ref *s,
	struct io_buffer *raw, struct io_buffer *scratch, const char **why)
{
	struct io_section section = {.offset = s->offset,
		.type = TF_TYPE_HOOKS,
		.codec = (uint8_t)s->codec,
		.stored = s->stored,
		.raw = s->raw,
		.ring = f->rings[ring].ring};
	return io_load(f->in, &section, raw, scratch, why);
}

int file_rings(struct file *f)
{
	size_t cap = 0;
	int rc = rings_of_sections(f, &cap);
	if (!rc)
		rc = rings_of_losses(f, &cap);
	if (!rc)
		rc = index_sections(f);
	if (f->pub.ndamage)
		qsort(f->damage, f->pub.ndamage, sizeof *f->damage, by_offset);
	return rc;
}
