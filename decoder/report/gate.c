#include "gate.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/base/glob.h"
#include "../../formats/base/quantity.h"

enum { LONGEST_LABEL = 1000 };

const char *const metric_names[METRICS] = {[METRIC_COUNT] = "count",
	[METRIC_TOTAL] = "total",
	[METRIC_MEAN] = "mean",
	[METRIC_P50] = "p50",
	[METRIC_P90] = "p90",
	[METRIC_P99] = "p99",
	[METRIC_MAX] = "max",
	[METRIC_CPI] = "cpi",
	[METRIC_INSTRUCTIONS] = "instructions"};

/* The metric of that name, or METRICS. */
static unsigned gate_find_metric(const char *s, size_t n)
{
	unsigned m = 0;

	while (m < METRICS && (strlen(metric_names[m]) != n || strncmp(metric_names[m], s, n) != 0))
		m++;
	return m;
}

/* The last one: names may hold others. NULL: there is none. */
static const char *gate_find_sign(const char *text)
{
	const char *above = strrchr(text, '>'), *below = strrchr(text, '<');

	return !above || (below && below > above) ? below : above;
}

/* Up to the sign. */
static const char *gate_parse_metric(struct gate *g, const char *sign)
{
	const char *s = sign;

	/* Labels may hold colons, metrics do not. */
	while (s > g->text && s[-1] != ':')
		s--;
	g->metric = gate_find_metric(s, (size_t)(sign - s));
	if (g->metric == METRICS) {
		g->metric = GATE_OPEN;
		g->event_length = (size_t)(sign - g->text);
		return s == sign ? "a metric or an event must precede > or <" : NULL;
	}
	if (s > g->text) {
		g->label = g->text;
		g->label_length = (size_t)(s - g->text) - 1;
	}
	return g->label_length > LONGEST_LABEL ? "the label is too long" : NULL;
}

/* Whether the rest looks like one of --percentiles: [LABEL:]p99.9, or p99.9_ns. */
static bool gate_is_percentile(const struct gate *g)
{
	const char *end = g->text + g->event_length, *s = end;

	while (s > g->text && s[-1] != ':')
		s--;
	if (g->metric != GATE_OPEN || *s++ != 'p')
		return false;
	uint64_t whole;
	return quantity_scan_decimal(&s, end, QUANTITY_WHOLE_POINT, 1, UINT64_MAX, &whole) &&
	       (s == end || (end - s == 3 && memcmp(s, "_ns", 3) == 0));
}

static const char *parse_unit(const char *s, struct gate *g)
{
	const bool is_time = metric_is_time(g->metric) || gate_is_percentile(g);
	const uint64_t ns = quantity_duration_unit(s);

	if (strcmp(s, "%") == 0) {
		g->percent = true;
		return NULL;
	}
	if (ns) {
		g->has_unit = true;
		g->limit *= (double)ns;
		return is_time ? NULL : "only times have units (ns, us, ms, s, m, h)";
	}
	if (*s)
		return "unknown unit: expected %, ns, us, ms, s, m or h";
	return is_time ? "a time needs a unit: %, ns, us, ms, s, m or h" : NULL;
}

const char *gate_parse(const char *text, struct gate *g)
{
	const char *s = gate_find_sign(text);

	*g = (struct gate){.text = text};
	if (!s)
		return "expected " GATE_METRICS ", or an event (LABEL: before it), then > or <";
	const char *wrong = gate_parse_metric(g, s);
	if (wrong)
		return wrong;
	g->above = *s++ == '>';
	if (*s != '+' && *s != '-')
		return "expected a change with a sign: >+5% or <-5%";
	bool negative = *s++ == '-';
	if (!quantity_scan_real(&s, &g->limit))
		return "expected a number like 5 or 0.25 after the sign";
	g->limit = negative ? -g->limit : g->limit;
	return parse_unit(s, g);
}

void gate_settle(struct gate *g, const char *event, size_t length, unsigned number)
{
	const size_t n = g->event_length;

	if (n < length || memcmp(g->text + n - length, event, length) != 0)
		return;
	if (n > length && (g->text[n - length - 1] != ':' || n - length - 1 > LONGEST_LABEL))
		return;
	if (g->metric != GATE_OPEN && g->label_length + (g->label != NULL) <= n - length)
		return;
	g->label = n > length ? g->text : NULL;
	g->label_length = n > length ? n - length - 1 : 0;
	g->metric = number;
}

bool gate_exceeded(const struct gate *g, double before, double after)
{
	double change = after - before;

	if (g->percent) {
		if (before == 0)
			return g->above ? change > 0 : change < 0;
		change = 100 * change / before;
	}
	return g->above ? change > g->limit : change < g->limit;
}

bool gate_matches(const struct gate *g, const char *label, size_t n)
{
	char pattern[LONGEST_LABEL + 1];

	if (!g->label)
		return true;
	if (!label)
		return false;
	memcpy(pattern, g->label, g->label_length);
	pattern[g->label_length] = 0;
	return glob_match(pattern, label, n);
}
