/*
 * Conditions on what changed from one trace to another:
 * [LABEL:]METRIC(>|<)(+|-)NUMBER[%|UNIT]. A metric is one of those below, or an event of the runs:
 * those are numbered from METRICS.
 */
#ifndef SWT_DECODER_GATE_H
#define SWT_DECODER_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum metric {
	METRIC_COUNT,
	METRIC_TOTAL,
	METRIC_MEAN,
	METRIC_P50,
	METRIC_P90,
	METRIC_P99,
	METRIC_MAX,
	METRIC_CPI,
	METRIC_INSTRUCTIONS,
	METRICS,
};

extern const char *const metric_names[METRICS];

/* Whether metric m is a time, in nanoseconds. */
static inline bool metric_is_time(unsigned m)
{
	return m >= METRIC_TOTAL && m <= METRIC_MAX;
}

/* The percentage of a percentile. */
static inline unsigned metric_percent(unsigned m)
{
	return m == METRIC_P50 ? 50 : m == METRIC_P90 ? 90 : 99;
}

/* The metric of a gate about an event that is not settled. */
#define GATE_OPEN UINT32_MAX

struct gate {
	const char *text;  /* as given */
	const char *label; /* a pattern, label_length bytes of text; NULL: any */
	size_t label_length;
	unsigned metric;
	size_t event_length; /* of [LABEL:]EVENT, which gate_settle splits; else 0 */
	bool above;	     /* fails above the limit, else below it */
	bool percent;	     /* of the value before, else a difference */
	bool has_unit;	     /* of time: a metric that is not settled has to be one */
	double limit;
};

/* NULL, or the error. text is kept. */
const char *gate_parse(const char *text, struct gate *g);
#define GATE_METRICS "count, total, mean, p50, p90, p99, max, cpi or instructions"

/* If the gate's metric is the event of that name and number, and no longer name was before: sets
 * label and metric. Names may hold any bytes, so the last ones of [LABEL:]EVENT decide. */
void gate_settle(struct gate *g, const char *event, size_t length, unsigned number);
/* Whether a change exceeds the gate's limit. A change from 0 exceeds any percentage. */
bool gate_exceeded(const struct gate *g, double before, double after);
/* Whether it is about that label (NULL: none). */
bool gate_matches(const struct gate *g, const char *label, size_t n);

#endif
