#include "switches.h"

#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../base/sort.h"
#include "../../sink/table.h"

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

struct info_cpu {
	uint32_t cpu;
	double idle, busy, unknown; /* ns */
};

static void info_spell_cpu(struct out *o, const void *row)
{
	out_printf(o, "cpu %u", ((const struct info_cpu *)row)->cpu);
}

#define AT(member) COLUMN_AT(struct info_cpu, member)
static const struct column switch_columns[] = {
	{"cpu", "by the kernel's switches", AT(cpu), .left = true, .text = info_spell_cpu},
	{"idle_ns", "idle", AT(idle), .decimals = 1, .unit = UNIT_DURATION},
	{"busy_ns", "busy", AT(busy), .decimals = 1, .unit = UNIT_DURATION},
	{"not_recorded_ns", "not recorded", AT(unknown), .decimals = 1, .unit = UNIT_DURATION},
	{.name = NULL},
};

void info_write_switches(
	struct document *d, const struct switch_cpus *cpus, const struct trace_file *f)
{
	size_t first;
	const size_t end = info_switches_of(cpus, f, &first);

	if (first == end)
		return;
	d->title = "\n";
	for (document_begin_list(d, "kernel_switches", switch_columns, 0); document_pass(d);)
		for (size_t i = first; i < end; i++) {
			const struct switch_cpu *c = &cpus->at[i];
			const struct info_cpu row = {c->cpu, trace_duration_ns(f, c->idle),
				trace_duration_ns(f, c->busy), trace_duration_ns(f, c->unknown)};

			document_add_row(d, &row);
		}
}

#undef AT
