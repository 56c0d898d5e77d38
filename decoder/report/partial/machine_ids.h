/* Names machines independently of the order of files, so that partial results can be merged. */
#ifndef SWT_DECODER_REPORT_PARTIAL_MACHINE_IDS_H
#define SWT_DECODER_REPORT_PARTIAL_MACHINE_IDS_H

#include "../../model/trace/trace.h"

enum { MACHINE_ID_BYTES = 16 };

/* By machine, with room for one per file: the least id of its traces. The caller frees it; NULL: no
 * memory. */
uint8_t (*machine_ids_make(const struct trace *t))[MACHINE_ID_BYTES];

#endif
