/* Prints one of the slowest intervals: text, or a JSON object in a line. */
#include <inttypes.h>
#include <string.h>

#include "../../model/trace/labels.h"
#include "../../sink/escapes.h"
#include "../../sink/json.h"
#include "../../sink/table.h"
#include "../../sink/units.h"
#include "slowest.h"
#include "../tallies.h"
#include "../values/columns.h"

enum { SLOWEST_OVERLAPS_TEXT = 5 /* names of intervals that overlap one */ };

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

/* -------------------------------------------------------------------------------- text */

static void slowest_spell_name(struct out *o, const struct kin_name *name)
{
	escape_label(o, name->label, name->length, name->mm);
}

/* A column for each processor, one if that is the same, none of guests. */
static unsigned slowest_find_cpus(const struct interval *iv, uint32_t cpus[2])
{
	if (iv->ring & TF_GUEST_RING || !meanwhile_start_cpu(iv, &cpus[0]))
		return 0;
	cpus[1] = iv->ring;
	return cpus[0] == cpus[1] ? SLOWEST_HAS_CPU : SLOWEST_HAS_CPU | SLOWEST_HAS_START_CPU;
}

double slowest_start_cpu_ns(const struct slowest *s, double ns)
{
	uint32_t cpu;

	return meanwhile_start_cpu(s->kin->iv, &cpu) ? ns : NAN;
}

double slowest_cpu_ns(const struct slowest *s, double ns)
{
	return s->kin->iv->ring & TF_GUEST_RING ? NAN : ns;
}

void slowest_begin_list(struct slowest_output *o, const char *key, const struct column *columns)
{
	struct document *d = &o->d;

	document_begin_list(d, key, columns, o->has);
	for (unsigned i = 0; !d->j && i < d->n; i++) {
		const unsigned at = d->chosen[i]->when == SLOWEST_HAS_CPU;

		if (!d->chosen[i]->when)
			continue;
		o->cpus[at] = *d->chosen[i];
		o->cpus[at].heading = o->headings[at];
		d->chosen[i] = &o->cpus[at];
	}
}

static struct slowest_output slowest_output(
	struct report *r, const struct slowest *s, struct json *j)
{
	struct slowest_output o = {
		.d = {.o = r->out, .j = j, .indent = "  ", .width = r->width}, .s = s};
	uint32_t cpus[2];

	o.has = j ? SLOWEST_HAS_CPU | SLOWEST_HAS_START_CPU : slowest_find_cpus(s->kin->iv, cpus);
	for (unsigned i = 0; !j && o.has && i < 2; i++)
		snprintf(o.headings[i], sizeof o.headings[i], "on CPU %u", cpus[i]);
	return o;
}

/* A line about intervals of one name. */
struct slowest_line {
	const char *who;	     /* of a line that has no name; NULL: the name's */
	const struct kin_name *name; /* NULL: none */
	struct cell label, minor;
	struct cell self[2], count[2];	/* nested in the slow one, in the median one */
	double overlap, start_cpu, cpu; /* ns */
};

static struct slowest_line slowest_line(const struct kin_name *name, const char *who)
{
	return (struct slowest_line){.who = who,
		.name = name,
		.label = cell_string(
			name ? name->label : NULL, name ? name->length : 0, name && name->label),
		.minor = cell_u64(name ? name->mm : 0, name)};
}

static void slowest_spell_line(struct out *o, const void *row)
{
	const struct slowest_line *line = row;

	if (line->who)
		out_str(o, line->who);
	else
		slowest_spell_name(o, line->name);
}

#define AT(member) COLUMN_AT(struct slowest_line, member)
#define SLOWEST_NAME                                                                               \
	{"label", AT(label)}, {"minor", AT(minor)},                                                \
	{                                                                                          \
		.heading = "label", .text = slowest_spell_line, .left = true, .place = PLACE_LAST  \
	}
static const struct column beneath_columns[] = {
	SLOWEST_NAME,
	{"count", "count", AT(count[0]), .none = "", .place = 1},
	{"self_ns", "self", AT(self[0]), .none = "", .unit = UNIT_DURATION},
	{"median_count", "count", AT(count[1]), .none = "", .place = 3},
	{"median_self_ns", "median's", AT(self[1]), .none = "", .unit = UNIT_DURATION, .place = 2},
	{.name = NULL},
};

static const struct column overlap_columns[] = {
	SLOWEST_NAME,
	{"count", "count", AT(count[0]), .place = 1},
	{"overlap_ns", "overlap", AT(overlap), .decimals = 1, .unit = UNIT_DURATION},
	{SLOWEST_START_CPU, AT(start_cpu), .place = 1},
	{SLOWEST_CPU, AT(cpu), .place = 1},
	{.name = NULL},
};

/* NULL: there are none of that name in one, which text leaves blank. */
static void slowest_add_beneath(struct document *d, const struct kin_name *name,
	const struct kin_child *here, const struct kin_child *median)
{
	const struct kin_child *sides[2] = {here, median};
	struct slowest_line line = slowest_line(name, name ? NULL : "(others)");

	for (unsigned i = 0; i < 2; i++)
		if (sides[i] || d->j) {
			line.self[i] = cell_real(sides[i] ? sides[i]->self_ns : 0, 1);
			line.count[i] = cell_u64(sides[i] ? sides[i]->count : 0, true);
		}
	document_add_row(d, &line);
}

/* Each name in the interval's order, then those in the median one alone. */
static void slowest_write_beneath(struct document *d, const struct slowest *s)
{
	const struct kin *here = s->kin, *median = s->median;
	struct slowest_line itself = slowest_line(NULL, "(itself)");

	itself.self[0] = cell_real(here->self_ns, 1);
	itself.self[1] = cell_real(median->self_ns, 1);
	for (document_begin_list(d, "beneath", beneath_columns, 0); document_pass(d);) {
		if (document_is_text(d))
			document_add_row(d, &itself);
		for (size_t i = 0; i < here->nchildren; i++) {
			const struct kin_child *c = &here->children[i];

			slowest_add_beneath(d, &c->name, c, slowest_find_child(median, &c->name));
		}
		for (size_t i = 0; i < median->nchildren; i++) {
			const struct kin_child *c = &median->children[i];

			if (!slowest_find_child(here, &c->name))
				slowest_add_beneath(d, &c->name, NULL, c);
		}
		if (here->others.count || median->others.count)
			slowest_add_beneath(d, NULL, &here->others, &median->others);
	}
}

/* name NULL: several. */
static void slowest_add_overlap(
	struct slowest_output *o, const struct meanwhile_name *m, const struct kin_name *name)
{
	struct slowest_line line = slowest_line(name, name ? NULL : "(others)");

	line.count[0] = cell_u64(m->count, true);
	line.overlap = m->overlap_ns;
	line.start_cpu = slowest_start_cpu_ns(o->s, m->start_cpu_ns);
	line.cpu = slowest_cpu_ns(o->s, m->cpu_ns);
	document_add_row(&o->d, &line);
}

static void slowest_write_meanwhile(struct slowest_output *o)
{
	const struct meanwhile *m = o->s->meanwhile;
	const size_t most =
		o->d.j || m->count < SLOWEST_OVERLAPS_TEXT ? m->count : SLOWEST_OVERLAPS_TEXT;
	struct meanwhile_name rest = m->others;

	if (document_is_text(&o->d))
		out_printf(o->d.o, "   meanwhile, on other threads (intervals of this trace%s%s\n",
			o->s->ran ? "):" : "; what else ran is unknown):", m->count ? "" : " none");
	for (size_t i = most; i < m->count; i++) {
		rest.count += m->names[i].count;
		rest.overlap_ns += m->names[i].overlap_ns;
		rest.start_cpu_ns += m->names[i].start_cpu_ns;
		rest.cpu_ns += m->names[i].cpu_ns;
	}
	for (slowest_begin_list(o, "meanwhile", overlap_columns); document_pass(&o->d);) {
		for (size_t i = 0; i < most; i++)
			slowest_add_overlap(o, &m->names[i], &m->names[i].name);
		if (rest.count)
			slowest_add_overlap(o, &rest, NULL);
	}
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

static void slowest_spell_location(struct out *o, const struct slowest *s, enum report_times times)
{
	const struct interval *iv = s->kin->iv;
	const char *task = report_task_name(iv->task);
	const int64_t since = slowest_since_start(s);

	out_str(o, "   at: ");
	if (times != TIMES_RELATIVE) {
		units_time(o, &(struct time_text){.how = times}, iv->start_ns);
	} else if (since < 0) {
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
	struct slowest_output to = slowest_output(r, s, NULL);
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
	slowest_spell_location(o, s, r->times);
	slowest_spell_parents(o, s->kin);
	if (iv->num_values) {
		out_str(o, "   values: ");
		value_spell_named(o, iv, s->names);
		out_char(o, '\n');
	}
	slowest_spell_off_cpu(o, iv);
	slowest_write_beneath(&to.d, s);
	slowest_write_meanwhile(&to);
	slowest_write_ran(&to);
	out_printf(o, "   show: --report intervals --tid %u --from ", iv->tid);
	out_seconds(o, iv->start_ns);
	out_str(o, " --to ");
	out_seconds(o, iv->end_ns);
	out_char(o, '\n');
}

/* -------------------------------------------------------------------------------- JSON */

static void slowest_write_name(struct json *j, const struct kin_name *name)
{
	const struct slowest_line line = slowest_line(name, NULL);

	column_write_members(
		j, (const struct column[]){SLOWEST_NAME, {.name = NULL}}, IN_JSON, 0, &line);
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

static void slowest_write_json(struct report *r, const struct slowest *s)
{
	const struct interval *iv = s->kin->iv;
	const struct kin_name name = {
		iv->has_label ? iv->label : NULL, iv->label_len, iv->mm, iv->major};
	struct json j = {.o = r->out};
	struct slowest_output to = slowest_output(r, s, &j);

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
	json_member_count(&j, "pid", iv->task, iv->task ? iv->task->pid : 0);
	json_member_text(&j, "task", report_task_name(iv->task));
	json_member_count(&j, "cpu", !(iv->ring & TF_GUEST_RING), iv->ring);
	json_member_count(&j, "start_cpu", iv->start_cpu < TF_GUEST_RING, iv->start_cpu);
	json_member_count(&j, "off_cpu_ns", iv->off_cpu_ns != NOT_MEASURED, iv->off_cpu_ns);
	json_member_count(&j, "on_cpu_ns", iv->on_cpu_ns != NOT_MEASURED, iv->on_cpu_ns);
	json_member_count(&j, "ctx_switches", iv->ctx_switches != NOT_MEASURED, iv->ctx_switches);
	slowest_write_parents(&j, s->kin);
	slowest_write_values(&j, s);
	json_member_fixed(&j, "self_ns", s->kin->self_ns, 1);
	json_member_fixed(&j, "median_self_ns", s->median->self_ns, 1);
	slowest_write_beneath(&to.d, s);
	slowest_write_meanwhile(&to);
	slowest_write_ran(&to);
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

#undef AT
