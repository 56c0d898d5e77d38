#include "gate.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/base/glob.h"

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

static const char *parse_metric(const char *s, struct gate *g)
{
	size_t n = strcspn(s, "<>");

	for (unsigned m = 0; m < METRICS; m++) {
		if (strlen(metric_names[m]) == n && strncmp(metric_names[m], s, n) == 0) {
			g->metric = (enum metric)m;
			return s + n;
		}
	}
	return NULL;
}

static const char *parse_unit(const char *s, struct gate *g)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

	if (strcmp(s, "%") == 0) {
		g->percent = true;
		return NULL;
	}
	for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(s, units[i].unit))
			continue;
		if (!metric_is_time(g->metric))
			return "only times have units (ns, us, ms, s)";
		g->limit *= units[i].ns;
		return NULL;
	}
	if (*s)
		return "what follows the number is no %, ns, us, ms or s";
	return metric_is_time(g->metric) ? "a time needs a unit: %, ns, us, ms or s" : NULL;
}

const char *gate_parse(const char *text, struct gate *g)
{
	/* Labels may hold colons, metrics do not. */
	const char *colon = strrchr(text, ':'), *s = colon ? colon + 1 : text;

	*g = (struct gate){.text = text};
	if (colon) {
		g->label = text;
		g->label_length = (size_t)(colon - text);
		if (g->label_length > LONGEST_LABEL)
			return "the label is too long";
	}
	s = parse_metric(s, g);
	if (!s)
		return "it begins with count, total, mean, p50, p90, p99, max, cpi or instructions (LABEL: before it), then > or <";
	if (*s != '>' && *s != '<')
		return "> or < has to follow the metric";
	g->above = *s++ == '>';
	if (*s != '+' && *s != '-')
		return "a change has a sign: >+5% or <-5%";
	bool negative = *s++ == '-';
	size_t n = strspn(s, "0123456789."), digits = strspn(s, "0123456789");
	if (!digits ||
		(n > digits && (strspn(s + digits + 1, "0123456789") == 0 ||
				       digits + 1 + strspn(s + digits + 1, "0123456789") != n)))
		return "a number like 5 or 0.25 has to follow the sign";
	g->limit = strtod(s, NULL) * (negative ? -1 : 1);
	return parse_unit(s + n, g);
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
