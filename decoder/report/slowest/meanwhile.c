#include "meanwhile.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/grow.h"
#include "../../base/sort.h"
#include "../../model/intervals/interval_order.h"

bool meanwhile_start_cpu(const struct interval *iv, uint32_t *cpu)
{
	*cpu = iv->start_cpu < TF_GUEST_RING ? (uint32_t)iv->start_cpu : iv->ring;
	return !(*cpu & TF_GUEST_RING);
}

static int meanwhile_compare(const void *x, const void *y)
{
	const struct interval *a = ((const struct meanwhile *)x)->iv;
	const struct interval *b = ((const struct meanwhile *)y)->iv;
	const struct interval_order at = interval_order_of(a), other = interval_order_of(b);

	return interval_order_compare(&at, &other);
}

int meanwhile_begin(struct meanwhile_walk *w, const struct kin *const *kins, size_t count)
{
	w->at = calloc(count + 1, sizeof *w->at);
	if (!w->at)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < count; i++)
		w->at[w->count++].iv = kins[i]->iv;
	if (count)
		qsort(w->at, count, sizeof *w->at, meanwhile_compare);
	for (size_t i = 0; i < count; i++) {
		const bool is_first = !i || w->at[i - 1].iv->machine != w->at[i].iv->machine;

		w->at[i].latest_end = w->at[i].iv->end_ticks;
		if (!is_first && w->at[i - 1].latest_end > w->at[i].latest_end)
			w->at[i].latest_end = w->at[i - 1].latest_end;
	}
	return 0;
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
	if (grow(&m->names, m->count, &m->room, sizeof *m->names))
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

static int meanwhile_add_overlap(
	struct meanwhile_walk *w, struct meanwhile *m, const struct interval *iv)
{
	const uint64_t start =
		iv->start_ticks > m->iv->start_ticks ? iv->start_ticks : m->iv->start_ticks;
	const uint64_t end = iv->end_ticks < m->iv->end_ticks ? iv->end_ticks : m->iv->end_ticks;
	struct meanwhile_name *name = meanwhile_find_name(w, m, iv);
	uint32_t cpu;

	if (!name)
		return CPIDECODE_ENOMEM;
	const double ns = trace_duration_ns(trace_file(w->trace, iv->file), end - start);
	name->count++;
	name->overlap_ns += ns;
	if (meanwhile_start_cpu(m->iv, &cpu) && meanwhile_was_on(iv, cpu))
		name->start_cpu_ns += ns;
	if (!(m->iv->ring & TF_GUEST_RING) && meanwhile_was_on(iv, m->iv->ring))
		name->cpu_ns += ns;
	return 0;
}

/* The number of those of machines before, or of its machine and begun before its end. */
static size_t meanwhile_count_begun(const struct meanwhile_walk *w, const struct interval *iv)
{
	size_t low = 0, high = w->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct interval *at = w->at[middle].iv;

		if (at->machine < iv->machine ||
			(at->machine == iv->machine && at->start_ticks < iv->end_ticks))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int meanwhile_add(struct meanwhile_walk *w, const struct interval *iv)
{
	int rc = 0;

	for (size_t i = meanwhile_count_begun(w, iv); i && !rc; i--) {
		struct meanwhile *m = &w->at[i - 1];

		if (m->iv->machine != iv->machine || m->latest_end <= iv->start_ticks)
			break;
		if (m->iv->end_ticks > iv->start_ticks && m->iv->tid != iv->tid)
			rc = meanwhile_add_overlap(w, m, iv);
	}
	return rc;
}

static int meanwhile_compare_names(const void *x, const void *y)
{
	const struct meanwhile_name *a = x, *b = y;
	const uint32_t least = a->name.length < b->name.length ? a->name.length : b->name.length;
	int c = (a->overlap_ns < b->overlap_ns) - (a->overlap_ns > b->overlap_ns);

	if (!c && a->name.label && b->name.label && least)
		c = memcmp(a->name.label, b->name.label, least);
	if (!c)
		c = compare_u64(a->name.length, b->name.length);
	return c ? c : compare_u64(a->name.mm, b->name.mm);
}

void meanwhile_end(struct meanwhile_walk *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->at[i].count)
			qsort(w->at[i].names, w->at[i].count, sizeof *w->at[i].names,
				meanwhile_compare_names);
}

const struct meanwhile *meanwhile_find(const struct meanwhile_walk *w, const struct interval *iv)
{
	const struct meanwhile wanted = {.iv = iv};

	return w->count ? bsearch(&wanted, w->at, w->count, sizeof *w->at, meanwhile_compare)
			: NULL;
}

void meanwhile_free(struct meanwhile_walk *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->at[i].names);
	free(w->at);
	intern_free(&w->memory);
}
