/*
 * Texts that hooks state by number: a table for each file (LABELS), and one of the trace, in which
 * equal texts of several files, or written out in hooks, have one index.
 */
#ifndef SWT_DECODER_MODEL_TRACE_LABELS_H
#define SWT_DECODER_MODEL_TRACE_LABELS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "../../../formats/base/hash.h"
#include "../../../formats/base/hash_index.h"
#include "../../base/intern.h"

struct trace_text {
	const char *at; /* any bytes; lives as long as the trace */
	uint32_t length, hash;
};

enum {
	/* Texts of hooks, beyond those of LABELS: a bound for memory. */
	TEXTS_OF_HOOKS = 1 << 16,
	TEXTS_OF_HOOKS_BYTES = 16 << 20,
	TEXT_NONE = UINT32_MAX, /* no index */
};

/* The texts of a trace by index, from 0. Starts zeroed but for the lock. */
struct trace_texts {
	pthread_mutex_t lock; /* for threads that read hooks: all but texts_add, texts_free */
	struct intern memory;
	struct trace_text *at;
	size_t count, room;
	struct hash_index index;
	size_t of_hooks, of_hooks_bytes; /* see TEXTS_OF_HOOKS */
	/* Whether intervals had values of that kind and name (enum value_kind, then index);
	 * NULL: not noted. */
	atomic_uchar *had_values;
	size_t values_limit; /* of indexes */
};

/* The index of the text, added if there is none. 0 or CPIDECODE_ENOMEM. For one thread. */
int texts_add(struct trace_texts *t, const char *at, uint32_t length, uint32_t *index);
/* The same for a hook's own text. TEXT_NONE: beyond the bound, or out of memory. */
uint32_t texts_find_or_add(struct trace_texts *t, const char *at, uint32_t length);
struct trace_text texts_get(struct trace_texts *t, uint32_t index);
/* More than any index that this trace will have. */
size_t texts_limit(struct trace_texts *t);
void texts_free(struct trace_texts *t);

/* An entry of LABELS. */
struct label {
	const char *text; /* any bytes; lives as long as the trace */
	uint32_t length;
	uint32_t number;
	uint32_t index; /* of its text in the trace's */
};

/* A file's entries. Starts zeroed. */
struct labels {
	struct label *at;
	size_t count, room;
	struct hash_index index; /* of at, by number */
};

/* NULL: the file has no entry of that number. */
static inline const struct label *labels_find(const struct labels *l, uint32_t number)
{
	uint64_t hash = hash_u64(number);

	for (uint32_t found; (found = hash_index_next(&l->index, &hash));)
		if (l->at[found - 1].number == number)
			return &l->at[found - 1];
	return NULL;
}

/* 1: the entry is new, 0: it was there before, or CPIDECODE_ENOMEM. */
int labels_add(struct labels *l, const struct label *entry);
void labels_free(struct labels *l);

#endif
