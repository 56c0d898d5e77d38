/* How a diff calls its metrics. */
#include <string.h>

#include "diff.h"

static const struct {
	const char *name;
	unsigned decimals;
} metrics[METRICS] = {[METRIC_COUNT] = {"count", 0},
	[METRIC_TOTAL] = {"total_ns", 0},
	[METRIC_MEAN] = {"mean_ns", 1},
	[METRIC_P50] = {"p50_ns", 0},
	[METRIC_P90] = {"p90_ns", 0},
	[METRIC_P99] = {"p99_ns", 0},
	[METRIC_MAX] = {"max_ns", 0},
	[METRIC_CPI] = {"cpi", 4},
	[METRIC_INSTRUCTIONS] = {"instructions", 1}};

enum { EVENT_DECIMALS = 4 };

unsigned diff_metric_decimals(const struct diff *d, unsigned m)
{
	return m < METRICS ? metrics[m].decimals : diff_percentile(d, m) ? 0 : EVENT_DECIMALS;
}

struct value_name diff_metric_name(const struct diff *d, unsigned m)
{
	if (diff_percentile(d, m)) {
		const char *name = diff_percentile(d, m)->name;

		return (struct value_name){.length = (uint32_t)strlen(name), .text = name};
	}
	if (m >= METRICS + d->events.count) {
		const char *name = d->derived.at[m - METRICS - d->events.count].name;

		return (struct value_name){.length = (uint32_t)strlen(name), .text = name};
	}
	if (m >= METRICS)
		return d->spelled[m - METRICS];
	return (struct value_name){
		.length = (uint32_t)strlen(metrics[m].name), .text = metrics[m].name};
}

enum { DIFF_KEYS = 12, DIFF_TAKEN = DIFF_KEYS + 2 * METRICS + BY_KEYS + 2 * PERCENTILES };

/* The keys of JSON's objects, and what a gate calls its metrics, are no event's. */
static size_t diff_list_taken(const struct diff *d, const char *taken[DIFF_TAKEN])
{
	static const char *const keys[DIFF_KEYS] = {"label", "minor", "major", "in", "runs",
		"runs_before", "runs_after", "hosts_before", "hosts_after", "scripted", "alpha",
		"method"};

	size_t n = DIFF_KEYS;

	memcpy(taken, keys, sizeof keys);
	for (unsigned m = 0; m < METRICS; m++) {
		taken[n++] = metrics[m].name;
		taken[n++] = metric_names[m];
	}
	for (unsigned i = 0; i < d->npercentiles; i++) {
		taken[n++] = d->percentiles[i]->name;
		taken[n++] = d->percentiles[i]->heading;
	}
	for (unsigned i = 0; d->by && i < d->by->count; i++)
		taken[n++] = d->keys[i].name;
	return n;
}

int diff_spell_events(struct diff *d)
{
	const char *taken[DIFF_TAKEN];
	const size_t n = diff_list_taken(d, taken);

	return event_names_spell(&d->events, taken, n, d->spelled);
}

int diff_make_derived(struct diff *d, struct report *r)
{
	const char *taken[DIFF_TAKEN];
	const size_t n = diff_list_taken(d, taken);

	return derived_make(&d->derived, r, &d->events, taken, n);
}
