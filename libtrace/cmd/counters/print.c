/*
 * counters: rows as typeperf has them, and for programs.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "../../../formats/base/time_ns.h"
#include "../put_json.h"
#include "counters.h"

#define SECOND_100NS INT64_C(10000000)

/* What a terminal would obey, or what would end a cell in quotes, does not come out. */
static void put_quoted(FILE *f, const char *text)
{
	size_t n = strcspn(text, "\"");

	for (; text[n]; n = strcspn(text, "\"")) {
		put_plain_bytes(f, text, n);
		fputs("\"\"", f);
		text += n + 1;
	}
	put_plain_bytes(f, text, n);
}

static void put_path(FILE *f, const char *host, const char *path)
{
	fputs("\"\\\\", f);
	put_quoted(f, host);
	put_quoted(f, path);
	fputc('"', f);
}

static void put_end(const struct counters_run *r, FILE *f)
{
	fputs(r->format == COUNTERS_CSV ? "\r\n" : "\n", f);
}

static void put_head_json(const struct counters_run *r, FILE *f)
{
	struct put_json_stream stream;
	struct json *j = put_json_begin(&stream, f);

	json_open(j, '{');
	json_member_text(j, "kind", "header");
	json_member_text(j, "host", r->catalogue.host);
	json_member_text(j, "trace", r->catalogue.where);
	json_member_open(j, "paths", '[');
	for (unsigned i = 0; i < r->query.columns; i++)
		json_text(j, r->query.column[i].path);
	json_close(j, ']');
	json_member_bool(j, "scripted", r->scripted);
	json_close(j, '}');
	json_end_line(j);
	put_json_end(&stream);
}

void counters_print_head(const struct counters_run *r, FILE *f)
{
	if (r->format == COUNTERS_JSON) {
		put_head_json(r, f);
		return;
	}
	const char *separator = r->format == COUNTERS_CSV ? "," : "\t";
	fprintf(f, "\"(PDH-%s 4.0)\"", r->format == COUNTERS_CSV ? "CSV" : "TSV");
	for (unsigned i = 0; i < r->query.columns; i++) {
		fputs(separator, f);
		put_path(f, r->catalogue.host, r->query.column[i].path);
	}
	put_end(r, f);
}

/* Of the sample: seconds since 1970, and milliseconds. */
static time_t seconds_of(const PERF_DATA_HEADER *d, int *ms)
{
	int64_t seconds = d->PerfTime100NSec / SECOND_100NS,
		rest = d->PerfTime100NSec % SECOND_100NS;

	if (rest < 0) {
		rest += SECOND_100NS;
		seconds--;
	}
	*ms = (int)(rest / 10000);
	return (time_t)(seconds - TIME_1601_TO_1970_100NS / SECOND_100NS);
}

static void put_row_json(const struct counters_run *r, FILE *f)
{
	struct put_json_stream stream;
	struct json *j = put_json_begin(&stream, f);
	char text[64] = "";
	struct tm tm;
	int ms;
	time_t at = seconds_of(r->query.data, &ms);

	if (gmtime_r(&at, &tm))
		strftime(text, sizeof text, "%FT%T", &tm);
	json_open(j, '{');
	json_member_text(j, "kind", "sample");
	json_key(j, "time");
	json_format(j, "%s.%03dZ", text, ms);
	json_member_open(j, "values", '{');
	for (unsigned i = 0; i < r->query.columns; i++) {
		const struct column *c = &r->query.column[i];

		json_key_text(j, c->path);
		json_fixed(j, c->known ? c->value : NAN, 6);
	}
	json_close(j, '}');
	json_close(j, '}');
	json_end_line(j);
	put_json_end(&stream);
}

void counters_print_row(const struct counters_run *r, FILE *f)
{
	char text[64] = "";
	struct tm tm;
	int ms;

	if (r->format == COUNTERS_JSON) {
		put_row_json(r, f);
		return;
	}
	const char *separator = r->format == COUNTERS_CSV ? "," : "\t";
	time_t at = seconds_of(r->query.data, &ms);
	if (localtime_r(&at, &tm))
		strftime(text, sizeof text, "%m/%d/%Y %T", &tm);
	fprintf(f, "\"%s.%03d\"", text, ms);
	for (unsigned i = 0; i < r->query.columns; i++) {
		const struct column *c = &r->query.column[i];

		fputs(separator, f);
		if (c->known && isfinite(c->value))
			fprintf(f, "\"%.6f\"", c->value);
		else
			fputs("\" \"", f);
	}
	put_end(r, f);
}
