/* The rings, tasks, schemas and damage of a file. */
#include "../../../formats/cpi_hooks.h"
#include "../../sink/escapes.h"
#include "info.h"

/* -------------------------------------------------------------------------------- rings */

enum { INFO_HAS_CAUSES = 1 << 0 };

struct info_ring {
	struct trace_ring ring;
	struct cell cpu;
	uint64_t hooks;
	struct losses l;
};

static void info_spell_ring(struct out *o, const void *row)
{
	const uint32_t ring = ((const struct info_ring *)row)->ring.ring;

	out_printf(o, ring & TF_GUEST_RING ? "guest %u" : "cpu %u", ring & ~TF_GUEST_RING);
}

#define AT(member) COLUMN_AT(struct info_ring, member)
static const struct column ring_columns[] = {
	{"ring", "ring", AT(ring.ring), .text = info_spell_ring},
	{"cpu", AT(cpu)},
	{"sections", "sections", AT(ring.sections)},
	{"hooks", "hooks", AT(hooks)},
	{"bytes", "bytes", AT(ring.raw)},
	{"stored_bytes", AT(ring.stored)},
	{"lost_full", "lost: full", AT(l.full)},
	{"lost_too_big", "too big", AT(l.big)},
	{"lost_held", "held", AT(l.held)},
	{"lost_no_guest", "no guest", AT(l.no_guest)},
	{"lost_unexplained", "other", AT(l.unexplained)},
	{"overwritten", "overwritten", AT(l.overwritten)},
	{"torn", "torn", AT(l.torn)},
	{"skipped_sections", "skipped", AT(l.skipped)},
	{"lost_no_slot", "no slot", AT(l.no_slot), .when = INFO_HAS_CAUSES},
	{"lost_no_memory", "no memory", AT(l.no_memory), .when = INFO_HAS_CAUSES},
	{"lost_unattached", "not attached", AT(l.unattached), .when = INFO_HAS_CAUSES},
	{"lost_unwritten", "unwritten", AT(l.unwritten), .when = INFO_HAS_CAUSES},
	{.name = NULL},
};
#undef AT

void info_write_rings(struct document *d, const struct trace_file *f, const struct findings *found)
{
	const unsigned has = d->j || f->sections_of[TF_TYPE_CAUSES] ? INFO_HAS_CAUSES : 0;

	d->title = "\n";
	for (document_begin_list(d, "rings", ring_columns, has); document_pass(d);)
		for (size_t i = 0; i < f->nrings; i++) {
			const struct trace_ring *ring = &f->rings[i];
			const struct hook_counts *counts = findings_ring(found, f->index, i);
			struct info_ring row = {.ring = *ring,
				.cpu = cell_u64(ring->ring, !(ring->ring & TF_GUEST_RING)),
				.hooks = counts ? counts->hooks : ring->hooks};

			losses_add_ring(&row.l, ring, counts);
			document_add_row(d, &row);
		}
}

/* -------------------------------------------------------------------------------- tasks */

enum { INFO_HAS_CONTAINER = 1 << 0 };

struct info_task {
	uint32_t tid, pid, own_tid, own_pid;
	int64_t first; /* CLOCK_REALTIME in ns */
	const char *name;
	struct cell pid_namespace, container;
};

#define AT(member) COLUMN_AT(struct info_task, member)
static const struct column task_columns[] = {
	{"tid", "tid", AT(tid)},
	{"pid", "pid", AT(pid)},
	{"first_ns", "since", AT(first), .unit = UNIT_TIME, .left = true},
	{"name", "task", AT(name), .left = true},
	{"own_tid", "own tid", AT(own_tid), .when = INFO_HAS_CONTAINER},
	{"own_pid", "own pid", AT(own_pid), .when = INFO_HAS_CONTAINER},
	{"pid_namespace", "PID namespace", AT(pid_namespace), .when = INFO_HAS_CONTAINER},
	{"container", "container", AT(container), .when = INFO_HAS_CONTAINER, .left = true},
	{.name = NULL},
};
#undef AT

static struct info_task info_task_row(const struct trace *trace, const struct trace_file *f,
	const struct task *task, const struct container *c)
{
	struct info_task row = {.tid = task->tid,
		.pid = task->pid,
		.own_tid = c ? c->own_tid : task->tid,
		.own_pid = c ? c->own_pid : task->pid,
		.first = trace_time(f, task->first),
		.name = task->name};

	/* A task of the session owner's container has no entry: its own ids are those of the trace.
	 */
	row.pid_namespace =
		c ? cell_u64(c->pid_namespace, c->pid_namespace) : cell_string("-", 1, true);
	row.container = row.pid_namespace;
	if (c && c->name != TEXT_NONE) {
		const struct trace_text name = trace_text_at(trace, c->name);

		row.container = cell_string(name.at, name.length, name.at);
	} else if (c) {
		row.container = cell_u64(0, false);
	}
	return row;
}

void info_write_tasks(struct document *d, const struct trace *trace, const struct trace_file *f)
{
	const unsigned has = trace_has_containers(trace) ? INFO_HAS_CONTAINER : 0;
	const struct task *task;

	d->title = "\n";
	for (document_begin_list(d, "tasks", task_columns, has); document_pass(d);)
		for (size_t i = 0; (task = trace_task_at(trace, f->machine, i)); i++) {
			const struct container *c = trace_container(trace, f->machine, task);
			const struct info_task row = info_task_row(trace, f, task, c);

			/* In JSON: a member that a task does not have is absent. */
			if (d->j)
				d->has = c ? INFO_HAS_CONTAINER : 0;
			document_add_row(d, &row);
		}
}

/* -------------------------------------------------------------------------------- schemas */

struct info_schema {
	uint32_t major;
	const char *name, *title; /* title NULL: none */
};

static void info_spell_schema(struct out *o, const void *row)
{
	const struct info_schema *s = row;

	out_printf(o, "0x%02X %s", s->major, s->name);
	if (s->title) {
		out_char(o, ' ');
		escape_quoted(o, s->title, strlen(s->title));
	}
}

#define AT(member) COLUMN_AT(struct info_schema, member)
static const struct column schema_columns[] = {
	{.heading = "schema", .text = info_spell_schema},
	{"major", AT(major)},
	{"name", AT(name)},
	{"title", AT(title)},
	{.name = NULL},
};
#undef AT

static void info_spell_problem(struct out *o, const void *row)
{
	const struct trace_schema_problem *p = row;

	out_printf(o, "at offset %llu refused from line %u to its next major: ",
		(unsigned long long)p->offset, p->error.line);
	escape_text(o, p->error.reason, strlen(p->error.reason));
}

#define AT(member) COLUMN_AT(struct trace_schema_problem, member)
static const struct column problem_columns[] = {
	{.heading = "schema", .text = info_spell_problem},
	{"offset", AT(offset)},
	{"line", AT(error.line)},
	{"why", COLUMN_CHARS_AT(struct trace_schema_problem, error.reason)},
	{.name = NULL},
};
#undef AT

void info_write_schemas(struct document *d, const struct trace_file *f)
{
	if (document_is_text(d))
		out_char(d->o, '\n');
	for (document_begin_lines(d, "schema", "schemas", schema_columns, 0); document_pass(d);)
		for (uint32_t major = 1; major < 256; major++) {
			struct info_schema row = {.major = major};

			row.name = schema_set_major_name(f->schemas, (uint8_t)major, &row.title);
			/* Of the built-in schemas, only CPI's is listed. */
			if (row.name && (major == CPI_MAJOR ||
						schema_set_brought(f->schemas, (uint8_t)major)))
				document_add_row(d, &row);
		}
	document_begin_lines(d, "schema", "schemas_refused", problem_columns, 0);
	while (document_pass(d))
		for (size_t i = 0; i < f->nschema_problems; i++)
			document_add_row(d, &f->schema_problems[i]);
}

/* -------------------------------------------------------------------------------- damage */

struct info_damage {
	const char *where;
	uint64_t offset, bytes;
	const char *why;
};

static void info_spell_damage(struct out *o, const void *row)
{
	const struct info_damage *damage = row;

	out_printf(o, "%s %llu, %llu bytes: %s", damage->where, (unsigned long long)damage->offset,
		(unsigned long long)damage->bytes, damage->why);
}

#define AT(member) COLUMN_AT(struct info_damage, member)
static const struct column damage_columns[] = {
	{.heading = "damage", .text = info_spell_damage},
	{"offset", AT(offset)},
	{"bytes", AT(bytes)},
	{"why", AT(why)},
	{.name = NULL},
};
#undef AT

void info_write_damage(struct document *d, const struct trace_file *f, const struct findings *found)
{
	const struct hook_damage *inside = found->damage;

	for (document_begin_lines(d, "damage", "damage", damage_columns, 0); document_pass(d);) {
		for (size_t i = 0; i < f->ndamage; i++)
			document_add_row(d, &(struct info_damage){"at offset", f->damage[i].offset,
						    f->damage[i].bytes, f->damage[i].why});
		if (document_is_text(d) && f->damage_untold)
			out_printf(document_begin_line(d, "damage"), "and %llu more stretches\n",
				(unsigned long long)f->damage_untold);
		for (size_t i = 0; i < found->ndamage; i++)
			if (inside[i].file == f->index)
				document_add_row(d,
					&(struct info_damage){"in the section at offset",
						inside[i].offset, inside[i].bytes, inside[i].why});
	}
	if (d->j)
		json_member_u64(d->j, "damage_untold", f->damage_untold);
}
