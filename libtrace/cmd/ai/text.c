/*
 * ai: text output, in the original toolkit's layout.
 */
#include <math.h>

#include "../../../formats/base/time_ns.h"
#include "../../counters/machine/proc_stat.h"
#include "../../counters/usage/usage.h"
#include "../print_stream.h"
#include "ai.h"

enum { ROWS_PER_HEADING = 20 };

/* In the original's format, without a newline. */
static void put_time(FILE *f, time_t at)
{
	struct tm local;
	char text[64];

	if (localtime_r(&at, &local) && strftime(text, sizeof text, "%a %b %e %T %Y", &local))
		fputs(text, f);
}

/* Explains why all of the sample is n/a. */
static void put_too_short(const struct ai_run *r, FILE *f)
{
	const uint64_t step = stat_resolution();

	if (AiMethod() == AI_METHOD_IDLE_TICK && r->interval < 2 * step)
		fprintf(f,
			"**         Too short: idle time has steps of %.9g ms, an interval needs two\n",
			(double)step / 1e6);
}

static void text_print_header(struct ai_run *r, FILE *f)
{
	const char *why = ai_why();
	char frequency[128];

	fprintf(f, "**        Processors: %d\n", r->columns);
	if (r->log) {
		fputs("**      Log filename: ", f);
		print_plain(f, r->log);
		fputc('\n', f);
	}
	fprintf(f, "**   Sample interval: %.9g Second(s)\n", time_seconds(r->interval));
	if (r->samples)
		fprintf(f, "** Number of samples: %llu", (unsigned long long)r->samples);
	else
		fputs("** Number of samples: infinite (until stopped via Ctrl-c)", f);
	if (r->run_time)
		fprintf(f, " (Run time: %.9g seconds)", time_seconds(r->run_time));
	fprintf(f, "\n**            Method: %s\n", AiMethodName(AiMethod()));
	if (why)
		fprintf(f, "** No better, because: %s\n", why);
	usage_frequency_source(AiMethod(), frequency, sizeof frequency);
	if (*frequency)
		fprintf(f, "**         Frequency: %s\n", frequency);
	put_too_short(r, f);
	fputs("** Data collection started on  ", f);
	put_time(f, time(NULL));
	fputs("\n\n", f);
}

/* ------------------------------------------------------------------------- a row */

static void put_number(FILE *f, double percent, const char *unit)
{
	if (isnan(percent))
		fputs("  n/a", f);
	else
		fprintf(f, "%5.2f%s", percent, unit);
}

static void put_words(FILE *f, const char *name, double idle, double busy, double intr)
{
	fprintf(f, "%sidle: ", name);
	put_number(f, idle, "%");
	fputs("  busy: ", f);
	put_number(f, busy, "%");
	fputs("  intr: ", f);
	put_number(f, intr, "%");
}

static void put_cell(FILE *f, double idle, double busy, double intr)
{
	fputc('(', f);
	put_number(f, idle, "");
	fputc(',', f);
	put_number(f, busy, "");
	fputc(',', f);
	put_number(f, intr, "");
	fputc(')', f);
}

static void text_print_heading(const struct ai_run *r, FILE *f)
{
	struct print_stream stream;
	struct table *t = print_table_begin(&stream, f, NULL);

	while (table_pass(t)) {
		if (r->system)
			table_text(t, "System Summary");
		for (int i = 0; i < r->columns; i++)
			out_printf(table_left(t), "processor #%d", i);
		table_end_row(t);
		for (int i = -(int)r->system; i < r->columns; i++)
			table_text(t, "(idle%,busy%,intr%)");
		table_end_row(t);
	}
	print_stream_end(&stream);
}

static void text_print_cells(struct ai_run *r, FILE *f, const CPUUTIL_DATA *d)
{
	if (d->num_cpus != r->columns || r->rows == ROWS_PER_HEADING)
		r->rows = 0;
	r->columns = d->num_cpus;
	if (r->rows++ == 0)
		text_print_heading(r, f);
	if (r->system) {
		put_cell(f, d->sys_idle, d->sys_busy, d->sys_intr);
		fputc(' ', f);
	}
	for (int i = 0; i < d->num_cpus; i++) {
		if (i)
			fputc(' ', f);
		put_cell(f, d->cpu_idle[i], d->cpu_busy[i], d->cpu_intr[i]);
	}
}

/* Prints a remark when a condition that makes samples unreliable first appears. */
static void text_print_remarks(struct ai_run *r, FILE *f, UINT32 flags)
{
	UINT32 news = flags & ~r->flags;

	if (news & CPUUTIL_DATA_FLAG_SLOWTSC)
		fputs("** The time stamp clock slowed or stopped: figures are in doubt\n", f);
	if (news & CPUUTIL_DATA_FLAG_SCALED)
		fputs("** Others use the counters, too: figures are scaled\n", f);
	r->flags |= flags;
}

static void ai_print_sample(struct ai_run *r, FILE *f, const struct ai_sample *s)
{
	const CPUUTIL_DATA *d = s->data;

	text_print_remarks(r, f, d->flags);
	if (!r->processors)
		put_words(f, "System ", d->sys_idle, d->sys_busy, d->sys_intr);
	else if (d->num_cpus == 1)
		put_words(f, "", d->cpu_idle[0], d->cpu_busy[0], d->cpu_intr[0]);
	else
		text_print_cells(r, f, d);
	if (r->stamped) {
		fputc(' ', f);
		put_time(f, s->at.tv_sec);
	}
	fputc('\n', f);
}

static void text_print_end(struct ai_run *r, FILE *f, bool all)
{
	(void)r;
	fputs(all ? "\n** Requested number of samples reached.  Ending.\n"
		  : "\n** Stopped.  Ending.\n",
		f);
}

const struct ai_printer ai_text = {text_print_header, ai_print_sample, text_print_end};
