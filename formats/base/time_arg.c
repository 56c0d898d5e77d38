#include "time_arg.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "number.h"
#include "quantity.h"
#include "time_ns.h"

/* Parses seconds with a fraction; *ns is unspecified if it returns false. */
static bool time_arg_read_seconds(const char **s, int64_t *ns)
{
	uint64_t v;

	if (!quantity_scan_decimal(s, *s + strlen(*s), 0, TIME_SECOND_NS, INT64_MAX, &v))
		return false;
	*ns = (int64_t)v;
	return true;
}

/* Exactly n digits, between low and high. */
static bool time_parse_field(const char **s, size_t n, int low, int high, int *value)
{
	size_t length = strnlen(*s, n);
	const char *end = *s + length;
	uint64_t v;

	if (length < n || !number_scan(s, end, 10, (uint64_t)high, &v) || *s < end)
		return false;
	*value = (int)v;
	return *value >= low;
}

static bool time_arg_skip(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

static bool time_parse_zone(const char **s, int *seconds)
{
	int sign = **s == '-' ? -1 : 1, hours, minutes = 0;

	(*s)++;
	if (!time_parse_field(s, 2, 0, 23, &hours))
		return false;
	if (time_arg_skip(s, ':') || number_digit(**s, 10) >= 0)
		if (!time_parse_field(s, 2, 0, 59, &minutes))
			return false;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

static bool day_exists(const struct tm *tm)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year = tm->tm_year + 1900;
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return tm->tm_mday <= days[tm->tm_mon] + (leap && tm->tm_mon == 1);
}

static bool time_of_day(const char **s, struct tm *tm, int64_t *ns)
{
	if (!time_parse_field(s, 2, 0, 23, &tm->tm_hour) || !time_arg_skip(s, ':') ||
		!time_parse_field(s, 2, 0, 59, &tm->tm_min))
		return false;
	if (!time_arg_skip(s, ':'))
		return true;
	if (!time_parse_field(s, 2, 0, 60, &tm->tm_sec))
		return false;
	return **s != '.' || number_digit((*s)[1], 10) < 0 || time_arg_read_seconds(s, ns);
}

static const char *parse_iso(const char *s, struct time_arg *t)
{
	static const char *const wrong =
		"expected a date and time like 2024-05-01T12:30:00.5Z (zone Z, +hh:mm or none: local)";
	struct tm tm = {.tm_isdst = -1};
	int64_t ns = 0;
	int year, offset = 0;
	bool local = true;

	if (!time_parse_field(&s, 4, 1678, 2261, &year) || !time_arg_skip(&s, '-') ||
		!time_parse_field(&s, 2, 1, 12, &tm.tm_mon) || !time_arg_skip(&s, '-') ||
		!time_parse_field(&s, 2, 1, 31, &tm.tm_mday))
		return wrong;
	tm.tm_year = year - 1900;
	tm.tm_mon--;
	if (!day_exists(&tm))
		return "no such day";
	if ((*s == 'T' || *s == 't' || *s == ' ') && (s++, !time_of_day(&s, &tm, &ns)))
		return wrong;
	if (*s == 'Z' || *s == 'z') {
		s++;
		local = false;
	} else if (*s == '+' || *s == '-') {
		if (!time_parse_zone(&s, &offset))
			return wrong;
		local = false;
	}
	if (*s)
		return wrong;
	int64_t seconds = local ? mktime(&tm) : timegm(&tm) - offset;
	t->ns = seconds * (int64_t)TIME_SECOND_NS + ns;
	return NULL;
}

static const char *parse_relative(const char *s, struct time_arg *t)
{
	uint64_t ns;

	if (!quantity_parse_duration(s, strlen(s), QUANTITY_BARE_SECONDS, INT64_MAX, &ns))
		return "expected a duration like +1.5s (units h, m, s, ms, us, ns)";
	t->relative = true;
	t->ns = (int64_t)ns;
	return NULL;
}

const char *time_arg_parse(const char *text, struct time_arg *t)
{
	*t = (struct time_arg){.given = true};
	/* Reports have -0.5 s before the trace's first hook; seconds since 1970 have no unit. */
	const char last = text[0] ? text[strlen(text) - 1] : 0;
	if (text[0] == '+' || (text[0] == '-' && last >= 'a' && last <= 'z')) {
		const char *wrong = parse_relative(text + 1, t);

		t->ns = text[0] == '-' ? -t->ns : t->ns;
		return wrong;
	}
	const char *dash = strchr(text, '-');
	if (dash && dash > text)
		return parse_iso(text, t);
	bool negative = text[0] == '-';
	text += negative;
	if (!time_arg_read_seconds(&text, &t->ns) || *text)
		return "expected seconds since 1970, an ISO 8601 date and time, or +1.5s after the start of the trace";
	if (negative)
		t->ns = -t->ns;
	return NULL;
}
