/*
 * ai: for programs. What was not measured is null, and an empty cell.
 */
#include <math.h>

#include "../../counters/usage.h"
#include "../put_json.h"
#include "ai.h"

enum { TIME_TEXT = 48 };

static const char *ai_time_text(struct timespec at, char text[TIME_TEXT])
{
	struct tm utc;
	size_t n = 0;

	if (gmtime_r(&at.tv_sec, &utc))
		n = strftime(text, TIME_TEXT, "%FT%T", &utc);
	if (n)
		snprintf(text + n, TIME_TEXT - n, ".%03dZ", (int)(at.tv_nsec / 1000000));
	else
		text[0] = 0;
	return text;
}

/* What puts a sample in doubt. */
static const struct {
	UINT32 flag;
	const char *word;
} flag_words[] = {{CPUUTIL_DATA_FLAG_SLOWTSC, "slow_clock"},
	{CPUUTIL_DATA_FLAG_CPUS_CHANGED, "cpus_changed"}, {CPUUTIL_DATA_FLAG_SCALED, "scaled"}};

enum { FLAGS = sizeof flag_words / sizeof *flag_words };

static void records_print_no_end(struct ai_run *r, FILE *f, bool all)
{
	(void)r;
	(void)f;
	(void)all;
}

/* ---------------------------------------------------------------------------- JSON */

static void records_begin_json(struct ai_run *r, FILE *f)
{
	struct put_json_stream stream;
	struct json *j = put_json_begin(&stream, f);
	struct timespec now;
	char text[TIME_TEXT], frequency[128];

	clock_gettime(CLOCK_REALTIME, &now);
	json_open(j, '{');
	json_member_text(j, "kind", "header");
	json_member_text(j, "started", ai_time_text(now, text));
	json_member_i64(j, "processors", r->columns);
	json_key(j, "interval_s");
	json_general(j, (double)r->interval / 1e9, 9);
	json_key(j, "samples");
	if (r->samples)
		json_u64(j, r->samples);
	else
		json_null(j);
	json_member_text(j, "method", AiMethodName(AiMethod()));
	json_member_text(j, "why", ai_why());
	usage_frequency_source(AiMethod(), frequency, sizeof frequency);
	json_member_text(j, "frequency_source", *frequency ? frequency : NULL);
	json_close(j, '}');
	json_end_line(j);
	put_json_end(&stream);
}

static void ai_json_figures(
	struct json *j, double busy, double idle, double intr, double actual_perf)
{
	json_member_fixed(j, "busy", busy, 4);
	json_member_fixed(j, "idle", idle, 4);
	json_member_fixed(j, "intr", intr, 4);
	json_member_fixed(j, "actual_perf", actual_perf, 4);
}

static void ai_json_count(struct json *j, const char *key, UINT32 count)
{
	json_key(j, key);
	if (count == AI_COUNT_NOT_MEASURED)
		json_null(j);
	else
		json_u64(j, count);
}

static void ai_json_cpu(struct json *j, const CPUUTIL_DATA *d, int cpu)
{
	json_open(j, '{');
	json_member_i64(j, "cpu", cpu);
	ai_json_figures(
		j, d->cpu_busy[cpu], d->cpu_idle[cpu], d->cpu_intr[cpu], d->cpu_actual_perf[cpu]);
	ai_json_count(j, "dispatches", d->cpu_disp_cnt[cpu]);
	ai_json_count(j, "interrupts", d->cpu_intr_cnt[cpu]);
	json_close(j, '}');
}

static void sample_json(struct ai_run *r, FILE *f, const struct ai_sample *s)
{
	struct put_json_stream stream;
	struct json *j = put_json_begin(&stream, f);
	const CPUUTIL_DATA *d = s->data;
	char text[TIME_TEXT];

	json_open(j, '{');
	json_member_text(j, "kind", "sample");
	json_member_text(j, "time", ai_time_text(s->at, text));
	json_member_fixed(j, "elapsed_s", s->elapsed, 9);
	for (int i = 0; i < FLAGS; i++)
		json_member_bool(j, flag_words[i].word, d->flags & flag_words[i].flag);
	json_member_open(j, "cpus", '[');
	for (int i = 0; r->processors && i < d->num_cpus; i++)
		ai_json_cpu(j, d, i);
	json_close(j, ']');
	json_member_open(j, "system", '{');
	ai_json_figures(j, d->sys_busy, d->sys_idle, d->sys_intr, d->sys_actual_perf);
	json_close(j, '}');
	json_close(j, '}');
	json_end_line(j);
	put_json_end(&stream);
}

const struct ai_printer ai_json = {records_begin_json, sample_json, records_print_no_end};

/* ----------------------------------------------------------------------------- CSV */

static void begin_csv(struct ai_run *r, FILE *f)
{
	(void)r;
	fputs("time,elapsed_s,cpu,busy,idle,intr,actual_perf,dispatches,interrupts,method,why,flags,frequency_source\r\n",
		f);
}

static void records_print_cells(FILE *f, double busy, double idle, double intr, double actual_perf)
{
	const double values[] = {busy, idle, intr, actual_perf};

	for (int i = 0; i < 4; i++) {
		fputc(',', f);
		if (!isnan(values[i]))
			fprintf(f, "%.4f", values[i]);
	}
}

static void put_count_cell(FILE *f, UINT32 count)
{
	fputc(',', f);
	if (count != AI_COUNT_NOT_MEASURED)
		fprintf(f, "%u", count);
}

static void put_flags_cell(FILE *f, UINT32 flags)
{
	const char *between = "";

	fputc(',', f);
	for (int i = 0; i < FLAGS; i++) {
		if (!(flags & flag_words[i].flag))
			continue;
		fprintf(f, "%s%s", between, flag_words[i].word);
		between = "+";
	}
}

static void begin_row(FILE *f, const struct ai_sample *s)
{
	char text[TIME_TEXT];

	fprintf(f, "%s,%.9f,", ai_time_text(s->at, text), s->elapsed);
}

static void end_row(FILE *f, const struct ai_sample *s)
{
	const char *why = ai_why();
	char frequency[128];

	usage_frequency_source(s->data->method, frequency, sizeof frequency);
	fputc(',', f);
	put_csv(f, AiMethodName(s->data->method));
	fputc(',', f);
	put_csv(f, why ? why : "");
	put_flags_cell(f, s->data->flags);
	fputc(',', f);
	put_csv(f, frequency);
	fputs("\r\n", f);
}

static void sample_csv(struct ai_run *r, FILE *f, const struct ai_sample *s)
{
	const CPUUTIL_DATA *d = s->data;

	for (int i = 0; r->processors && i < d->num_cpus; i++) {
		begin_row(f, s);
		fprintf(f, "%d", i);
		records_print_cells(
			f, d->cpu_busy[i], d->cpu_idle[i], d->cpu_intr[i], d->cpu_actual_perf[i]);
		put_count_cell(f, d->cpu_disp_cnt[i]);
		put_count_cell(f, d->cpu_intr_cnt[i]);
		end_row(f, s);
	}
	begin_row(f, s);
	records_print_cells(f, d->sys_busy, d->sys_idle, d->sys_intr, d->sys_actual_perf);
	fputs(",,", f);
	end_row(f, s);
}

const struct ai_printer ai_csv = {begin_csv, sample_csv, records_print_no_end};
