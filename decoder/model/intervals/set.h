/* The intervals of a stream, in memory. */
#ifndef SWT_DECODER_MODEL_INTERVALS_SET_H
#define SWT_DECODER_MODEL_INTERVALS_SET_H

#include "../../base/intern.h"
#include "stream.h"

struct interval_set {
	struct interval *at;
	size_t count;
	struct intern memory; /* labels, arrays and named values */
};

/* Reads the trace. The set starts zeroed; free it in any case. 0 or a code, as for a stream. */
int interval_set_read(struct interval_set *set, const struct trace *t,
	const struct interval_stream_options *options);
void interval_set_free(struct interval_set *set);

#endif
