/*
 * ai: machine-readable output. Unmeasured values are null in JSON and empty in CSV.
 */
#include "../../../formats/base/time_ns.h"
#include "../../counters/usage/usage.h"
#include "../print_stream.h"
#include "ai.h"

/* Conditions that make a sample unreliable. */
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
	struct print_stream stream;
	struct json *j = print_json_begin(&stream, f);
	char text[TIME_UTC_TEXT], frequency[128];

	time_utc(time_of_ns(time_ns_now(CLOCK_REALTIME)), 3, text);
	json_open(j, '{');
	json_member_text(j, "kind", "header");
	json_member_text(j, "started", text);
	json_member_i64(j, "processors", r->columns);
	json_key(j, "interval_s");
	json_general(j, time_seconds(r->interval), 9);
	json_member_count(j, "samples", r->samples, r->samples);
	json_member_text(j, "method", AiMethodName(AiMethod()));
	json_member_text(j, "why", ai_why());
	usage_frequency_source(AiMethod(), frequency, sizeof frequency);
	json_member_text(j, "frequency_source", *frequency ? frequency : NULL);
	json_close(j, '}');
	json_end_line(j);
	print_stream_end(&stream);
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
	json_member_count(j, key, count != AI_COUNT_NOT_MEASURED, count);
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
	struct print_stream stream;
	struct json *j = print_json_begin(&stream, f);
	const CPUUTIL_DATA *d = s->data;
	char text[TIME_UTC_TEXT];

	time_utc(s->at, 3, text);
	json_open(j, '{');
	json_member_text(j, "kind", "sample");
	json_member_text(j, "time", text);
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
	print_stream_end(&stream);
}

const struct ai_printer ai_json = {records_begin_json, sample_json, records_print_no_end};

/* ----------------------------------------------------------------------------- CSV */

static void begin_csv(struct ai_run *r, FILE *f)
{
	static const char *const columns[] = {"time", "elapsed_s", "cpu", "busy", "idle", "intr",
		"actual_perf", "dispatches", "interrupts", "method", "why", "flags",
		"frequency_source", NULL};
	struct print_stream stream;

	(void)r;
	csv_header(print_csv_begin(&stream, f), columns);
	print_stream_end(&stream);
}

static void ai_csv_figures(struct csv *c, double busy, double idle, double intr, double actual_perf)
{
	csv_fixed(c, busy, 4);
	csv_fixed(c, idle, 4);
	csv_fixed(c, intr, 4);
	csv_fixed(c, actual_perf, 4);
}

static void ai_csv_count(struct csv *c, UINT32 count)
{
	if (count == AI_COUNT_NOT_MEASURED)
		csv_empty(c);
	else
		csv_u64(c, count);
}

static void ai_csv_flags(struct csv *c, UINT32 flags)
{
	const char *between = "";

	csv_empty(c);
	for (int i = 0; i < FLAGS; i++) {
		if (!(flags & flag_words[i].flag))
			continue;
		out_str(c->o, between);
		out_str(c->o, flag_words[i].word);
		between = "+";
	}
}

static void begin_row(struct csv *c, const struct ai_sample *s)
{
	char text[TIME_UTC_TEXT];

	time_utc(s->at, 3, text);
	csv_text(c, *text ? text : NULL);
	csv_fixed(c, s->elapsed, 9);
}

static void end_row(struct csv *c, const struct ai_sample *s)
{
	char frequency[128];

	usage_frequency_source(s->data->method, frequency, sizeof frequency);
	csv_text(c, AiMethodName(s->data->method));
	csv_text(c, ai_why());
	ai_csv_flags(c, s->data->flags);
	csv_text(c, *frequency ? frequency : NULL);
	csv_end(c);
}

static void sample_csv(struct ai_run *r, FILE *f, const struct ai_sample *s)
{
	const CPUUTIL_DATA *d = s->data;
	struct print_stream stream;
	struct csv *c = print_csv_begin(&stream, f);

	for (int i = 0; r->processors && i < d->num_cpus; i++) {
		begin_row(c, s);
		csv_i64(c, i);
		ai_csv_figures(
			c, d->cpu_busy[i], d->cpu_idle[i], d->cpu_intr[i], d->cpu_actual_perf[i]);
		ai_csv_count(c, d->cpu_disp_cnt[i]);
		ai_csv_count(c, d->cpu_intr_cnt[i]);
		end_row(c, s);
	}
	begin_row(c, s);
	csv_empty(c);
	ai_csv_figures(c, d->sys_busy, d->sys_idle, d->sys_intr, d->sys_actual_perf);
	csv_empties(c, 2);
	end_row(c, s);
	print_stream_end(&stream);
}

const struct ai_printer ai_csv = {begin_csv, sample_csv, records_print_no_end};
