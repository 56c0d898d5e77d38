#include "meanwhile.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"

bool meanwhile_start_cpu(const struct interval *iv, uint32_t *cpu)
{
	*cpu = iv->start_cpu < TF_GUEST_RING ? (uint32_t)iv->start_cpu : iv->ring;
	return !(*cpu & TF_GUEST_RING);
}

int meanwhile_begin(struct meanwhile_walk *w)
{
	w->at = calloc(w->overlaps->count + 1, sizeof *w->at);
	return w->at ? 0 : CPIDECODE_ENOMEM;
}

static struct meanwhile_name *meanwhile_find_name(
	struct meanwhile_walk *w, struct meanwhile *m, const struct interval *iv)
{
	struct kin_name name = {.label = iv->has_label ? iv->label : NULL,
		.length = iv->label_len,
		.mm = iv->mm,
		.major = iv->major};

	for (size_t i = 0; i < m->count; i++)
		if (kin_is_named(&m->names[i].name, &name))
			return &m->names[i];
	if (m->count == MEANWHILE_NAMES)
		return &m->others;
	if (array_grow(&m->names, m->count, &m->room, sizeof *m->names))
		return NULL;
	if (name.label) {
		name.label = intern_bytes(&w->memory, name.label, name.length);
		if (!name.label)
			return NULL;
	}
	m->names[m->count] = (struct meanwhile_name){.name = name};
	return &m->names[m->count++];
}

static bool meanwhile_was_on(const struct interval *iv, uint32_t cpu)
{
	uint32_t start;

	return iv->ring == cpu || (meanwhile_start_cpu(iv, &start) && start == cpu);
}

static int meanwhile_add_overlap(struct meanwhile_walk *w, size_t i, const struct interval *iv)
{
	const struct interval *row = w->overlaps->at[i].iv;
	struct meanwhile *m = &w->at[i];
	const uint64_t start =
		iv->start_ticks > row->start_ticks ? iv->start_ticks : row->start_ticks;
	const uint64_t end = iv->end_ticks < row->end_ticks ? iv->end_ticks : row->end_ticks;
	struct meanwhile_name *name = meanwhile_find_name(w, m, iv);
	uint32_t cpu;

	if (!name)
		return CPIDECODE_ENOMEM;
	const double ns = trace_duration_ns(trace_file(w->trace, iv->file), end - start);
	name->count++;
	name->overlap_ns += ns;
	if (meanwhile_start_cpu(row, &cpu) && meanwhile_was_on(iv, cpu))
		name->start_cpu_ns += ns;
	if (!(row->ring & TF_GUEST_RING) && meanwhile_was_on(iv, row->ring))
		name->cpu_ns += ns;
	return 0;
}

int meanwhile_add(struct meanwhile_walk *w, const struct interval *iv)
{
	size_t i = overlaps_count_begun(w->overlaps, iv->machine, iv->end_ticks);
	int rc = 0;

	while (!rc && overlaps_next(w->overlaps, iv->machine, iv->start_ticks, &i))
		if (w->overlaps->at[i].iv->tid != iv->tid)
			rc = meanwhile_add_overlap(w, i, iv);
	return rc;
}

static int meanwhile_compare_names(const void *x, const void *y)
{
	const struct meanwhile_name *a = x, *b = y;
	const uint32_t least = a->name.length < b->name.length ? a->name.length : b->name.length;
	int c = (a->overlap_ns < b->overlap_ns) - (a->overlap_ns > b->overlap_ns);

	if (!c && a->name.label && b->name.label && least)
		c = memcmp(a->name.label, b->name.label, least);
	return c ? c : compare_u64_pair(a->name.length, b->name.length, a->name.mm, b->name.mm);
}

void meanwhile_end(struct meanwhile_walk *w)
{
	for (size_t i = 0; w->at && i < w->overlaps->count; i++)
		if (w->at[i].count)
			qsort(w->at[i].names, w->at[i].count, sizeof *w->at[i].names,
				meanwhile_compare_names);
}

const struct meanwhile *meanwhile_find(const struct meanwhile_walk *w, const struct interval *iv)
{
	const size_t i = overlaps_find(w->overlaps, iv);

	return i < w->overlaps->count ? &w->at[i] : NULL;
}

void meanwhile_free(struct meanwhile_walk *w)
{
	for (size_t i = 0; w->at && i < w->overlaps->count; i++)
		free(w->at[i].names);
	free(w->at);
	intern_free(&w->memory);
}
