#include "pass_plan.h"

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"
#include "../../base/heap.h"
#include "section_starts.h"

enum {
	/*
	 * The least bytes of sections in a slice, and sections of each ring: sections on a
	 * border are read for both slices.
	 */
	SLICE_BYTES = 1 << 20,
	SLICE_SECTIONS = 4,
	/* The cost of a section, in bytes, even if it is nearly empty. */
	SECTION_COST = 256,
};

/* The remaining sections of one ring in the range. */
struct stream {
	uint64_t key; /* of the next section's start */
	const struct file *file;
	size_t ring, next, end;
};

struct streams {
	struct stream *heap;
	size_t count;
};

/* Times as unsigned keys in the same order. */
static uint64_t key_of_time(int64_t ns)
{
	return (uint64_t)ns ^ UINT64_C(1) << 63;
}

static int64_t time_of_key(uint64_t key)
{
	return (int64_t)(key ^ UINT64_C(1) << 63);
}

static void set_key(const struct pass_plan *plan, struct stream *s)
{
	uint64_t lo = file_section(s->file, s->ring, s->next)->lo;

	s->key = plan->by_time ? key_of_time(clock_time(&s->file->clock, lo)) : lo;
}

static size_t count_rings(const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nfiles; i++)
		n += t->files[i]->pub.nrings;
	return n;
}

static int find_streams(struct streams *all, const struct pass *p)
{
	const struct trace *t = p->trace;
	size_t n = count_rings(t);

	all->heap = calloc(n ? n : 1, sizeof *all->heap);
	if (!all->heap)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < t->nfiles; i++) {
		const struct file *f = t->files[i];
		struct tick_range r = ticks_between(&f->clock, p->from_ns, p->to_ns);
		struct ring_part part = {.keys = ALL_TICKS};

		if (p->slices)
			part.keys = p->slices[f->pub.machine];
		for (size_t j = 0; j < f->pub.nrings && r.first <= r.last; j++) {
			struct stream s = {.file = f, .ring = j};

			file_sections_in(f, j, r.first, r.last, &part.begin, &part.end);
			ring_part_narrow(f, j, &part);
			s.next = part.begin;
			s.end = part.end;
			if (s.next < s.end)
				all->heap[all->count++] = s;
		}
	}
	return 0;
}

static bool stream_before(const void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return ((const struct stream *)a)->key < ((const struct stream *)b)->key;
}

static void streams_sift_down(struct streams *all, size_t i)
{
	struct stream s = all->heap[i];

	heap_sift_down(all->heap, all->count, i, &s, sizeof s, stream_before, NULL);
}

/* Sums the sections of all streams, and derives the size of slices. */
static uint64_t pass_plan_weigh_streams(
	struct pass_plan *plan, const struct streams *all, bool ordered)
{
	uint64_t typical = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct stream *s = &all->heap[i];
		uint64_t raw = 0, largest = 0;

		for (size_t j = s->next; j < s->end; j++) {
			const struct section_ref *ref = file_section(s->file, s->ring, j);

			plan->stored += ref->stored;
			raw += ref->raw;
			largest = ref->raw > largest ? ref->raw : largest;
		}
		typical += raw / (s->end - s->next);
		if (ordered)
			plan->held += largest;
		else if (largest > plan->held)
			plan->held = largest;
	}
	return SLICE_SECTIONS * typical > SLICE_BYTES ? SLICE_SECTIONS * typical : SLICE_BYTES;
}

static bool can_cut(const struct trace *t)
{
	if (trace_one_machine(t))
		return true;
	for (size_t i = 0; i < t->nfiles; i++)
		if (!clock_is_monotone(&t->files[i]->clock))
			return false;
	return true;
}

static int add_cut(struct pass_plan *plan, uint64_t key)
{
	int rc = array_grow(&plan->cuts, plan->ncuts, &plan->cuts_cap, sizeof *plan->cuts);

	if (!rc)
		plan->cuts[plan->ncuts++] = key;
	return rc;
}

/* Cuts at the starts of sections, in order of time, after enough bytes. */
static int cut_by_time(struct pass_plan *plan, struct streams *all, uint64_t enough)
{
	uint64_t bytes = 0, before = 0;

	for (size_t i = 0; i < all->count; i++)
		set_key(plan, &all->heap[i]);
	for (size_t i = all->count / 2; i-- > 0;)
		streams_sift_down(all, i);
	for (bool any = false; all->count; any = true) {
		struct stream *s = &all->heap[0];

		if (!any)
			before = s->key;
		if (bytes >= enough && s->key > before) {
			int rc = add_cut(plan, s->key);

			if (rc)
				return rc;
			before = s->key;
			bytes = 0;
		}
		bytes += file_section(s->file, s->ring, s->next)->raw + SECTION_COST;
		if (++s->next < s->end)
			set_key(plan, s);
		else
			*s = all->heap[--all->count];
		if (all->count)
			streams_sift_down(all, 0);
	}
	plan->slices = plan->ncuts + 1;
	return 0;
}

static int add_batch(struct pass_plan *plan, const struct stream *s, size_t begin, size_t end)
{
	int rc =
		array_grow(&plan->batches, plan->slices, &plan->batches_cap, sizeof *plan->batches);

	if (!rc)
		plan->batches[plan->slices++] = (struct pass_batch){.file = s->file->pub.index,
			.ring = (uint32_t)s->ring,
			.begin = begin,
			.end = end};
	return rc;
}

static bool is_left_out(const struct pass *p, const struct stream *s, size_t section)
{
	return p->known &&
	       section_starts_after(p->known, s->file->pub.index, s->ring, section, p->known_to_ns);
}

/*
 * Cuts between sections of a ring without a common tick: a group has one stamp. Leaves out those
 * between two cuts if all of them may be.
 */
static int cut_ring(
	struct pass_plan *plan, const struct pass *p, const struct stream *s, uint64_t enough)
{
	uint64_t bytes = 0, stored = 0, end = 0;
	size_t begin = s->next;
	bool all_out = true;

	for (size_t i = s->next; i < s->end; i++) {
		const struct section_ref *ref = file_section(s->file, s->ring, i);
		const bool out = is_left_out(p, s, i);

		if (i > begin && ref->lo > end && (bytes >= enough || out != all_out)) {
			int rc = all_out ? 0 : add_batch(plan, s, begin, i);

			if (rc)
				return rc;
			plan->stored -= all_out ? stored : 0;
			begin = i;
			bytes = stored = 0;
			all_out = true;
		}
		all_out &= out;
		stored += ref->stored;
		bytes += ref->raw + SECTION_COST;
		end = ref->hi;
	}
	plan->stored -= all_out ? stored : 0;
	return all_out ? 0 : add_batch(plan, s, begin, s->end);
}

/* In file order, for sequential disk reads. */
static int pass_plan_compare_offsets(const void *a, const void *b, void *ctx)
{
	const struct trace *t = ctx;
	const struct pass_batch *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	uint64_t p = file_section(t->files[x->file], x->ring, x->begin)->offset;
	uint64_t q = file_section(t->files[y->file], y->ring, y->begin)->offset;
	return compare_u64(p, q);
}

static int pass_plan_compare_starts(const void *a, const void *b, void *ctx)
{
	const struct trace *t = ctx;
	const struct pass_batch *x = a, *y = b;
	uint64_t p = file_section(t->files[x->file], x->ring, x->begin)->lo;
	uint64_t q = file_section(t->files[y->file], y->ring, y->begin)->lo;

	int c = compare_u64(p, q);

	return c ? c : pass_plan_compare_offsets(a, b, ctx);
}

/* Ranges of stamps do not step back along a ring. */
static uint64_t pass_plan_batch_end(const struct trace *t, const struct pass_batch *b)
{
	return file_section(t->files[b->file], b->ring, b->end - 1)->hi;
}

static int pass_plan_compare_ends(const void *a, const void *b, void *ctx)
{
	const struct trace *t = ctx;
	int c = compare_u64(pass_plan_batch_end(t, b), pass_plan_batch_end(t, a));

	return c ? c : pass_plan_compare_offsets(a, b, ctx);
}

static int cut_by_ring(struct pass_plan *plan, const struct streams *all, const struct pass *p)
{
	uint64_t enough = p->slice_bytes ? p->slice_bytes : SLICE_BYTES;
	int rc = 0;

	for (size_t i = 0; i < all->count && !rc; i++)
		rc = cut_ring(plan, p, &all->heap[i], enough);
	if (!rc && plan->slices)
		qsort_r(plan->batches, plan->slices, sizeof *plan->batches,
			p->by_start ? pass_plan_compare_starts
			: p->by_end ? pass_plan_compare_ends
				    : pass_plan_compare_offsets,
			(void *)p->trace);
	return rc;
}

int pass_plan_make(struct pass_plan *plan, const struct pass *p)
{
	struct streams all = {0};
	int rc = find_streams(&all, p);

	if (!rc) {
		uint64_t enough = pass_plan_weigh_streams(plan, &all, p->ordered);

		if (p->slice_bytes)
			enough = p->slice_bytes;
		plan->by_time = !trace_one_machine(p->trace);
		plan->slices = p->ordered;
		if (!p->ordered)
			rc = cut_by_ring(plan, &all, p);
		else if (can_cut(p->trace))
			rc = cut_by_time(plan, &all, enough);
	}
	free(all.heap);
	return rc;
}

uint64_t pass_plan_last_tick(const struct pass_plan *plan, const struct trace *t, size_t slice)
{
	return pass_plan_batch_end(t, &plan->batches[slice]);
}

void pass_plan_free(struct pass_plan *plan)
{
	free(plan->cuts);
	free(plan->batches);
	*plan = (struct pass_plan){0};
}

/* The first tick at or after a cut; false if there is none. */
static bool cut_tick(
	const struct pass_plan *plan, const struct file *f, uint64_t cut, uint64_t *tick)
{
	*tick = cut;
	if (!plan->by_time)
		return true;
	int64_t ns = time_of_key(cut);
	*tick = clock_ticks(&f->clock, ns);
	return clock_time(&f->clock, UINT64_MAX) >= ns;
}

static struct tick_range slice_keys(
	const struct pass_plan *plan, const struct file *f, size_t slice)
{
	static const struct tick_range none = {1, 0};
	struct tick_range r = ALL_TICKS;
	uint64_t after;

	if (slice > 0 && !cut_tick(plan, f, plan->cuts[slice - 1], &r.first))
		return none;
	if (slice < plan->ncuts && cut_tick(plan, f, plan->cuts[slice], &after)) {
		if (!after)
			return none;
		r.last = after - 1;
	}
	return r;
}

void pass_plan_start(const struct pass_plan *plan, const struct trace *t, size_t slice,
	struct hook_iter *it, struct tick_range *keys)
{
	if (plan->batches) {
		const struct pass_batch *b = &plan->batches[slice];

		hook_iter_sections(it, b->file, b->ring, b->begin, b->end);
		return;
	}
	for (size_t i = 0; i < t->nfiles; i++)
		keys[i] = slice_keys(plan, t->files[i], slice);
	hook_iter_part(it, keys);
}
