/*
 * Ranks of texts: equal ones share a rank, others have them in the order of their bytes. Any number
 * of texts, each with a place from 0, in bounded memory: they and the ranks spill to files. Errors
 * as in sorter.h.
 */
#ifndef SWT_DECODER_BASE_SORTER_TEXT_RANKS_H
#define SWT_DECODER_BASE_SORTER_TEXT_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include "../spill.h"
#include "sorter.h"

/* Texts that differ only beyond share a rank. */
enum { TEXT_RANKS_BYTES = 8 << 10 };

/* Starts zeroed; to be freed in any case. */
struct text_ranks {
	struct sorter *texts;
	struct spill ranks; /* uint64_t, by place */
	uint64_t accessed;
};

int text_ranks_add(struct text_ranks *t, uint64_t place, const char *text, size_t length);
/* After the last one; places: above each of theirs. */
int text_ranks_settle(struct text_ranks *t, uint64_t places);
/* Returns the rank of a text that was added. */
uint64_t text_ranks_get(struct text_ranks *t, uint64_t place);
void text_ranks_free(struct text_ranks *t);

#endif
