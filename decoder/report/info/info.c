/* About the files themselves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../../../formats/trace_file.h"
#include "../../sink/escapes.h"
#include "../../model/hooks/pass.h"
#include "../clock_text.h"
#include "doctor.h"
#include "info.h"

enum {
	INFO_TYPES = TF_TYPES,	     /* section types; 0: unknown ones */
	INFO_CODECS = TF_CODECS + 1, /* the last: unknown ones */
};

static const char *info_clock_name(uint32_t clock)
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

static const char *info_section_name(unsigned type)
{
	static const char *const names[INFO_TYPES] = {"unknown", "HOOKS", "META", "SCHEMA", "TASKS",
		"CLOCK", "LOSS", "INDEX", "END", "CAUSES", "LABELS", "CONTAINERS", "REMARKS",
		"TASKLOSS"};

	return names[type];
}

static const char *info_codec_name(unsigned codec)
{
	return codec < TF_CODECS ? tf_codec_names[codec] : "unknown";
}

enum { INFO_IS_IMPORT = 1 << 0, INFO_IS_SCRIPTED = 1 << 1, INFO_HAS_HOOKS = 1 << 2 };

struct info_file {
	struct trace_file f;
	const char *id, *clock, *import, *counters;
	bool is_scripted, is_monotone;
	struct cell first, last;     /* CLOCK_REALTIME in ns */
	double duration, time_error; /* ns */
	uint64_t clock_syncs;
	bool has_drift;
	struct clock_drift drift;
};

static void info_spell_format(struct out *o, const void *row)
{
	const struct info_file *i = row;
	const struct io_header *h = &i->f.header;

	if (i->f.import)
		out_str(o, "NRM2, read as ");
	out_printf(o, "trace.bin %u.%u%s", h->version_major, h->version_minor,
		h->damaged ? ", header DAMAGED: its contents are doubtful" : "");
}

static void info_spell_clock(struct out *o, const void *row)
{
	const struct info_file *i = row;

	out_printf(o, "%s, %llu ticks a second%s", i->clock,
		(unsigned long long)i->f.ticks_per_second,
		i->f.ticks_derived ? " (derived from clock syncs)" : "");
}

static void info_spell_drift(struct out *o, const struct clock_drift *drift)
{
	out_fixed(o, drift->low_ppm, 3);
	out_str(o, " to ");
	out_fixed(o, drift->high_ppm, 3);
	out_str(o, " (+-");
	out_fixed(o, drift->error_ppm, 3);
	out_str(o, ") ppm");
}

static void info_spell_syncs(struct out *o, const void *row)
{
	const struct info_file *i = row;

	out_printf(o, "%zu; drift ", i->f.clock->nsyncs);
	if (i->has_drift)
		info_spell_drift(o, &i->drift);
	else
		out_str(o, "n/a");
	out_str(o, "; error of times ");
	units_duration(o, i->time_error);
}

#define AT(member) COLUMN_AT(struct info_file, member)
static const struct column file_columns[] = {
	{"path", AT(f.path)},
	{"format", AT(import), .when = INFO_IS_IMPORT, .in = IN_JSON},
	{.heading = "format", .text = info_spell_format},
	{"bytes", AT(f.bytes)},
	{"version_major", AT(f.header.version_major)},
	{"version_minor", AT(f.header.version_minor)},
	{"header_damaged", AT(f.header.damaged)},
	{"trace_id", "trace id", AT(id)},
	{"scripted", AT(is_scripted)},
	{"clock", "clock", AT(clock), .text = info_spell_clock},
	{"ticks_per_second", AT(f.ticks_per_second)},
	{"ticks_per_second_derived", AT(f.ticks_derived)},
	{"cpus", "processors", AT(f.header.cpus)},
	{.heading = "counters", AT(counters), .when = INFO_IS_SCRIPTED},
	{"first_ns", "first hook", AT(first), .when = INFO_HAS_HOOKS, .unit = UNIT_TIME},
	{"last_ns", "last hook", AT(last), .when = INFO_HAS_HOOKS, .unit = UNIT_TIME},
	{.heading = "duration", AT(duration), .when = INFO_HAS_HOOKS, .unit = UNIT_DURATION},
	{"ended_in_order", AT(f.has_end)},
	{"clock_syncs", "clock syncs", AT(clock_syncs), .text = info_spell_syncs},
	{"drift_ppm_min", AT(drift.low_ppm), .decimals = 3},
	{"drift_ppm_max", AT(drift.high_ppm), .decimals = 3},
	{"drift_ppm_error", AT(drift.error_ppm), .decimals = 3},
	{"time_error_ns", AT(time_error)},
	{"time_monotone", AT(is_monotone)},
	{.name = NULL},
};

static void info_write_head(struct document *d, const struct trace_file *f)
{
	char id[2 * sizeof f->header.trace_id + 1];
	struct info_file row = {.f = *f,
		.id = id,
		.clock = info_clock_name(f->header.clock),
		.import = "nrm2",
		.counters = "SCRIPTED, not measured",
		.is_scripted = f->header.flags & TF_FLAG_SCRIPTED,
		.is_monotone = trace_time_is_monotone(f),
		.time_error = trace_time_error(f),
		.clock_syncs = f->clock->nsyncs};
	const unsigned has = (f->import ? INFO_IS_IMPORT : 0) |
			     (row.is_scripted ? INFO_IS_SCRIPTED : 0) |
			     (d->j || f->has_hooks ? INFO_HAS_HOOKS : 0);

	text_of_bytes(id, f->header.trace_id, sizeof f->header.trace_id);
	row.has_drift = clock_drift(f->clock, &row.drift);
	if (f->has_hooks) {
		row.first = cell_i64(trace_time(f, f->first));
		row.last = cell_i64(trace_time(f, f->last));
		row.duration = trace_duration_ns(f, f->last - f->first);
	}
	document_add(d, file_columns, has, &row);
}

static struct cell info_get_kind(const void *row)
{
	const char *name = clock_finding_name(((const struct clock_finding *)row)->kind);

	return cell_string(name, strlen(name), true);
}

static void info_spell_finding(struct out *o, const void *row)
{
	clock_text_finding(o, row);
}

#define FINDING_AT(member) COLUMN_AT(struct clock_finding, member)
static const struct column finding_columns[] = {
	{.heading = "clocks", .text = info_spell_finding},
	{"kind", .get = info_get_kind},
	{"ns", FINDING_AT(ns)},
	{"after_ns", FINDING_AT(from_ns)},
	{"before_ns", FINDING_AT(to_ns)},
	{"after_ticks", FINDING_AT(from)},
	{"before_ticks", FINDING_AT(to)},
	{.name = NULL},
};

static void info_write_clock(
	struct document *d, const struct trace_file *f, const struct trace_alignment *alignment)
{
	document_begin_lines(d, "clocks", "clock_findings", finding_columns, 0);
	while (document_pass(d))
		for (size_t i = 0; i < f->nclock_findings; i++)
			document_add_row(d, &f->clock_findings[i]);
	if (d->j) {
		json_member_u64(d->j, "clock_findings_untold", f->clock_findings_untold);
		json_member_u64(d->j, "merged_traces", alignment->traces);
		json_member_u64(d->j, "merged_hosts", alignment->hosts);
		json_member_fixed(d->j, "merged_within_ns", alignment->within_ns, 0);
	} else if (f->clock_findings_untold) {
		out_printf(document_begin_line(d, "clocks"), "and %llu more such\n",
			(unsigned long long)f->clock_findings_untold);
	}
}

static void info_meta_text(struct document *d, const struct trace_meta *meta)
{
	struct out *o = d->o;

	out_str(o, d->before_label);
	escape_text(o, meta->key, meta->key_length);
	out_repeat(
		o, ' ', meta->key_length < d->label_width ? d->label_width - meta->key_length : 1);
	escape_text(o, meta->value, meta->value_length);
	out_char(o, '\n');
}

static void info_meta_json(struct json *j, const struct trace_meta *meta)
{
	json_open(j, '{');
	json_key(j, "key");
	json_string(j, meta->key, meta->key_length);
	json_key(j, "value");
	json_string(j, meta->value, meta->value_length);
	json_close(j, '}');
}

static void info_write_meta(struct document *d, const struct trace_file *f)
{
	/* Pairs, not members: a key may occur more than once. */
	if (d->j)
		json_member_open(d->j, "meta", '[');
	for (size_t i = 0; i < f->nmeta; i++) {
		if (info_doctor_owns(&f->meta[i]))
			continue;
		if (d->j)
			info_meta_json(d->j, &f->meta[i]);
		else if (strcmp(f->meta[i].key, TF_META_ALIVE) != 0) /* ticks and numbers */
			info_meta_text(d, &f->meta[i]);
	}
	if (d->j)
		json_close(d->j, ']');
}

static void info_sections_text(struct document *d, const struct trace_file *f)
{
	struct out *o = document_begin_line(d, "sections");
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
		out_printf(
			document_begin_line(d, "labels"), "%llu\n", (unsigned long long)f->nlabels);
	o = document_begin_line(d, "hook data");
	units_size(o, raw);
	out_str(o, ", stored in ");
	units_size(o, stored);
	between = ": ";
	for (unsigned codec = 0; codec < INFO_CODECS; codec++) {
		if (!f->hooks_by_codec[codec])
			continue;
		out_printf(o, "%s%llu section%s %s", between,
			(unsigned long long)f->hooks_by_codec[codec],
			text_plural(f->hooks_by_codec[codec]),
			codec ? info_codec_name(codec) : "uncompressed");
		between = ", ";
	}
	out_char(o, '\n');
	out_str(document_begin_line(d, "ended"),
		f->has_end ? "in order\n" : "CUT OFF: there is no END section\n");
}

static void info_sections_json(struct json *j, const struct trace_file *f)
{
	json_member_open(j, "sections", '{');
	/* Most traces have none of the latest types. */
	for (unsigned type = 0; type < INFO_TYPES; type++)
		if (type < TF_TYPE_CONTAINERS || f->sections_of[type])
			json_member_u64(j, info_section_name(type), f->sections_of[type]);
	json_close(j, '}');
	json_member_u64(j, "labels", f->nlabels);
	json_member_open(j, "hooks_sections_by_codec", '{');
	for (unsigned codec = 0; codec < INFO_CODECS; codec++)
		json_member_u64(j, info_codec_name(codec), f->hooks_by_codec[codec]);
	json_close(j, '}');
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
	struct pass pass = report_pass(r, info_read_slice, &reader);
	unsigned threads = pass_threads(&pass);
	size_t files = trace_nfiles(r->trace);

	pass.from_ns = INT64_MIN;
	pass.to_ns = INT64_MAX;
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

/* In JSON an object on a line. */
static void info_begin_file(struct document *d, const struct trace_file *f)
{
	if (d->j) {
		json_open(d->j, '{');
		return;
	}
	if (f->index)
		out_char(d->o, '\n');
	escape_text(d->o, f->path, strlen(f->path));
	out_str(d->o, ": ");
	units_size(d->o, f->bytes);
	out_char(d->o, '\n');
}

static int info_write_file(struct report *r, const struct trace_file *f,
	const struct trace_alignment *alignment, const struct info_costs *costs,
	const struct switch_cpus *cpus)
{
	static const struct time_text iso = {.how = TIMES_ISO};
	struct json json = {.o = r->out};
	struct document d = {.o = r->out,
		.j = r->format == FORMAT_JSON ? &json : NULL,
		.time = &iso,
		.before_label = "  ",
		.label_width = 14};
	struct info_programs programs = {0};
	int rc = info_programs_sum(&programs, r->trace, f);

	if (rc)
		return rc;
	info_begin_file(&d, f);
	info_write_head(&d, f);
	info_write_clock(&d, f, alignment);
	info_write_meta(&d, f);
	info_write_doctor(&d, f);
	if (d.j) {
		info_sections_json(d.j, f);
	} else {
		info_write_costs(&d, costs, f);
		info_sections_text(&d, f);
	}
	info_write_rings(&d, f, r->found);
	info_write_programs(&d, &programs, f);
	info_write_switches(&d, cpus, f);
	info_write_tasks(&d, r->trace, f);
	info_write_schemas(&d, f);
	info_write_damage(&d, f, r->found);
	if (d.j) {
		info_write_costs(&d, costs, f);
		json_close(d.j, '}');
		json_end_line(d.j);
	}
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

#undef AT
