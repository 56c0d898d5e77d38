#include "window.h"

#include <stdlib.h>

#include "../grow.h"
#include "../heap.h"
#include "private.h"

enum { WINDOW_AHEAD = 12 /* records prefetched ahead */ };

struct window_batch {
	struct sorter_batch records;
	size_t begin, next; /* entries: the first one, and the one in the heap */
	struct window_batch *link;
};

/* Caches the key of the batch's next record. */
struct window_node {
	uint64_t key;
	uint32_t group;
	struct window_batch *batch;
};

struct sorter_window {
	size_t largest;
	sorter_compare_fn *compare;
	struct window_node *heap;
	size_t count, room;
	size_t bytes;		   /* of the batches in the heap */
	struct window_batch *kept; /* all of their records were popped */
	bool keeps;
	pthread_mutex_t lock; /* for this one: */
	struct window_batch *spare;
};

int sorter_window_new(size_t largest, sorter_compare_fn *compare, struct sorter_window **result)
{
	struct sorter_window *w = calloc(1, sizeof *w);

	*result = w;
	if (!w)
		return CPIDECODE_ENOMEM;
	w->largest = largest;
	w->compare = compare;
	w->keeps = true;
	pthread_mutex_init(&w->lock, NULL);
	return 0;
}

static void window_free_batches(struct window_batch **list)
{
	for (struct window_batch *b; (b = *list);) {
		*list = b->link;
		sorter_batch_free(&b->records);
		free(b);
	}
}

static void window_push_batch(struct window_batch **list, struct window_batch *b)
{
	b->link = *list;
	*list = b;
}

void sorter_window_clear(struct sorter_window *w)
{
	for (size_t i = 0; i < w->count; i++)
		window_push_batch(&w->kept, w->heap[i].batch);
	w->count = w->bytes = 0;
	window_free_batches(&w->kept);
	window_free_batches(&w->spare);
}

void sorter_window_free(struct sorter_window *w)
{
	if (!w)
		return;
	sorter_window_clear(w);
	pthread_mutex_destroy(&w->lock);
	free(w->heap);
	free(w);
}

struct window_batch *sorter_window_begin(struct sorter_window *w)
{
	pthread_mutex_lock(&w->lock);
	struct window_batch *b = w->spare;
	if (b)
		w->spare = b->link;
	pthread_mutex_unlock(&w->lock);
	if (!b)
		return calloc(1, sizeof *b);
	b->records.used = b->records.count = b->begin = b->next = 0;
	return b;
}

void sorter_window_cancel(struct sorter_window *w, struct window_batch *b)
{
	pthread_mutex_lock(&w->lock);
	window_push_batch(&w->spare, b);
	pthread_mutex_unlock(&w->lock);
}

int window_batch_reserve(
	const struct sorter_window *w, struct window_batch *batch, struct sorter_record **r)
{
	struct sorter_batch *b = &batch->records;

	if (!array_reserve(&b->bytes, &b->cap, b->used + w->largest, 1))
		return CPIDECODE_ENOMEM;
	*r = (void *)(b->bytes + b->used);
	return array_grow(&b->entries, b->count, &b->entries_cap, sizeof *b->entries);
}

void window_batch_add(struct window_batch *batch)
{
	struct sorter_batch *b = &batch->records;
	const struct sorter_record *r = (const void *)(b->bytes + b->used);

	b->entries[b->count++] = (struct sorter_entry){r->key, r->group, (uint32_t)(b->used / 8)};
	b->used += r->size;
}

/* Shrinks a batch to its records: unused room would take more memory than they do. If there is
 * no memory to shrink it, it keeps its size. */
static void window_batch_trim(struct sorter_batch *b)
{
	if (b->used && b->used < b->cap / 4 && array_resize(&b->bytes, b->used, 1))
		b->cap = b->used;
}

void window_batch_reverse(struct window_batch *batch)
{
	struct sorter_entry *entries = batch->records.entries;

	for (size_t i = 0, j = batch->records.count; i + 1 < j; i++) {
		const struct sorter_entry e = entries[i];

		entries[i] = entries[--j];
		entries[j] = e;
	}
}

int window_batch_sort(const struct sorter_window *w, struct window_batch *b)
{
	window_batch_trim(&b->records);
	return sorter_batch_sort(w->compare, &b->records);
}

static inline const struct sorter_record *window_batch_next(const struct window_batch *b)
{
	return sorter_record(&b->records, &b->records.entries[b->next]);
}

const struct sorter_record *window_batch_first(const struct window_batch *b)
{
	return b->begin < b->records.count
		       ? sorter_record(&b->records, &b->records.entries[b->begin])
		       : NULL;
}

void window_batch_drop_first(struct window_batch *b)
{
	b->begin++;
}

size_t window_batch_bytes(const struct window_batch *b)
{
	return b->records.used + b->records.count * SORTER_ENTRY_BYTES;
}

static bool window_node_before(const void *ctx, const void *x, const void *y)
{
	const struct sorter_window *w = ctx;
	const struct window_node *a = x, *b = y;

	if (a->group != b->group)
		return a->group < b->group;
	if (a->key != b->key)
		return a->key < b->key;
	return w->compare(window_batch_next(a->batch), window_batch_next(b->batch)) < 0;
}

static inline struct window_node window_make_node(struct window_batch *b)
{
	const struct sorter_entry *e = &b->records.entries[b->next];

	return (struct window_node){e->key, e->group, b};
}

/* Keeps or recycles a batch without further records. */
static void window_retire_batch(struct sorter_window *w, struct window_batch *b)
{
	if (w->keeps)
		window_push_batch(&w->kept, b);
	else
		sorter_window_cancel(w, b);
}

int sorter_window_insert(struct sorter_window *w, struct window_batch *b)
{
	b->next = b->begin;
	if (b->next == b->records.count) {
		sorter_window_cancel(w, b);
		return 0;
	}
	if (array_grow(&w->heap, w->count, &w->room, sizeof *w->heap)) {
		sorter_window_cancel(w, b);
		return CPIDECODE_ENOMEM;
	}
	const struct window_node node = window_make_node(b);
	heap_sift_up(w->heap, w->count++, &node, sizeof node, window_node_before, w);
	w->bytes += window_batch_bytes(b);
	return 0;
}

const struct sorter_record *sorter_window_top(const struct sorter_window *w)
{
	return w->count ? window_batch_next(w->heap[0].batch) : NULL;
}

void sorter_window_pop(struct sorter_window *w)
{
	struct window_batch *b = w->heap[0].batch;
	const struct sorter_batch *records = &b->records;
	struct window_node node;

	if (++b->next < records->count) {
		if (records->count - b->next > WINDOW_AHEAD)
			sorter_prefetch(records, &records->entries[b->next + WINDOW_AHEAD]);
		node = window_make_node(b);
	} else {
		w->bytes -= window_batch_bytes(b);
		window_retire_batch(w, b);
		node = w->heap[--w->count];
	}
	if (w->count)
		heap_sift_down(w->heap, w->count, 0, &node, sizeof node, window_node_before, w);
}

size_t sorter_window_bytes(const struct sorter_window *w)
{
	return w->bytes;
}

void sorter_window_keep(struct sorter_window *w, bool keep)
{
	w->keeps = keep;
}

int sorter_window_rewind(struct sorter_window *w)
{
	struct window_batch *all = w->kept, *next;
	int rc = 0;

	for (size_t i = 0; i < w->count; i++)
		window_push_batch(&all, w->heap[i].batch);
	w->kept = NULL;
	w->count = w->bytes = 0;
	for (; all; all = next) {
		next = all->link;
		if (rc)
			sorter_window_cancel(w, all);
		else
			rc = sorter_window_insert(w, all);
	}
	return rc;
}
