/*
 * A tally that several threads fill. Each has one of its own, which costs no waiting, as long as
 * that is small; a thread that meets very many labels goes on in one that all share. So labels
 * are kept once, not once for each thread. Which it is makes no difference to the sums.
 */
#ifndef SWT_DECODER_MODEL_STATS_TALLY_SHARED_H
#define SWT_DECODER_MODEL_STATS_TALLY_SHARED_H

#include "tally.h"

struct tally_shared;

/* Bytes of a group with its times and its label, about. */
enum { TALLY_SHARED_GROUP = 512 };

/*
 * wanted: enum tally_wanted. own: how many groups a thread keeps for itself, or fewer
 * with long labels. All that return int
 * return 0 or CPIDECODE_ENOMEM.
 */
int tally_shared_new(unsigned threads, unsigned wanted, size_t own, struct tally_shared **result);
/* On the thread of that number, below threads. */
int tally_shared_add(struct tally_shared *s, unsigned thread, const struct interval *iv);
/* Everything goes to *t, which starts zeroed; not settled. After the threads have ended. */
int tally_shared_collect(struct tally_shared *s, struct tally *t);
void tally_shared_free(struct tally_shared *s); /* NULL is fine */

#endif
