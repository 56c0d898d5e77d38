/*
 * Merges sorted batches of records while more of them come. Where records come nearly in order, few
 * batches are in memory at a time. Batches are recycled.
 */
#ifndef SWT_DECODER_BASE_SORTER_WINDOW_H
#define SWT_DECODER_BASE_SORTER_WINDOW_H

#include <stdbool.h>

#include "sorter.h"

struct sorter_window;
struct window_batch;

/* largest: bytes of the largest record. 0 or CPIDECODE_ENOMEM. */
int sorter_window_new(size_t largest, sorter_compare_fn *compare, struct sorter_window **w);
void sorter_window_free(struct sorter_window *w); /* NULL is fine */

/* An empty batch, from any thread. NULL: no memory. */
struct window_batch *sorter_window_begin(struct sorter_window *w);
/* Frees a batch that was not inserted, from any thread. */
void sorter_window_cancel(struct sorter_window *w, struct window_batch *b);
/* *r: room for the batch's next record, until window_batch_add. 0 or CPIDECODE_ENOMEM. */
int window_batch_reserve(
	const struct sorter_window *w, struct window_batch *b, struct sorter_record **r);
void window_batch_add(struct window_batch *b);
/* The bytes of a batch, as sorter_window_bytes counts them. */
size_t window_batch_bytes(const struct window_batch *b);
/* The records added last first: sorts faster if they came nearly in the opposite order. */
void window_batch_reverse(struct window_batch *b);
/* 0 or CPIDECODE_ENOMEM. */
int window_batch_sort(const struct sorter_window *w, struct window_batch *b);
/* The first record of a sorted batch, or NULL. */
const struct sorter_record *window_batch_first(const struct window_batch *b);
void window_batch_drop_first(struct window_batch *b);

/* The rest is for one thread at a time. */

/* Inserts a sorted batch, which then is the window's. 0 or CPIDECODE_ENOMEM. */
int sorter_window_insert(struct sorter_window *w, struct window_batch *b);
/* The first record, or NULL; valid until the pop. */
const struct sorter_record *sorter_window_top(const struct sorter_window *w);
void sorter_window_pop(struct sorter_window *w);
/* The bytes of all batches that have records left. */
size_t sorter_window_bytes(const struct sorter_window *w);
/* Whether batches are kept when all of their records were popped, for sorter_window_rewind. Starts
 * true. */
void sorter_window_keep(struct sorter_window *w, bool keep);
/* The first record of all batches that were kept is the top again. 0 or CPIDECODE_ENOMEM. */
int sorter_window_rewind(struct sorter_window *w);
/* Drops all batches, and returns their memory. */
void sorter_window_clear(struct sorter_window *w);

#endif
