/* Per label and minor: the system and every processor side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../sink/csv.h"
#include "../sink/escape.h"
#include "../sink/json.h"
#include "groups.h"
#include "ratio.h"
#include "report.h"

/* One column: the system, or a processor. */
struct column {
	struct ratio raw, scaled, busy;
};

struct matrix {
	struct column *columns; /* [0] the system, [1 + cpu] */
	uint32_t cpus;
};

enum row {
	ROW_CPI,
	ROW_CPI_WB,
	ROW_IDLE,
	ROW_BUSY,
	ROWS,
};

static double cell(const struct column *c, enum row row)
{
	switch (row) {
	case ROW_CPI:
		return ratio_value(&c->raw);
	case ROW_CPI_WB:
		return ratio_value(&c->scaled);
	case ROW_IDLE:
		return 100 - 100 * ratio_value(&c->busy);
	default:
		return 100 * ratio_value(&c->busy);
	}
}

static void add_system(struct column *c, const struct interval *iv)
{
	struct ratios sums = {0};
	sums.raw = c->raw;
	sums.scaled = c->scaled;
	sums.busy = c->busy;
	ratios_add(&sums, iv);
	*c = (struct column){sums.raw, sums.scaled, sums.busy};
}

static void add_cpu(struct column *c, const struct interval_cpu *cpu, uint64_t elapsed)
{
	ratio_add(&c->raw, cpu->cycles, cpu->instructions, cpu->raw_cpi, elapsed);
	ratio_add(&c->scaled, cpu->busy_cycles, cpu->instructions, cpu->scaled_cpi, elapsed);
	ratio_add(&c->busy, cpu->busy_cycles, cpu->cycles, cpu->busy_pct / 100, elapsed);
}

static int matrix_make(struct matrix *m, const struct group *g)
{
	*m = (struct matrix){0};
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->cpus && g->members[i]->num_cpus > m->cpus)
			m->cpus = g->members[i]->num_cpus;
	m->columns = calloc((size_t)m->cpus + 1, sizeof *m->columns);
	if (!m->columns)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < g->count; i++) {
		const struct interval *iv = g->members[i];
		add_system(&m->columns[0], iv);
		for (uint32_t cpu = 0; iv->cpus && cpu < iv->num_cpus; cpu++)
			add_cpu(&m->columns[1 + cpu], &iv->cpus[cpu], iv->elapsed);
	}
	return 0;
}

static void name_text(struct out *o, const struct interval *iv)
{
	if (iv->has_label)
		escape_quoted(o, iv->label, iv->label_len);
	else
		out_str(o, "no label");
	out_printf(o, ", minor 0x%02X", iv->mm);
}

static void matrix_text(struct out *o, const struct group *g, const struct matrix *m)
{
	static const char *const rows[ROWS] = {"cpi   ", "cpi_wb", "idle% ", "busy% "};
	name_text(o, g->members[0]);
	out_printf(o, ", %zu interval%s\n       System", g->count, g->count == 1 ? "" : "s");
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++) {
		char name[16];
		int n = snprintf(name, sizeof name, "CPU%u", cpu);
		out_repeat(o, ' ', n < 7 ? (size_t)(8 - n) : 1);
		out_str(o, name);
	}
	for (int row = 0; row < ROWS; row++) {
		out_char(o, '\n');
		out_str(o, rows[row]);
		for (uint32_t i = 0; i <= m->cpus; i++) {
			double v = cell(&m->columns[i], row);
			if (isnan(v))
				out_printf(o, i ? "  %6s" : " %6s", "n/a");
			else
				out_printf(o, i ? "  %6.2f" : " %6.2f", v);
		}
	}
	out_str(o, "\n\n");
}

static void matrix_csv(struct csv *c, const struct group *g, const struct matrix *m)
{
	const struct interval *iv = g->members[0];
	for (uint32_t i = 0; i <= m->cpus; i++) {
		if (iv->has_label)
			csv_string(c, iv->label, iv->label_len);
		else
			csv_empty(c);
		csv_u64(c, iv->mm);
		csv_u64(c, g->count);
		if (i)
			csv_u64(c, i - 1);
		else
			csv_text(c, "system");
		for (int row = 0; row < ROWS; row++)
			csv_fixed(c, cell(&m->columns[i], row), 4);
		csv_end(c);
	}
}

static void json_column(struct json *j, const struct column *c)
{
	static const char *const keys[ROWS] = {"cpi", "cpi_wb", "idle_pct", "busy_pct"};
	for (int row = 0; row < ROWS; row++) {
		json_key(j, keys[row]);
		json_fixed(j, cell(c, row), 4);
	}
	json_close(j, '}');
}

static void matrix_json(
	struct json *j, const struct group *g, const struct matrix *m, bool scripted)
{
	const struct interval *iv = g->members[0];
	json_open(j, '{');
	json_key(j, "label");
	if (iv->has_label)
		json_string(j, iv->label, iv->label_len);
	else
		json_null(j);
	json_key(j, "minor");
	json_u64(j, iv->mm);
	json_key(j, "count");
	json_u64(j, g->count);
	json_key(j, "scripted");
	json_bool(j, scripted);
	json_key(j, "system");
	json_open(j, '{');
	json_column(j, &m->columns[0]);
	json_key(j, "cpus");
	json_open(j, '[');
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++) {
		json_open(j, '{');
		json_key(j, "cpu");
		json_u64(j, cpu);
		json_column(j, &m->columns[1 + cpu]);
	}
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
}

int report_cpus(struct report *r)
{
	static const char *const names[] = {
		"label", "minor", "count", "cpu", "cpi", "cpi_wb", "idle_pct", "busy_pct", NULL};
	struct groups groups;
	struct csv c = {.o = r->out};
	struct json j = {.o = r->out};
	int rc = groups_make(&groups, r);
	if (rc < 0)
		return rc;
	if (r->format == FORMAT_CSV)
		csv_header(&c, names);
	if (r->format == FORMAT_TEXT) {
		report_scripted_line(r);
		if (!groups.count)
			out_str(r->out, "no intervals\n");
	}
	for (size_t i = 0; i < groups.count && !rc && !r->out->error; i++) {
		const struct group *g = &groups.groups[i];
		struct matrix m;
		rc = matrix_make(&m, g);
		if (rc < 0)
			break;
		if (r->format == FORMAT_CSV)
			matrix_csv(&c, g, &m);
		else if (r->format == FORMAT_JSON)
			matrix_json(&j, g, &m, r->scripted);
		else
			matrix_text(r->out, g, &m);
		free(m.columns);
	}
	groups_free(&groups);
	return rc;
}
