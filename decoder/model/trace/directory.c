/* The HOOKS sections of a file: gathered, checked against each other, sorted. */
#include "directory.h"

#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/record.h"
#include "../../../formats/trace_file.h"
#include "../../base/grow.h"
#include "overlap.h"
#include "../../base/sort.h"
#include "trace_private.h"

enum {
	/* Invalid sections that are examined; further ones are reported as they are. */
	MAX_BAD = 4096,
	/* More hooks lost at one time than any ring loses: such a header is verified. */
	MUCH_LOST = 1 << 20,
	/* How much of a mapped directory becomes resident before it is released. */
	DROP_REFS = 1 << 12,
};

_Static_assert(sizeof(struct trace_ring) <= SORT_MAX_SIZE, "rings are sorted");

static struct section_ref *directory_refs(const struct file *f)
{
	return f->dir.refs.p;
}

static void directory_release_pages(const struct file *f, size_t i)
{
	if (i % DROP_REFS == 0)
		spill_drop(&f->dir.refs);
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
	if (!r->sections++ || s->position < r->position_first) {
		r->position_first = s->position;
		r->lost_first = s->lost;
	}
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

static uint32_t directory_hash_ring(uint32_t ring)
{
	return ring * 0x9e3779b1u >> 17;
}

static struct ring_state *find_ring(const struct directory *d, uint32_t ring)
{
	uint64_t hash = directory_hash_ring(ring);

	for (uint32_t found; (found = hash_index_next(&d->by_ring, &hash));)
		if (d->states[found - 1].sum.ring == ring)
			return &d->states[found - 1];
	return NULL;
}

/* 0, a code, or 1: there are too many. */
static int make_ring(struct directory *d, uint32_t ring, struct ring_state **state)
{
	size_t i;

	*state = find_ring(d, ring);
	if (*state)
		return 0;
	if (d->nstates == MAX_RINGS)
		return 1;
	if (array_grow(&d->states, d->nstates, &d->states_cap, sizeof *d->states) ||
		!hash_index_grow(&d->by_ring, d->nstates + 1, &i))
		return CPIDECODE_ENOMEM;
	*state = &d->states[d->nstates++];
	**state = (struct ring_state){.sum.ring = ring};
	for (; i < d->nstates; i++)
		hash_index_add(
			&d->by_ring, directory_hash_ring(d->states[i].sum.ring), (uint32_t)i);
	return 0;
}

static struct section_ref make_ref(const struct io_section *s, size_t ring)
{
	return (struct section_ref){.offset = s->offset & ((UINT64_C(1) << OFFSET_BITS) - 1),
		.ring = ring & (MAX_RINGS - 1),
		.position = s->position,
		.lo = s->first,
		.hi = s->last,
		.stored = s->stored,
		.raw = s->raw & (IO_MAX_RAW * 2u - 1),
		.codec = s->codec & 3u,
		.has_range = tells_time(s),
		.hooks = s->hooks,
		.torn = s->torn,
		.last = s->last,
		.lost = s->lost};
}

static int directory_damage_section(struct file *f, const struct io_section *s, const char *why)
{
	return file_damage(f, s->offset, io_section_end(s) - s->offset, why);
}

/* The ring's pending section is good: counted, and kept if there is anything in it. */
static int count_pending(struct file *f, struct ring_state *r)
{
	struct directory *d = &f->dir;
	const struct io_section *s = &r->last;

	r->pending = false;
	if (s->offset >> OFFSET_BITS)
		return directory_damage_section(
			f, s, "further into the file than this reader goes");
	f->pub.sections++;
	f->pub.sections_of[TF_TYPE_HOOKS]++;
	f->pub.hooks_by_codec[s->codec <= TF_CODEC_ZLIB ? s->codec : 3]++;
	add_section(f, &r->sum, s);
	if (!s->raw)
		return 0;
	if (r->count && (s->position < r->last_position ||
				(s->position == r->last_position && s->offset < r->last_offset)))
		r->unsorted = true;
	r->last_position = s->position;
	r->last_offset = s->offset;
	r->count++;
	int rc = spill_reserve(&d->refs, (d->count + 1) * sizeof(struct section_ref));
	if (rc)
		return rc;
	directory_release_pages(f, d->count);
	directory_refs(f)[d->count++] = make_ref(s, (size_t)(r - d->states));
	return 0;
}

static int verify_pending(struct file *f, struct ring_state *r)
{
	struct directory *d = &f->dir;
	bool holds;
	int rc = io_check(f->in, &r->last, &holds);

	r->last.checked = holds;
	if (rc || holds)
		return rc;
	r->pending = false;
	if (d->nbad == MAX_BAD)
		return directory_damage_section(
			f, &r->last, "too many wrong sections: not searched further");
	rc = array_grow(&d->bad, d->nbad, &d->bad_cap, sizeof *d->bad);
	if (!rc)
		d->bad[d->nbad++] = r->last;
	return rc;
}

/* Whether two sections, one after the other in a ring, contradict each other. */
static bool sections_contradict(const struct io_section *a, const struct io_section *b)
{
	return b->position < a->position + a->raw || b->first < a->last;
}

/* Impossible or unlikely values of a true header, which would give wrong sums. */
static bool directory_is_doubtful(const struct ring_state *r, const struct io_section *s)
{
	return !r || !r->pending || sections_contradict(&r->last, s) || !tells_time(s) ||
	       s->hooks > s->raw / REC_HEADER_SIZE || s->torn > s->raw / REC_ALIGN ||
	       s->lost > MUCH_LOST;
}

int directory_add(struct file *f, const struct io_section *s)
{
	struct ring_state *r = find_ring(&f->dir, s->ring);

	if (!s->checked && directory_is_doubtful(r, s))
		return IO_DOUBT;
	int rc = make_ring(&f->dir, s->ring, &r);
	if (rc > 0)
		return directory_damage_section(
			f, s, "a section of more rings than this reader follows");
	if (!rc && r->pending && !r->last.checked && sections_contradict(&r->last, s))
		rc = verify_pending(f, r);
	if (!rc && r->pending)
		rc = count_pending(f, r);
	if (rc)
		return rc;
	r->last = *s;
	r->pending = true;
	return 0;
}

static void directory_copy_loss(struct trace_ring *r, const struct trace_ring *l)
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

int directory_add_loss(struct file *f, const struct trace_ring *entry, uint64_t offset)
{
	struct ring_state *r;
	int rc = make_ring(&f->dir, entry->ring, &r);

	if (rc)
		return rc;
	/* Counts accumulate from one LOSS section to the next: of a ring's entries the last is
	 * valid. */
	if (!r->sum.has_loss || offset >= r->loss_at)
		directory_copy_loss(&r->sum, entry);
	r->loss_at = offset > r->loss_at ? offset : r->loss_at;
	return 0;
}

int directory_add_causes(struct file *f, const struct trace_ring *entry, uint64_t offset)
{
	struct ring_state *r;
	int rc = make_ring(&f->dir, entry->ring, &r);

	if (rc)
		return rc;
	if (r->sum.has_causes && offset < r->causes_at)
		return 0;
	r->sum.has_causes = true;
	r->sum.no_slot = entry->no_slot;
	r->sum.no_memory = entry->no_memory;
	r->sum.unattached = entry->unattached;
	r->sum.unwritten = entry->unwritten;
	r->causes_at = offset;
	return 0;
}

int directory_settle(struct file *f)
{
	struct directory *d = &f->dir;
	int rc = 0;

	for (size_t i = 0; i < d->nstates && !rc; i++) {
		struct ring_state *r = &d->states[i];

		/* No other follows that could contradict it. */
		if (r->pending && !r->last.checked)
			rc = verify_pending(f, r);
		if (!rc && r->pending)
			rc = count_pending(f, r);
	}
	return rc;
}

static int directory_compare_positions(const void *a, const void *b)
{
	const struct section_ref *x = a, *y = b;

	return compare_u64_pair(x->position, y->position, x->offset, y->offset);
}

static int by_number(const void *a, const void *b)
{
	const struct trace_ring *x = a, *y = b;

	return compare_u64(x->ring, y->ring);
}

/*
 * Where two headers contradict each other the later one's first stamp counts, so that one
 * absurd last stamp spoils nothing but its own section.
 */
static void settle_ranges(struct file *f, struct ring_sections *ring)
{
	struct section_ref *s = directory_refs(f) + ring->first;
	uint64_t cap = UINT64_MAX, before = 0;

	for (size_t i = ring->count; i-- > 0;) {
		uint64_t first = s[i].lo;

		directory_release_pages(f, ring->first + i);
		if (!s[i].has_range) {
			/* If the next one has none either, the end of this one is unknown. */
			ring->disordered |= i + 1 < ring->count && !s[i + 1].has_range;
			s[i].lo = 0;
			s[i].hi = cap;
			continue;
		}
		ring->disordered |= s[i].hi > cap;
		s[i].lo = min_u64(s[i].lo, cap);
		s[i].hi = min_u64(s[i].hi, cap);
		cap = first;
	}
	for (size_t i = 0; i < ring->count; i++) {
		directory_release_pages(f, ring->first + i);
		s[i].lo = max_u64(s[i].lo, before);
		s[i].hi = max_u64(s[i].hi, s[i].lo);
		before = s[i].hi;
	}
}

/* No ring was ever written that far. */
#define LAST_POSITION (UINT64_C(1) << 62)

static int directory_check_claim(void *ctx, const struct claim *c)
{
	const struct file *f = ctx;

	return file_check_section(f, directory_refs(f)[c->section].offset);
}

static bool claims_meet(const struct section_ref *s, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (s[i].position < s[i - 1].position + s[i - 1].raw)
			return true;
	return false;
}

static int apply_claim(struct file *f, struct trace_ring *r, const struct claim *c)
{
	struct section_ref *s = &directory_refs(f)[c->section];

	if (c->refuted)
		return file_contradiction(f, s->offset,
			"it claims positions of its ring where others have other hooks");
	s->skip = c->skip;
	if (c->skip < c->raw)
		return 0;
	r->twice += s->hooks;
	r->hooks -= s->hooks;
	r->torn -= s->torn;
	f->pub.hooks -= s->hooks;
	return 0;
}

/* How often stamps go back from one section to the next. */
static size_t count_steps_back(const struct section_ref *s, size_t n)
{
	size_t back = 0;
	uint64_t before = 0;

	for (size_t i = 0; i < n; i++) {
		if (!s[i].has_range)
			continue;
		back += s[i].lo < before;
		before = s[i].hi;
	}
	return back;
}

static int directory_compare_offsets(const void *a, const void *b)
{
	const struct section_ref *x = a, *y = b;

	return compare_u64(x->offset, y->offset);
}

static int tell_displaced(struct file *f, const struct section_ref *s, size_t n)
{
	int rc = 0;

	for (size_t i = 1; i < n && !rc; i++)
		if (s[i].position < s[i - 1].position)
			rc = file_contradiction(f, s[i].offset,
				"its position contradicts that of the ring's section before it");
	return rc;
}

/* Sections come in order of position. Where the file's order fits the stamps, and that of the
 * positions does not, these are wrong. */
static int settle_order(struct file *f, struct ring_sections *ring)
{
	struct section_ref *s = directory_refs(f) + ring->first;
	size_t back = count_steps_back(s, ring->count);

	if (!back)
		return 0;
	sort_in_place(s, ring->count, sizeof *s, directory_compare_offsets);
	if (count_steps_back(s, ring->count) < back)
		return tell_displaced(f, s, ring->count);
	sort_in_place(s, ring->count, sizeof *s, directory_compare_positions);
	return 0;
}

/* A section that the file has twice, or a part of one, is read once. */
static int settle_claims(struct file *f, struct ring_sections *ring, struct trace_ring *r)
{
	struct section_ref *s = directory_refs(f) + ring->first;
	size_t kept = 0;

	if (!claims_meet(s, ring->count))
		return 0;
	struct claim *claims = calloc(ring->count, sizeof *claims);
	int rc = claims ? 0 : CPIDECODE_ENOMEM;
	for (size_t i = 0; i < ring->count && !rc; i++)
		claims[i] = (struct claim){.position = min_u64(s[i].position, LAST_POSITION),
			.first = s[i].lo,
			.last = s[i].hi,
			.raw = s[i].raw,
			.torn = s[i].torn,
			.has_range = s[i].has_range,
			.section = ring->first + i};
	if (!rc)
		rc = overlap_settle(claims, ring->count, directory_check_claim, f);
	for (size_t i = 0; i < ring->count && !rc; i++)
		rc = apply_claim(f, r, &claims[i]);
	for (size_t i = 0; i < ring->count && !rc; i++)
		if (s[i].skip < s[i].raw)
			s[kept++] = s[i];
	ring->count = rc ? ring->count : kept;
	free(claims);
	return rc;
}

/*
 * Where headers claim the same bytes of a ring, the later section's records come after the earlier
 * one's, so that positions stay unique, which makes the order total.
 */
static void settle_positions(struct file *f, struct ring_sections *ring)
{
	struct section_ref *s = directory_refs(f) + ring->first;
	uint64_t next = 0;

	for (size_t i = 0; i < ring->count; i++) {
		directory_release_pages(f, ring->first + i);
		s[i].position = max_u64(min_u64(s[i].position, LAST_POSITION), next);
		next = s[i].position + s[i].raw;
	}
}

/* f->rings by number, and in their order runs of the directory for the sections. */
static int directory_index_rings(struct file *f)
{
	struct directory *d = &f->dir;
	size_t n = d->nstates, first = 0;

	f->rings = calloc(n, sizeof *f->rings);
	d->rings = calloc(n, sizeof *d->rings);
	d->loads = calloc(1, sizeof *d->loads);
	if (!f->rings || !d->rings || !d->loads)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < n; i++)
		f->rings[i] = d->states[i].sum;
	sort_in_place(f->rings, n, sizeof *f->rings, by_number);
	f->pub.nrings = n;
	for (size_t i = 0; i < n; i++) {
		d->rings[i].first = first;
		first += find_ring(d, f->rings[i].ring)->count;
	}
	return 0;
}

/* From the order in which they came to runs of one ring. */
static int directory_distribute_refs(struct file *f)
{
	struct directory *d = &f->dir;
	struct spill sorted = {0};
	size_t *rank = calloc(d->nstates, sizeof *rank);
	int rc = rank ? spill_reserve(&sorted, d->count * sizeof(struct section_ref))
		      : CPIDECODE_ENOMEM;

	for (size_t i = 0; i < d->nstates && !rc; i++) {
		rank[find_ring(d, f->rings[i].ring) - d->states] = i;
	}
	for (size_t i = 0; i < d->count && !rc; i++) {
		struct section_ref s = directory_refs(f)[i];
		size_t ring = rank[s.ring];

		s.ring = ring & (MAX_RINGS - 1);
		((struct section_ref *)sorted.p)[d->rings[ring].first + d->rings[ring].count++] = s;
		if (i % DROP_REFS == 0) {
			spill_drop(&d->refs);
			spill_drop(&sorted);
		}
	}
	free(rank);
	spill_free(rc ? &sorted : &d->refs);
	if (!rc)
		d->refs = sorted;
	return rc;
}

int directory_finish(struct file *f)
{
	struct directory *d = &f->dir;

	if (!d->nstates)
		return 0;
	int rc = directory_index_rings(f);
	if (!rc)
		rc = directory_distribute_refs(f);
	for (size_t i = 0; i < f->pub.nrings && !rc; i++) {
		struct ring_sections *ring = &d->rings[i];

		if (!ring->count) /* it is known by its losses alone */
			continue;
		bool unsorted = find_ring(d, f->rings[i].ring)->unsorted;
		if (unsorted)
			sort_in_place(directory_refs(f) + ring->first, ring->count,
				sizeof(struct section_ref), directory_compare_positions);
		rc = settle_claims(f, ring, &f->rings[i]);
		if (!rc && unsorted)
			rc = settle_order(f, ring);
		settle_ranges(f, ring);
		settle_positions(f, ring);
	}
	free(d->states);
	hash_index_free(&d->by_ring);
	free(d->bad);
	d->states = NULL;
	d->bad = NULL;
	spill_drop(&d->refs);
	return rc;
}

void directory_free(struct directory *d)
{
	spill_free(&d->refs);
	free(d->rings);
	free(d->states);
	hash_index_free(&d->by_ring);
	free(d->bad);
	free(d->loads);
}
