/* A derived metric as the weight of a flame graph. */
#ifndef SWT_DECODER_REPORT_FLAME_METRIC_H
#define SWT_DECODER_REPORT_FLAME_METRIC_H

#include "../values/metrics.h"

/* Starts zeroed; to be freed in any case. */
struct flame_metric {
	struct event_names names;
	struct derived_set derived;
	const struct derived *weight; /* NULL: the weight is none */
};

/*
 * Finds the metric that r->weight_event names; reads the trace for the names of events, if a metric
 * is called so. 0, a CPIDECODE_E code, or CPIDECODE_EINVAL, noted: its values cannot be added up.
 */
int flame_metric_find(struct flame_metric *m, struct report *r);
/* Rounded, and not below 0; or NOT_MEASURED. */
uint64_t flame_metric_of(const struct derived *d, const struct interval *iv);
void flame_metric_free(struct flame_metric *m);

#endif
