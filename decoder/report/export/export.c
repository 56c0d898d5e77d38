#include "export.h"

static bool export_filter_interval(void *ctx, const struct interval *iv)
{
	const struct report *r = ctx;

	return filter_interval(r->filter, iv);
}

int report_export(struct report *r)
{
	struct interval_stream_options how = {.filter = export_filter_interval,
		.ctx = r,
		.progress = r->progress,
		.progress_ctx = r->ctx,
		.from_ns = r->filter->from,
		.threads = r->threads,
		.wants = WANT_ALL | WANT_VALUES | WANT_OWN_COST,
		.nested_cost = true,
		.open = true};
	struct interval_stream *s;
	int rc = interval_stream_open(r->trace, &how, &s, r->found);

	if (rc)
		return rc;
	uint64_t n = interval_stream_count(s);
	switch (r->format) {
	case FORMAT_PERFETTO:
		rc = export_perfetto(r, s);
		break;
	case FORMAT_CHROME:
		rc = export_chrome(r, s);
		break;
	case FORMAT_SPEEDSCOPE:
		rc = export_speedscope(r, s);
		break;
	case FORMAT_CALLGRIND:
		rc = export_callgrind(r, s);
		break;
	default:
		rc = CPIDECODE_EINVAL;
	}
	if (!rc && !n)
		report_note_no_intervals(r);
	interval_stream_close(s);
	/* They are among the intervals. */
	begins_free(&r->found->begins);
	return rc;
}
