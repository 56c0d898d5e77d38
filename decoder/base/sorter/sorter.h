/*
 * External merge sort: sorts any number of records in bounded memory. Threads fill batches; a full
 * batch is sorted and written as a run to an unlinked temporary file, packed (pack.h); reading
 * merges the runs and the batches left in memory.
 *
 * decoder/base/sorter owns sorting beyond memory. It includes base. Errors: 0 or a CPIDECODE_E
 * code.
 */
#ifndef SWT_DECODER_BASE_SORTER_SORTER_H
#define SWT_DECODER_BASE_SORTER_SORTER_H

#include <stddef.h>
#include <stdint.h>

struct sorter;

/* Begins each record. Records lie on multiples of 8, in this process's byte order. */
struct sorter_record {
	uint64_t key; /* sorts by group, then key, then `compare` */
	uint32_t group;
	uint16_t size;	/* bytes, including this head; a multiple of 8 */
	uint16_t spare; /* the caller's */
};

/* Orders records of the same group and key; never 0 for two records of a sorter. */
typedef int sorter_compare_fn(const struct sorter_record *a, const struct sorter_record *b);

struct sorter_options {
	unsigned threads; /* threads that add */
	size_t budget;	  /* bytes for all batches */
	size_t largest;	  /* bytes of the largest record, at most 16 KiB */
	sorter_compare_fn *compare;
};

/* 0 or CPIDECODE_ENOMEM. */
int sorter_new(const struct sorter_options *options, struct sorter **s);
/*
 * *r: room for the thread's next record, options.largest bytes, until sorter_add. thread: below
 * options.threads, each for one thread at a time. 0, CPIDECODE_ENOMEM or CPIDECODE_ESPOOL.
 */
int sorter_reserve(struct sorter *s, unsigned thread, struct sorter_record **r);
/* Adds the reserved record, which the caller has filled in. */
void sorter_add(struct sorter *s, unsigned thread);
/* Call after the last record was added, and to rewind: the next one returned is the first. */
int sorter_rewind(struct sorter *s);
/* Returns 1 and the next record (valid until the next call), 0 at the end, or a negative code. */
int sorter_next(struct sorter *s, const struct sorter_record **r);

/* Stores bytes apart from the records, from any thread, and reads them back: for data too large for
 * a record. 0 or CPIDECODE_ESPOOL. */
int sorter_store(struct sorter *s, const void *p, size_t n, uint64_t *offset);
int sorter_load(struct sorter *s, void *p, size_t n, uint64_t offset);

/* The errno of the first CPIDECODE_ESPOOL, on any thread. */
int sorter_error(const struct sorter *s);
void sorter_free(struct sorter *s); /* NULL is fine */

#endif
