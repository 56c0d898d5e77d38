#include "top.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/search.h"
#include "../../base/grow.h"
#include "../../base/heap.h"
#include "../../model/hooks/pass.h"
#include "../tallies.h"

/* A thread's heap: its last entry is at the top. */
struct top_heap {
	_Alignas(PASS_APART) struct top_entry *at;
	size_t count, room;
};

struct top_search {
	struct report *r;
	struct top_order *order;
	size_t n;
	struct top_heap *heaps; /* one for each thread */
	uint32_t *places;
};

static int top_compare_entries(const void *x, const void *y)
{
	const struct top_entry *a = x, *b = y;
	int c = b->is_known - a->is_known;

	if (!c)
		c = compare_u64_pair(b->rank, a->rank, a->trace, b->trace);
	return c ? c : interval_order_compare(&a->order, &b->order);
}

/* The order of the heap: the last one is its root. */
static bool top_is_after(const void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return top_compare_entries(a, b) > 0;
}

uint64_t top_rank_real(double real)
{
	uint64_t bits;

	real += 0.0; /* -0 is 0 */
	memcpy(&bits, &real, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* A number in the order of the values, all of which are of one kind or compared as doubles. */
static uint64_t top_rank(const struct where *w, const struct expression_value *v)
{
	if (v->kind == EXPRESSION_VALUE_WHOLE && w->words[0].source != WHERE_VALUE)
		return v->is_negative
			       ? (UINT64_C(1) << 63) - v->size
			       : (w->words[0].column && w->words[0].column->source == COLUMN_I64
						 ? v->size | UINT64_C(1) << 63
						 : v->size);
	if (v->kind == EXPRESSION_VALUE_WHOLE)
		return top_rank_real(v->is_negative ? -(double)v->size : (double)v->size);
	return top_rank_real(v->real);
}

/* Adds an entry, replacing the last one if there are n. 0 or CPIDECODE_ENOMEM. */
static int top_add_entry(struct top_heap *h, size_t n, const struct top_entry *entry)
{
	if (h->count == n) {
		if (top_compare_entries(entry, &h->at[0]) < 0)
			heap_sift_down(
				h->at, h->count, 0, entry, sizeof *entry, top_is_after, NULL);
		return 0;
	}
	if (array_grow(&h->at, h->count, &h->room, sizeof *h->at))
		return CPIDECODE_ENOMEM;
	h->at[h->count++] = *entry;
	if (h->count == n)
		for (size_t i = n / 2; i-- > 0;) {
			struct top_entry moved = h->at[i];

			heap_sift_down(h->at, n, i, &moved, sizeof moved, top_is_after, NULL);
		}
	return 0;
}

bool top_find_rank(
	struct top_order *o, const struct trace *t, const struct interval *iv, uint64_t *rank)
{
	struct expression_value value = where_get_column(&o->column, t, iv);

	*rank = 0;
	if (value.kind == EXPRESSION_VALUE_TEXT)
		atomic_store_explicit(&o->has_texts, true, memory_order_relaxed);
	if (value.kind != EXPRESSION_VALUE_WHOLE &&
		!(value.kind == EXPRESSION_VALUE_REAL && value.real == value.real))
		return false;
	*rank = top_rank(&o->column, &value);
	*rank = o->falling ? *rank : ~*rank;
	return true;
}

static int top_visit_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	struct top_search *s = ctx;
	struct top_entry entry = {.order = interval_order_of(iv),
		.end = iv->end_ticks,
		.tid = iv->tid,
		.trace = s->places[iv->file]};

	entry.is_known = top_find_rank(s->order, s->r->trace, iv, &entry.rank);
	return top_add_entry(&s->heaps[thread], s->n, &entry);
}

static int top_compare_hooks(
	const struct top_entry *a, uint32_t file, uint32_t ring, uint64_t position)
{
	int c = compare_u64_pair(a->order.file, file, a->order.ring, ring);

	return c ? c : compare_u64(a->order.position, position);
}

static int top_compare_positions(const void *x, const void *y)
{
	const struct top_entry *a = *(const struct top_entry *const *)x;
	const struct top_entry *b = *(const struct top_entry *const *)y;

	return top_compare_hooks(a, b->order.file, b->order.ring, b->order.position);
}

static int top_compare_spans(const void *x, const void *y)
{
	const struct top_span *a = x, *b = y;
	int c = compare_u64_pair(a->machine, b->machine, a->tid, b->tid);

	return c ? c : compare_u64(a->start, b->start);
}

static bool top_is_of_thread(const struct top_span *a, uint32_t machine, uint32_t tid)
{
	return a->machine == machine && a->tid == tid;
}

/* Sorts the spans of the entries, and joins those that overlap. */
static void top_join_spans(struct top *t)
{
	struct top_span *last = NULL;

	for (size_t i = 0; i < t->count; i++) {
		const struct top_entry *e = &t->at[i];

		t->spans[i] = (struct top_span){e->order.start, e->end, e->order.machine, e->tid};
	}
	qsort(t->spans, t->count, sizeof *t->spans, top_compare_spans);
	for (size_t i = 0; i < t->count; i++) {
		const struct top_span *s = &t->spans[i];

		if (!last || !top_is_of_thread(last, s->machine, s->tid) || s->start > last->end)
			*(last = &t->spans[t->nspans++]) = *s;
		else if (s->end > last->end)
			last->end = s->end;
	}
}

/* Merges the threads' entries. */
static int top_settle(struct top *t, const struct top_search *s, unsigned threads)
{
	size_t count = 0;

	for (unsigned i = 0; i < threads; i++)
		count += s->heaps[i].count;
	t->at = calloc(count + 1, sizeof *t->at);
	t->by_hook = calloc(count + 1, sizeof *t->by_hook);
	t->spans = calloc(count + 1, sizeof *t->spans);
	if (!t->at || !t->by_hook || !t->spans)
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < threads; i++) {
		if (s->heaps[i].count)
			memcpy(t->at + t->count, s->heaps[i].at, s->heaps[i].count * sizeof *t->at);
		t->count += s->heaps[i].count;
	}
	qsort(t->at, t->count, sizeof *t->at, top_compare_entries);
	t->count = t->count < s->n ? t->count : s->n;
	for (size_t i = 0; i < t->count; i++)
		t->by_hook[i] = &t->at[i];
	qsort(t->by_hook, t->count, sizeof *t->by_hook, top_compare_positions);
	top_join_spans(t);
	return 0;
}

static int top_compare_traces(const void *x, const void *y)
{
	uint8_t a[16], b[16];

	trace_file_id(*(const struct trace_file *const *)x, a);
	trace_file_id(*(const struct trace_file *const *)y, b);
	return memcmp(a, b, sizeof a);
}

uint32_t *top_place_traces(const struct trace *t)
{
	const size_t n = trace_nfiles(t);
	const struct trace_file **files = calloc(n + 1, sizeof(struct trace_file *));
	uint32_t *places = calloc(n + 1, sizeof *places), place = 0;

	for (size_t i = 0; i < n && files; i++)
		files[i] = trace_file(t, i);
	if (files && n)
		qsort(files, n, sizeof(struct trace_file *), top_compare_traces);
	for (size_t i = 0; i < n && files && places; i++) {
		place += i && top_compare_traces(&files[i - 1], &files[i]) != 0;
		places[files[i]->index] = place;
	}
	if (!files) {
		free(places);
		places = NULL;
	}
	free(files);
	return places;
}

bool top_parse_order(struct top_order *o, const struct report *r)
{
	const char *sort = r->sort ? r->sort : "-elapsed_ns";

	o->falling = *sort == '-';
	o->has_texts = false;
	if (!where_parse_column(&o->column, sort + o->falling))
		return false;
	where_settle(&o->column, r->trace);
	return true;
}

int top_find(struct top *t, struct report *r, struct top_order *order, size_t n)
{
	struct top_order longest;
	struct top_search s = {.r = r, .n = n, .order = order ? order : &longest};

	if (!order)
		top_parse_order(&longest, r);
	const unsigned threads = tallies_threads(r, n * sizeof(struct top_entry));
	s.heaps = pass_alloc(threads, sizeof *s.heaps);
	s.places = top_place_traces(r->trace);
	int rc = s.heaps && s.places ? tallies_each(r, threads, s.order->column.wants, NULL,
					       top_visit_interval, &s)
				     : CPIDECODE_ENOMEM;
	if (!rc)
		rc = top_settle(t, &s, threads);
	for (unsigned i = 0; s.heaps && i < threads; i++)
		free(s.heaps[i].at);
	free(s.heaps);
	free(s.places);
	return rc;
}

bool top_has(const struct top *t, const struct interval *iv, size_t *place)
{
	struct search s = {0, t->count};

	while (s.low < s.high) {
		const struct top_entry *e = t->by_hook[search_middle(&s)];
		int c = top_compare_hooks(e, iv->file, iv->ring, iv->position);

		if (c == 0) {
			*place = (size_t)(e - t->at);
			return true;
		}
		search_narrow(&s, c < 0);
	}
	return false;
}

bool top_is_near(const struct top *t, const struct interval *iv)
{
	const struct top_span at = {.start = iv->end_ticks, .machine = iv->machine, .tid = iv->tid};
	struct search s = {0, t->nspans};

	/* Spans that begin after its end do not count. */
	while (s.low < s.high)
		search_narrow(&s, top_compare_spans(&t->spans[search_middle(&s)], &at) <= 0);
	const struct top_span *last = s.low ? &t->spans[s.low - 1] : NULL;
	return last && top_is_of_thread(last, at.machine, at.tid) && last->end >= iv->start_ticks;
}

void top_free(struct top *t)
{
	free(t->spans);
	free(t->at);
	free(t->by_hook);
}
