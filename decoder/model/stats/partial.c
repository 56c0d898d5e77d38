#include "partial.h"

#include <string.h>

#include "../../base/grow.h"

struct partial_source *partial_add_source(struct partial *p, const char *path)
{
	char *copy = strdup(path);

	if (!copy || grow(&p->sources, p->nsources, &p->sources_cap, sizeof *p->sources)) {
		free(copy);
		return NULL;
	}
	struct partial_source *s = &p->sources[p->nsources++];
	*s = (struct partial_source){.path = copy};
	return s;
}

int partial_add_slice(struct partial_source *s, struct tick_range slice)
{
	if (slice.first > slice.last)
		return 0;
	int rc = grow(&s->slices, s->nslices, &s->slices_cap, sizeof *s->slices);
	if (!rc)
		s->slices[s->nslices++] = slice;
	return rc;
}

int partial_add_span(struct partial_source *s, struct partial_span span)
{
	int rc = grow(&s->spans, s->nspans, &s->spans_cap, sizeof *s->spans);

	if (!rc)
		s->spans[s->nspans++] = span;
	return rc;
}

int partial_add_damage(struct partial_source *s, struct partial_damage damage)
{
	int rc = grow(&s->damage, s->ndamage, &s->damage_cap, sizeof *s->damage);

	if (!rc)
		s->damage[s->ndamage++] = damage;
	return rc;
}

int partial_add_finding(struct partial_source *s, const struct clock_finding *finding)
{
	if (s->nfindings == PARTIAL_CLOCK_FINDINGS)
		return 0;
	int rc = grow(&s->findings, s->nfindings, &s->findings_cap, sizeof *s->findings);
	if (!rc)
		s->findings[s->nfindings++] = *finding;
	return rc;
}

static int partial_compare_slices(const void *a, const void *b)
{
	const struct tick_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Merges adjacent slices. */
static void join_slices(struct partial_source *s)
{
	size_t n = 0;

	if (s->nslices)
		qsort(s->slices, s->nslices, sizeof *s->slices, partial_compare_slices);
	for (size_t i = 0; i < s->nslices; i++) {
		const struct tick_range *slice = &s->slices[i];
		struct tick_range *last = n ? &s->slices[n - 1] : NULL;

		if (last && (last->last == UINT64_MAX || slice->first <= last->last + 1)) {
			if (slice->last > last->last)
				last->last = slice->last;
		} else {
			s->slices[n++] = *slice;
		}
	}
	s->nslices = n;
}

static int partial_compare_damage(const void *a, const void *b)
{
	const struct partial_damage *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* Sorts the largest damage seen of a section first; that one stays. */
	return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

/* Both slices read a section on their common edge. */
static void join_damage(struct partial_source *s)
{
	size_t n = 0;

	if (s->ndamage)
		qsort(s->damage, s->ndamage, sizeof *s->damage, partial_compare_damage);
	for (size_t i = 0; i < s->ndamage; i++)
		if (!n || s->damage[n - 1].offset != s->damage[i].offset)
			s->damage[n++] = s->damage[i];
	s->ndamage = n < PARTIAL_DAMAGE ? n : PARTIAL_DAMAGE;
}

int partial_compare_sources(const struct partial_source *x, const struct partial_source *y)
{
	int order = memcmp(x->trace_id, y->trace_id, sizeof x->trace_id);

	if (order)
		return order;
	return x->fingerprint < y->fingerprint ? -1 : x->fingerprint > y->fingerprint;
}

static int by_identity(const void *a, const void *b)
{
	return partial_compare_sources(a, b);
}

void partial_sort(struct partial *p)
{
	for (size_t i = 0; i < p->nsources; i++) {
		join_slices(&p->sources[i]);
		join_damage(&p->sources[i]);
	}
	if (p->nsources)
		qsort(p->sources, p->nsources, sizeof *p->sources, by_identity);
}

static struct partial_source *find_source(struct partial *p, const struct partial_source *s)
{
	for (size_t i = 0; i < p->nsources; i++)
		if (!partial_compare_sources(&p->sources[i], s))
			return &p->sources[i];
	return NULL;
}

static bool overlap(const struct partial_source *a, const struct partial_source *b)
{
	for (size_t i = 0; i < a->nslices; i++)
		for (size_t j = 0; j < b->nslices; j++)
			if (a->slices[i].first <= b->slices[j].last &&
				b->slices[j].first <= a->slices[i].last)
				return true;
	return false;
}

static bool partial_has_same_rings(const struct partial_source *a, const struct partial_source *b)
{
	if (a->has_rings && b->has_rings)
		return memcmp(a->rings, b->rings, sizeof a->rings) == 0;
	return memcmp(a->trace_id, b->trace_id, sizeof a->trace_id) == 0;
}

/* Whether two files have hooks in common. */
static bool partial_shares_hooks(const struct partial_source *a, const struct partial_source *b)
{
	if (!partial_has_same_rings(a, b))
		return false;
	for (size_t i = 0, j = 0; i < a->nspans && j < b->nspans;) {
		const struct partial_span *x = &a->spans[i], *y = &b->spans[j];

		if (x->ring == y->ring && x->from < y->to && y->from < x->to)
			return true;
		i += x->ring <= y->ring;
		j += y->ring <= x->ring;
	}
	return false;
}

/* Files read together count each hook once: only one range of ticks has it. */
static int clash_of(const struct partial *p, const struct partial_source *s, size_t *before)
{
	for (size_t i = 0; i < p->nsources; i++) {
		const struct partial_source *other = &p->sources[i];

		*before = i;
		if (!overlap(other, s))
			continue;
		if (!partial_compare_sources(other, s))
			return PARTIAL_TWICE;
		if (partial_shares_hooks(other, s))
			return PARTIAL_SHARED;
	}
	return 0;
}

static int copy_identity(struct partial_source *s, const struct partial_source *from)
{
	int rc = 0;

	memcpy(s->trace_id, from->trace_id, sizeof s->trace_id);
	s->fingerprint = from->fingerprint;
	s->has_rings = from->has_rings;
	memcpy(s->rings, from->rings, sizeof s->rings);
	s->rotation = from->rotation;
	for (size_t i = 0; i < from->nspans && !rc; i++)
		rc = partial_add_span(s, from->spans[i]);
	return rc;
}

static int merge_source(struct partial *p, const struct partial_source *from)
{
	struct partial_source *s = find_source(p, from);
	bool known = s;

	if (!known)
		s = partial_add_source(p, from->path);
	if (!s)
		return CPIDECODE_ENOMEM;
	if (!known) {
		if (copy_identity(s, from))
			return CPIDECODE_ENOMEM;
	} else if (strcmp(from->path, s->path) < 0) {
		/* A file may have different names on two machines; the choice must not depend on
		 * the order. */
		char *copy = strdup(from->path);

		if (!copy)
			return CPIDECODE_ENOMEM;
		free(s->path);
		s->path = copy;
	}
	s->scripted |= from->scripted;
	for (unsigned i = 0; i < PARTIAL_TOLD; i++)
		if (from->counts[i] > s->counts[i])
			s->counts[i] = from->counts[i];
	for (unsigned i = PARTIAL_TOLD; i < PARTIAL_COUNTS; i++)
		s->counts[i] += from->counts[i];
	int rc = 0;
	for (size_t i = 0; i < from->nslices && !rc; i++)
		rc = partial_add_slice(s, from->slices[i]);
	for (size_t i = 0; i < from->ndamage && !rc; i++)
		rc = partial_add_damage(s, from->damage[i]);
	/* Every slice holds all of them. */
	for (size_t i = s->nfindings; i < from->nfindings && !rc; i++)
		rc = partial_add_finding(s, &from->findings[i]);
	return rc;
}

int partial_merge(struct partial *p, const struct partial *from, struct partial_clash *clash)
{
	if (!p->filter) {
		p->filter = strdup(from->filter);
		if (!p->filter)
			return CPIDECODE_ENOMEM;
	} else if (strcmp(p->filter, from->filter)) {
		return PARTIAL_OTHER_FILTER;
	}
	int rc = 0;
	for (size_t i = 0; i < from->nsources && !rc; i++) {
		clash->came = i;
		rc = clash_of(p, &from->sources[i], &clash->before);
	}
	if (rc)
		return rc;
	for (size_t i = 0; i < from->nsources && !rc; i++)
		rc = merge_source(p, &from->sources[i]);
	partial_sort(p);
	if (!rc)
		rc = tally_merge(&p->tally, &from->tally);
	return rc ? rc : tally_settle(&p->tally);
}

bool partial_whole(const struct partial_source *s)
{
	return s->nslices == 1 && !s->slices[0].first && s->slices[0].last == UINT64_MAX;
}

void partial_free(struct partial *p)
{
	for (size_t i = 0; i < p->nsources; i++) {
		free(p->sources[i].path);
		free(p->sources[i].spans);
		free(p->sources[i].slices);
		free(p->sources[i].damage);
		free(p->sources[i].findings);
	}
	free(p->sources);
	free(p->filter);
	tally_free(&p->tally);
	*p = (struct partial){0};
}
