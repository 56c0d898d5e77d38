/*
 * The derived metrics of a why report, of the middle and of the tail. Functions that return int
 * return 0 or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_REPORT_WHY_METRICS_H
#define SWT_DECODER_REPORT_WHY_METRICS_H

#include "../../model/stats/tally/shared.h"
#include "../values/metrics.h"
#include "kept.h"
#include "why.h"

/* Starts zeroed; to be freed in any case. */
struct why_metrics {
	struct event_names names;
	struct derived_set derived;
	const struct why_kept *kept;		/* NULL: of a trace */
	struct tally_shared *shared[WHY_SIDES]; /* NULL: there are no metrics, or kept */
	struct tally sides[WHY_SIDES];
};

struct why_metric {
	const char *name;
	double value[WHY_SIDES];
	double change; /* percent of the middle's; NAN: not known */
};

/* Finds the metrics, by the events of the tally; as derived_make. kept: instead of r->trace; such
 * metrics have events alone. */
int why_metrics_begin(struct why_metrics *m, struct report *r, const struct why_kept *kept,
	const struct tally *t);
/* Which figures of intervals they need: enum interval_want. */
unsigned why_metrics_wants(const struct why_metrics *m);
/* Before the first interval of a side. */
int why_metrics_start(struct why_metrics *m, struct report *r, unsigned threads);
/* On the thread of that number. */
int why_metrics_add(
	struct why_metrics *m, enum why_side side, unsigned thread, const struct interval *iv);
/* After the last one. */
int why_metrics_end(struct why_metrics *m);
struct why_metric why_metrics_get(
	const struct why_metrics *m, size_t metric, const struct tally_group *g);
/* Whether the group has a line of it. */
bool why_metrics_has(const struct why_metrics *m, size_t metric, const struct tally_group *g);
void why_metrics_free(struct why_metrics *m);

#endif
