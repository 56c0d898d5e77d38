#include "overwritten.h"

#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../../include/cpidecode.h"

/* The hooks of a ring in one file. */
struct overwritten_held {
	uint32_t machine, ring;
	uint64_t from, to; /* positions */
	uint64_t oldest;   /* ticks */
	bool lacks;	   /* the file says that hooks before it, or in another file, are missing */
};

static int overwritten_compare_held(const void *x, const void *y)
{
	const struct overwritten_held *a = x, *b = y;
	int c = compare_u64_pair(a->machine, b->machine, a->ring, b->ring);

	return c ? c : compare_u64(a->from, b->from);
}

/* A ring without hooks has no time: it does not count. */
static size_t overwritten_list_held(const struct trace *t, struct overwritten_held *held)
{
	size_t n = 0;

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);

		for (size_t k = 0; k < f->nrings; k++) {
			const struct trace_ring *r = &f->rings[k];

			if (r->hooks || r->overwritten)
				held[n++] = (struct overwritten_held){f->machine, r->ring,
					r->position_first, r->position_end, r->hooks ? r->first : 0,
					r->overwritten || r->lost_first};
		}
	}
	if (n)
		qsort(held, n, sizeof *held, overwritten_compare_held);
	return n;
}

/*
 * Several files hold parts of one ring, and which part its overwritten hooks precede is not known:
 * each that does not follow another without a gap counts.
 */
static uint64_t overwritten_find_oldest(const struct overwritten_held *held, size_t n)
{
	uint64_t oldest = 0, to = 0;
	bool lacks = false;

	for (size_t i = 0; i < n; i++) {
		lacks |= held[i].lacks;
		if ((!i || held[i].from > to) && held[i].oldest > oldest)
			oldest = held[i].oldest;
		to = held[i].to > to ? held[i].to : to;
	}
	return lacks ? oldest : 0;
}

static void overwritten_add_ring(
	struct overwritten *o, const struct overwritten_held *held, uint64_t oldest)
{
	uint64_t *all = &o->all[held->machine], *guests = &o->guests[held->machine];

	if (!oldest)
		return;
	o->rings[o->nrings++] = (struct overwritten_ring){held->machine, held->ring, oldest};
	if (oldest > *all)
		*all = oldest;
	if (held->ring & TF_GUEST_RING && oldest > *guests)
		*guests = oldest;
}

static int overwritten_find_rings(
	struct overwritten *o, const struct overwritten_held *held, size_t n, size_t machines)
{
	o->all = calloc(machines, sizeof *o->all);
	o->guests = calloc(machines, sizeof *o->guests);
	o->rings = calloc(n, sizeof *o->rings);
	if (!o->all || !o->guests || !o->rings) {
		overwritten_free(o);
		return CPIDECODE_ENOMEM;
	}
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && held[end].machine == held[i].machine &&
				  held[end].ring == held[i].ring;
			end++)
			;
		overwritten_add_ring(o, &held[i], overwritten_find_oldest(&held[i], end - i));
	}
	if (!o->nrings)
		overwritten_free(o);
	return 0;
}

int overwritten_find(struct overwritten *o, const struct trace *t)
{
	size_t files = trace_nfiles(t), rings = 0;
	bool lacks = false;

	for (size_t i = 0; i < files; i++) {
		const struct trace_file *f = trace_file(t, i);

		rings += f->nrings;
		for (size_t k = 0; k < f->nrings; k++)
			lacks |= f->rings[k].overwritten || f->rings[k].lost_first;
	}
	if (!lacks)
		return 0;
	struct overwritten_held *held = calloc(rings, sizeof *held);
	if (!held)
		return CPIDECODE_ENOMEM;
	/* Machines are numbered by their first files. */
	int rc = overwritten_find_rings(o, held, overwritten_list_held(t, held), files);
	free(held);
	return rc;
}

static int overwritten_compare_rings(const void *x, const void *y)
{
	const struct overwritten_ring *a = x, *b = y;

	return compare_u64_pair(a->machine, b->machine, a->ring, b->ring);
}

bool overwritten_on_ring(
	const struct overwritten *o, uint32_t machine, uint32_t ring, uint64_t start)
{
	const struct overwritten_ring key = {machine, ring, 0}, *found;

	/* A thread that wrote to a guest ring may have used any. */
	if (ring & TF_GUEST_RING || start < o->guests[machine])
		return true;
	found = bsearch(&key, o->rings, o->nrings, sizeof key, overwritten_compare_rings);
	return found && start < found->oldest;
}

void overwritten_free(struct overwritten *o)
{
	free(o->all);
	free(o->guests);
	free(o->rings);
	*o = (struct overwritten){0};
}
