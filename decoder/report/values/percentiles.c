#include "percentiles.h"

#include <stdio.h>
#include <string.h>

#include "../../../formats/base/number.h"
#include "../../model/stats/histogram.h"

_Static_assert(100 * PERCENTILE_PARTS == 1000000, "parts are millionths");

enum { PERCENTILE_DECIMALS = 4, PERCENTILE_ALL = 100 * PERCENTILE_PARTS };

/* Digits, and a point with at most four behind it. */
static bool percentile_scan(const char **s, const char *end, uint32_t *parts)
{
	uint64_t whole;
	uint32_t part = PERCENTILE_PARTS;

	if (!number_scan(s, end, 10, 100, &whole))
		return false;
	*parts = (uint32_t)whole * PERCENTILE_PARTS;
	if (*s == end || **s != '.')
		return true;
	const char *first = ++*s;
	for (int digit; *s < end && (digit = number_digit(**s, 10)) >= 0; ++*s) {
		part /= 10;
		*parts += (uint32_t)digit * part;
	}
	return *s > first && *s - first <= PERCENTILE_DECIMALS && *parts <= PERCENTILE_ALL;
}

static void percentile_set(struct percentile *p, uint32_t parts)
{
	char text[16];
	int n = snprintf(text, sizeof text, "p%u.%04u", parts / PERCENTILE_PARTS % 1000,
		parts % PERCENTILE_PARTS);

	while (text[n - 1] == '0')
		n--;
	if (text[n - 1] == '.')
		n--;
	p->parts = parts;
	snprintf(p->heading, sizeof p->heading, "%.*s", n, text);
	snprintf(p->name, sizeof p->name, "%.*s_ns", n, text);
}

const char *percentiles_parse(struct percentiles *p, const char *text)
{
	const char *s = text, *end = text + strlen(text);

	p->count = 0;
	for (;;) {
		uint32_t parts;

		if (p->count == PERCENTILES)
			return "expected at most 24";
		if (!percentile_scan(&s, end, &parts) || (s < end && *s != ','))
			return "expected a list like 50,95,99.9 of percents from 0 to 100, with at most four decimals";
		for (unsigned i = 0; i < p->count; i++)
			if (p->at[i].parts == parts)
				return "expected each once";
		percentile_set(&p->at[p->count++], parts);
		if (s++ == end)
			return NULL;
	}
}

uint64_t percentile_rank(const struct percentile *p, uint64_t n)
{
	return histogram_rank_millionth(n, p->parts);
}
