/* Sorts any number of intervals by a rank that the caller gives them, in bounded memory. */
#ifndef SWT_DECODER_MODEL_INTERVALS_RANKING_H
#define SWT_DECODER_MODEL_INTERVALS_RANKING_H

#include "../trace/trace.h"

struct interval_ranking;

/* wants: enum interval_want, WANT_START among them: the parts kept. All return 0 or a CPIDECODE_E
 * code. */
int interval_ranking_new(const struct trace *t, unsigned wants, struct interval_ranking **r);
/* An interval of a stream. Lower ranks of lower groups come first; equal ones by trace, the number
 * of its own, machine, start in ticks, ring and position. */
int interval_ranking_add(struct interval_ranking *r, const struct interval *iv, uint32_t group,
	uint64_t rank, uint32_t trace);
/* After the last one, and to start over. */
int interval_ranking_rewind(struct interval_ranking *r);
/* 1 and the next interval (valid until the next call), 0 at the end, or a negative code. */
int interval_ranking_next(struct interval_ranking *r, const struct interval **iv);
/* The errno of a CPIDECODE_ESPOOL. */
int interval_ranking_error(const struct interval_ranking *r);
void interval_ranking_free(struct interval_ranking *r); /* NULL is fine */

#endif
