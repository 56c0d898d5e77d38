#include <string.h>

#include "../../../formats/trace_file.h"
#include "../../sink/json.h"
#include "../clock_text.h"
#include "doctor.h"
#include "info.h"

static void info_json_write_header(struct json *j, const struct trace_file *f)
{
	const struct io_header *h = &f->header;
	char id[33];

	for (unsigned i = 0; i < sizeof h->trace_id; i++) {
		id[2 * i] = "0123456789abcdef"[h->trace_id[i] >> 4];
		id[2 * i + 1] = "0123456789abcdef"[h->trace_id[i] & 15];
	}
	json_member_text(j, "path", f->path);
	if (f->import) {
		json_member_text(j, "format", "nrm2");
	}
	json_member_u64(j, "bytes", f->bytes);
	json_member_u64(j, "version_major", h->version_major);
	json_member_u64(j, "version_minor", h->version_minor);
	json_member_bool(j, "header_damaged", h->damaged);
	json_key(j, "trace_id");
	json_string(j, id, 32);
	json_member_bool(j, "scripted", h->flags & TF_FLAG_SCRIPTED);
	json_member_text(j, "clock", info_clock_name(h->clock));
	json_member_u64(j, "ticks_per_second", f->ticks_per_second);
	json_member_bool(j, "ticks_per_second_derived", f->ticks_derived);
	json_member_u64(j, "cpus", h->cpus);
	json_key(j, "first_ns");
	if (f->has_hooks)
		json_i64(j, trace_time(f, f->first));
	else
		json_null(j);
	json_key(j, "last_ns");
	if (f->has_hooks)
		json_i64(j, trace_time(f, f->last));
	else
		json_null(j);
	json_member_bool(j, "ended_in_order", f->has_end);
}

static void write_finding(struct json *j, const struct clock_finding *finding)
{
	json_open(j, '{');
	json_member_text(j, "kind", clock_finding_name(finding->kind));
	json_member_i64(j, "ns", finding->ns);
	json_member_i64(j, "after_ns", finding->from_ns);
	json_member_i64(j, "before_ns", finding->to_ns);
	json_member_u64(j, "after_ticks", finding->from);
	json_member_u64(j, "before_ticks", finding->to);
	json_close(j, '}');
}

static void info_json_write_clock(
	struct json *j, const struct trace_file *f, const struct trace_alignment *alignment)
{
	struct clock_drift drift;

	clock_drift(f->clock, &drift);
	json_member_u64(j, "clock_syncs", f->clock->nsyncs);
	json_member_fixed(j, "drift_ppm_min", drift.low_ppm, 3);
	json_member_fixed(j, "drift_ppm_max", drift.high_ppm, 3);
	json_member_fixed(j, "drift_ppm_error", drift.error_ppm, 3);
	json_member_fixed(j, "time_error_ns", trace_time_error(f), 0);
	json_member_bool(j, "time_monotone", trace_time_is_monotone(f));
	json_member_open(j, "clock_findings", '[');
	for (size_t i = 0; i < f->nclock_findings; i++)
		write_finding(j, &f->clock_findings[i]);
	json_close(j, ']');
	json_member_u64(j, "clock_findings_untold", f->clock_findings_untold);
	json_member_u64(j, "merged_traces", alignment->traces);
	json_member_u64(j, "merged_hosts", alignment->hosts);
	json_member_fixed(j, "merged_within_ns", alignment->within_ns, 0);
}

static void info_json_write_meta(struct json *j, const struct trace_file *f)
{
	/* Pairs, not members: a key may occur more than once. */
	json_member_open(j, "meta", '[');
	for (size_t i = 0; i < f->nmeta; i++) {
		if (info_doctor_owns(&f->meta[i]))
			continue;
		json_open(j, '{');
		json_key(j, "key");
		json_string(j, f->meta[i].key, f->meta[i].key_length);
		json_key(j, "value");
		json_string(j, f->meta[i].value, f->meta[i].value_length);
		json_close(j, '}');
	}
	json_close(j, ']');
	info_doctor_json(f, j);
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

static void info_json_write_rings(
	struct json *j, const struct trace_file *f, const struct findings *found)
{
	json_member_open(j, "rings", '[');
	for (size_t i = 0; i < f->nrings; i++) {
		const struct trace_ring *ring = &f->rings[i];
		const struct hook_counts *counts = findings_ring(found, f->index, i);
		struct losses l = {0};

		losses_add_ring(&l, ring, counts);
		json_open(j, '{');
		json_member_u64(j, "ring", ring->ring);
		json_key(j, "cpu");
		if (ring->ring & TF_GUEST_RING)
			json_null(j);
		else
			json_u64(j, ring->ring);
		json_member_u64(j, "sections", ring->sections);
		json_member_u64(j, "hooks", counts ? counts->hooks : ring->hooks);
		json_member_u64(j, "bytes", ring->raw);
		json_member_u64(j, "stored_bytes", ring->stored);
		json_member_u64(j, "lost_full", l.full);
		json_member_u64(j, "lost_too_big", l.big);
		json_member_u64(j, "lost_held", l.held);
		json_member_u64(j, "lost_no_guest", l.no_guest);
		json_member_u64(j, "lost_unexplained", l.unexplained);
		json_member_u64(j, "overwritten", l.overwritten);
		json_member_u64(j, "torn", l.torn);
		json_member_u64(j, "skipped_sections", l.skipped);
		json_member_u64(j, "lost_no_slot", l.no_slot);
		json_member_u64(j, "lost_no_memory", l.no_memory);
		json_member_u64(j, "lost_unattached", l.unattached);
		json_member_u64(j, "lost_unwritten", l.unwritten);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void info_json_write_container(
	struct json *j, const struct trace *trace, const struct container *c)
{
	struct trace_text name = {0};

	if (!c)
		return;
	if (c->name != TEXT_NONE)
		name = trace_text_at(trace, c->name);
	json_member_u64(j, "own_tid", c->own_tid);
	json_member_u64(j, "own_pid", c->own_pid);
	json_key(j, "pid_namespace");
	if (c->pid_namespace)
		json_u64(j, c->pid_namespace);
	else
		json_null(j);
	json_key(j, "container");
	if (name.at)
		json_string(j, name.at, name.length);
	else
		json_null(j);
}

static void info_json_write_tasks(
	struct json *j, const struct report *r, const struct trace_file *f)
{
	const struct task *task;

	json_member_open(j, "tasks", '[');
	for (size_t i = 0; (task = trace_task_at(r->trace, f->machine, i)); i++) {
		json_open(j, '{');
		json_member_u64(j, "tid", task->tid);
		json_member_u64(j, "pid", task->pid);
		json_member_i64(j, "first_ns", trace_time(f, task->first));
		json_member_text(j, "name", task->name);
		info_json_write_container(j, r->trace, trace_container(r->trace, f->machine, task));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void info_json_write_schemas(struct json *j, const struct trace_file *f)
{
	json_member_open(j, "schemas", '[');
	for (unsigned major = 1; major < 256; major++) {
		const char *title = NULL;
		const char *name = schema_set_major_name(f->schemas, (uint8_t)major, &title);

		if (!name || !info_tells_schema(f, (uint8_t)major))
			continue;
		json_open(j, '{');
		json_member_u64(j, "major", major);
		json_member_text(j, "name", name);
		json_member_text(j, "title", title);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_member_open(j, "schemas_refused", '[');
	for (size_t i = 0; i < f->nschema_problems; i++) {
		json_open(j, '{');
		json_member_u64(j, "offset", f->schema_problems[i].offset);
		json_member_u64(j, "line", f->schema_problems[i].error.line);
		json_member_text(j, "why", f->schema_problems[i].error.reason);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void info_json_damage(struct json *j, uint64_t offset, uint64_t bytes, const char *why)
{
	json_open(j, '{');
	json_member_u64(j, "offset", offset);
	json_member_u64(j, "bytes", bytes);
	json_member_text(j, "why", why);
	json_close(j, '}');
}

static void info_json_write_damage(
	struct json *j, const struct trace_file *f, const struct findings *found)
{
	const struct hook_damage *inside = found->damage;

	json_member_open(j, "damage", '[');
	for (size_t i = 0; i < f->ndamage; i++)
		info_json_damage(j, f->damage[i].offset, f->damage[i].bytes, f->damage[i].why);
	for (size_t i = 0; i < found->ndamage; i++)
		if (inside[i].file == f->index)
			info_json_damage(j, inside[i].offset, inside[i].bytes, inside[i].why);
	json_close(j, ']');
	json_member_u64(j, "damage_untold", f->damage_untold);
}

void info_json(struct report *r, const struct trace_file *f,
	const struct trace_alignment *alignment, const struct info_costs *costs,
	const struct info_programs *programs, const struct switch_cpus *cpus)
{
	struct json j = {.o = r->out};

	json_open(&j, '{');
	info_json_write_header(&j, f);
	info_json_write_clock(&j, f, alignment);
	info_json_write_meta(&j, f);
	info_json_write_rings(&j, f, r->found);
	info_programs_json(programs, f, &j);
	info_switches_json(cpus, f, &j);
	info_json_write_tasks(&j, r, f);
	info_json_write_schemas(&j, f);
	info_json_write_damage(&j, f, r->found);
	info_costs_json(costs, f, &j);
	json_close(&j, '}');
	json_end_line(&j);
}
