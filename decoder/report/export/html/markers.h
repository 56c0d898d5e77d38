/*
 * The hooks that belong to no interval, which the page of --format html marks. Up to MARKERS_MAX;
 * of more there are none, and the caller says so.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_MARKERS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_MARKERS_H

#include "../../report.h"

enum { MARKERS_MAX = 100000 };

struct marker {
	int64_t time;
	uint64_t position;
	uint32_t ring, tid, file, machine, minor;
	uint8_t major;
	const struct task *task;
	const struct schema_hook *schema; /* NULL: no schema describes it */
};

/* Starts zeroed. */
struct markers {
	struct marker *at; /* by time */
	size_t count;
	bool too_many; /* count is 0 */
};

/*
 * Reads the hooks that pass the filter. Call it after reading the intervals: r->found then shows
 * whether there are any. None pass a filter by label, minor or --where, which selects intervals.
 * Returns 0 or a CPIDECODE_E code.
 */
int markers_read(struct markers *m, const struct report *r);
void markers_free(struct markers *m);

#endif
