/*
 * stat: text output.
 */
#include <string.h>

#include "../../../formats/base/quantity.h"
#include "stat.h"

enum { COUNT_WIDTH = 18, NAME_WIDTH = 20 };

/* Formats 1234567 as "1,234,567". */
static const char *grouped(uint64_t value, char text[32])
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
	char *out = text;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = 0;
	return text;
}

static void put_count(struct stat_printer *p, FILE *f, const struct stat_row *row)
{
	char digits[32], text[48];

	if (!row->measured) {
		fprintf(f, "%s%*s%s   ", p->coloured ? COLOUR_BAD : "", COUNT_WIDTH, "n/a",
			p->coloured ? COLOUR_OFF : "");
		return;
	}
	if (stat_event_is_time(row->event))
		snprintf(text, sizeof text, "%s.%02u", grouped(row->count / 1000000, digits),
			(unsigned)(row->count / 10000 % 100));
	else
		snprintf(text, sizeof text, "%s", grouped(row->count, digits));
	fprintf(f, "%*s %-2s", COUNT_WIDTH, text, stat_event_is_time(row->event) ? "ms" : "");
}

/* Prints a figure; large rates get a K, M or G unit. */
static void put_figure(FILE *f, const struct stat_row *row)
{
	double value = row->figure;

	if (strcmp(row->figure_unit, "/s") != 0 || value < 99999.95) {
		fprintf(f, " %14.*f %s", row->decimals, value, row->figure_unit);
		return;
	}
	const char *prefix = quantity_scale(&value);
	fprintf(f, " %14.3f %s/s", value, prefix);
}

/* Prints what a reader must know to trust the count. */
static void stat_print_remarks(FILE *f, const struct stat_row *row)
{
	if (row->measured_targets < row->targets && row->cpu < 0 && row->measured)
		fprintf(f, "  (%u of %u processors)", row->measured_targets, row->targets);
	if (row->running < row->enabled && row->measured)
		fprintf(f, "  (%.1f %%)", 100.0 * (double)row->running / (double)row->enabled);
}

static void put_row(
	struct stat_printer *p, FILE *f, const struct stat_report *r, const struct stat_row *row)
{
	char name[EVENT_NAME_MAX + 8], cpu[16] = "all";

	if (!r->total)
		fprintf(f, "%12.6f ", (double)r->at / 1e9);
	if (row->cpu >= 0)
		snprintf(cpu, sizeof cpu, "cpu%d", row->cpu);
	if (p->per_cpu)
		fprintf(f, "%-7s", cpu);
	put_count(p, f, row);
	fputc(' ', f);
	stat_event_name(row->event, name);
	print_plain(f, name);
	for (size_t n = strlen(name); n < NAME_WIDTH; n++)
		fputc(' ', f);
	if (row->has_figure)
		put_figure(f, row);
	else if (!row->measured && (r->total || !p->begun || !row->event->error))
		fprintf(f, "  (%s)", row->why); /* a reason that does not change is printed once */
	stat_print_remarks(f, row);
	fputc('\n', f);
}

static void put_total(FILE *f, const struct stat_report *r)
{
	fprintf(f, "\n%*.6f s  elapsed\n", COUNT_WIDTH, (double)r->elapsed / 1e9);
	if (!r->has_command || r->user_us == UINT64_MAX)
		return;
	fprintf(f, "%*.6f s  user\n", COUNT_WIDTH, (double)r->user_us / 1e6);
	fprintf(f, "%*.6f s  system\n", COUNT_WIDTH, (double)r->system_us / 1e6);
}

static void stat_print_heading(struct stat_printer *p, FILE *f)
{
	fprintf(f, "%12s ", "time s");
	if (p->per_cpu)
		fprintf(f, "%-7s", "cpu");
	fprintf(f, "%*s    event\n", COUNT_WIDTH, "count");
}

void stat_print_text(struct stat_printer *p, FILE *f, const struct stat_report *r)
{
	if (!p->begun && !r->total)
		stat_print_heading(p, f);
	if (r->total) {
		fputs(p->begun ? "\nswtrace stat: " : "swtrace stat: ", f);
		print_plain(f, r->target);
		fputs("\n\n", f);
	}
	for (unsigned i = 0; i < r->rows; i++)
		/* Print an unavailable event once, not per processor. */
		if (r->row[i].cpu < 0 || !r->row[i].event->error)
			put_row(p, f, r, &r->row[i]);
	if (r->total)
		put_total(f, r);
}
