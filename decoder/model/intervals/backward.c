#include "backward.h"

#include <stdlib.h>

#include "../../../include/cpidecode.h"
#include "../../base/sorter/window.h"
#include "../hooks/pass.h"
#include "record_key.h"
#include "window.h"

enum {
	BACKWARD_BUDGET = 24 << 20,	/* if the caller has none */
	BACKWARD_BATCH_BYTES = 8 << 20, /* of a batch */
};

struct backward {
	const struct trace *t;
	const struct interval_stream_options *options;
	unsigned wants;			    /* of records */
	size_t budget;			    /* bytes of the window, and as many of the query */
	struct interval_builder **builders; /* by thread */
	unsigned threads;
	struct sorter_window *window; /* keys of its entries: ~ the end */
	struct record_clock *clocks;  /* by file */
	struct interval_taker taker;
	int (*visit)(void *ctx, const struct interval *iv);
	void *ctx; /* of visit */
	struct interval iv;
};

static int backward_take(void *ctx, const struct interval_record *r)
{
	struct backward *b = ctx;

	interval_record_get(r, b->wants, NULL, b->clocks, &b->iv);
	return b->visit(b->ctx, &b->iv);
}

static int backward_put(struct backward *b, struct window_batch *batch, const struct interval *iv)
{
	const struct interval_stream_options *o = b->options;
	const bool kept = !o->filter || o->filter(o->ctx, iv);
	const size_t tail = kept ? interval_record_tail(iv) : 0;
	struct sorter_record *r;

	if (tail > RECORD_MAX_INSIDE || window_batch_bytes(batch) > BACKWARD_BATCH_BYTES)
		return INTERVAL_BACKWARD_UNSUITED;
	int rc = window_batch_reserve(b->window, batch, &r);
	if (rc)
		return rc;
	interval_record_put((uint8_t *)r, iv, b->clocks[iv->file].tasks, b->wants, kept, tail, 0,
		o->query->selection(o->query->ctx, iv));
	/* The entry alone has the other key. */
	const uint64_t start = r->key;
	const uint32_t era = r->group;
	r->key = ~iv->end_ticks;
	r->group = 0;
	window_batch_add(batch);
	r->key = start;
	r->group = era;
	return 0;
}

/* Reads a slice into a batch, which is then sorted. */
static int backward_read_batch(
	struct backward *b, struct pass_slice *slice, struct window_batch *batch)
{
	struct interval_builder *builder = b->builders[pass_thread(slice)];
	const struct interval *iv;
	int rc;

	while ((rc = interval_read(builder, slice, &iv)) > 0)
		if ((rc = backward_put(b, batch, iv)))
			return rc;
	if (rc)
		return rc;
	window_batch_reverse(batch);
	return window_batch_sort(b->window, batch);
}

static uint64_t backward_end(const struct interval_record *r)
{
	return r->sort.key + interval_record_widen(r).elapsed;
}

/* Passes those that end after the tick to the query: no slice to come has any. NULL: all. */
static int backward_meet_after(struct backward *b, const uint64_t *tick)
{
	const struct interval_query *q = b->options->query;
	const struct interval_record *r;
	int rc = 0;

	while (!rc && (r = (const void *)sorter_window_top(b->window)) &&
		(!tick || backward_end(r) > *tick)) {
		const struct nest_key key = interval_record_nest_key(r, -1);

		rc = q->meet(q->ctx, &key, interval_record_widen(r).file,
			interval_record_selection(r), r->marks & RECORD_KEPT ? r : NULL, &b->taker);
		sorter_window_pop(b->window);
	}
	return rc;
}

/* In the slice's turn. */
static int backward_add_batch(
	struct backward *b, const struct pass_slice *slice, struct window_batch *batch)
{
	const uint64_t last = pass_last_tick(slice);
	const struct interval_record *first = (const void *)window_batch_first(batch);
	int rc = backward_meet_after(b, &last);

	if (!rc && first && backward_end(first) > last)
		rc = INTERVAL_BACKWARD_UNSUITED;
	if (rc) {
		sorter_window_cancel(b->window, batch);
		return rc;
	}
	rc = sorter_window_insert(b->window, batch);
	if (!rc && sorter_window_bytes(b->window) > b->budget)
		rc = INTERVAL_BACKWARD_UNSUITED;
	return rc;
}

static int backward_read_slice(void *ctx, struct pass_slice *slice)
{
	struct backward *b = ctx;
	struct window_batch *batch = sorter_window_begin(b->window);

	if (!batch)
		return CPIDECODE_ENOMEM;
	int rc = backward_read_batch(b, slice, batch);
	if (!rc)
		rc = pass_turn(slice);
	if (!rc)
		return backward_add_batch(b, slice, batch);
	sorter_window_cancel(b->window, batch);
	return rc;
}

static int backward_read_trace(struct backward *b, struct findings *found)
{
	const struct interval_stream_options *o = b->options;
	const struct pass pass = {.trace = b->t,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = o->threads,
		.by_end = true,
		.spared = o->spared,
		.slice_bytes = interval_window_slice_bytes(b->t, b->budget),
		.read = backward_read_slice,
		.ctx = b,
		.progress = o->progress,
		.progress_ctx = o->progress_ctx};
	/* Records find the times of starts. */
	const unsigned to_build = (o->wants & ~WANT_START) | o->filter_wants | o->query->wants;
	int rc = 0;

	b->threads = pass_threads(&pass);
	b->builders = calloc(b->threads, sizeof(struct interval_builder *));
	if (!b->builders)
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < b->threads && !rc; i++)
		rc = interval_builder_new(b->t, to_build, &b->builders[i]);
	if (!rc)
		rc = pass_run(&pass, found);
	for (unsigned i = 0; found && i < b->threads && !rc; i++)
		rc = interval_builder_tell(b->builders[i], found);
	return rc;
}

/* All but the query's walk. */
static void backward_free(struct backward *b)
{
	for (unsigned i = 0; b->builders && i < b->threads; i++)
		interval_builder_free(b->builders[i]);
	free(b->builders);
	sorter_window_free(b->window);
	free(b->clocks);
}

bool interval_backward_suits(const struct trace *t, const struct interval_query *q)
{
	/* Ticks of several machines are not comparable. */
	return q->meet && trace_one_machine(t);
}

int interval_backward_each(const struct trace *t, const struct interval_stream_options *options,
	int (*visit)(void *ctx, const struct interval *iv), void *ctx, struct findings *found)
{
	const struct interval_query *q = options->query;
	const size_t budget = options->budget ? options->budget : BACKWARD_BUDGET;
	struct backward b = {.t = t,
		.options = options,
		.wants = options->wants | RECORD_SELECTION,
		.budget = budget,
		.taker = {backward_take, &b, budget},
		.visit = visit,
		.ctx = ctx,
		.iv = interval_blank};
	int rc = sorter_window_new(RECORD_MAX_SIZE, interval_record_compare, &b.window);

	if (!rc) {
		sorter_window_keep(b.window, false);
		b.clocks = record_clocks_new(t);
		rc = b.clocks ? backward_read_trace(&b, found) : CPIDECODE_ENOMEM;
	}
	if (!rc)
		rc = backward_meet_after(&b, NULL);
	if (!rc)
		rc = q->meet_end(q->ctx);
	q->end(q->ctx);
	backward_free(&b);
	return rc;
}
