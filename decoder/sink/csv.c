#include <math.h>
#include <string.h>

#include "csv.h"
#include "escapes.h"
#include "fmt.h"

void csv_u64(struct csv *c, uint64_t v)
{
	char *p = out_reserve(c->o, 1 + FMT_U64 + FMT_SLACK);

	if (!p)
		return;
	*p = ',';
	out_reach(c->o, fmt_u64(p + c->comma, v));
	c->comma = true;
}

void csv_i64(struct csv *c, int64_t v)
{
	char *p = out_reserve(c->o, 1 + FMT_I64 + FMT_SLACK);

	if (!p)
		return;
	*p = ',';
	out_reach(c->o, fmt_i64(p + c->comma, v));
	c->comma = true;
}

void csv_fixed(struct csv *c, double v, unsigned decimals)
{
	csv_empty(c);
	if (isfinite(v))
		out_fixed(c->o, v, decimals);
}

static bool needs_quotes(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == '"' || s[i] == ',' || s[i] == '\r' || s[i] == '\n')
			return true;
	/* Quotes empty strings, to tell them from missing values, and outer spaces, which some
	 * readers strip. */
	return !n || s[0] == ' ' || s[n - 1] == ' ';
}

/* Writes the rest of a quoted field and its closing quote. */
static void csv_quoted(struct out *o, const char *s, size_t n)
{
	for (const char *quote; (quote = memchr(s, '"', n));) {
		size_t part = (size_t)(quote - s) + 1;

		escape_utf8(o, s, part);
		out_char(o, '"');
		s += part;
		n -= part;
	}
	escape_utf8(o, s, n);
	out_char(o, '"');
}

/* Whether a spreadsheet would read the text as a formula. */
static bool is_formula(const char *s, size_t n)
{
	return n && memchr("=+-@\t\r", s[0], 6);
}

/* The leading apostrophe makes it text in a spreadsheet. */
static void csv_safe_string(struct csv *c, const char *s, size_t n)
{
	out_bytes(c->o, "\"'", 2);
	csv_quoted(c->o, s, n);
}

void csv_string(struct csv *c, const char *s, size_t n)
{
	csv_empty(c);
	if (c->o->csv_safe && is_formula(s, n)) {
		csv_safe_string(c, s, n);
		return;
	}
	if (!needs_quotes(s, n)) {
		escape_utf8(c->o, s, n);
		return;
	}
	out_char(c->o, '"');
	csv_quoted(c->o, s, n);
}

void csv_text(struct csv *c, const char *s)
{
	if (s)
		csv_string(c, s, strlen(s));
	else
		csv_empty(c);
}

void csv_begin_quoted(struct csv *c)
{
	if (c->comma)
		out_char(c->o, c->is_tsv ? '\t' : ',');
	c->comma = true;
	out_char(c->o, '"');
}

void csv_add_quoted(struct csv *c, const char *s, size_t n)
{
	for (const char *quote; (quote = memchr(s, '"', n)); s = quote + 1) {
		size_t part = (size_t)(quote - s) + 1;

		out_bytes(c->o, s, part);
		out_char(c->o, '"');
		n -= part;
	}
	out_bytes(c->o, s, n);
}

void csv_end_quoted(struct csv *c)
{
	out_char(c->o, '"');
}

void csv_end(struct csv *c)
{
	if (c->is_tsv)
		out_char(c->o, '\n');
	else
		out_bytes(c->o, "\r\n", 2);
	c->comma = false;
}
