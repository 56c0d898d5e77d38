#include "switches.h"

#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../sink/table.h"
#include "../../sink/units.h"

static int info_switches_visit_run(void *ctx, const struct switch_run *read)
{
	struct switch_run run = *read;
	struct switch_cpu *c = switch_cpus_find(ctx, run.file, run.cpu);

	if (!c)
		return CPIDECODE_ENOMEM;
	switch_cpu_advance(c, &run);
	return 0;
}

static int info_switches_visit(void *ctx, const struct hook *h)
{
	return switches_each_run(h, info_switches_visit_run, ctx);
}

static int info_switches_compare(const void *x, const void *y)
{
	const struct switch_cpu *a = x, *b = y;

	return compare_u64_pair(a->group, b->group, a->cpu, b->cpu);
}

int info_switches_read(struct switch_cpus *cpus, const struct report *r)
{
	int rc;

	if (!switches_are_recorded(r->trace))
		return 0;
	rc = switches_read(r->trace, r->progress, r->ctx, info_switches_visit, cpus);
	if (cpus->count)
		qsort(cpus->at, cpus->count, sizeof *cpus->at, info_switches_compare);
	return rc;
}

/* The file's processors: [*i, end). */
static size_t info_switches_of(
	const struct switch_cpus *cpus, const struct trace_file *f, size_t *i)
{
	size_t end;

	for (*i = 0; *i < cpus->count && cpus->at[*i].group != f->index; (*i)++)
		;
	for (end = *i; end < cpus->count && cpus->at[end].group == f->index; end++)
		;
	return end;
}

void info_switches_text(const struct switch_cpus *cpus, const struct trace_file *f, struct out *o)
{
	size_t first;
	const size_t end = info_switches_of(cpus, f, &first);
	struct table t;

	if (first == end)
		return;
	out_char(o, '\n');
	for (table_begin(&t, o); table_pass(&t);) {
		table_printf(&t, "by the kernel's switches\t>idle\t>busy\t>not recorded\n");
		for (size_t i = first; i < end; i++) {
			const struct switch_cpu *c = &cpus->at[i];

			out_printf(table_left(&t), "cpu %u", c->cpu);
			units_duration(table_right(&t), trace_duration_ns(f, c->idle));
			units_duration(table_right(&t), trace_duration_ns(f, c->busy));
			units_duration(table_right(&t), trace_duration_ns(f, c->unknown));
			table_end_row(&t);
		}
	}
	table_free(&t);
}

void info_switches_json(const struct switch_cpus *cpus, const struct trace_file *f, struct json *j)
{
	size_t i;
	const size_t end = info_switches_of(cpus, f, &i);

	if (i == end)
		return;
	json_member_open(j, "kernel_switches", '[');
	for (; i < end; i++) {
		const struct switch_cpu *c = &cpus->at[i];

		json_open(j, '{');
		json_member_u64(j, "cpu", c->cpu);
		json_member_fixed(j, "idle_ns", trace_duration_ns(f, c->idle), 1);
		json_member_fixed(j, "busy_ns", trace_duration_ns(f, c->busy), 1);
		json_member_fixed(j, "not_recorded_ns", trace_duration_ns(f, c->unknown), 1);
		json_close(j, '}');
	}
	json_close(j, ']');
}
