#include "partial.h"
#include "arguments.h"
#include "threads.h"

#include <string.h>
#include <xxhash.h>

#include "../../../../formats/base/compare.h"
#include "../../../../formats/base/search.h"
#include "../../../base/grow.h"

struct partial_source *partial_add_source(struct partial *p, const char *path)
{
	char *copy = strdup(path);

	if (!copy || array_grow(&p->sources, p->nsources, &p->sources_cap, sizeof *p->sources)) {
		free(copy);
		return NULL;
	}
	struct partial_source *s = &p->sources[p->nsources++];
	*s = (struct partial_source){.path = copy, .time_error_ns = PARTIAL_NO_ERROR};
	return s;
}

/* The first slice that ends at `first` - 1, to which it is adjacent, or later. */
static size_t find_slice(const struct partial_source *s, uint64_t first)
{
	struct search at = {0, first ? s->nslices : 0};

	while (at.low < at.high)
		search_narrow(&at, s->slices[search_middle(&at)].last < first - 1);
	return at.low;
}

int partial_add_slice(struct partial_source *s, struct tick_range slice)
{
	if (slice.first > slice.last)
		return 0;
	size_t at = find_slice(s, slice.first), after = at;
	for (; after < s->nslices; after++) {
		const struct tick_range *next = &s->slices[after];

		if (slice.last != UINT64_MAX && next->first > slice.last + 1)
			break;
		if (next->first < slice.first)
			slice.first = next->first;
		if (next->last > slice.last)
			slice.last = next->last;
	}
	if (after == at && array_grow(&s->slices, s->nslices, &s->slices_cap, sizeof *s->slices))
		return CPIDECODE_ENOMEM;
	if (s->nslices > after)
		memmove(&s->slices[at + 1], &s->slices[after],
			(s->nslices - after) * sizeof *s->slices);
	s->nslices = s->nslices + 1 - (after - at);
	s->slices[at] = slice;
	return 0;
}

int partial_add_span(struct partial_source *s, struct partial_span span)
{
	int rc = array_grow(&s->spans, s->nspans, &s->spans_cap, sizeof *s->spans);

	if (!rc)
		s->spans[s->nspans++] = span;
	return rc;
}

int partial_add_damage(struct partial_source *s, struct partial_damage damage)
{
	int rc = array_grow(&s->damage, s->ndamage, &s->damage_cap, sizeof *s->damage);

	if (!rc)
		s->damage[s->ndamage++] = damage;
	return rc;
}

int partial_add_finding(struct partial_source *s, const struct clock_finding *finding)
{
	if (s->nfindings == PARTIAL_CLOCK_FINDINGS)
		return 0;
	int rc = array_grow(&s->findings, s->nfindings, &s->findings_cap, sizeof *s->findings);
	if (!rc)
		s->findings[s->nfindings++] = *finding;
	return rc;
}

static int partial_compare_damage(const void *a, const void *b)
{
	const struct partial_damage *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* Sorts the largest damage seen of a section first; that one stays. */
	return compare_u64(y->bytes, x->bytes);
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
	return compare_u64(x->fingerprint, y->fingerprint);
}

static int by_identity(const void *a, const void *b)
{
	return partial_compare_sources(a, b);
}

void partial_sort(struct partial *p)
{
	for (size_t i = 0; i < p->nsources; i++)
		join_damage(&p->sources[i]);
	if (p->nsources)
		qsort(p->sources, p->nsources, sizeof *p->sources, by_identity);
	p->indexed = 0;
}

const char *partial_owner(const struct partial *p, bool *differ)
{
	const char *owner = NULL;

	*differ = false;
	for (size_t i = 0; i < p->nsources; i++) {
		const char *cgroup = p->sources[i].cgroup;

		*differ |= owner && cgroup && strcmp(owner, cgroup) != 0;
		owner = owner ? owner : cgroup;
	}
	return owner;
}

/* See trace_has_several_containers. */
bool partial_shows_containers(const struct partial *p, const char **hidden)
{
	bool differ, several;
	const char *owner = partial_owner(p, &differ);

	*hidden = differ ? NULL : owner;
	several = differ;
	for (size_t i = 0; i < p->nthreads; i++)
		several |= p->threads[i].has_several;
	return several;
}

int partial_settle(struct partial *p)
{
	partial_sort(p);
	int rc = partial_threads_settle(p);
	if (!rc)
		rc = tally_settle(&p->tally);
	if (rc || !partial_has_containers(p->answers.kind) ||
		!(p->tally.wanted & TALLY_WANT_CONTAINERS))
		return rc;
	const char *hidden;
	return partial_shows_containers(p, &hidden) ? tally_show_containers(&p->tally, hidden) : 0;
}

static uint64_t partial_hash_id(const uint8_t id[16])
{
	return XXH3_64bits(id, 16);
}

/* Finding and comparing all sources for each of 10,000 files would be slower than reading them. */
static int index_sources(struct partial *p)
{
	if (!p->indexed || 2 * p->nsources > p->by_trace.slots) {
		if (!hash_index_reset(&p->by_trace, 2 * p->nsources) ||
			!hash_index_reset(&p->by_rings, 2 * p->nsources))
			return CPIDECODE_ENOMEM;
		p->indexed = 0;
	}
	for (; p->indexed < p->nsources; p->indexed++) {
		const struct partial_source *s = &p->sources[p->indexed];
		uint32_t i = (uint32_t)p->indexed;

		hash_index_add(&p->by_trace, partial_hash_id(s->trace_id), i);
		if (s->has_rings)
			hash_index_add(&p->by_rings, partial_hash_id(s->rings), i);
	}
	return 0;
}

static struct partial_source *find_source(struct partial *p, const struct partial_source *s)
{
	uint64_t hash = partial_hash_id(s->trace_id);

	for (uint32_t found; (found = hash_index_next(&p->by_trace, &hash));)
		if (!partial_compare_sources(&p->sources[found - 1], s))
			return &p->sources[found - 1];
	return NULL;
}

static bool partial_sources_overlap(const struct partial_source *a, const struct partial_source *b)
{
	for (size_t i = 0, j = 0; i < a->nslices && j < b->nslices;) {
		if (a->slices[i].last < b->slices[j].first)
			i++;
		else if (b->slices[j].last < a->slices[i].first)
			j++;
		else
			return true;
	}
	return false;
}

/* Whether there are slices of the second, and each is in one of the first. */
static bool contains_slices(const struct partial_source *s, const struct partial_source *of)
{
	for (size_t i = 0, j = 0; j < of->nslices; j++) {
		while (i < s->nslices && s->slices[i].last < of->slices[j].last)
			i++;
		if (i == s->nslices || s->slices[i].first > of->slices[j].first)
			return false;
	}
	return of->nslices;
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

/* Whether p has every interval of the sources of `from`. */
static bool partial_contains(struct partial *p, const struct partial *from)
{
	for (size_t i = 0; i < from->nsources; i++) {
		const struct partial_source *known = find_source(p, &from->sources[i]);

		if (!known || !contains_slices(known, &from->sources[i]))
			return false;
	}
	return from->nsources;
}

/* Files read together count each hook once: only one range of ticks has it. */
static int clash_of_two(const struct partial_source *other, const struct partial_source *s)
{
	if (!partial_sources_overlap(other, s))
		return 0;
	if (!partial_compare_sources(other, s))
		return PARTIAL_TWICE;
	return partial_shares_hooks(other, s) ? PARTIAL_SHARED : 0;
}

/* Only files of one trace, or of the same rings, may have hooks in common. */
static int clash_of(const struct partial *p, const struct partial_source *s, size_t *before)
{
	const struct hash_index *const indexes[] = {&p->by_trace, &p->by_rings};
	const uint64_t hashes[] = {partial_hash_id(s->trace_id), partial_hash_id(s->rings)};
	int clash = 0;

	for (unsigned k = 0; k < (s->has_rings ? 2 : 1); k++) {
		uint64_t hash = hashes[k];

		for (uint32_t found; !clash && (found = hash_index_next(indexes[k], &hash));) {
			*before = found - 1;
			clash = clash_of_two(&p->sources[found - 1], s);
		}
	}
	return clash;
}

static int copy_identity(struct partial_source *s, const struct partial_source *from)
{
	int rc = 0;

	memcpy(s->trace_id, from->trace_id, sizeof s->trace_id);
	s->fingerprint = from->fingerprint;
	s->has_rings = from->has_rings;
	memcpy(s->rings, from->rings, sizeof s->rings);
	s->rotation = from->rotation;
	s->has_hooks = from->has_hooks;
	s->first = from->first;
	s->last = from->last;
	s->time_error_ns = from->time_error_ns;
	if (from->host && !(s->host = strdup(from->host)))
		return CPIDECODE_ENOMEM;
	if (from->command && !(s->command = strdup(from->command)))
		return CPIDECODE_ENOMEM;
	if (from->cgroup && !(s->cgroup = strdup(from->cgroup)))
		return CPIDECODE_ENOMEM;
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
	/* A derived one depends on the files read with it. */
	if (from->ticks_per_second > s->ticks_per_second)
		s->ticks_per_second = from->ticks_per_second;
	for (unsigned i = 0; i < PARTIAL_STATED; i++)
		if (from->counts[i] > s->counts[i])
			s->counts[i] = from->counts[i];
	for (unsigned i = PARTIAL_STATED; i < PARTIAL_COUNTS; i++)
		s->counts[i] += from->counts[i];
	int rc = 0;
	for (size_t i = 0; i < from->nslices && !rc; i++)
		rc = partial_add_slice(s, from->slices[i]);
	for (size_t i = 0; i < from->ndamage && !rc; i++)
		rc = partial_add_damage(s, from->damage[i]);
	/* Many slices of a damaged trace do not add up in memory. */
	if (s->ndamage > 4 * PARTIAL_DAMAGE)
		join_damage(s);
	/* Every slice holds all of them. */
	for (size_t i = s->nfindings; i < from->nfindings && !rc; i++)
		rc = partial_add_finding(s, &from->findings[i]);
	return rc;
}

int partial_merge(struct partial *p, const struct partial *from, struct partial_clash *clash)
{
	if (!p->filter) {
		p->filter = strdup(from->filter);
		if (!p->filter || partial_arguments_copy(&p->arguments, &from->arguments) ||
			tally_set_owner(&p->tally, from->tally.owner, from->tally.known_owner))
			return CPIDECODE_ENOMEM;
	} else if (strcmp(p->filter, from->filter) != 0) {
		return PARTIAL_OTHER_FILTER;
	} else if (!partial_arguments_are_same(&p->arguments, &from->arguments) ||
		   p->answers.kind != from->answers.kind) {
		return PARTIAL_OTHER_REPORT;
	} else if (partial_has_other_origin(p, from)) {
		return PARTIAL_OTHER_ORIGIN;
	}
	int rc = index_sources(p);
	if (!rc && partial_contains(p, from))
		return PARTIAL_AGAIN;
	for (size_t i = 0; i < from->nsources && !rc; i++) {
		clash->came = i;
		rc = clash_of(p, &from->sources[i], &clash->before);
	}
	for (size_t i = 0; i < from->nsources && !rc; i++)
		rc = merge_source(p, &from->sources[i]);
	if (!rc)
		rc = partial_threads_merge(p, from);
	if (!rc)
		rc = partial_merge_answers(p, from);
	if (!rc && !p->tally.known_owner)
		rc = tally_set_owner(&p->tally, p->tally.owner, from->tally.known_owner);
	if (!partial_has_containers(from->answers.kind))
		p->tally.wanted &= ~(unsigned)TALLY_WANT_CONTAINERS;
	return rc ? rc : tally_merge(&p->tally, &from->tally);
}

const char *partial_host(const struct partial *p)
{
	const char *host = p->nsources ? p->sources[0].host : NULL;

	for (size_t i = 1; i < p->nsources && host; i++)
		if (!p->sources[i].host || strcmp(p->sources[i].host, host) != 0)
			return NULL;
	return host;
}

bool partial_whole(const struct partial_source *s)
{
	return s->nslices == 1 && !s->slices[0].first && s->slices[0].last == UINT64_MAX;
}

void partial_free(struct partial *p)
{
	for (size_t i = 0; i < p->nsources; i++) {
		free(p->sources[i].path);
		free(p->sources[i].host);
		free(p->sources[i].command);
		free(p->sources[i].cgroup);
		free(p->sources[i].spans);
		free(p->sources[i].slices);
		free(p->sources[i].damage);
		free(p->sources[i].findings);
	}
	free(p->sources);
	hash_index_free(&p->by_trace);
	hash_index_free(&p->by_rings);
	partial_threads_free(p);
	partial_arguments_free(&p->arguments);
	free(p->answers.bytes.p);
	free(p->filter);
	tally_free(&p->tally);
	*p = (struct partial){0};
}
