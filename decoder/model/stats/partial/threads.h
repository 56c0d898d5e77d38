/* The threads that traces name, by trace id: a set, so that merging counts none twice. */
#ifndef SWT_DECODER_MODEL_STATS_PARTIAL_THREADS_H
#define SWT_DECODER_MODEL_STATS_PARTIAL_THREADS_H

#include "partial.h"

struct varint_in;

/* Gathers the tasks of each trace of p's sources that t has. 0 or CPIDECODE_ENOMEM. */
int partial_threads_gather(struct partial *p, const struct trace *t);
/* After the last merge: one set for each trace. 0 or CPIDECODE_ENOMEM. */
int partial_threads_settle(struct partial *p);
int partial_threads_merge(struct partial *p, const struct partial *from);
void partial_threads_put(struct buffer *o, const struct partial *p);
int partial_threads_get(struct varint_in *in, struct partial *p);
void partial_threads_free(struct partial *p);

#endif
