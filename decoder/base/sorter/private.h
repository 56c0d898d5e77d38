/* Internals of the sorter, for sorter.c, merge.c and window.c only. */
#ifndef SWT_DECODER_BASE_SORTER_PRIVATE_H
#define SWT_DECODER_BASE_SORTER_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>

#include "sorter.h"

/* A record in a batch, with its key: comparing mostly needs no dereference. */
struct sorter_entry {
	uint64_t key;
	uint32_t group;
	uint32_t at; /* in the batch's bytes, divided by 8 */
};

struct sorter_batch {
	uint8_t *bytes;
	size_t used, cap;
	size_t limit; /* bytes of the batch before it is written */
	struct sorter_entry *entries;
	size_t count, entries_cap;
	/* For sorting. */
	struct sorter_entry *spare;
	uint32_t *next;
	size_t spare_cap, next_cap;
};

/* The memory that a record takes beside its bytes: sorting needs a second entry and an index. */
enum {
	SORTER_ENTRY_BYTES = 2 * sizeof(struct sorter_entry) + sizeof(uint32_t),
};

/* A run: sorted records, packed, contiguous in the file. */
struct sorter_run {
	uint64_t offset, bytes;
	uint64_t most; /* bytes that its records may need among others */
};

struct sorter_merge;

struct sorter {
	struct sorter_options options;
	size_t share;		      /* of a thread, in bytes */
	struct sorter_batch *batches; /* by thread */
	pthread_mutex_t lock;	      /* for the rest of these until all threads are done */
	int fd;			      /* -1: nothing was written yet */
	int error;
	uint64_t file_end;
	struct sorter_run *runs;
	size_t nruns, runs_cap;
	struct sorter_merge *merge;
};

/* Frees its memory; the batch is empty then. */
void sorter_batch_free(struct sorter_batch *b);
/* Sorts a batch. 0 or CPIDECODE_ENOMEM. */
int sorter_batch_sort(sorter_compare_fn *compare, struct sorter_batch *b);

static inline const struct sorter_record *sorter_record(
	const struct sorter_batch *b, const struct sorter_entry *e)
{
	return (const struct sorter_record *)(const void *)(b->bytes + 8 * (size_t)e->at);
}

/* Two cache lines: most records fit. */
static inline void sorter_prefetch(const struct sorter_batch *b, const struct sorter_entry *e)
{
	const char *at = (const char *)sorter_record(b, e);

	__builtin_prefetch(at);
	__builtin_prefetch(at + 64);
}

/* Merges runs [first, first + count) of the file and, if `batches`, all batches. */
int sorter_merge_open(
	struct sorter *s, size_t first, size_t count, bool batches, struct sorter_merge **m);
int sorter_merge_next(struct sorter_merge *m, const struct sorter_record **r);
void sorter_merge_close(struct sorter_merge *m);

#endif
