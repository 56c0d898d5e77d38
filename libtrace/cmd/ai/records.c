/*
 * ai: machine-readable output. Unmeasured values are null in JSON and empty in CSV.
 */
#include "../../../decoder/sink/column.h"
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
	struct json *j = print_document_begin(&stream, f, true)->j;
	char text[TIME_UTC_TEXT], frequency[128];

	time_utc(time_of_ns(time_ns_now(CLOCK_REALTIME)), 3, text);
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
	print_document_end(&stream);
}

/* A processor's, or the system's. */
struct ai_row {
	struct cell cpu, dispatches, interrupts; /* CELL_NONE: of the system */
	double busy, idle, intr, actual_perf;
	/* CSV's: */
	double elapsed;
	struct cell flags;
	const char *time, *method, *why, *frequency;
};

static void records_spell_flags(struct out *o, uint32_t flags)
{
	const char *between = "";

	for (int i = 0; i < FLAGS; i++) {
		if (!(flags & flag_words[i].flag))
			continue;
		out_str(o, between);
		out_str(o, flag_words[i].word);
		between = "+";
	}
}

enum { HAS_CPU = 1 };
#define AT(member) COLUMN_AT(struct ai_row, member)
static const struct column sample_columns[] = {
	{"time", AT(time), .in = IN_CSV},
	{"elapsed_s", AT(elapsed), .in = IN_CSV, .decimals = 9},
	{"cpu", AT(cpu), .when = HAS_CPU},
	{"busy", AT(busy), .decimals = 4},
	{"idle", AT(idle), .decimals = 4},
	{"intr", AT(intr), .decimals = 4},
	{"actual_perf", AT(actual_perf), .decimals = 4},
	{"dispatches", AT(dispatches), .when = HAS_CPU},
	{"interrupts", AT(interrupts), .when = HAS_CPU},
	{"method", AT(method), .in = IN_CSV},
	{"why", AT(why), .in = IN_CSV},
	{"flags", AT(flags), .in = IN_CSV},
	{"frequency_source", AT(frequency), .in = IN_CSV},
	{.name = NULL},
};

static struct cell records_count(UINT32 count)
{
	return cell_u64(count, count != AI_COUNT_NOT_MEASURED);
}

static void records_read_cpu(struct ai_row *row, const CPUUTIL_DATA *d, int cpu)
{
	row->cpu = cell_i64(cpu);
	row->busy = d->cpu_busy[cpu];
	row->idle = d->cpu_idle[cpu];
	row->intr = d->cpu_intr[cpu];
	row->actual_perf = d->cpu_actual_perf[cpu];
	row->dispatches = records_count(d->cpu_disp_cnt[cpu]);
	row->interrupts = records_count(d->cpu_intr_cnt[cpu]);
}

static struct ai_row records_read_system(const CPUUTIL_DATA *d)
{
	return (struct ai_row){.busy = d->sys_busy,
		.idle = d->sys_idle,
		.intr = d->sys_intr,
		.actual_perf = d->sys_actual_perf};
}

static void sample_json(struct ai_run *r, FILE *f, const struct ai_sample *s)
{
	struct print_stream stream;
	struct json *j = print_document_begin(&stream, f, true)->j;
	const CPUUTIL_DATA *d = s->data;
	struct ai_row row = {.time = NULL};
	char text[TIME_UTC_TEXT];

	time_utc(s->at, 3, text);
	json_member_text(j, "kind", "sample");
	json_member_text(j, "time", text);
	json_member_fixed(j, "elapsed_s", s->elapsed, 9);
	for (int i = 0; i < FLAGS; i++)
		json_member_bool(j, flag_words[i].word, d->flags & flag_words[i].flag);
	json_member_open(j, "cpus", '[');
	for (int i = 0; r->processors && i < d->num_cpus; i++) {
		records_read_cpu(&row, d, i);
		column_write_object(j, sample_columns, IN_JSON, HAS_CPU, &row);
	}
	json_close(j, ']');
	row = records_read_system(d);
	json_key(j, "system");
	column_write_object(j, sample_columns, IN_JSON, 0, &row);
	print_document_end(&stream);
}

const struct ai_printer ai_json = {records_begin_json, sample_json, records_print_no_end};

/* ----------------------------------------------------------------------------- CSV */

static void begin_csv(struct ai_run *r, FILE *f)
{
	struct print_stream stream;
	struct csv *c = print_csv_begin(&stream, f);

	(void)r;
	column_write_names(c, sample_columns, HAS_CPU);
	csv_end(c);
	print_stream_end(&stream);
}

static void sample_csv(struct ai_run *r, FILE *f, const struct ai_sample *s)
{
	const CPUUTIL_DATA *d = s->data;
	struct print_stream stream;
	struct csv *c = print_csv_begin(&stream, f);
	struct ai_row row = records_read_system(d);
	char time[TIME_UTC_TEXT], frequency[128];

	row.elapsed = s->elapsed;
	row.method = AiMethodName(d->method);
	row.why = ai_why();
	row.flags = (struct cell){.kind = CELL_WORDS, .u = d->flags, .words = records_spell_flags};
	row.time = time_utc(s->at, 3, time) ? time : NULL;
	usage_frequency_source(d->method, frequency, sizeof frequency);
	row.frequency = *frequency ? frequency : NULL;
	const struct ai_row all = row;
	for (int i = 0; r->processors && i < d->num_cpus; i++) {
		records_read_cpu(&row, d, i);
		column_write_fields(c, sample_columns, HAS_CPU, &row);
		csv_end(c);
	}
	column_write_fields(c, sample_columns, HAS_CPU, &all);
	csv_end(c);
	print_stream_end(&stream);
}

const struct ai_printer ai_csv = {begin_csv, sample_csv, records_print_no_end};
