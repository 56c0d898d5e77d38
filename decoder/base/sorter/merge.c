/* Sorts batches, and merges batches and runs. */
#include <stdlib.h>

#include "../../../formats/base/search.h"
#include "../heap.h"
#include "pack.h"
#include "private.h"

enum {
	BLOCK = 16,	  /* entries sorted by insertion */
	MERGE_AHEAD = 12, /* records prefetched ahead */
	READ_TOTAL = 8 << 20,
	READ_MIN = (16 << 10) + PACK_HEAD, /* the largest record, packed */
	READ_MAX = 256 << 10,
};

struct sorting {
	sorter_compare_fn *compare;
	const struct sorter_batch *batch;
};

static inline bool sorter_entry_precedes(
	const struct sorting *w, const struct sorter_entry *a, const struct sorter_entry *b)
{
	if (a->group != b->group)
		return a->group < b->group;
	if (a->key != b->key)
		return a->key < b->key;
	return w->compare(sorter_record(w->batch, a), sorter_record(w->batch, b)) < 0;
}

static void sort_block(const struct sorting *w, struct sorter_entry *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sorter_entry e = a[i];
		size_t to = i;

		for (; to && sorter_entry_precedes(w, &e, &a[to - 1]); to--)
			a[to] = a[to - 1];
		a[to] = e;
	}
}

/*
 * Merges two sorted halves. Leaves entries that are in place: intervals come nearly in order, so
 * most halves overlap little or not at all.
 */
static void merge_halves(const struct sorting *w, struct sorter_entry *a, size_t mid, size_t n,
	struct sorter_entry *scratch)
{
	struct search s = {0, mid};

	while (s.low < s.high)
		search_narrow(&s, !sorter_entry_precedes(w, &a[mid], &a[search_middle(&s)]));
	const size_t lo = s.low; /* a[mid] sorts before a[lo] */
	size_t left = mid - lo, i = 0, right = mid, to = lo;
	memcpy(scratch, a + lo, left * sizeof *a);
	while (i < left && right < n)
		a[to++] = sorter_entry_precedes(w, &a[right], &scratch[i]) ? a[right++]
									   : scratch[i++];
	memcpy(a + to, scratch + i, (left - i) * sizeof *a);
}

/* A batch's keys divided into at most n ranges of equal length. */
struct key_ranges {
	uint64_t least;
	unsigned shift;
	size_t count;
};

static struct key_ranges divide_keys(const struct sorter_entry *a, size_t n)
{
	uint64_t least = a[0].key, most = a[0].key;
	unsigned shift = 0;

	for (size_t i = 1; i < n; i++) {
		least = a[i].key < least ? a[i].key : least;
		most = a[i].key > most ? a[i].key : most;
	}
	while ((most - least) >> shift >= n)
		shift++;
	return (struct key_ranges){least, shift, (size_t)((most - least) >> shift) + 1};
}

/*
 * Sorts by ranges of keys alone, without branches that depend on keys: merging then finds most
 * entries in place. next: where the next entry of each range goes.
 */
static void scatter_entries(
	const struct sorter_entry *from, size_t n, struct sorter_entry *to, uint32_t *next)
{
	const struct key_ranges r = divide_keys(from, n);
	uint32_t at = 0;

	memset(next, 0, r.count * sizeof *next);
	for (size_t i = 0; i < n; i++)
		next[(from[i].key - r.least) >> r.shift]++;
	for (size_t i = 0; i < r.count; i++) {
		uint32_t count = next[i];

		next[i] = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		to[next[(from[i].key - r.least) >> r.shift]++] = from[i];
}

/* Allocates the arrays for sorting, as large as the batch's own: they are kept for the next time.
 */
static int sorter_batch_spare(struct sorter_batch *b)
{
	if (b->spare_cap < b->count) {
		free(b->spare);
		b->spare = malloc(b->entries_cap * sizeof *b->spare);
		b->spare_cap = b->spare ? b->entries_cap : 0;
	}
	if (b->next_cap < b->count) {
		free(b->next);
		b->next = malloc(b->entries_cap * sizeof *b->next);
		b->next_cap = b->next ? b->entries_cap : 0;
	}
	return b->spare && b->next ? 0 : CPIDECODE_ENOMEM;
}

static void swap_spare(struct sorter_batch *b)
{
	struct sorter_entry *sorted = b->spare;
	size_t cap = b->spare_cap;

	b->spare = b->entries;
	b->spare_cap = b->entries_cap;
	b->entries = sorted;
	b->entries_cap = cap;
}

static bool has_one_group(const struct sorter_entry *a, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (a[i].group != a[0].group)
			return false;
	return true;
}

static bool is_sorted(const struct sorting *w, const struct sorter_entry *a, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (sorter_entry_precedes(w, &a[i], &a[i - 1]))
			return false;
	return true;
}

int sorter_batch_sort(sorter_compare_fn *compare, struct sorter_batch *b)
{
	struct sorting w = {.compare = compare, .batch = b};
	size_t n = b->count;

	if (is_sorted(&w, b->entries, n))
		return 0;
	int rc = sorter_batch_spare(b);
	if (rc)
		return rc;
	/* Groups come nearly in order: keys alone would mix them. */
	if (has_one_group(b->entries, n)) {
		scatter_entries(b->entries, n, b->spare, b->next);
		swap_spare(b);
	}
	for (size_t i = 0; i < n; i += BLOCK)
		sort_block(&w, b->entries + i, n - i < BLOCK ? n - i : BLOCK);
	for (size_t width = BLOCK; width < n; width *= 2) {
		for (size_t i = 0; n - i > width; i += 2 * width) {
			size_t m = n - i < 2 * width ? n - i : 2 * width;
			struct sorter_entry *a = b->entries + i;

			if (sorter_entry_precedes(&w, &a[width], &a[width - 1]))
				merge_halves(&w, a, width, m, b->spare);
			if (m == n - i)
				break;
		}
	}
	return 0;
}

/* A source of sorted records. */
struct source {
	const struct sorter_record *head;
	const struct sorter_batch *batch; /* or, if NULL, of the file: */
	size_t next;			  /* of the batch's entries */
	uint8_t *buffer;		  /* packed */
	struct unpacker unpacker;
	size_t at, have, cap;
	uint64_t offset, left; /* in the file, not yet in the buffer */
};

/* Caches the key next to the pointer: comparing needs no dereference. */
struct node {
	uint64_t key;
	uint32_t group;
	struct source *source;
};

struct sorter_merge {
	struct sorter *s;
	struct source *sources;
	size_t nsources;
	struct node *heap;
	size_t count;
	const struct node *rival; /* the runner-up: the run after the top's; NULL: none */
	bool started;		  /* the top was returned */
};

static int merge_fill_buffer(struct sorter *s, struct source *c)
{
	size_t rest = c->have - c->at, more = c->cap - rest;

	memmove(c->buffer, c->buffer + c->at, rest);
	if (more > c->left)
		more = (size_t)c->left;
	int rc = sorter_load(s, c->buffer + rest, more, c->offset);
	c->at = 0;
	c->have = rest + more;
	c->offset += more;
	c->left -= more;
	return rc;
}

/* 1: c->head is the next one of the file; 0: no more; or a code. */
static int merge_unpack_next(struct sorter *s, struct source *c)
{
	const bool is_whole = pack_is_whole(c->buffer + c->at, c->have - c->at);
	int rc = c->left && !is_whole ? merge_fill_buffer(s, c) : 0;

	if (rc || c->have == c->at)
		return rc;
	const uint8_t *end = c->buffer + c->at;
	c->head = unpack_record(&c->unpacker, &end);
	c->at = (size_t)(end - c->buffer);
	return c->head ? 1 : CPIDECODE_ENOMEM;
}

/* 1: c->head is the next one; 0: no more; or a code. */
static inline int merge_read_source(struct sorter *s, struct source *c)
{
	const struct sorter_batch *batch = c->batch;

	if (batch) {
		const size_t i = c->next;

		if (i == batch->count)
			return 0;
		if (batch->count - i > MERGE_AHEAD)
			sorter_prefetch(batch, &batch->entries[i + MERGE_AHEAD]);
		c->head = sorter_record(batch, &batch->entries[i]);
		c->next = i + 1;
		return 1;
	}
	return merge_unpack_next(s, c);
}

static inline bool node_before(const void *ctx, const void *x, const void *y)
{
	const struct sorter_merge *m = ctx;
	const struct node *a = x, *b = y;

	if (a->group != b->group)
		return a->group < b->group;
	if (a->key != b->key)
		return a->key < b->key;
	return m->s->options.compare(a->source->head, b->source->head) < 0;
}

static struct node merge_make_node(struct source *c)
{
	return (struct node){c->head->key, c->head->group, c};
}

static void merge_sift_down(struct sorter_merge *m, size_t i)
{
	struct node n = m->heap[i];

	heap_sift_down(m->heap, m->count, i, &n, sizeof n, node_before, m);
}

static void merge_find_rival(struct sorter_merge *m)
{
	const struct node *heap = m->heap;

	m->rival = NULL;
	if (m->count > 1)
		m->rival = m->count > 2 && node_before(m, &heap[2], &heap[1]) ? &heap[2] : &heap[1];
}

static int open_sources(struct sorter_merge *m, const struct sorter_run *runs, size_t nruns)
{
	size_t size = nruns ? READ_TOTAL / nruns / 8 * 8 : 0;

	size = size < READ_MIN ? READ_MIN : size > READ_MAX ? READ_MAX : size;
	for (size_t i = 0; i < nruns; i++) {
		struct source *c = &m->sources[m->nsources++];

		c->cap = size;
		c->offset = runs[i].offset;
		c->left = runs[i].bytes;
		c->buffer = malloc(size + PACK_SLACK);
		if (!c->buffer)
			return CPIDECODE_ENOMEM;
	}
	return 0;
}

static int merge_start_sources(struct sorter_merge *m)
{
	for (size_t i = 0; i < m->nsources; i++) {
		struct source *c = &m->sources[i];
		int rc = merge_read_source(m->s, c);

		if (rc < 0)
			return rc;
		if (rc)
			m->heap[m->count++] = merge_make_node(c);
	}
	for (size_t i = m->count / 2; i-- > 0;)
		merge_sift_down(m, i);
	merge_find_rival(m);
	return 0;
}

int sorter_merge_open(
	struct sorter *s, size_t first, size_t count, bool batches, struct sorter_merge **result)
{
	struct sorter_merge *m = calloc(1, sizeof *m);

	*result = NULL;
	if (!m)
		return CPIDECODE_ENOMEM;
	size_t most = count + (batches ? s->options.threads : 0);
	m->s = s;
	m->sources = calloc(most + 1, sizeof *m->sources);
	m->heap = calloc(most + 1, sizeof *m->heap);
	int rc = m->sources && m->heap ? 0 : CPIDECODE_ENOMEM;
	if (!rc && count) /* avoids arithmetic on a null pointer */
		rc = open_sources(m, s->runs + first, count);
	for (unsigned i = 0; batches && !rc && i < s->options.threads; i++)
		m->sources[m->nsources++].batch = &s->batches[i];
	if (!rc)
		rc = merge_start_sources(m);
	if (rc) {
		sorter_merge_close(m);
		return rc;
	}
	*result = m;
	return 0;
}

/* Steps past the record returned last. The top rarely changes, as runs hardly overlap. */
static inline int merge_advance_top(struct sorter_merge *m)
{
	struct node *top = &m->heap[0];
	int rc = merge_read_source(m->s, top->source);

	if (rc < 0)
		return rc;
	if (rc) {
		*top = merge_make_node(top->source);
		if (!m->rival || node_before(m, top, m->rival))
			return 0;
	} else {
		*top = m->heap[--m->count];
	}
	if (m->count)
		merge_sift_down(m, 0);
	merge_find_rival(m);
	return 0;
}

int sorter_merge_next(struct sorter_merge *m, const struct sorter_record **r)
{
	if (m->started && m->count) {
		int rc = merge_advance_top(m);

		if (rc)
			return rc;
	}
	m->started = true;
	if (!m->count)
		return 0;
	*r = m->heap[0].source->head;
	return 1;
}

void sorter_merge_close(struct sorter_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->sources && i < m->nsources; i++) {
		free(m->sources[i].buffer);
		free(m->sources[i].unpacker.words);
	}
	free(m->sources);
	free(m->heap);
	free(m);
}
