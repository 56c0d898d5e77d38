#include "findings.h"

#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"

void hook_counts_add(struct hook_counts *to, const struct hook_counts *c)
{
	to->hooks += c->hooks;
	to->pads += c->pads;
	to->torn += c->torn;
	to->reserved += c->reserved;
	to->malformed += c->malformed;
	to->promised += c->promised;
	to->torn_promised += c->torn_promised;
	to->twice += c->twice;
	to->bad_sections += c->bad_sections;
	to->bad_bytes += c->bad_bytes;
}

static int findings_alloc_rings(struct findings *f, const struct trace *t)
{
	size_t n = trace_nfiles(t);

	if (f->rings)
		return 0;
	f->rings = calloc(n ? n : 1, sizeof *f->rings);
	if (!f->rings)
		return CPIDECODE_ENOMEM;
	f->nfiles = n;
	for (size_t i = 0; i < n; i++) {
		size_t rings = trace_file(t, i)->nrings;

		f->rings[i] = calloc(rings ? rings : 1, sizeof **f->rings);
		if (!f->rings[i])
			return CPIDECODE_ENOMEM;
	}
	return 0;
}

static int findings_compare_damage(const void *a, const void *b)
{
	const struct hook_damage *x = a, *y = b;

	return compare_u64_pair(x->file, y->file, x->offset, y->offset);
}

size_t hook_damage_keep(struct hook_damage *d, size_t n)
{
	if (n)
		qsort(d, n, sizeof *d, findings_compare_damage);
	return n < MAX_KEPT_DAMAGE ? n : MAX_KEPT_DAMAGE;
}

static int add_damage(struct findings *f, const struct hook_damage *d, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int rc = array_grow(&f->damage, f->ndamage, &f->damage_cap, sizeof *f->damage);

		if (rc)
			return rc;
		f->damage[f->ndamage++] = d[i];
	}
	f->ndamage = hook_damage_keep(f->damage, f->ndamage);
	return 0;
}

int findings_add(struct findings *f, const struct trace *t, struct hook_iter *it)
{
	struct hook_counts counts;
	size_t n;
	int rc = findings_alloc_rings(f, t);

	if (rc)
		return rc;
	for (size_t i = 0; i < f->nfiles; i++)
		for (size_t j = 0; hook_iter_ring_counts(it, i, j, &counts); j++)
			hook_counts_add(&f->rings[i][j], &counts);
	hook_iter_counts(it, &counts);
	hook_counts_add(&f->total, &counts);
	const struct hook_damage *damage = hook_iter_damage(it, &n);
	return add_damage(f, damage, n);
}

int findings_add_ring(struct findings *f, const struct trace *t, size_t file, size_t i,
	const struct hook_counts *c)
{
	int rc = findings_alloc_rings(f, t);

	if (rc)
		return rc;
	hook_counts_add(&f->rings[file][i], c);
	hook_counts_add(&f->total, c);
	return 0;
}

const struct hook_counts *findings_ring(const struct findings *f, size_t file, size_t i)
{
	return f && f->rings && file < f->nfiles ? &f->rings[file][i] : NULL;
}

void findings_free(struct findings *f)
{
	for (size_t i = 0; f->rings && i < f->nfiles; i++)
		free(f->rings[i]);
	free(f->rings);
	free(f->damage);
	begins_free(&f->begins);
	*f = (struct findings){0};
}
