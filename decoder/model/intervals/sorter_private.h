/* Internals of the sorter, for interval_sorter.c and interval_merge.c only. */
#ifndef SWT_DECODER_MODEL_INTERVALS_SORTER_PRIVATE_H
#define SWT_DECODER_MODEL_INTERVALS_SORTER_PRIVATE_H

#include <pthread.h>

#include "interval_sorter.h"

/* A record in a batch, by the first part of its key. */
struct sorter_entry {
	uint64_t first; /* start, or CLOCK_REALTIME of it, as it orders */
	uint32_t era;
	uint32_t place; /* in the batch's bytes, divided by 8 */
};

struct sorter_batch {
	uint8_t *bytes;
	size_t used, cap;
	struct sorter_entry *entries;
	size_t count, entries_cap;
};

/* A run: sorted records, contiguous in the file. */
struct sorter_run {
	uint64_t offset, bytes;
};

struct sorter_merge;

struct interval_sorter {
	struct interval_sorter_options options;
	struct sorter_batch *batches; /* by thread */
	pthread_mutex_t lock;	      /* for the rest of these until all threads are done */
	int fd;			      /* -1: nothing was written yet */
	int error;
	uint64_t file_end;
	struct sorter_run *runs;
	size_t nruns, runs_cap;
	struct sorter_merge *merge;
	uint8_t *tail; /* of the record at hand, if it is outside */
	size_t tail_cap;
};

struct sorter_entry sorter_entry_of(
	const struct interval_sorter *s, const struct interval_record *r, size_t place);
int sorter_compare(const struct interval_sorter *s, const struct interval_record *a,
	const struct interval_record *b);

/* Sorts a batch. 0 or CPIDECODE_ENOMEM. */
int sorter_batch_sort(const struct interval_sorter *s, struct sorter_batch *b);

static inline const struct interval_record *sorter_record(
	const struct sorter_batch *b, const struct sorter_entry *e)
{
	return (const struct interval_record *)(const void *)(b->bytes + 8 * (size_t)e->place);
}

/* The file, from any thread; 0 or CPIDECODE_ESPOOL. Room for so many bytes at its end. */
int sorter_reserve(struct interval_sorter *s, uint64_t bytes, uint64_t *offset);
int sorter_write(struct interval_sorter *s, const void *p, size_t n, uint64_t offset);
int sorter_read(struct interval_sorter *s, void *p, size_t n, uint64_t offset);
int sorter_add_run(struct interval_sorter *s, struct sorter_run run);

/* Merges runs [first, first + count) of the file and, if `batches`, all batches. */
int sorter_merge_open(struct interval_sorter *s, size_t first, size_t count, bool batches,
	struct sorter_merge **m);
int sorter_merge_next(struct sorter_merge *m, const struct interval_record **r);
void sorter_merge_close(struct sorter_merge *m);

#endif
