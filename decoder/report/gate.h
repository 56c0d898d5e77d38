/*
 * Conditions on what changed from one trace to another:
 * [LABEL:]METRIC(>|<)(+|-)NUMBER[%|UNIT].
 */
#ifndef SWT_DECODER_GATE_H
#define SWT_DECODER_GATE_H

#include <stdbool.h>
#include <stddef.h>

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

/* In nanoseconds. */
static inline bool metric_is_time(enum metric m)
{
	return m >= METRIC_TOTAL && m <= METRIC_MAX;
}

/* Of a percentile. */
static inline unsigned metric_percent(enum metric m)
{
	return m == METRIC_P50 ? 50 : m == METRIC_P90 ? 90 : 99;
}

struct gate {
	const char *text;  /* as given */
	const char *label; /* a pattern, label_length bytes of text; NULL: any */
	size_t label_length;
	enum metric metric;
	bool above;   /* fails above the limit, else below it */
	bool percent; /* of what was before, else a difference */
	double limit;
};

/* NULL, or what is wrong with it. text is kept. */
const char *gate_parse(const char *text, struct gate *g);
/* Whether a change exceeds the gate's limit. A change from 0 exceeds any percentage. */
bool gate_exceeded(const struct gate *g, double before, double after);
/* Whether it is about that label (NULL: none). */
bool gate_matches(const struct gate *g, const char *label, size_t n);

#endif
