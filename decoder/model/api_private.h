/* What cpidecode.h's types are. */
#ifndef SWT_DECODER_API_PRIVATE_H
#define SWT_DECODER_API_PRIVATE_H

#include "../../include/cpidecode.h"
#include "intervals.h"

struct cpidecode_trace {
	struct trace *trace;
};

#endif
