/* Prints one of the slowest intervals: text, or a JSON object in a line. */
#include <inttypes.h>
#include <string.h>

#include "../../model/trace/labels.h"
#include "../../sink/escape.h"
#include "../../sink/json.h"
#include "../../sink/table.h"
#include "../../sink/units.h"
#include "slowest.h"
#include "../tallies.h"
#include "../values/columns.h"

enum { SLOWEST_OVERLAPS_TEXT = 5 /* names of intervals that overlap one */ };

/* A line of an interval nested in the slow one, in the median one, or in both. */
struct beneath {
	const struct kin_child *here, *median; /* NULL: not in that one */
};

static double slowest_percentile(const struct slowest *s)
{
	uint64_t ns = exact_round(s->kin->elapsed_ns);

	return 100 * histogram_share(&s->group->time, (double)ns);
}

static int64_t slowest_since_start(const struct slowest *s)
{
	return (int64_t)((uint64_t)s->kin->iv->start_ns - (uint64_t)s->start);
}

static const struct kin_child *slowest_find_child(const struct kin *k, const struct kin_name *name)
{
	for (size_t i = 0; i < k->nchildren; i++)
		if (kin_is_named(&k->children[i].name, name))
			return &k->children[i];
	return NULL;
}

/* Calls fn for each name, in the interval's order, then for those in the median one alone. */
static void slowest_each_beneath(const struct slowest *s,
	void (*fn)(void *ctx, const struct kin_name *name, struct beneath b), void *ctx)
{
	for (size_t i = 0; i < s->kin->nchildren; i++) {
		const struct kin_child *c = &s->kin->children[i];

		fn(ctx, &c->name, (struct beneath){c, slowest_find_child(s->median, &c->name)});
	}
	for (size_t i = 0; i < s->median->nchildren; i++) {
		const struct kin_child *c = &s->median->children[i];

		if (!slowest_find_child(s->kin, &c->name))
			fn(ctx, &c->name, (struct beneath){NULL, c});
	}
	if (s->kin->others.count || s->median->others.count)
		fn(ctx, NULL, (struct beneath){&s->kin->others, &s->median->others});
}

/* -------------------------------------------------------------------------------- text */

static void slowest_spell_name(struct out *o, const struct kin_name *name)
{
	if (!name)
		out_str(o, "(others)");
	else if (name->label)
		escape_text(o, name->label, name->length);
	else
		out_printf(o, "minor 0x%02X", name->mm);
}

static void slowest_write_beneath(void *ctx, const struct kin_name *name, struct beneath b)
{
	const struct kin_child *sides[2] = {b.here, b.median};
	struct table *t = ctx;

	table_text(t, "  ");
	for (unsigned i = 0; i < 2; i++) {
		struct out *o = table_right(t);

		if (sides[i])
			units_duration(o, sides[i]->self_ns);
		o = table_right(t);
		if (sides[i])
			out_u64(o, sides[i]->count);
	}
	slowest_spell_name(table_left(t), name);
	table_end_row(t);
}

static void slowest_write_table(struct report *r, const struct slowest *s)
{
	struct table table;

	for (table_begin(&table, r->out); table_pass_fit(&table, r->width, TABLE_LAST);) {
		table_printf(&table, "  \t>self\t>count\t>median's\t>count\tlabel\n");
		table_text(&table, "  ");
		units_duration(table_right(&table), s->kin->self_ns);
		table_text(&table, "");
		units_duration(table_right(&table), s->median->self_ns);
		table_printf(&table, "\t(itself)\n");
		slowest_each_beneath(s, slowest_write_beneath, &table);
	}
	table_free(&table);
}

unsigned slowest_find_cpus(const struct interval *iv, uint32_t cpus[2])
{
	if (iv->ring & TF_GUEST_RING || !meanwhile_start_cpu(iv, &cpus[0]))
		return 0;
	cpus[1] = iv->ring;
	return cpus[0] == cpus[1] ? 1 : 2;
}

static void slowest_write_overlap(
	struct table *t, const struct kin_name *name, const struct meanwhile_name *m, unsigned cpus)
{
	table_text(t, "  ");
	units_duration(table_right(t), m->overlap_ns);
	out_u64(table_right(t), m->count);
	if (cpus == 2)
		units_duration(table_right(t), m->start_cpu_ns);
	if (cpus)
		units_duration(table_right(t), m->cpu_ns);
	slowest_spell_name(table_left(t), name);
	table_end_row(t);
}

static void slowest_write_meanwhile(struct report *r, const struct slowest *s)
{
	const struct meanwhile *m = s->meanwhile;
	struct meanwhile_name rest = m->others;
	uint32_t cpu[2];
	const unsigned cpus = slowest_find_cpus(s->kin->iv, cpu);
	struct table t;

	out_str(r->out, "   meanwhile, on other threads (intervals of this trace");
	out_str(r->out, s->ran ? "):" : "; what else ran is unknown):");
	out_str(r->out, m->count ? "\n" : " none\n");
	for (size_t i = SLOWEST_OVERLAPS_TEXT; i < m->count; i++) {
		rest.count += m->names[i].count;
		rest.overlap_ns += m->names[i].overlap_ns;
		rest.start_cpu_ns += m->names[i].start_cpu_ns;
		rest.cpu_ns += m->names[i].cpu_ns;
	}
	for (table_begin(&t, r->out); m->count && table_pass_fit(&t, r->width, TABLE_LAST);) {
		table_printf(&t, "  \t>overlap\t>count");
		for (unsigned i = 2 - cpus; i < 2; i++)
			out_printf(table_right(&t), "on CPU %u", cpu[i]);
		table_printf(&t, "label\n");
		for (size_t i = 0; i < m->count && i < SLOWEST_OVERLAPS_TEXT; i++)
			slowest_write_overlap(&t, &m->names[i].name, &m->names[i], cpus);
		if (rest.count)
			slowest_write_overlap(&t, NULL, &rest, cpus);
	}
	if (m->count)
		table_free(&t);
}

static void slowest_spell_off_cpu(struct out *o, const struct interval *iv)
{
	out_str(o, "   off CPU: ");
	if (iv->off_cpu_ns == NOT_MEASURED) {
		out_str(o, "n/a");
	} else {
		units_duration(o, (double)iv->off_cpu_ns);
		if (iv->elapsed_ns > 0)
			out_printf(o, " (%.1f %%)", 100 * (double)iv->off_cpu_ns / iv->elapsed_ns);
	}
	if (iv->ctx_switches != NOT_MEASURED)
		out_printf(o, ", %" PRIu64 " switch%s", iv->ctx_switches,
			iv->ctx_switches == 1 ? "" : "es");
	out_char(o, '\n');
}

static void slowest_spell_parents(struct out *o, const struct kin *k)
{
	out_str(o, "   in: ");
	if (!k->nparents)
		out_str(o, "nothing");
	for (size_t i = 0; i < k->nparents; i++) {
		out_str(o, i ? " > " : "");
		slowest_spell_name(o, &k->parents[i].name);
		out_str(o, " (");
		units_duration(o, k->parents[i].elapsed_ns);
		out_char(o, ')');
	}
	out_char(o, '\n');
}

static void slowest_spell_place(struct out *o, const struct slowest *s)
{
	const struct interval *iv = s->kin->iv;
	const char *task = report_task_name(iv->task);
	const int64_t since = slowest_since_start(s);

	out_str(o, "   at: ");
	if (since < 0) {
		units_duration(o, -(double)since);
		out_str(o, " before the trace's first hook");
	} else {
		out_char(o, '+');
		out_seconds(o, since);
		out_str(o, " s");
	}
	out_printf(o, ", thread %u", iv->tid);
	if (task) {
		out_str(o, " (");
		escape_text(o, task, strlen(task));
		out_printf(o, ", process %u)", iv->task->pid);
	}
	if (!(iv->ring & TF_GUEST_RING)) {
		out_str(o, ", CPU ");
		if (iv->start_cpu < TF_GUEST_RING && iv->start_cpu != iv->ring)
			out_printf(o, "%" PRIu64 " to ", iv->start_cpu);
		out_printf(o, "%u", iv->ring);
	}
	out_char(o, '\n');
}

static void slowest_write_text(struct report *r, const struct slowest *s, bool is_first)
{
	const struct interval *iv = s->kin->iv;
	struct out *o = r->out;

	out_str(o, is_first ? "" : "\n");
	out_printf(o, "%zu. ", s->place);
	tallies_text_name(o, s->group);
	out_str(o, ": ");
	units_duration(o, iv->elapsed_ns);
	out_printf(
		o, ", p%.1f of %" PRIu64 " (median ", slowest_percentile(s), s->group->time.count);
	units_duration(o, s->median->elapsed_ns);
	out_str(o, ")\n");
	slowest_spell_place(o, s);
	slowest_spell_parents(o, s->kin);
	if (iv->num_values) {
		out_str(o, "   values: ");
		value_spell_named(o, iv, s->names);
		out_char(o, '\n');
	}
	slowest_spell_off_cpu(o, iv);
	slowest_write_table(r, s);
	slowest_write_meanwhile(r, s);
	slowest_write_ran(r, s);
	out_printf(o, "   show: --report intervals --tid %u --from ", iv->tid);
	out_seconds(o, iv->start_ns);
	out_str(o, " --to ");
	out_seconds(o, iv->end_ns);
	out_char(o, '\n');
}

/* -------------------------------------------------------------------------------- JSON */

static void slowest_write_name(struct json *j, const struct kin_name *name)
{
	json_key(j, "label");
	if (name && name->label)
		json_string(j, name->label, name->length);
	else
		json_null(j);
	json_key(j, "minor");
	if (name)
		json_u64(j, name->mm);
	else
		json_null(j);
}

static void slowest_write_count(struct json *j, const char *key, uint64_t count)
{
	json_key(j, key);
	if (count == NOT_MEASURED)
		json_null(j);
	else
		json_u64(j, count);
}

static void slowest_write_member(void *ctx, const struct kin_name *name, struct beneath b)
{
	struct json *j = ctx;

	json_open(j, '{');
	slowest_write_name(j, name);
	json_member_u64(j, "count", b.here ? b.here->count : 0);
	json_member_fixed(j, "self_ns", b.here ? b.here->self_ns : 0, 1);
	json_member_u64(j, "median_count", b.median ? b.median->count : 0);
	json_member_fixed(j, "median_self_ns", b.median ? b.median->self_ns : 0, 1);
	json_close(j, '}');
}

static void slowest_write_parents(struct json *j, const struct kin *k)
{
	json_member_open(j, "parents", '[');
	for (size_t i = 0; i < k->nparents; i++) {
		json_open(j, '{');
		slowest_write_name(j, &k->parents[i].name);
		json_member_fixed(j, "elapsed_ns", k->parents[i].elapsed_ns, 1);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void slowest_write_values(struct json *j, const struct slowest *s)
{
	const struct interval *iv = s->kin->iv;

	json_member_open(j, "values", '[');
	for (uint32_t i = 0; i < iv->num_values; i++) {
		json_open(j, '{');
		json_key(j, "name");
		json_string(j, s->names[i].at, s->names[i].length);
		json_key(j, "value");
		cell_write_json(j, value_cell(iv, &iv->values[i]));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void slowest_write_overlap_member(struct json *j, const struct kin_name *name,
	const struct meanwhile_name *m, const struct interval *iv)
{
	uint32_t cpu;

	json_open(j, '{');
	slowest_write_name(j, name);
	json_member_u64(j, "count", m->count);
	json_member_fixed(j, "overlap_ns", m->overlap_ns, 1);
	json_member_fixed(
		j, "start_cpu_ns", meanwhile_start_cpu(iv, &cpu) ? m->start_cpu_ns : NAN, 1);
	json_member_fixed(j, "cpu_ns", iv->ring & TF_GUEST_RING ? NAN : m->cpu_ns, 1);
	json_close(j, '}');
}

static void slowest_write_overlaps(struct json *j, const struct slowest *s)
{
	const struct meanwhile *m = s->meanwhile;

	json_member_open(j, "meanwhile", '[');
	for (size_t i = 0; i < m->count; i++)
		slowest_write_overlap_member(j, &m->names[i].name, &m->names[i], s->kin->iv);
	if (m->others.count)
		slowest_write_overlap_member(j, NULL, &m->others, s->kin->iv);
	json_close(j, ']');
}

static void slowest_write_json(struct report *r, const struct slowest *s)
{
	const struct interval *iv = s->kin->iv;
	const struct kin_name name = {
		iv->has_label ? iv->label : NULL, iv->label_len, iv->mm, iv->major};
	struct json j = {.o = r->out};

	json_open(&j, '{');
	rows_write_host(&j, r);
	json_member_u64(&j, "place", s->place);
	slowest_write_name(&j, &name);
	json_member_u64(&j, "major", iv->major);
	json_member_fixed(&j, "elapsed_ns", iv->elapsed_ns, 1);
	json_member_fixed(&j, "percentile", slowest_percentile(s), 4);
	json_member_u64(&j, "count", s->group->time.count);
	json_member_fixed(&j, "median_ns", s->median->elapsed_ns, 1);
	json_member_i64(&j, "start_ns", iv->start_ns);
	json_member_i64(&j, "end_ns", iv->end_ns);
	json_member_i64(&j, "since_start_ns", slowest_since_start(s));
	json_member_u64(&j, "tid", iv->tid);
	slowest_write_count(&j, "pid", iv->task ? iv->task->pid : NOT_MEASURED);
	json_member_text(&j, "task", report_task_name(iv->task));
	slowest_write_count(&j, "cpu", iv->ring & TF_GUEST_RING ? NOT_MEASURED : iv->ring);
	slowest_write_count(
		&j, "start_cpu", iv->start_cpu < TF_GUEST_RING ? iv->start_cpu : NOT_MEASURED);
	slowest_write_count(&j, "off_cpu_ns", iv->off_cpu_ns);
	slowest_write_count(&j, "on_cpu_ns", iv->on_cpu_ns);
	slowest_write_count(&j, "ctx_switches", iv->ctx_switches);
	slowest_write_parents(&j, s->kin);
	slowest_write_values(&j, s);
	json_member_fixed(&j, "self_ns", s->kin->self_ns, 1);
	json_member_fixed(&j, "median_self_ns", s->median->self_ns, 1);
	json_member_open(&j, "beneath", '[');
	slowest_each_beneath(s, slowest_write_member, &j);
	json_close(&j, ']');
	slowest_write_overlaps(&j, s);
	slowest_write_ran_members(&j, s);
	json_close(&j, '}');
	json_end_line(&j);
}

void slowest_print(struct report *r, const struct slowest *s, bool is_first)
{
	if (r->format == FORMAT_JSON)
		slowest_write_json(r, s);
	else
		slowest_write_text(r, s, is_first);
}
