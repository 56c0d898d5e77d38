/* Definitions of cpidecode.h's opaque types. */
#ifndef SWT_DECODER_MODEL_INTERVALS_API_PRIVATE_H
#define SWT_DECODER_MODEL_INTERVALS_API_PRIVATE_H

#include "../../../include/cpidecode.h"
#include "intervals.h"

struct cpidecode_trace {
	struct trace *trace;
};

#endif
