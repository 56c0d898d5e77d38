/* Facts about the traces of merged partial results, for reports. */
#ifndef SWT_DECODER_REPORT_MERGED_H
#define SWT_DECODER_REPORT_MERGED_H

#include "../model/stats/partial/partial.h"

/* Hooks lost and torn, of all traces. */
uint64_t merged_count_lost(const struct partial *p);
/* META's `command`; NULL: unknown, or several. */
const char *merged_find_command(const struct partial *p);
/* Whether the intervals had to be after a time. */
bool merged_has_from(const struct partial *p);

#endif
