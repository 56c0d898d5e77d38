/*
 * The intervals as Chrome's trace events, in JSON: a begin and an end of each, with its figures and
 * arguments as args. Microseconds since 1970 would lose digits in a double, so times count from the
 * first interval on, and otherData has that one's time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../../../formats/interval_hooks.h"
#include "../../sink/json.h"
#include "../values/columns.h"
#include "../values/interval_columns.h"
#include "export.h"

/*
 * Each event names a process and a thread by integers. Those of a thread whose process is not
 * known, of further lanes and of several machines are numbers that no kernel gives: it has
 * at most 2^22.
 */
enum {
	CHROME_MACHINE_SHIFT = 23, /* of several machines: above the id */
	CHROME_MACHINES = 64,
	CHROME_UNKNOWN = 1 << 30, /* a process that is not known, of machine 0 */
	CHROME_LANES = 3 << 29,	  /* further lanes count from here */
};

struct chrome_export {
	struct report *r;
	struct json json;
	struct out text;
	uint8_t *taken; /* names of values */
	bool several_machines;
	int64_t base;
	uint32_t lanes; /* further ones, of all threads */
};

struct chrome_lane {
	uint32_t pid, tid;
};

static void chrome_begin_event(struct chrome_export *e, const char *phase, struct chrome_lane ids)
{
	struct json *j = &e->json;

	json_break(j);
	json_open(j, '{');
	json_member_text(j, "ph", phase);
	json_member_u64(j, "pid", ids.pid);
	json_member_u64(j, "tid", ids.tid);
}

static void chrome_put_time(struct chrome_export *e, int64_t t)
{
	json_key(&e->json, "ts");
	json_scaled(&e->json, (int64_t)((uint64_t)t - (uint64_t)e->base), 3);
}

static void chrome_put_name(
	struct chrome_export *e, const char *what, struct chrome_lane ids, const char *name)
{
	struct json *j = &e->json;

	chrome_begin_event(e, "M", ids);
	json_member_text(j, "name", what);
	json_member_open(j, "args", '{');
	json_member_text(j, "name", name);
	json_close(j, '}');
	json_close(j, '}');
}

static uint32_t chrome_number(const struct chrome_export *e, uint32_t machine, uint32_t id)
{
	return e->several_machines ? (machine % CHROME_MACHINES) << CHROME_MACHINE_SHIFT |
					     (id & ((1u << CHROME_MACHINE_SHIFT) - 1))
				   : id;
}

static void chrome_put_process(
	struct chrome_export *e, const struct lane_thread *t, struct chrome_lane ids)
{
	const struct trace *trace = e->r->trace;
	const struct task *task = t->task, *leader = NULL;
	const char *host = trace_meta_value(trace_file(trace, t->file), "host");

	if (task)
		leader = trace_task(trace, t->machine, task->pid, task->first);
	const char *name = leader && leader->pid == task->pid ? report_task_name(leader) : NULL;
	e->text.len = 0;
	if (e->several_machines && host)
		out_printf(&e->text, "%s%s", host, name || !task ? " " : "");
	if (!task)
		out_str(&e->text, "unknown process");
	else if (name)
		out_str(&e->text, name);
	if (!e->text.len)
		return;
	out_char(&e->text, '\0');
	if (!e->text.error)
		chrome_put_name(e, "process_name", ids, e->text.buf);
}

static int chrome_begin_lane(void *ctx, struct lane_thread *t, struct lane *l)
{
	struct chrome_export *e = ctx;
	struct chrome_lane *ids = l->own = malloc(sizeof *ids);
	char room[EXPORT_THREAD_ROOM];

	if (!ids)
		return CPIDECODE_ENOMEM;
	ids->pid =
		t->task ? chrome_number(e, t->machine, t->task->pid) : CHROME_UNKNOWN + t->machine;
	ids->tid = l->index ? CHROME_LANES + e->lanes++ : chrome_number(e, t->machine, t->tid);
	chrome_put_process(e, t, *ids);
	chrome_put_name(e, "thread_name", *ids, export_thread_name(t, room));
	return e->text.error ? CPIDECODE_ENOMEM : 0;
}

static void chrome_put_figures(struct chrome_export *e, const struct interval *iv)
{
	struct json *j = &e->json;

	if (!(iv->ring & TF_GUEST_RING) && !(iv->flags & IV_OPEN))
		json_member_u64(j, "cpu", iv->ring);
	json_member_u64(j, EXPORT_ELAPSED_CYCLES, iv->elapsed);
	if (e->r->compensate)
		json_member_fixed(j, EXPORT_COMPENSATED, iv->elapsed_ns, 1);
	for (unsigned i = 0; i < EXPORT_COUNTS; i++)
		if (export_count(iv, i) != NOT_MEASURED)
			json_member_u64(j, export_counts[i].name, export_count(iv, i));
	for (unsigned i = 0; i < EXPORT_REALS; i++)
		if (!isnan(export_real(iv, i)))
			json_member_fixed(j, export_reals[i].name, export_real(iv, i), 4);
}

static int chrome_put_value(
	struct chrome_export *e, const struct interval *iv, const struct interval_value *v)
{
	struct json *j = &e->json;

	if (v->type < INTERVAL_ARG_U64 || v->type > INTERVAL_ARG_TEXT ||
		(v->type == INTERVAL_ARG_F64 && !isfinite(v->f)))
		return 0;
	struct trace_text name = trace_text_at(e->r->trace, v->name);
	if (v->kind == VALUE_EVENT) {
		name = export_name_value(e->r, VALUE_EVENT, v->name, e->taken, &e->text);
	} else {
		e->text.len = 0;
		out_str(&e->text, VALUE_ARGUMENT_PREFIX);
		out_bytes(&e->text, name.at, name.length);
		name = (struct trace_text){.at = e->text.buf, .length = (uint32_t)e->text.len};
	}
	if (e->text.error)
		return CPIDECODE_ENOMEM;
	json_key_bytes(j, name.at, name.length);
	if (v->type == INTERVAL_ARG_U64)
		json_u64(j, v->u);
	else if (v->type == INTERVAL_ARG_I64)
		json_i64(j, v->i);
	else if (v->type == INTERVAL_ARG_F64)
		json_double(j, v->f);
	else
		json_string(j, iv->value_texts + v->at, v->length);
	return 0;
}

static void chrome_put_attributes(struct chrome_export *e, const struct interval *iv)
{
	struct export_attribute at[EXPORT_ATTRIBUTES];
	const unsigned n = export_find_attributes(iv, &e->text, at);
	struct json *j = &e->json;

	for (unsigned i = 0; i < n; i++) {
		json_key(j, at[i].name);
		if (at[i].text)
			json_string(j, at[i].text, at[i].length);
		else
			json_u64(j, at[i].number);
	}
	const struct cell id =
		interval_id_cell((struct interval_hook){iv->machine, iv->ring, iv->position}, true);
	e->text.len = 0;
	cell_spell_id(&e->text, &id);
	json_key(j, "id");
	json_string(j, e->text.buf, e->text.len);
}

static int chrome_begin_slice(
	void *ctx, struct lane_thread *t, struct lane *l, const struct interval *iv, int64_t end)
{
	struct chrome_export *e = ctx;
	struct json *j = &e->json;
	const struct chrome_lane *ids = l->own;
	char room[REPORT_NAME_ROOM];
	size_t length;
	int rc = 0;

	(void)t;
	(void)end;
	const char *name = report_name(iv, room, &length);
	chrome_begin_event(e, "B", *ids);
	chrome_put_time(e, iv->start_ns);
	json_key(j, "name");
	json_string(j, name, length);
	json_member_open(j, "args", '{');
	chrome_put_figures(e, iv);
	for (uint32_t i = 0; i < iv->num_values && !rc; i++)
		rc = chrome_put_value(e, iv, &iv->values[i]);
	chrome_put_attributes(e, iv);
	json_close(j, '}');
	json_close(j, '}');
	return e->text.error ? CPIDECODE_ENOMEM : rc;
}

static int chrome_end_slice(void *ctx, struct lane_thread *t, struct lane *l, int64_t end)
{
	struct chrome_export *e = ctx;
	const struct chrome_lane *ids = l->own;

	(void)t;
	chrome_begin_event(e, "E", *ids);
	chrome_put_time(e, end);
	json_close(&e->json, '}');
	return 0;
}

int export_chrome(struct report *r, struct interval_stream *s)
{
	static const struct lane_writer writer = {.begin_lane = chrome_begin_lane,
		.begin_slice = chrome_begin_slice,
		.end_slice = chrome_end_slice};
	struct chrome_export e = {
		.r = r, .json.o = r->out, .several_machines = !trace_one_machine(r->trace)};
	struct json *j = &e.json;
	struct lanes lanes;
	int rc = export_find_base(r, s, &e.base);

	if (rc)
		return rc;
	e.taken = export_names_new(r);
	if (!e.taken)
		return CPIDECODE_ENOMEM;
	out_memory(&e.text);
	json_open(j, '{');
	json_member_text(j, "displayTimeUnit", "ns");
	json_member_open(j, "otherData", '{');
	json_member_text(j, "clock", "CLOCK_REALTIME");
	json_key(j, "epoch_ns"); /* a string: a double lacks its last digits */
	json_format(j, "%" PRId64, e.base);
	json_close(j, '}');
	json_member_open(j, "traceEvents", '[');
	lanes_init(&lanes, &writer, &e);
	rc = export_lanes(r, s, &lanes);
	json_break(j);
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
	out_discard(&e.text);
	free(e.taken);
	if (!rc) {
		export_note_lanes(r, &lanes, "tracks");
		report_note(r,
			"chrome holds an interval's figures: losses and what single processors counted are left out");
	}
	return rc;
}
