#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "escapes.h"
#include "json.h"

void json_begin_broken(struct json *j)
{
	if (j->comma)
		out_str(j->o, j->broken ? "," : ", ");
	if (j->broken)
		out_char(j->o, '\n');
	j->broken = false;
	j->comma = true;
}

void json_open(struct json *j, char bracket)
{
	json_begin_value(j);
	out_char(j->o, bracket);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	/* An empty list stays on one line. */
	if (j->broken && j->comma)
		out_char(j->o, '\n');
	j->broken = false;
	out_char(j->o, bracket);
	j->comma = true;
}

void json_key(struct json *j, const char *key)
{
	const size_t n = strlen(key);

	json_begin_value(j);
	j->comma = false;
	char *p = out_reserve(j->o, n + sizeof "\"\": ");
	if (!p)
		return;
	*p = '"';
	memcpy(p + 1, key, n);
	p = fmt_text(p + 1 + n, "\": ");
	out_reach(j->o, p - !j->spaced);
}

void json_key_text(struct json *j, const char *key)
{
	json_key_bytes(j, key, strlen(key));
}

void json_key_bytes(struct json *j, const char *key, size_t n)
{
	json_string(j, key, n);
	out_str(j->o, j->spaced ? ": " : ":");
	j->comma = false;
}

void json_null(struct json *j)
{
	json_begin_value(j);
	out_bytes(j->o, "null", 4);
}

void json_bool(struct json *j, bool v)
{
	json_begin_value(j);
	out_str(j->o, v ? "true" : "false");
}

void json_u64(struct json *j, uint64_t v)
{
	json_begin_value(j);
	out_u64(j->o, v);
}

void json_i64(struct json *j, int64_t v)
{
	json_begin_value(j);
	out_i64(j->o, v);
}

void json_scaled(struct json *j, int64_t v, unsigned decimals)
{
	uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v, unit = 1;

	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	json_begin_value(j);
	if (v < 0)
		out_char(j->o, '-');
	out_u64(j->o, size / unit);
	if (decimals)
		out_char(j->o, '.');
	for (size %= unit; decimals; decimals--) {
		unit /= 10;
		out_char(j->o, (char)('0' + size / unit));
		size %= unit;
	}
}

/* False: null in its place. */
static bool json_begin_number(struct json *j, double v)
{
	if (!isfinite(v)) {
		json_null(j);
		return false;
	}
	json_begin_value(j);
	return true;
}

void json_fixed(struct json *j, double v, unsigned decimals)
{
	if (json_begin_number(j, v))
		out_fixed(j->o, v, decimals);
}

void json_double(struct json *j, double v)
{
	if (json_begin_number(j, v))
		out_double(j->o, v);
}

void json_general(struct json *j, double v, unsigned digits)
{
	if (json_begin_number(j, v))
		out_general(j->o, v, digits);
}

void json_string(struct json *j, const char *s, size_t n)
{
	json_begin_value(j);
	out_char(j->o, '"');
	escape_json(j->o, s, n);
	out_char(j->o, '"');
}

void json_text(struct json *j, const char *s)
{
	if (s)
		json_string(j, s, strlen(s));
	else
		json_null(j);
}

void json_format(struct json *j, const char *format, ...)
{
	char text[80];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	json_text(j, text);
}

void json_break(struct json *j)
{
	j->broken = true;
}

void json_end_line(struct json *j)
{
	out_char(j->o, '\n');
	j->comma = false;
}
