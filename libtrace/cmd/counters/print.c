/*
 * counters: prints rows in typeperf's format, and for programs.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "../../../formats/base/time_ns.h"
#include "../../../formats/base/utf8.h"
#include "../print_stream.h"
#include "counters.h"

#define SECOND_100NS INT64_C(10000000)

/* Part of a cell, question marks instead of characters that a terminal would obey or that would end
 * a line.
 */
static void print_add_plain(struct csv *c, const char *text)
{
	const char *clean;

	for (size_t left = strlen(text), n; (clean = utf8_clean_next(&text, &left, "?", "?", &n));)
		csv_add_quoted(c, clean, n);
}

static void print_path(struct csv *c, const char *host, const char *path)
{
	csv_begin_quoted(c);
	csv_add_quoted(c, "\\\\", 2);
	print_add_plain(c, host);
	print_add_plain(c, path);
	csv_end_quoted(c);
}

/* Cells in quotes, as typeperf has them. */
static struct csv *print_begin(const struct counters_run *r, struct print_stream *s, FILE *f)
{
	struct csv *c = print_csv_begin(s, f);

	c->is_tsv = r->format != COUNTERS_CSV;
	return c;
}

static void put_head_json(const struct counters_run *r, FILE *f)
{
	struct print_stream stream;
	struct json *j = print_document_begin(&stream, f, true)->j;

	json_member_text(j, "kind", "header");
	json_member_text(j, "host", r->catalogue.host);
	json_member_text(j, "trace", r->catalogue.where);
	json_member_open(j, "paths", '[');
	for (unsigned i = 0; i < r->query.columns; i++)
		json_text(j, r->query.column[i].path);
	json_close(j, ']');
	json_member_bool(j, "scripted", r->scripted);
	print_document_end(&stream);
}

void counters_print_head(const struct counters_run *r, FILE *f)
{
	if (r->format == COUNTERS_JSON) {
		put_head_json(r, f);
		return;
	}
	struct print_stream stream;
	struct csv *c = print_begin(r, &stream, f);
	csv_begin_quoted(c);
	out_printf(c->o, "(PDH-%s 4.0)", c->is_tsv ? "TSV" : "CSV");
	csv_end_quoted(c);
	for (unsigned i = 0; i < r->query.columns; i++)
		print_path(c, r->catalogue.host, r->query.column[i].path);
	csv_end(c);
	print_stream_end(&stream);
}

static struct timespec sample_time(const PERF_DATA_HEADER *d)
{
	int64_t seconds = d->PerfTime100NSec / SECOND_100NS,
		rest = d->PerfTime100NSec % SECOND_100NS;

	if (rest < 0) {
		rest += SECOND_100NS;
		seconds--;
	}
	return (struct timespec){
		.tv_sec = (time_t)(seconds - TIME_1601_TO_1970_100NS / SECOND_100NS),
		.tv_nsec = (long)rest * 100};
}

static void put_row_json(const struct counters_run *r, FILE *f)
{
	struct print_stream stream;
	struct json *j = print_document_begin(&stream, f, true)->j;
	char text[TIME_UTC_TEXT];

	time_utc(sample_time(r->query.data), 3, text);
	json_member_text(j, "kind", "sample");
	json_member_text(j, "time", text);
	json_member_open(j, "values", '{');
	for (unsigned i = 0; i < r->query.columns; i++) {
		const struct counters_column *c = &r->query.column[i];

		json_key_text(j, c->path);
		json_fixed(j, c->known ? c->value : NAN, 6);
	}
	json_close(j, '}');
	print_document_end(&stream);
}

void counters_print_row(const struct counters_run *r, FILE *f)
{
	char text[64] = "";
	struct tm tm;

	if (r->format == COUNTERS_JSON) {
		put_row_json(r, f);
		return;
	}
	struct print_stream stream;
	struct csv *c = print_begin(r, &stream, f);
	struct timespec at = sample_time(r->query.data);
	if (localtime_r(&at.tv_sec, &tm))
		strftime(text, sizeof text, "%m/%d/%Y %T", &tm);
	csv_begin_quoted(c);
	out_printf(c->o, "%s.%03d", text, (int)(at.tv_nsec / 1000000));
	csv_end_quoted(c);
	for (unsigned i = 0; i < r->query.columns; i++) {
		const struct counters_column *column = &r->query.column[i];

		csv_begin_quoted(c);
		if (column->known && isfinite(column->value))
			out_fixed(c->o, column->value, 6);
		else
			out_char(c->o, ' ');
		csv_end_quoted(c);
	}
	csv_end(c);
	print_stream_end(&stream);
}
