/* Facts of an NRM2 file's hook that its record cannot hold (formats/nrm2.h). */
#ifndef SWT_DECODER_MODEL_TRACE_NRM2_TAIL_H
#define SWT_DECODER_MODEL_TRACE_NRM2_TAIL_H

#include "trace.h"

struct nrm2_tail {
	uint64_t stamp;	     /* the hook's own; its record has its group's */
	const uint8_t *wide; /* nwide u32: indexes of high words, increasing */
	uint32_t nwide;
};

/* For hooks of a file with trace_file.import. False: the record holds everything. */
bool nrm2_tail(const struct hook *h, struct nrm2_tail *tail);

/* For a hook of an NRM2 file, a copy in *copy with its own stamp; else h. */
const struct hook *hook_as_written(const struct trace *t, const struct hook *h, struct hook *copy);

#endif
