#include "window.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "../../../include/cpidecode.h"
#include "../../base/run_file.h"
#include "../../base/sorter/window.h"
#include "../hooks/section_starts.h"

enum {
	WINDOW_SLICE_BYTES = 1 << 20,
	WINDOW_LEAST_SLICE_BYTES = 1 << 16,
	/* A batch is full beyond these bytes and this share of the budget. */
	WINDOW_BATCH_BYTES = 4 << 20,
	WINDOW_BATCH_SHARE = 4,
};

/* Orders as records do, but for those of the same start. */
struct window_key {
	uint64_t key;
	uint32_t group;
};

struct interval_window {
	struct interval_window_options options;
	struct sorter_window *window;
	struct interval_builder **builders; /* by thread */
	unsigned threads;
	struct run_file gone;	/* intervals emitted */
	struct window_key last; /* of the last one emitted */
	bool is_whole;		/* nothing was emitted: all is in memory */
	atomic_bool has_late;
	/* A walk: the next ones, or NULL; and which of them was returned last. */
	const struct sorter_record *own, *late;
	enum { WALK_NONE, WALK_OWN, WALK_LATE } returned;
};

bool interval_window_suits(const struct trace *t, size_t budget)
{
	uint64_t raw = 0;

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);

		/* Ticks of several machines are not comparable. */
		if (f->machine != trace_file(t, 0)->machine)
			return false;
		for (size_t k = 0; k < f->nrings; k++)
			raw += f->rings[k].raw;
	}
	return raw > budget;
}

uint64_t interval_window_slice_bytes(const struct trace *t, size_t budget)
{
	size_t rings = 1;

	for (size_t i = 0; i < trace_nfiles(t); i++)
		rings += trace_file(t, i)->nrings;
	const size_t share = budget / 4 / rings;
	return share < WINDOW_LEAST_SLICE_BYTES ? WINDOW_LEAST_SLICE_BYTES
	       : share > WINDOW_SLICE_BYTES	? WINDOW_SLICE_BYTES
						: share;
}

static bool window_batch_is_full(const struct interval_window *w, const struct window_batch *b)
{
	const size_t bytes = window_batch_bytes(b);

	return bytes > WINDOW_BATCH_BYTES && bytes > w->options.budget / WINDOW_BATCH_SHARE;
}

/* Adds a chosen interval to the batch, or to the late ones: one that is too large for it, and the
 * rest of a slice without cuts, whose sections begin with the stamp that the one before ends with.
 */
static int window_put(struct interval_window *w, struct window_batch *b, unsigned thread,
	const struct interval *iv, bool kept)
{
	const size_t tail = kept ? interval_record_tail(iv) : 0;
	struct sorter_record *r;

	if (tail > RECORD_MAX_INSIDE || window_batch_is_full(w, b)) {
		atomic_store_explicit(&w->has_late, true, memory_order_relaxed);
		return interval_sorter_add(w->options.late, thread, iv, kept, 0);
	}
	int rc = window_batch_reserve(w->window, b, &r);
	if (rc)
		return rc;
	interval_record_put((uint8_t *)r, iv, interval_sorter_tasks(w->options.late, iv->file),
		w->options.wants, kept, tail, 0, 0);
	window_batch_add(b);
	return 0;
}

/* Reads a slice into a batch, which is then sorted. least: the least start, in ticks. */
static int window_read_batch(struct interval_window *w, struct pass_slice *slice,
	struct window_batch *b, uint64_t *least)
{
	const unsigned thread = pass_thread(slice);
	const struct interval *iv;
	int rc;

	while ((rc = interval_read(w->builders[thread], slice, &iv)) > 0) {
		if (iv->start_ticks < *least)
			*least = iv->start_ticks;
		const enum interval_choice choice = w->options.choose(w->options.ctx, thread, iv);
		if (choice == INTERVAL_LEFT_OUT)
			continue;
		rc = window_put(w, b, thread, iv, choice == INTERVAL_KEPT);
		if (rc)
			return rc;
	}
	return rc ? rc : window_batch_sort(w->window, b);
}

/* Lets the first ones go while the window is full. */
static int window_emit(struct interval_window *w, size_t budget)
{
	int rc = 0;

	if (sorter_window_bytes(w->window) > budget)
		w->is_whole = false;
	sorter_window_keep(w->window, w->is_whole);
	while (!rc && sorter_window_bytes(w->window) > budget) {
		const struct sorter_record *r = sorter_window_top(w->window);

		rc = w->options.emit(w->options.ctx, (const void *)r);
		if (!rc)
			rc = run_file_add(&w->gone, r);
		w->last = (struct window_key){r->key, r->group};
		sorter_window_pop(w->window);
	}
	return rc;
}

/* Whether a record is late: not after the last one emitted. */
static bool window_is_late(const struct interval_window *w, const struct sorter_record *r)
{
	if (w->is_whole)
		return false;
	return r->group != w->last.group ? r->group < w->last.group : r->key <= w->last.key;
}

/* In the slice's turn. Late ones are the first ones of its batch. */
static int window_add_batch(struct interval_window *w, unsigned thread, struct window_batch *b)
{
	const struct sorter_record *r;
	int rc = 0;

	while (!rc && (r = window_batch_first(b)) && window_is_late(w, r)) {
		rc = interval_sorter_add_record(w->options.late, thread, (const void *)r);
		window_batch_drop_first(b);
		atomic_store_explicit(&w->has_late, true, memory_order_relaxed);
	}
	if (rc)
		sorter_window_cancel(w->window, b);
	else
		rc = sorter_window_insert(w->window, b);
	return rc ? rc : window_emit(w, w->options.budget);
}

static int window_read_slice(void *ctx, struct pass_slice *slice)
{
	struct interval_window *w = ctx;
	struct section_starts *noted = w->options.noted;
	struct window_batch *b = sorter_window_begin(w->window);
	uint64_t least = UINT64_MAX;

	if (!b)
		return CPIDECODE_ENOMEM;
	int rc = window_read_batch(w, slice, b, &least);
	const bool had_begins = interval_builder_had_begins(w->builders[pass_thread(slice)]);
	/* An ended interval may have begun anywhere. */
	if (!rc && noted)
		pass_note_starts(slice, noted, had_begins ? 0 : least);
	if (!rc)
		rc = pass_turn(slice);
	if (!rc)
		return window_add_batch(w, pass_thread(slice), b);
	sorter_window_cancel(w->window, b);
	return rc;
}

static int window_read_trace(struct interval_window *w, struct findings *found)
{
	struct pass pass = w->options.pass;
	int rc = 0;

	pass.read = window_read_slice;
	pass.ctx = w;
	pass.by_start = true;
	pass.slice_bytes = interval_window_slice_bytes(pass.trace, w->options.budget);
	w->threads = pass_threads(&pass);
	w->builders = calloc(w->threads, sizeof(struct interval_builder *));
	if (!w->builders)
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < w->threads && !rc; i++)
		rc = interval_builder_new(pass.trace, w->options.to_build, &w->builders[i]);
	if (!rc)
		rc = pass_run(&pass, found);
	for (unsigned i = 0; found && i < w->threads && !rc; i++)
		rc = interval_builder_tell(w->builders[i], found);
	return rc;
}

static void window_free_builders(struct interval_window *w)
{
	for (unsigned i = 0; w->builders && i < w->threads; i++)
		interval_builder_free(w->builders[i]);
	free(w->builders);
	w->builders = NULL;
}

int interval_window_open(const struct interval_window_options *options,
	struct interval_window **result, struct findings *found)
{
	struct interval_window *w = calloc(1, sizeof *w);

	*result = w;
	if (!w)
		return CPIDECODE_ENOMEM;
	w->options = *options;
	w->is_whole = true;
	int rc = sorter_window_new(RECORD_MAX_SIZE, interval_record_compare, &w->window);
	if (!rc)
		rc = window_read_trace(w, found);
	window_free_builders(w);
	if (rc || w->is_whole)
		return rc;
	rc = window_emit(w, 0);
	sorter_window_clear(w->window);
	return rc;
}

bool interval_window_emitted_all(const struct interval_window *w)
{
	return !w->is_whole && !atomic_load_explicit(&w->has_late, memory_order_relaxed);
}

/* The first or next one of those that are not late. 0 or a code. */
static int window_step_own(struct interval_window *w, bool is_first)
{
	if (!w->is_whole) {
		int rc = run_file_next(&w->gone, &w->own);

		if (!rc)
			w->own = NULL;
		return rc < 0 ? rc : 0;
	}
	if (!is_first)
		sorter_window_pop(w->window);
	w->own = sorter_window_top(w->window);
	return 0;
}

static int window_step_late(struct interval_window *w)
{
	const struct interval_record *r;
	int rc = interval_sorter_next(w->options.late, &r);

	w->late = rc > 0 ? &r->sort : NULL;
	return rc < 0 ? rc : 0;
}

int interval_window_rewind(struct interval_window *w)
{
	int rc = w->is_whole ? sorter_window_rewind(w->window) : run_file_rewind(&w->gone);

	w->returned = WALK_NONE;
	if (!rc)
		rc = interval_sorter_rewind(w->options.late);
	if (!rc)
		rc = window_step_own(w, true);
	return rc ? rc : window_step_late(w);
}

static bool window_record_precedes(const struct sorter_record *a, const struct sorter_record *b)
{
	if (a->group != b->group)
		return a->group < b->group;
	return a->key != b->key ? a->key < b->key : interval_record_compare(a, b) < 0;
}

int interval_window_next(struct interval_window *w, const struct interval_record **r)
{
	int rc = 0;

	if (w->returned == WALK_OWN)
		rc = window_step_own(w, false);
	else if (w->returned == WALK_LATE)
		rc = window_step_late(w);
	const bool is_late = w->late && (!w->own || window_record_precedes(w->late, w->own));
	const struct sorter_record *next = is_late ? w->late : w->own;
	w->returned = rc || !next ? WALK_NONE : is_late ? WALK_LATE : WALK_OWN;
	*r = (const void *)next;
	return rc ? rc : next != NULL;
}

void interval_window_free(struct interval_window *w)
{
	if (!w)
		return;
	window_free_builders(w);
	sorter_window_free(w->window);
	run_file_free(&w->gone);
	free(w);
}
