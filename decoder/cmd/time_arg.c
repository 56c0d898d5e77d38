#include <stddef.h>
#include <string.h>
#include <time.h>

#include "time_arg.h"

#define NS 1000000000

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * A decimal number times unit, exactly, further digits of the fraction dropped.
 * Returns where it ends, NULL if there is none or it is too large.
 */
static const char *scaled(const char *s, int64_t unit, int64_t *value)
{
	const char *start = s;
	int64_t v = 0;
	for (; digit(*s); s++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s - '0', &v))
			return NULL;
	if (__builtin_mul_overflow(v, unit, &v))
		return NULL;
	bool any = s > start;
	if (*s == '.') {
		__int128 part = 0, whole = 1;
		for (s++; digit(*s); s++, any = true) {
			if (whole > (__int128)1000000000000000000)
				continue;
			part = part * 10 + (*s - '0');
			whole *= 10;
		}
		if (__builtin_add_overflow(v, (int64_t)(part * unit / whole), &v))
			return NULL;
	}
	*value = v;
	return any ? s : NULL;
}

/* Exactly n digits, between low and high. */
static bool field(const char **s, int n, int low, int high, int *value)
{
	*value = 0;
	for (; n; n--, (*s)++) {
		if (!digit(**s))
			return false;
		*value = *value * 10 + (**s - '0');
	}
	return *value >= low && *value <= high;
}

static bool skip(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

static bool zone(const char **s, int *seconds)
{
	int sign = **s == '-' ? -1 : 1, hours, minutes = 0;
	(*s)++;
	if (!field(s, 2, 0, 23, &hours))
		return false;
	if (skip(s, ':') || digit(**s))
		if (!field(s, 2, 0, 59, &minutes))
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
	if (!field(s, 2, 0, 23, &tm->tm_hour) || !skip(s, ':') || !field(s, 2, 0, 59, &tm->tm_min))
		return false;
	if (!skip(s, ':'))
		return true;
	if (!field(s, 2, 0, 60, &tm->tm_sec))
		return false;
	if (**s == '.' && digit((*s)[1])) {
		*s = scaled(*s, NS, ns);
		return *s;
	}
	return true;
}

static const char *parse_iso(const char *s, struct time_arg *t)
{
	static const char *const wrong =
		"not a date and time like 2024-05-01T12:30:00.5Z (zone Z, +hh:mm or none: local)";
	struct tm tm = {.tm_isdst = -1};
	int64_t ns = 0;
	int year, offset = 0;
	bool local = true;
	if (!field(&s, 4, 1678, 2261, &year) || !skip(&s, '-') ||
		!field(&s, 2, 1, 12, &tm.tm_mon) || !skip(&s, '-') ||
		!field(&s, 2, 1, 31, &tm.tm_mday))
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
		if (!zone(&s, &offset))
			return wrong;
		local = false;
	}
	if (*s)
		return wrong;
	int64_t seconds = local ? mktime(&tm) : timegm(&tm) - offset;
	t->ns = seconds * NS + ns;
	return NULL;
}

static const char *parse_relative(const char *s, struct time_arg *t)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {{"", NS}, {"s", NS}, {"ms", 1000000}, {"us", 1000}, {"ns", 1},
		{"m", (int64_t)60 * NS}, {"h", (int64_t)3600 * NS}};
	size_t number = strspn(s, "0123456789.");
	for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(s + number, units[i].unit))
			continue;
		const char *end = scaled(s, units[i].ns, &t->ns);
		if (end != s + number)
			break;
		t->relative = true;
		return NULL;
	}
	return "not a duration like +1.5s (units h, m, s, ms, us, ns)";
}

const char *time_arg_parse(const char *text, struct time_arg *t)
{
	*t = (struct time_arg){.given = true};
	if (text[0] == '+')
		return parse_relative(text + 1, t);
	const char *dash = strchr(text, '-');
	if (dash && dash > text)
		return parse_iso(text, t);
	bool negative = text[0] == '-';
	const char *end = scaled(text + negative, NS, &t->ns);
	if (!end || *end)
		return "not a time: seconds since 1970, an ISO 8601 date and time, or +1.5s after "
		       "the "
		       "start of the trace";
	if (negative)
		t->ns = -t->ns;
	return NULL;
}
