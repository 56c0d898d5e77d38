#include "arrivals.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/grow.h"
#include "trace_private.h"

enum {
	/* The most rings: more are read once all have arrived. */
	ARRIVALS_RINGS = 1024,
	/* The cost of a section, in bytes, even if it is nearly empty. */
	ARRIVALS_SECTION = 256,
};

/* The sections of a ring that have come. */
struct arrived_ring {
	uint64_t end, last; /* position and tick: the next one must begin there or later */
	bool is_cut;	    /* the last one was read; the next begins at a later tick */
	size_t waiting;
	struct hook_counts counts;
};

struct arrivals {
	struct trace_arrivals how;
	bool has_failed; /* everything is to be read again */
	bool is_whole;	 /* nothing is */
	struct trace *trace;
	struct arrived_ring rings[ARRIVALS_RINGS]; /* parallel to the directory's states */
	size_t nrings;
	/* How many of the directory's sections, in order of arrival, were checked, and read.
	 */
	size_t seen, read;
	uint64_t waiting; /* bytes of those between */
	bool is_packed;	  /* one of them */
	/* Arguments of `read`. */
	struct trace part;
	struct file file, *files[1];
	size_t refs_cap, nschemas;
};

/* Nothing is lost with it: the trace is read again. */
static void arrivals_fail(struct arrivals *a)
{
	if (!a->has_failed)
		a->how.free(a->how.ctx);
	a->has_failed = true;
}

static void arrivals_free(struct arrivals *a)
{
	arrivals_fail(a);
	schema_set_free(a->file.set);
	free(a->file.rings);
	free(a->file.dir.rings);
	free(a->file.dir.refs.p);
	free(a->file.dir.loads);
	free(a);
}

/* Whether the section begins where its ring's previous one ended, and has times. */
static bool arrivals_fits(const struct arrived_ring *r, const struct section_ref *s)
{
	return s->has_range && s->position >= r->end && s->position < UINT64_C(1) << 62 &&
	       (r->is_cut ? s->lo > r->last : s->lo >= r->last) && (r->end || !s->lost);
}

/* Whether the file is of rings that overwrite their oldest hooks. */
static bool arrivals_wraps(const struct file *f)
{
	for (size_t i = 0; i < f->pub.nmeta; i++)
		if (strcmp(f->meta[i].key, "mode") == 0)
			return strcmp(f->meta[i].value, "wrap") == 0;
	return false;
}

/* False: they contradict each other, or hooks before them were overwritten. */
static bool arrivals_check(struct arrivals *a, const struct file *f)
{
	const struct directory *d = &f->dir;
	const bool wraps = arrivals_wraps(f);

	for (; a->seen < d->count; a->seen++) {
		const struct section_ref *s = (const struct section_ref *)d->refs.p + a->seen;
		struct arrived_ring *r = &a->rings[s->ring % ARRIVALS_RINGS];

		if (s->ring >= ARRIVALS_RINGS || !arrivals_fits(r, s) ||
			(wraps && !r->end && s->position))
			return false;
		if (s->ring >= a->nrings)
			a->nrings = s->ring + 1u;
		r->end = s->position + s->raw;
		r->last = s->hi;
		r->is_cut = false;
		r->waiting++;
		a->waiting += s->raw + ARRIVALS_SECTION;
		a->is_packed |= s->codec != 0;
	}
	return true;
}

/* The schemas and clock that decode these hooks are final, as far as we can know. */
static bool arrivals_is_clean(const struct arrivals *a, const struct file *f)
{
	const struct io_header *h = &f->pub.header;

	return !h->damaged && h->ticks_per_second && h->ticks_per_second <= CLOCK_MAX_RATE &&
	       !f->pub.damaged_bytes && !f->pub.ndamage && !f->pub.ncontradictions &&
	       !f->dir.nbad && !(a->how.of_one_container && f->containers.count) &&
	       (!a->file.set || a->nschemas == f->nschemas);
}

/* Flags depend on how much was overwritten. */
static bool arrivals_knows_overwritten(const struct directory *d)
{
	for (size_t i = 0; i < d->nstates; i++)
		if (d->states[i].sum.overwritten)
			return true;
	return false;
}

static int arrivals_describe(struct arrivals *a, struct file *f)
{
	const struct trace *t = a->trace;
	int rc = schema_set_new(&a->file.set);

	for (size_t i = 0; i < t->nuser && !rc; i++)
		rc = schema_set_add(a->file.set, t->user[i]);
	for (size_t i = 0; i < f->nschemas && !rc; i++)
		rc = schema_set_add(a->file.set, f->schemas[i]);
	if (rc)
		return rc;
	schema_set_add_builtin(a->file.set, t->builtin);
	a->nschemas = f->nschemas;
	a->file.dir.loads = calloc(1, sizeof *a->file.dir.loads);
	a->file.dir.rings = calloc(ARRIVALS_RINGS, sizeof *a->file.dir.rings);
	a->file.rings = calloc(ARRIVALS_RINGS, sizeof *a->file.rings);
	if (!a->file.dir.loads || !a->file.dir.rings || !a->file.rings)
		return CPIDECODE_ENOMEM;
	a->file.in = f->in;
	a->file.clock = (struct clock){
		.rate = f->pub.header.ticks_per_second, .straight = true, .monotone = true};
	a->file.pub = (struct trace_file){.path = f->path,
		.header = f->pub.header,
		.ticks_per_second = a->file.clock.rate,
		.rings = a->file.rings,
		.clock = &a->file.clock,
		.schemas = a->file.set,
		.labels = &f->labels,
		.task_losses = &a->file.task_losses};
	a->files[0] = &a->file;
	a->part = (struct trace){
		.files = a->files, .nfiles = 1, .builtin = t->builtin, .texts = t->texts};
	return 0;
}

/* The sections that wait become those of the part, by ring. */
static int arrivals_fill(struct arrivals *a, const struct file *f)
{
	const struct section_ref *from = f->dir.refs.p;
	struct directory *d = &a->file.dir;
	size_t first = 0;

	if (!array_reserve(&d->refs.p, &a->refs_cap, a->seen - a->read, sizeof *from))
		return CPIDECODE_ENOMEM;
	struct section_ref *refs = d->refs.p;
	for (size_t i = 0; i < a->nrings; i++) {
		struct arrived_ring *r = &a->rings[i];

		d->rings[i] = (struct ring_sections){.first = first};
		a->file.rings[i].ring = f->dir.states[i].sum.ring;
		first += r->waiting;
		r->is_cut |= r->waiting > 0;
		r->waiting = 0;
	}
	for (size_t i = a->read; i < a->seen; i++) {
		struct ring_sections *ring = &d->rings[from[i].ring];

		refs[ring->first + ring->count++] = from[i];
	}
	a->file.pub.nrings = a->nrings;
	return 0;
}

/* 0, a code, or 1: something is damaged. */
static int arrivals_hand_on(struct arrivals *a, struct file *f, bool parallel)
{
	struct findings found = {0};
	int rc = a->file.set ? 0 : arrivals_describe(a, f);

	if (!rc)
		rc = arrivals_fill(a, f);
	if (!rc)
		rc = a->how.read(a->how.ctx, &a->part, parallel, &found);
	for (size_t i = 0; i < a->nrings && !rc; i++) {
		const struct hook_counts *c = findings_ring(&found, 0, i);

		if (c)
			hook_counts_add(&a->rings[i].counts, c);
	}
	if (!rc && found.ndamage)
		rc = 1;
	findings_free(&found);
	a->read = a->seen;
	a->waiting = 0;
	a->is_packed = false;
	return rc;
}

/* Whether much has arrived behind the sections seen. */
static bool arrivals_is_behind(const struct arrivals *a, const struct file *f)
{
	const struct section_ref *refs = f->dir.refs.p;

	return a->seen && io_size(f->in) - refs[a->seen - 1].offset > a->how.parallel;
}

static void arrivals_read(struct file *f, bool is_last)
{
	struct arrivals *a = f->arrivals;

	if (a->has_failed)
		return;
	bool fits = arrivals_check(a, f);
	const bool parallel = a->is_packed || arrivals_is_behind(a, f);
	const uint64_t enough = is_last ? 1 : parallel ? a->how.parallel : a->how.alone;
	if (fits && a->waiting < enough)
		return;
	if (!fits || !arrivals_is_clean(a, f) || arrivals_knows_overwritten(&f->dir) ||
		arrivals_hand_on(a, f, parallel))
		arrivals_fail(a);
}

static void arrivals_settle(struct file *f)
{
	struct arrivals *a = f->arrivals;
	size_t sections = 0;

	f->arriving = NULL;
	f->arrivals = NULL;
	if (a->has_failed)
		return;
	bool is_whole = a->read && arrivals_is_clean(a, f) && f->clock.rate == a->file.clock.rate;
	for (size_t i = 0; i < f->pub.nrings; i++) {
		sections += f->dir.rings[i].count;
		if (f->dir.rings[i].disordered || f->rings[i].overwritten || f->rings[i].lost_first)
			is_whole = false;
	}
	a->is_whole = is_whole && sections == a->read;
	if (!a->is_whole)
		arrivals_fail(a);
}

static const struct arriving arriving = {
	.read = arrivals_read, .settle = arrivals_settle, .free = arrivals_free};

int trace_set_arrivals(struct trace *t, const struct trace_arrivals *how)
{
	struct arrivals *a = calloc(1, sizeof *a);

	if (!a)
		return CPIDECODE_ENOMEM;
	a->how = *how;
	a->trace = t;
	t->arrivals = a;
	t->arriving = &arriving;
	return 0;
}

/* The ring of the part that has that number. */
static const struct arrived_ring *arrivals_find(const struct arrivals *a, uint32_t number)
{
	for (size_t i = 0; i < a->nrings; i++)
		if (a->file.rings[i].ring == number)
			return &a->rings[i];
	return NULL;
}

void *trace_arrived(const struct trace *t)
{
	return t->arrivals && t->arrivals->is_whole && t->nfiles == 1 ? t->arrivals->how.ctx : NULL;
}

int trace_tell_arrived(const struct trace *t, struct findings *found)
{
	const struct file *f = t->files[0];
	int rc = 0;

	for (size_t i = 0; i < f->pub.nrings && !rc; i++) {
		const struct arrived_ring *r = arrivals_find(t->arrivals, f->rings[i].ring);

		if (r)
			rc = findings_add_ring(found, t, 0, i, &r->counts);
	}
	return rc;
}
