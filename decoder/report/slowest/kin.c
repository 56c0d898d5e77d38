#include "kin.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"
#include "../../model/intervals/keep.h"

/* An interval that may contain later ones. */
struct kin_open {
	uint64_t end, elapsed, children; /* ticks; children: of those directly in it */
	double elapsed_ns;
	uint32_t file;
	struct kin_name name; /* its label is a copy */
	struct kin *kin;      /* NULL: not asked for */
};

static int kin_compare_hooks(const void *x, const void *y)
{
	const struct kin *a = x, *b = y;
	int c = compare_u64_pair(a->file, b->file, a->ring, b->ring);

	return c ? c : compare_u64(a->position, b->position);
}

void kin_sort(struct kin *kins, size_t count)
{
	qsort(kins, count, sizeof *kins, kin_compare_hooks);
}

struct kin *kin_find(
	struct kin *kins, size_t count, uint32_t file, uint32_t ring, uint64_t position)
{
	const struct kin wanted = {.file = file, .ring = ring, .position = position};

	return count ? bsearch(&wanted, kins, count, sizeof *kins, kin_compare_hooks) : NULL;
}

bool kin_is_named(const struct kin_name *a, const struct kin_name *b)
{
	if (a->mm != b->mm || a->major != b->major || !a->label != !b->label)
		return false;
	return !a->label || (a->length == b->length &&
				    (!a->length || memcmp(a->label, b->label, a->length) == 0));
}

/* A name whose label lives as long as the walk. */
static int kin_keep_name(struct kin_walk *w, const struct kin_name *name, struct kin_name *to)
{
	*to = *name;
	if (!name->label)
		return 0;
	to->label = intern_bytes(&w->memory, name->label, name->length);
	return to->label ? 0 : CPIDECODE_ENOMEM;
}

static int kin_add_child(
	struct kin_walk *w, struct kin *k, const struct kin_name *name, double self_ns)
{
	struct kin_child *child = NULL;

	for (size_t i = 0; i < k->nchildren && !child; i++)
		if (kin_is_named(&k->children[i].name, name))
			child = &k->children[i];
	if (!child && k->nchildren == KIN_CHILDREN)
		child = &k->others;
	if (!child) {
		if (array_grow(&k->children, k->nchildren, &k->room, sizeof *k->children))
			return CPIDECODE_ENOMEM;
		child = &k->children[k->nchildren];
		*child = (struct kin_child){0};
		if (kin_keep_name(w, name, &child->name))
			return CPIDECODE_ENOMEM;
		k->nchildren++;
	}
	child->count++;
	child->self_ns += self_ns;
	return 0;
}

/* Pops the innermost interval, after all that is nested in it. */
static void kin_close_interval(struct kin_walk *w, struct thread_stack *t)
{
	struct kin_open *stack = t->at, *own = &stack[--t->count];
	uint64_t self = own->elapsed > own->children ? own->elapsed - own->children : 0;
	double self_ns = trace_duration_ns(trace_file(w->trace, own->file), self);

	if (own->kin)
		own->kin->self_ns = self_ns;
	for (size_t i = 0; i < t->count && !w->rc; i++)
		if (stack[i].kin)
			w->rc = kin_add_child(w, stack[i].kin, &own->name, self_ns);
	free((char *)own->name.label);
}

static void kin_close_thread(void *ctx, struct thread_stack *t)
{
	while (t->count)
		kin_close_interval(ctx, t);
}

static int kin_note_parents(
	struct kin_walk *w, struct kin *k, const struct kin_open *stack, size_t count)
{
	size_t first = count > KIN_PARENTS ? count - KIN_PARENTS : 0;

	if (count == 0)
		return 0;
	k->parents = arena_alloc(&w->memory, (count - first) * sizeof *k->parents);
	if (!k->parents)
		return CPIDECODE_ENOMEM;
	for (size_t i = first; i < count; i++) {
		struct kin_parent *parent = &k->parents[k->nparents++];

		parent->elapsed_ns = stack[i].elapsed_ns;
		if (kin_keep_name(w, &stack[i].name, &parent->name))
			return CPIDECODE_ENOMEM;
	}
	return 0;
}

/* A requested interval among the open ones of its thread. */
static int kin_note_interval(
	struct kin_walk *w, struct kin *k, const struct interval *iv, const struct thread_stack *t)
{
	k->is_found = true;
	k->elapsed_ns = iv->elapsed_ns;
	if (k->is_brief)
		return 0;
	struct interval *copy = arena_alloc(&w->memory, sizeof *copy);
	int rc = copy ? interval_keep(&w->memory, iv, false, copy) : CPIDECODE_ENOMEM;
	k->iv = copy;
	return rc ? rc : kin_note_parents(w, k, t->at, t->count);
}

int kin_add(struct kin_walk *w, const struct interval *iv)
{
	w->threads.drop = kin_close_thread;
	w->threads.ctx = w;
	struct thread_stack *t =
		thread_stacks_find(&w->threads, iv->machine, iv->tid, iv->start_ticks);
	if (!t)
		return CPIDECODE_ENOMEM;
	while (t->count && ((struct kin_open *)t->at)[t->count - 1].end < iv->end_ticks)
		kin_close_interval(w, t);
	if (!t->count)
		t->until = iv->end_ticks;
	struct kin_open own = {.end = iv->end_ticks,
		.elapsed = iv->elapsed,
		.elapsed_ns = iv->elapsed_ns,
		.file = iv->file,
		.name = {.length = iv->label_len, .mm = iv->mm, .major = iv->major},
		.kin = kin_find(w->kins, w->count, iv->file, iv->ring, iv->position)};
	int rc = w->rc;
	if (!rc && own.kin)
		rc = kin_note_interval(w, own.kin, iv, t);
	if (rc || array_grow(&t->at, t->count, &t->cap, sizeof own))
		return CPIDECODE_ENOMEM;
	struct kin_open *stack = t->at;
	if (iv->has_label) {
		char *label = malloc(iv->label_len + 1);

		if (!label)
			return CPIDECODE_ENOMEM;
		if (iv->label_len)
			memcpy(label, iv->label, iv->label_len);
		own.name.label = label;
	}
	if (t->count)
		stack[t->count - 1].children += iv->elapsed;
	stack[t->count++] = own;
	return 0;
}

/* The greatest self time first, then by name. */
static int kin_compare_children(const void *x, const void *y)
{
	const struct kin_child *a = x, *b = y;
	uint32_t least = a->name.length < b->name.length ? a->name.length : b->name.length;
	int c = (a->self_ns < b->self_ns) - (a->self_ns > b->self_ns);

	if (!c && a->name.label && b->name.label && least)
		c = memcmp(a->name.label, b->name.label, least);
	return c ? c : compare_u64_pair(a->name.length, b->name.length, a->name.mm, b->name.mm);
}

int kin_end(struct kin_walk *w)
{
	thread_stacks_free(&w->threads);
	for (size_t i = 0; i < w->count; i++)
		if (w->kins[i].nchildren)
			qsort(w->kins[i].children, w->kins[i].nchildren,
				sizeof *w->kins[i].children, kin_compare_children);
	return w->rc;
}

void kin_free(struct kin_walk *w)
{
	w->rc = CPIDECODE_ENOMEM; /* adds nothing any more */
	thread_stacks_free(&w->threads);
	for (size_t i = 0; i < w->count; i++)
		free(w->kins[i].children);
	intern_free(&w->memory);
}
