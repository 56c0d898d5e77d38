/*
 * ai: for programs. What was not measured is null, and an empty cell.
 */
#include <math.h>

#include "../../counters/usage.h"
#include "ai.h"

static void put_time(FILE *f, struct timespec at)
{
	struct tm utc;
	char text[32];

	if (gmtime_r(&at.tv_sec, &utc) && strftime(text, sizeof text, "%FT%T", &utc))
		fprintf(f, "%s.%03dZ", text, (int)(at.tv_nsec / 1000000));
}

/* What puts a sample in doubt. */
static const struct {
	UINT32 flag;
	const char *word;
} flag_words[] = {{CPUUTIL_DATA_FLAG_SLOWTSC, "slow_clock"},
	{CPUUTIL_DATA_FLAG_CPUS_CHANGED, "cpus_changed"}, {CPUUTIL_DATA_FLAG_SCALED, "scaled"}};

enum { FLAGS = sizeof flag_words / sizeof *flag_words };

static void end(struct ai_run *r, FILE *f, bool all)
{
	(void)r;
	(void)f;
	(void)all;
}

/* ---------------------------------------------------------------------------- JSON */

static void begin_json(struct ai_run *r, FILE *f)
{
	struct timespec now;
	const char *why = ai_why();
	char frequency[128];

	clock_gettime(CLOCK_REALTIME, &now);
	fputs("{\"kind\": \"header\", \"started\": \"", f);
	put_time(f, now);
	fprintf(f, "\", \"processors\": %d, \"interval_s\": %.9g, \"samples\": ", r->columns,
		(double)r->interval / 1e9);
	if (r->samples)
		fprintf(f, "%llu", (unsigned long long)r->samples);
	else
		fputs("null", f);
	fputs(", \"method\": ", f);
	put_json(f, AiMethodName(AiMethod()));
	fputs(", \"why\": ", f);
	if (why)
		put_json(f, why);
	else
		fputs("null", f);
	usage_frequency_source(AiMethod(), frequency, sizeof frequency);
	fputs(", \"frequency_source\": ", f);
	if (*frequency)
		put_json(f, frequency);
	else
		fputs("null", f);
	fputs("}\n", f);
}

static void put_percent(FILE *f, const char *name, double value)
{
	if (isnan(value))
		fprintf(f, "\"%s\": null", name);
	else
		fprintf(f, "\"%s\": %.4f", name, value);
}

static void put_figures(FILE *f, double busy, double idle, double intr, double actual_perf)
{
	put_percent(f, "busy", busy);
	fputs(", ", f);
	put_percent(f, "idle", idle);
	fputs(", ", f);
	put_percent(f, "intr", intr);
	fputs(", ", f);
	put_percent(f, "actual_perf", actual_perf);
}

static void put_count(FILE *f, const char *name, UINT32 count)
{
	if (count == AI_COUNT_NOT_MEASURED)
		fprintf(f, ", \"%s\": null", name);
	else
		fprintf(f, ", \"%s\": %u", name, count);
}

static void put_flags(FILE *f, UINT32 flags)
{
	for (int i = 0; i < FLAGS; i++)
		fprintf(f, "%s\"%s\": %s", i ? ", " : "", flag_words[i].word,
			flags & flag_words[i].flag ? "true" : "false");
}

static void sample_json(struct ai_run *r, FILE *f, const struct ai_sample *s)
{
	const CPUUTIL_DATA *d = s->data;

	fputs("{\"kind\": \"sample\", \"time\": \"", f);
	put_time(f, s->at);
	fprintf(f, "\", \"elapsed_s\": %.9f, ", s->elapsed);
	put_flags(f, d->flags);
	fputs(", \"cpus\": [", f);
	for (int i = 0; r->processors && i < d->num_cpus; i++) {
		fprintf(f, "%s{\"cpu\": %d, ", i ? ", " : "", i);
		put_figures(
			f, d->cpu_busy[i], d->cpu_idle[i], d->cpu_intr[i], d->cpu_actual_perf[i]);
		put_count(f, "dispatches", d->cpu_disp_cnt[i]);
		put_count(f, "interrupts", d->cpu_intr_cnt[i]);
		fputc('}', f);
	}
	fputs("], \"system\": {", f);
	put_figures(f, d->sys_busy, d->sys_idle, d->sys_intr, d->sys_actual_perf);
	fputs("}}\n", f);
}

const struct ai_printer ai_json = {begin_json, sample_json, end};

/* ----------------------------------------------------------------------------- CSV */

static void begin_csv(struct ai_run *r, FILE *f)
{
	(void)r;
	fputs("time,elapsed_s,cpu,busy,idle,intr,actual_perf,dispatches,interrupts,method,why,"
	      "flags,frequency_source\r\n",
		f);
}

static void put_cells(FILE *f, double busy, double idle, double intr, double actual_perf)
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
	put_time(f, s->at);
	fprintf(f, ",%.9f,", s->elapsed);
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
		put_cells(f, d->cpu_busy[i], d->cpu_idle[i], d->cpu_intr[i], d->cpu_actual_perf[i]);
		put_count_cell(f, d->cpu_disp_cnt[i]);
		put_count_cell(f, d->cpu_intr_cnt[i]);
		end_row(f, s);
	}
	begin_row(f, s);
	put_cells(f, d->sys_busy, d->sys_idle, d->sys_intr, d->sys_actual_perf);
	fputs(",,", f);
	end_row(f, s);
}

const struct ai_printer ai_csv = {begin_csv, sample_csv, end};
