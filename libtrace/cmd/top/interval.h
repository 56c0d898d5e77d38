/*
 * The figures of one interval, from its hooks: what the decoder calls by the same names.
 */
#ifndef SWT_CMD_TOP_INTERVAL_H
#define SWT_CMD_TOP_INTERVAL_H

#include <math.h>

#include "../../trigger/event.h"

#define TOP_NOT_MEASURED UINT64_MAX

struct top_interval {
	uint64_t elapsed; /* ticks */
	/* TOP_NOT_MEASURED: not measured. */
	uint64_t on_cpu_ns, off_cpu_ns;
	/* Of the thread, else of the system; both or none are measured. */
	uint64_t instructions, cycles;
	double cpi; /* NAN: not measured */
};

/* e is an interval: it has an elapsed time. */
void top_interval_read(struct top_interval *iv, const struct event *e, double ns_per_tick);

#endif
