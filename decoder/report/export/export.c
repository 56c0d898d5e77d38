#include "export.h"

#include <stdatomic.h>

#include "../query/lineage.h"
#include "../query/select.h"

/* The window of a page, which may have 100 million intervals: few are too long for it. */
#define EXPORT_HTML_BUDGET ((size_t)96 << 20)

struct export_reading {
	const struct report *r;
	atomic_bool has_values; /* of an interval that may be selected */
};

static bool export_filter_interval(void *ctx, const struct interval *iv)
{
	struct export_reading *reading = ctx;

	if (iv->num_values && !atomic_load_explicit(&reading->has_values, memory_order_relaxed))
		atomic_store_explicit(&reading->has_values, true, memory_order_relaxed);
	return select_interval(reading->r, iv);
}

static unsigned export_wants(const struct report *r)
{
	if (r->format == FORMAT_PARQUET && r->columns)
		return export_parquet_wants(r) | (r->compensate ? WANT_OWN_COST : 0);
	return WANT_ALL | WANT_VALUES | WANT_OWN_COST;
}

static int export_write(struct report *r, struct interval_stream *s)
{
	switch (r->format) {
#define EXPORT_CASE(kind, name, function, ...)                                                     \
	case FORMAT_##kind:                                                                        \
		return function(r, s);
		EXPORTS(EXPORT_CASE)
#undef EXPORT_CASE
	default:
		return CPIDECODE_EINVAL;
	}
}

int report_export(struct report *r)
{
	const unsigned wants = export_wants(r);
	struct export_reading reading = {.r = r};
	struct interval_stream_options how = {
		.filter = export_filter_interval, .ctx = &reading, .wants = wants};
	struct interval_stream *s;
	struct lineage lineage = {0};
	struct interval_query query;

	select_stream(&how, r);
	if (select_takes_all(r))
		how.filter_wants |= WANT_UNTIMED;
	how.unnested = r->format == FORMAT_PARQUET && !export_parquet_is_nested(r);
	how.nested_cost = wants & WANT_OWN_COST;
	if (r->format == FORMAT_HTML) {
		how.budget = EXPORT_HTML_BUDGET;
		how.windowed = true;
	}
	how.query = lineage_query(&lineage, r, &query);
	int rc = interval_stream_open(r->trace, &how, &s, r->found);
	if (rc) {
		lineage_free(&lineage);
		return rc;
	}
	uint64_t n = interval_stream_count(s);
	report_note_compensated(r, interval_stream_with_cost(s), n);
	r->has_values = atomic_load_explicit(&reading.has_values, memory_order_relaxed);
	rc = export_write(r, s);
	if (!rc && !n)
		report_note_no_intervals(r);
	interval_stream_close(s);
	lineage_free(&lineage);
	/* They are among the intervals. */
	begins_free(&r->found->begins);
	return rc;
}
