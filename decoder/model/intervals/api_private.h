/* What cpidecode.h's types are. */
#ifndef SWT_DECODER_MODEL_INTERVALS_API_PRIVATE_H
#define SWT_DECODER_MODEL_INTERVALS_API_PRIVATE_H

#include "../../../include/cpidecode.h"
#include "intervals.h"

/* The public picture of an interval. */
void api_interval(cpidecode_interval *to, const struct interval *iv);

struct cpidecode_trace {
	struct trace *trace;
};

#endif
