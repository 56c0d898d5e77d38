/* About the files themselves, human-readable; to_json.c has the same for programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/cpi_hooks.h"
#include "../../../formats/trace_file.h"
#include "../../sink/escape.h"
#include "../../sink/table.h"
#include "../../sink/units.h"
#include "../../model/hooks/pass.h"
#include "../clock_text.h"
#include "doctor.h"
#include "info.h"

const char *info_clock_name(uint32_t clock)
{
	switch (clock) {
	case TF_CLOCK_TSC:
		return "TSC";
	case TF_CLOCK_MONOTONIC_RAW:
		return "CLOCK_MONOTONIC_RAW";
	case TF_CLOCK_ARM_GENERIC:
		return "AArch64 generic timer";
	default:
		return "unknown clock";
	}
}

const char *info_section_name(unsigned type)
{
	static const char *const names[INFO_TYPES] = {"unknown", "HOOKS", "META", "SCHEMA", "TASKS",
		"CLOCK", "LOSS", "INDEX", "END", "CAUSES", "LABELS", "CONTAINERS", "REMARKS",
		"TASKLOSS"};

	return names[type];
}

const char *info_codec_name(unsigned codec)
{
	static const char *const names[INFO_CODECS] = {"none", "lz4", "zlib", "unknown"};

	return names[codec];
}

static struct out *item(struct report *r, const char *name)
{
	out_str(r->out, "  ");
	out_str(r->out, name);
	out_repeat(r->out, ' ', strlen(name) < 14 ? 14 - strlen(name) : 1);
	return r->out;
}

static void info_write_header(struct report *r, const struct trace_file *f)
{
	const struct io_header *h = &f->header;
	struct out *o = item(r, "format");

	if (f->import)
		out_str(o, "NRM2, read as ");
	out_printf(o, "trace.bin %u.%u%s\n", h->version_major, h->version_minor,
		h->damaged ? ", header DAMAGED: its contents are doubtful" : "");
	o = item(r, "trace id");
	for (unsigned i = 0; i < sizeof h->trace_id; i++)
		out_printf(o, "%02x", h->trace_id[i]);
	out_char(o, '\n');
	o = item(r, "clock");
	out_printf(o, "%s, %llu ticks a second%s\n", info_clock_name(h->clock),
		(unsigned long long)f->ticks_per_second,
		f->ticks_derived ? " (derived from clock syncs)" : "");
	out_printf(item(r, "processors"), "%u\n", h->cpus);
	if (h->flags & TF_FLAG_SCRIPTED)
		out_str(item(r, "counters"), "SCRIPTED, not measured\n");
	if (!f->has_hooks)
		return;
	units_iso8601(item(r, "first hook"), trace_time(f, f->first));
	out_char(r->out, '\n');
	units_iso8601(item(r, "last hook"), trace_time(f, f->last));
	out_char(r->out, '\n');
	units_duration(item(r, "duration"), trace_duration_ns(f, f->last - f->first));
	out_char(r->out, '\n');
}

static void write_drift(struct out *o, const struct clock_drift *drift)
{
	out_fixed(o, drift->low_ppm, 3);
	out_str(o, " to ");
	out_fixed(o, drift->high_ppm, 3);
	out_str(o, " (+-");
	out_fixed(o, drift->error_ppm, 3);
	out_str(o, ") ppm");
}

static void info_write_clock(struct report *r, const struct trace_file *f)
{
	struct clock_drift drift;
	struct out *o = item(r, "clock syncs");

	out_printf(o, "%zu; drift ", f->clock->nsyncs);
	if (clock_drift(f->clock, &drift))
		write_drift(o, &drift);
	else
		out_str(o, "n/a");
	out_str(o, "; error of times ");
	units_duration(o, trace_time_error(f));
	out_char(o, '\n');
	for (size_t i = 0; i < f->nclock_findings; i++) {
		clock_text_finding(item(r, "clocks"), &f->clock_findings[i]);
		out_char(o, '\n');
	}
	if (f->clock_findings_untold)
		out_printf(item(r, "clocks"), "and %llu more such\n",
			(unsigned long long)f->clock_findings_untold);
}

static void info_write_meta(struct report *r, const struct trace_file *f)
{
	for (size_t i = 0; i < f->nmeta; i++) {
		struct out *o = r->out;

		if (info_doctor_owns(&f->meta[i]))
			continue;
		out_str(o, "  ");
		escape_text(o, f->meta[i].key, f->meta[i].key_length);
		out_repeat(o, ' ', f->meta[i].key_length < 14 ? 14 - f->meta[i].key_length : 1);
		escape_text(o, f->meta[i].value, f->meta[i].value_length);
		out_char(o, '\n');
	}
}

static void write_sections(struct report *r, const struct trace_file *f)
{
	struct out *o = item(r, "sections");
	const char *between = "";
	uint64_t raw = 0, stored = 0;

	for (size_t i = 0; i < f->nrings; i++) {
		raw += f->rings[i].raw;
		stored += f->rings[i].stored;
	}
	for (unsigned type = 1; type <= INFO_TYPES; type++) {
		uint64_t n = f->sections_of[type % INFO_TYPES];

		if (!n)
			continue;
		out_printf(o, "%s%llu %s", between, (unsigned long long)n,
			info_section_name(type % INFO_TYPES));
		between = ", ";
	}
	out_str(o, *between ? "\n" : "none\n");
	if (f->sections_of[TF_TYPE_LABELS])
		out_printf(item(r, "labels"), "%llu\n", (unsigned long long)f->nlabels);
	o = item(r, "hook data");
	units_size(o, raw);
	out_str(o, ", stored in ");
	units_size(o, stored);
	between = ": ";
	for (unsigned codec = 0; codec < INFO_CODECS; codec++) {
		if (!f->hooks_by_codec[codec])
			continue;
		out_printf(o, "%s%llu section%s %s", between,
			(unsigned long long)f->hooks_by_codec[codec],
			f->hooks_by_codec[codec] == 1 ? "" : "s",
			codec ? info_codec_name(codec) : "uncompressed");
		between = ", ";
	}
	out_char(o, '\n');
	out_str(item(r, "ended"), f->has_end ? "in order\n" : "CUT OFF: there is no END section\n");
}

static void ring_row(
	struct table *t, const struct trace_file *f, size_t i, const struct findings *found)
{
	const struct trace_ring *ring = &f->rings[i];
	const struct hook_counts *counts = findings_ring(found, f->index, i);
	struct losses l = {0};

	losses_add_ring(&l, ring, counts);
	if (ring->ring & TF_GUEST_RING)
		out_printf(table_right(t), "guest %u", ring->ring & ~TF_GUEST_RING);
	else
		out_printf(table_right(t), "cpu %u", ring->ring);
	uint64_t columns[] = {ring->sections, counts ? counts->hooks : ring->hooks, ring->raw,
		l.full, l.big, l.held, l.no_guest, l.unexplained, l.overwritten, l.torn, l.skipped};
	for (unsigned c = 0; c < sizeof columns / sizeof *columns; c++)
		out_u64(table_right(t), columns[c]);
	if (f->sections_of[TF_TYPE_CAUSES]) {
		out_u64(table_right(t), l.no_slot);
		out_u64(table_right(t), l.no_memory);
		out_u64(table_right(t), l.unattached);
		out_u64(table_right(t), l.unwritten);
	}
	table_end_row(t);
}

static void info_write_rings(struct report *r, const struct trace_file *f)
{
	static const char *const names[] = {"ring", "sections", "hooks", "bytes", "lost: full",
		"too big", "held", "no guest", "other", "overwritten", "torn", "skipped", "no slot",
		"no memory", "not attached", "unwritten"};
	unsigned columns = f->sections_of[TF_TYPE_CAUSES] ? 15 : 12;
	struct table t;

	if (!f->nrings)
		return;
	out_char(r->out, '\n');
	for (table_begin(&t, r->out); table_pass(&t);) {
		for (unsigned i = 0; i < columns; i++)
			table_heading(&t, names[i]);
		table_end_row(&t);
		for (size_t i = 0; i < f->nrings; i++)
			ring_row(&t, f, i, r->found);
	}
	table_free(&t);
}

static void info_container_heading(struct table *t)
{
	table_printf(t, ">own tid\t>own pid\t>PID namespace\tcontainer");
}

/* A task of the session owner's container has no entry: its own ids are those of the trace. */
static void info_container_row(
	struct table *t, const struct trace *trace, uint32_t machine, const struct task *task)
{
	const struct container *c = trace_container(trace, machine, task);

	out_u64(table_right(t), c ? c->own_tid : task->tid);
	out_u64(table_right(t), c ? c->own_pid : task->pid);
	if (c && c->pid_namespace)
		out_u64(table_right(t), c->pid_namespace);
	else
		out_str(table_right(t), c ? "n/a" : "-");
	if (c && c->name != TEXT_NONE) {
		struct trace_text name = trace_text_at(trace, c->name);

		escape_text(table_left(t), name.at, name.length);
	} else {
		out_str(table_left(t), c ? "n/a" : "-");
	}
}

static void info_write_tasks(struct report *r, const struct trace_file *f)
{
	bool has_containers = trace_has_containers(r->trace);
	struct table t;
	const struct task *task;

	if (!trace_task_at(r->trace, f->machine, 0))
		return;
	out_char(r->out, '\n');
	for (table_begin(&t, r->out); table_pass(&t);) {
		table_printf(&t, ">tid\t>pid\tsince\ttask");
		if (has_containers)
			info_container_heading(&t);
		table_end_row(&t);
		for (size_t i = 0; (task = trace_task_at(r->trace, f->machine, i)); i++) {
			out_u64(table_right(&t), task->tid);
			out_u64(table_right(&t), task->pid);
			units_iso8601(table_left(&t), trace_time(f, task->first));
			escape_text(table_left(&t), task->name, strlen(task->name));
			if (has_containers)
				info_container_row(&t, r->trace, f->machine, task);
			table_end_row(&t);
		}
	}
	table_free(&t);
}

bool info_tells_schema(const struct trace_file *f, uint8_t major)
{
	return major == CPI_MAJOR || schema_set_brought(f->schemas, major);
}

static void info_write_schemas(struct report *r, const struct trace_file *f)
{
	struct out *o = r->out;

	out_char(o, '\n');
	for (unsigned major = 1; major < 256; major++) {
		const char *title = NULL;
		const char *name = schema_set_major_name(f->schemas, (uint8_t)major, &title);

		if (!name || !info_tells_schema(f, (uint8_t)major))
			continue;
		out_printf(item(r, "schema"), "0x%02X %s", major, name);
		if (title) {
			out_char(o, ' ');
			escape_quoted(o, title, strlen(title));
		}
		out_char(o, '\n');
	}
	for (size_t i = 0; i < f->nschema_problems; i++) {
		const struct trace_schema_problem *p = &f->schema_problems[i];

		out_printf(item(r, "schema"),
			"at offset %llu refused from line %u to its next major: ",
			(unsigned long long)p->offset, p->error.line);
		escape_text(o, p->error.reason, strlen(p->error.reason));
		out_char(o, '\n');
	}
}

static void info_write_damage(struct report *r, const struct trace_file *f)
{
	const struct hook_damage *inside = r->found->damage;

	for (size_t i = 0; i < f->ndamage; i++)
		out_printf(item(r, "damage"), "at offset %llu, %llu bytes: %s\n",
			(unsigned long long)f->damage[i].offset,
			(unsigned long long)f->damage[i].bytes, f->damage[i].why);
	if (f->damage_untold)
		out_printf(item(r, "damage"), "and %llu more stretches\n",
			(unsigned long long)f->damage_untold);
	for (size_t i = 0; i < r->found->ndamage; i++)
		if (inside[i].file == f->index)
			out_printf(item(r, "damage"),
				"in the section at offset %llu, %llu bytes: %s\n",
				(unsigned long long)inside[i].offset,
				(unsigned long long)inside[i].bytes, inside[i].why);
}

static void write_file(struct report *r, const struct trace_file *f, const struct info_costs *costs,
	const struct info_programs *programs, const struct switch_cpus *cpus)
{
	if (f->index)
		out_char(r->out, '\n');
	escape_text(r->out, f->path, strlen(f->path));
	out_str(r->out, ": ");
	units_size(r->out, f->bytes);
	out_char(r->out, '\n');
	info_write_header(r, f);
	info_write_clock(r, f);
	info_write_meta(r, f);
	info_doctor_text(f, r, item);
	info_costs_text(costs, f, r, item);
	write_sections(r, f);
	info_write_rings(r, f);
	info_programs_text(programs, r->out);
	info_switches_text(cpus, f, r->out);
	info_write_tasks(r, f);
	info_write_schemas(r, f);
	info_write_damage(r, f);
}

/* Reads all hooks, for findings and for the library's own cost of intervals. */
struct info_reader {
	const struct trace *t;
	struct interval_builder **builders; /* by thread */
	struct info_costs *costs;	    /* by thread, and file */
};

static int info_read_slice(void *ctx, struct pass_slice *s)
{
	struct info_reader *reader = ctx;
	unsigned thread = pass_thread(s);
	struct interval_builder **b = &reader->builders[thread];
	struct info_costs *costs = reader->costs + thread * trace_nfiles(reader->t);
	const struct interval *iv;
	int rc = *b ? 0 : interval_builder_new(reader->t, WANT_OWN_COST, b);

	if (rc)
		return rc;
	while ((rc = interval_read(*b, s, &iv)) > 0)
		info_costs_add(&costs[iv->file], iv);
	return rc;
}

/* *costs, by file: the caller frees it. */
static int info_read(struct report *r, struct info_costs **costs)
{
	struct info_reader reader = {.t = r->trace};
	struct pass pass = {.trace = r->trace,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = r->threads,
		.read = info_read_slice,
		.ctx = &reader,
		.progress = r->progress,
		.progress_ctx = r->ctx};
	unsigned threads = pass_threads(&pass);
	size_t files = trace_nfiles(r->trace);

	reader.builders = calloc(threads, sizeof(struct interval_builder *));
	*costs = reader.costs = calloc(threads * files + 1, sizeof *reader.costs);
	int rc = reader.builders && *costs ? pass_run(&pass, r->found) : CPIDECODE_ENOMEM;
	for (unsigned i = 0; reader.builders && i < threads; i++)
		interval_builder_free(reader.builders[i]);
	free(reader.builders);
	for (size_t i = files; *costs && i < threads * files; i++)
		info_costs_merge(&reader.costs[i % files], &reader.costs[i]);
	for (size_t i = 0; *costs && i < files; i++)
		info_costs_settle(&reader.costs[i]);
	return rc;
}

static void write_alignment(struct report *r, const struct trace_alignment *a)
{
	if (a->traces < 2)
		return;
	out_char(r->out, '\n');
	clock_text_alignment(r->out, a);
	out_char(r->out, '\n');
}

static int info_write_file(struct report *r, const struct trace_file *f,
	const struct trace_alignment *alignment, const struct info_costs *costs,
	const struct switch_cpus *cpus)
{
	struct info_programs programs = {0};
	int rc = info_programs_sum(&programs, r->trace, f);

	if (rc)
		return rc;
	if (r->format == FORMAT_JSON)
		info_json(r, f, alignment, costs, &programs, cpus);
	else
		write_file(r, f, costs, &programs, cpus);
	info_programs_free(&programs);
	return 0;
}

/* costs: by file; NULL: not read. */
static int info_write(
	struct report *r, const struct info_costs *costs, const struct switch_cpus *cpus)
{
	static const struct info_costs unknown;
	struct trace_alignment alignment = trace_alignment(r->trace);
	int rc = 0;

	if (r->format == FORMAT_TEXT)
		report_head_lines(r);
	for (size_t i = 0; i < trace_nfiles(r->trace) && !rc; i++)
		rc = info_write_file(
			r, trace_file(r->trace, i), &alignment, costs ? &costs[i] : &unknown, cpus);
	if (r->format == FORMAT_TEXT && !rc)
		write_alignment(r, &alignment);
	return rc;
}

int report_info(struct report *r)
{
	struct switch_cpus cpus = {0};
	struct info_costs *costs;
	int rc = info_read(r, &costs);

	if (!rc)
		rc = info_switches_read(&cpus, r);
	if (!rc)
		rc = info_write(r, costs, &cpus);
	int error = errno;

	free(costs);
	switch_cpus_free(&cpus);
	errno = error;
	return rc;
}

int info_write_known(struct report *r)
{
	const struct switch_cpus none = {0};

	return info_write(r, NULL, &none);
}
