/*
 * Sorts the intervals of one machine in bounded memory. Slices of a pass come in order of their
 * first stamps, and their intervals in a window (base/sorter/window.h). When full, it emits its
 * first intervals to a sorted file, so no merge follows; a callback sees them in order. An interval
 * that begins before an emitted one is late and goes to a sorter: only intervals longer than the
 * window, and the excess of one slice.
 *
 * Which intervals are emitted or late depends on the trace and the budget alone, never on threads.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_WINDOW_H
#define SWT_DECODER_MODEL_INTERVALS_WINDOW_H

#include "sorter.h"
#include "intervals.h"
#include "../hooks/pass.h"

struct interval_window;
struct section_starts;

enum interval_choice {
	INTERVAL_LEFT_OUT,
	INTERVAL_KEY, /* only a key, for the depth of others */
	INTERVAL_KEPT,
};

struct interval_window_options {
	struct pass pass;  /* of reading; `read` and `ctx` are ignored */
	unsigned wants;	   /* of records: see interval_record_put, without RECORD_PLACES and MARK */
	unsigned to_build; /* enum interval_want, of intervals to be chosen or written */
	size_t budget;	   /* bytes of the window */
	struct interval_sorter *late;
	void *ctx;
	/* Called on any thread (below pass_threads). */
	enum interval_choice (*choose)(void *ctx, unsigned thread, const struct interval *iv);
	/* Intervals that leave the window while reading, in order, unless late. 0 or a code. */
	int (*emit)(void *ctx, const struct interval_record *r);
	/* Notes the least starts of the sections that it reads; NULL: does not. */
	struct section_starts *noted;
};

/* Whether a window can hold the trace, and memory with that budget perhaps not. */
bool interval_window_suits(const struct trace *t, size_t budget);
/* The size of slices. Many rings need smaller ones: a window of that budget holds some of each. */
uint64_t interval_window_slice_bytes(const struct trace *t, size_t budget);
/* Reads the trace. *found as for pass_run. Free *w in any case. 0 or a code. */
int interval_window_open(const struct interval_window_options *options, struct interval_window **w,
	struct findings *found);
/* Whether all were emitted in order and none was late. Else those that were emitted are not all. */
bool interval_window_emitted_all(const struct interval_window *w);
/* Like interval_sorter_rewind and interval_sorter_next, with the intervals in the sorter. ESPOOL
 * sets errno, unless the sorter has the error. */
int interval_window_rewind(struct interval_window *w);
int interval_window_next(struct interval_window *w, const struct interval_record **r);
void interval_window_free(struct interval_window *w); /* NULL is fine. Before the sorter */

#endif
