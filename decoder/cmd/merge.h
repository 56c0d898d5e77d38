/* Reports of partial results: merged, or as the runs of a diff. */
#ifndef SWT_DECODER_CMD_MERGE_H
#define SWT_DECODER_CMD_MERGE_H

#include "options.h"

/* Reports what changed between the runs before and after. 0 or a CPIDECODE_E code. *is_misused: an
 * option names what the runs do not have. */
int merge_diff(const struct diff_runs *before, const struct diff_runs *after,
	const struct options *o, struct out *out, size_t *gates_failed, bool *is_misused);

/* Reports merged partial results. *bad: data was lost, damaged or is missing. 0 or a CPIDECODE_E
 * code. */
int merge_report(const struct partial *p, const struct options *o, struct out *out, bool *bad,
	bool *is_misused);

#endif
