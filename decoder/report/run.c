/* Any report of a trace. */
#include "../model/intervals.h"
#include "report.h"

static bool taken(void *ctx, const struct interval *iv)
{
	return filter_interval(((const struct report *)ctx)->filter, iv);
}

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct report *r = ctx;
	return !r->progress || r->progress(r->ctx, done, total);
}

static int of_intervals(struct report *r, enum report_kind kind)
{
	struct interval_set *set;
	/* A flame graph has to see what is nested in an interval, wanted or not. */
	struct interval_set_options how = {
		.filter = kind == REPORT_FLAME ? NULL : taken,
		.progress = show_progress,
		.ctx = r,
		.cpus = kind == REPORT_INTERVALS && r->format == FORMAT_JSON,
	};
	int rc = interval_set_read(r->trace, &how, &set);
	if (rc)
		return rc;
	*r->found = set->found;
	set->found = (struct findings){0};
	r->intervals = set->at;
	r->nintervals = set->count;
	rc = kind == REPORT_FLAME ? report_flame(r) : report_intervals(r);
	interval_set_free(set);
	return rc;
}

int report_run(struct report *r, enum report_kind kind)
{
	switch (kind) {
	case REPORT_SUMMARY:
		return report_summary(r);
	case REPORT_CPUS:
		return report_cpus(r);
	case REPORT_HOOKS:
		return report_hooks(r);
	case REPORT_INFO:
		return report_info(r);
	default:
		return of_intervals(r, kind);
	}
}
