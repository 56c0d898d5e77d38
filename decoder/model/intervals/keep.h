/* Copies of intervals that outlive the builder's or stream's next one. */
#ifndef SWT_DECODER_MODEL_INTERVALS_KEEP_H
#define SWT_DECODER_MODEL_INTERVALS_KEEP_H

#include "../../base/intern.h"
#include "../trace/model.h"

/* Copies with label and named values, and with cpus the arrays of processors, into that memory. 0
 * or CPIDECODE_ENOMEM. */
int interval_keep(struct intern *memory, const struct interval *iv, bool cpus, struct interval *to);

#endif
