/* Sorts any number of intervals in bounded memory: base/sorter, for intervals. */
#ifndef SWT_DECODER_MODEL_INTERVALS_SORTER_H
#define SWT_DECODER_MODEL_INTERVALS_SORTER_H

#include "record.h"

struct interval_sorter;

struct interval_sorter_options {
	const struct trace *trace;
	/* enum interval_want: the parts kept of intervals. Sorts by machine and ticks, or by
	 * CLOCK_REALTIME with RECORD_PLACES. */
	unsigned wants;
	unsigned threads; /* threads that add */
	size_t budget;	  /* bytes for all batches */
};

int interval_sorter_new(const struct interval_sorter_options *options, struct interval_sorter **s);
/*
 * thread: below options.threads, each for one thread at a time. kept false: only the
 * key. selection: with RECORD_SELECTION. 0, CPIDECODE_ENOMEM or CPIDECODE_ESPOOL.
 */
int interval_sorter_add(struct interval_sorter *s, unsigned thread, const struct interval *iv,
	bool kept, uint64_t selection);
/* The tasks whose numbers the records of a file have. */
const struct task *interval_sorter_tasks(const struct interval_sorter *s, uint32_t file);
/* Adds a copy of a record of these tasks, without RECORD_OUTSIDE. Returns as the above. */
int interval_sorter_add_record(
	struct interval_sorter *s, unsigned thread, const struct interval_record *record);
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
