#include "quantity.h"

#include <float.h>
#include <string.h>
#include <strings.h>

#include "number.h"
#include "time_ns.h"

struct unit {
	const char *name;
	uint64_t factor;
};

/* Without QUANTITY_DAYS from the second one. */
static const struct unit duration_units[] = {{"d", 86400 * TIME_SECOND_NS}, {"ns", 1}, {"us", 1000},
	{"ms", TIME_MS_NS}, {"s", TIME_SECOND_NS}, {"m", 60 * TIME_SECOND_NS},
	{"min", 60 * TIME_SECOND_NS}, {"h", 3600 * TIME_SECOND_NS}, {NULL, 0}};
static const struct unit size_units[] = {
	{"", 1}, {"K", 1u << 10}, {"M", 1u << 20}, {"G", 1u << 30}, {NULL, 0}};

const char *quantity_scale(double *value)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
	unsigned i = 0;

	for (; *value >= 999.95 && i < sizeof prefixes / sizeof *prefixes - 1; i++)
		*value /= 1000;
	return prefixes[i];
}

/* A unit's factor; 0: unknown unit. */
static uint64_t unit_factor(const struct unit *u, const char *name, size_t size, unsigned form)
{
	for (; u->name; u++)
		if (strlen(u->name) == size &&
			(form & QUANTITY_ANY_CASE ? strncasecmp(u->name, name, size)
						  : strncmp(u->name, name, size)) == 0)
			return u->factor;
	return 0;
}

/* The digits behind a point, times unit. Digits beyond the 19th are dropped. */
static uint64_t scan_fraction(const char **p, const char *end, uint64_t unit)
{
	unsigned __int128 part = 0, whole = 1;

	for (int digit; *p < end && (digit = number_digit(**p, 10)) >= 0; ++*p)
		if (whole <= UINT64_C(1000000000000000000)) {
			part = part * 10 + (unsigned)digit;
			whole *= 10;
		}
	return (uint64_t)(part * unit / whole);
}

bool quantity_scan_decimal(const char **p, const char *end, unsigned form, uint64_t unit,
	uint64_t most, uint64_t *value)
{
	const char *start = *p;
	bool has_whole = start < end && number_digit(*start, 10) >= 0, has_fraction = false;
	uint64_t fraction = 0;

	*value = 0;
	if (has_whole && !number_scan(p, end, 10, most / unit, value))
		return false;
	*value *= unit;
	if (*p < end && **p == '.') {
		const char *first = ++*p;

		fraction = scan_fraction(p, end, unit);
		has_fraction = *p > first;
		if ((form & QUANTITY_WHOLE_POINT) && !has_fraction)
			return false;
	}
	if (fraction > most - *value)
		return false;
	*value += fraction;
	return has_whole || (has_fraction && !(form & QUANTITY_WHOLE_POINT));
}

bool quantity_scan_real(const char **at, double *real)
{
	static const double power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
	const char *p = *at;
	double value = 0;
	unsigned behind = 0;
	int digit;

	if (number_digit(*p, 10) < 0)
		return false;
	for (; (digit = number_digit(*p, 10)) >= 0; p++)
		value = value * 10 + digit;
	if (*p == '.') {
		if (number_digit(*++p, 10) < 0)
			return false;
		for (; (digit = number_digit(*p, 10)) >= 0; p++)
			if (behind < sizeof power / sizeof *power - 1) {
				value = value * 10 + digit;
				behind++;
			}
	}
	if (value > DBL_MAX)
		return false;
	*real = value / power[behind];
	*at = p;
	return true;
}

bool quantity_parse_duration(
	const char *text, size_t size, unsigned form, uint64_t most, uint64_t *ns)
{
	const char *end = text, *last = text + size;

	while (end < last && (number_digit(*end, 10) >= 0 || *end == '.'))
		end++;
	const char *name = end;
	while (name < last && (*name == ' ' || *name == '\t'))
		name++;
	uint64_t unit = end == last && (form & QUANTITY_BARE_SECONDS)
				? TIME_SECOND_NS
				: unit_factor(duration_units + !(form & QUANTITY_DAYS), name,
					  (size_t)(last - name), form);
	return unit && quantity_scan_decimal(&text, end, form, unit, most, ns) && text == end;
}

uint64_t quantity_duration_unit(const char *name)
{
	return unit_factor(duration_units + 1, name, strlen(name), 0);
}

bool quantity_parse_size(const char *text, unsigned form, uint64_t most, uint64_t *bytes)
{
	const char *end = text + strlen(text);

	if (!number_scan(&text, end, 10, most, bytes))
		return false;
	uint64_t factor = unit_factor(size_units, text, (size_t)(end - text), form);
	if (factor == 0 || *bytes > most / factor)
		return false;
	*bytes *= factor;
	return true;
}
