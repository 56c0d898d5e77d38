/*
 * Sorts any number of intervals in bounded memory: several threads fill batches, full batches
 * are sorted and written to an unlinked temporary file, and what comes out is merged.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_INTERVAL_SORTER_H
#define SWT_DECODER_MODEL_INTERVALS_INTERVAL_SORTER_H

#include "interval_record.h"

struct interval_sorter;

struct interval_sorter_options {
	const struct trace *trace;
	unsigned wants;	  /* enum interval_want: what is kept of intervals */
	unsigned threads; /* threads that add */
	size_t budget;	  /* bytes for all batches */
	bool by_time;	  /* by CLOCK_REALTIME, which needs WANT_START; else by machine and ticks */
};

int interval_sorter_new(const struct interval_sorter_options *options, struct interval_sorter **s);
/*
 * thread: below options.threads, each for one thread at a time. kept false: only the
 * key. 0, CPIDECODE_ENOMEM or CPIDECODE_ESPOOL.
 */
int interval_sorter_add(
	struct interval_sorter *s, unsigned thread, const struct interval *iv, bool kept);
/* Call after the last one was added, and to rewind: the next one returned is the first. */
int interval_sorter_rewind(struct interval_sorter *s);
/* Returns 1 and the next record (valid until the next call), 0 at the end, or a negative code. */
int interval_sorter_next(struct interval_sorter *s, const struct interval_record **r);
/* Converts a kept record to an interval (valid as long). 0 or a negative code. */
int interval_sorter_get(
	struct interval_sorter *s, const struct interval_record *r, struct interval *iv);
/* The errno of the first CPIDECODE_ESPOOL, on any thread. */
int interval_sorter_error(const struct interval_sorter *s);
void interval_sorter_free(struct interval_sorter *s); /* NULL is fine */

#endif
