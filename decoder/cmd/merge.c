#include "merge.h"

#include "../report/partial/merge.h"

static void merge_say_line(void *ctx, const char *line)
{
	(void)ctx;
	complain("%s", line);
}

int merge_report(const struct partial *p, const struct options *o, struct out *out, bool *bad,
	bool *is_misused)
{
	struct report r = {.out = out,
		.format = o->format,
		.filter = &o->filter,
		.scripted = merge_is_scripted(p),
		.compensate = merge_is_compensated(p),
		.metrics = o->metrics,
		.nmetrics = o->nmetrics,
		.columns = o->columns,
		.sort = o->sort,
		.top = o->top,
		.note = merge_say_line};

	/* A report of the partial result says all this later. */
	if (o->report != REPORT_PARTIAL) {
		if (r.scripted && o->format != FORMAT_TEXT)
			complain(REPORT_SCRIPTED);
		*bad = notes_partial(complain, p);
	}
	int rc = report_merged(&r, o->report, p);
	*is_misused = r.is_misused;
	return rc;
}

static bool runs_scripted(const struct diff_runs *side)
{
	for (size_t i = 0; i < side->n; i++)
		if (merge_is_scripted(&side->runs[i]))
			return true;
	return false;
}

int merge_diff(const struct diff_runs *before, const struct diff_runs *after,
	const struct options *o, struct out *out, size_t *gates_failed, bool *is_misused)
{
	struct report r = {.out = out,
		.format = o->format,
		.filter = &o->filter,
		.scripted = runs_scripted(before) || runs_scripted(after),
		.compensate = before->n && merge_is_compensated(&before->runs[0]),
		.gates = o->gates,
		.ngates = o->ngates,
		.metrics = o->metrics,
		.nmetrics = o->nmetrics,
		.note = merge_say_line};

	if (r.scripted && o->format != FORMAT_TEXT)
		complain(REPORT_SCRIPTED);
	int rc = report_diff(&r, before, after, o->noise);
	*gates_failed = r.gates_failed;
	*is_misused = r.is_misused;
	return rc;
}
