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

unsigned diff_metric_decimals(unsigned m)
{
	return m < METRICS ? metrics[m].decimals : EVENT_DECIMALS;
}

struct value_name diff_metric_name(const struct diff *d, unsigned m)
{
	if (m >= METRICS)
		return d->spelled[m - METRICS];
	return (struct value_name){
		.length = (uint32_t)strlen(metrics[m].name), .text = metrics[m].name};
}

/* The keys of JSON's objects, and what a gate calls its metrics, are no event's. */
int diff_spell_events(struct diff *d)
{
	static const char *const keys[] = {"label", "minor", "major", "in", "runs", "runs_before",
		"runs_after", "scripted", "alpha", "method"};
	enum { KEYS = sizeof keys / sizeof *keys };
	const char *taken[KEYS + 2 * METRICS];

	memcpy(taken, keys, sizeof keys);
	for (unsigned m = 0; m < METRICS; m++) {
		taken[KEYS + 2 * m] = metrics[m].name;
		taken[KEYS + 2 * m + 1] = metric_names[m];
	}
	return event_names_spell(&d->events, taken, KEYS + 2 * METRICS, d->spelled);
}
