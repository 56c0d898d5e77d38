/*
 * A tally filled by several threads. Each thread has a tally of its own, without locks, while
 * that is small; a thread with very many labels continues in a shared one, which stores each
 * label once instead of once per thread. The sums are the same either way.
 */
#ifndef SWT_DECODER_MODEL_STATS_TALLY_SHARED_H
#define SWT_DECODER_MODEL_STATS_TALLY_SHARED_H

#include "tally.h"

struct tally_shared;

/* The approximate bytes of a group with its times and its label. */
enum { TALLY_SHARED_GROUP = 512 };

/*
 * wanted, trace: of struct tally. own: how many groups a thread keeps for itself, or fewer
 * with long labels. All that return int
 * return 0 or CPIDECODE_ENOMEM.
 */
int tally_shared_new(unsigned threads, unsigned wanted, const struct trace *trace, size_t own,
	struct tally_shared **result);
/* On the thread of that number, below threads. */
int tally_shared_add(struct tally_shared *s, unsigned thread, const struct interval *iv);
/* Moves everything to *t, which starts zeroed; not settled. Call after the threads have ended. */
int tally_shared_collect(struct tally_shared *s, struct tally *t);
void tally_shared_free(struct tally_shared *s); /* NULL is fine */

#endif
