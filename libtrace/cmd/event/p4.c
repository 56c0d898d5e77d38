/*
 * event --cpu p4: the Pentium 4's events, and how its counters are programmed.
 */
#include "p4.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../../formats/base/glob.h"
#include "../../../include/p4counters.h"
#include "verb.h"

static const struct {
	const char *name;
	enum p4_model model;
} cpus[] = {
	{"p4", P4_ANY_MODEL},
	{"netburst", P4_MODELS_0_TO_2},
	{"netburst_p", P4_MODELS_3_TO_6},
};

static enum p4_model model_of(const char *cpu)
{
	for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
		if (strcasecmp(cpu, cpus[i].name) == 0)
			return cpus[i].model;
	return P4_ANY_MODEL;
}

bool event_p4_is(const char *cpu)
{
	for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
		if (strcasecmp(cpu, cpus[i].name) == 0)
			return true;
	return false;
}

static struct document *p4_begin(struct print_stream *stream, bool json, const char *cpu)
{
	struct document *d = print_document_begin(stream, stdout, json);

	d->before_label = "  ";
	d->has_no_headings = true;
	if (d->j)
		json_member_text(d->j, "cpu", cpu);
	return d;
}

static int p4_fail(const struct verb *verb, bool json, int rc, const char *why)
{
	struct print_stream stream;

	if (json) {
		struct json *j = print_document_begin(&stream, stdout, true)->j;

		json_member_text(j, "error", why);
		json_member_text(j, "code", RcToString(rc));
		print_document_end(&stream);
	}
	return cmd_fail(verb, "%s (%s)", why, RcToString(rc));
}

/* ------------------------------------------------------------------------ list */

static bool p4_is_listed(
	const struct p4_event *event, enum p4_model model, int operands, char *const *operand)
{
	if (!P4HasEvent(model, event))
		return false;
	for (int i = 0; i < operands; i++)
		if (glob_match_listed(operand[i], event->name))
			return true;
	return operands == 0;
}

#define AT(member) COLUMN_AT(struct p4_event, member)
static const struct column list_columns[] = {
	{"name", "name", AT(name), .left = true, .width = 28},
	{"description", "description", AT(what), .left = true},
	{.name = NULL},
};

int event_p4_list(const struct verb *verb, const char *cpu, bool json, int operands, char **operand)
{
	enum p4_model model = model_of(cpu);
	struct print_stream stream;
	struct document *d = p4_begin(&stream, json, cpu);
	const struct p4_event *event;
	int count = 0;

	for (document_begin_list(d, "events", list_columns, 0); document_pass(d);)
		for (size_t i = 0; (event = P4EventAt(i)); i++)
			if (p4_is_listed(event, model, operands, operand)) {
				document_add_row(d, event);
				count++;
			}
	print_document_end(&stream);
	if (count == 0)
		return cmd_fail(verb, "the Pentium 4 has no event with such a name");
	return EXIT_FINE;
}

/* ------------------------------------------------------------------------ show */

static void p4_spell_select(struct out *o, const void *row)
{
	const struct p4_event *event = row;

	out_printf(o, "select %02XH, CCCR select %u%s", event->select, event->cccr_select,
		event->prescott ? "; models 3, 4 and 6 only" : "");
}

static struct cell p4_get_models(const void *row)
{
	const char *models = ((const struct p4_event *)row)->prescott ? "3, 4, 6" : "all";

	return cell_string(models, strlen(models), true);
}

static const struct column event_columns[] = {
	{"name", AT(name)},
	{"description", AT(what)},
	{"event_select", AT(select)},
	{"cccr_select", AT(cccr_select)},
	{"models", .get = p4_get_models},
	{.heading = "event", .text = p4_spell_select},
	{.name = NULL},
};

enum { HAS_NOTE = 1 };
static const struct column note_columns[] = {
	{"note", AT(note)},
	{.heading = "note:", AT(note), .when = HAS_NOTE},
	{.name = NULL},
};
#undef AT

/* "MSR_CRU_ESCR2 (3CCH): counters 12, 13, 16" */
static void p4_spell_escr(struct out *o, const void *row)
{
	const struct p4_escr *escr = row;
	const char *join = "";

	out_printf(o, "  %s (%XH): counters ", escr->name, escr->msr);
	for (unsigned c = 0; c < P4_COUNTERS; c++)
		if (escr->counters >> c & 1) {
			out_printf(o, "%s%u", join, c);
			join = ", ";
		}
}

static void p4_nest_counters(struct json *j, const void *row)
{
	json_open(j, '[');
	for (unsigned c = 0; c < P4_COUNTERS; c++)
		if (((const struct p4_escr *)row)->counters >> c & 1)
			json_u64(j, c);
	json_close(j, ']');
}

#define AT(member) COLUMN_AT(struct p4_escr, member)
static const struct column escr_columns[] = {
	{"name", AT(name)},
	{"msr", AT(msr)},
	{"counters", .source = COLUMN_NEST, .nest = p4_nest_counters},
	{.heading = "ESCR", .text = p4_spell_escr, .left = true, .width = 1},
	{.name = NULL},
};
#undef AT

/* A unit mask or a metric. */
struct part_row {
	const char *name, *what;
	uint32_t bit;
	char form[40], kind[16];
};

enum { IS_MASK = 1 };
#define AT(member) COLUMN_AT(struct part_row, member)
static const struct column part_columns[] = {
	{"name", AT(name)},
	{.heading = "form", COLUMN_CHARS_AT(struct part_row, form), .left = true, .width = 18},
	{"bit", AT(bit), .when = IS_MASK},
	{.heading = "kind", COLUMN_CHARS_AT(struct part_row, kind), .left = true, .width = 7},
	{"description", "description", AT(what), .left = true},
	{.name = NULL},
};
#undef AT

static void p4_add_part(
	struct document *d, const char *name, const char *what, const struct p4_mask *mask)
{
	struct part_row row = {name, what, mask ? mask->bit : 0, "", "tags"};

	snprintf(row.form, sizeof row.form, "  :%s", name);
	if (mask)
		snprintf(row.kind, sizeof row.kind, "bit %2u", mask->bit);
	document_add_row(d, &row);
}

static void p4_write_event(struct document *d, const struct p4_event *event)
{
	const struct p4_metric *metric;

	document_open(d, NULL, '{');
	if (document_is_text(d))
		out_printf(d->o, "%s: %s\n", event->name, event->what);
	document_add(d, event_columns, 0, event);
	for (document_begin_list(d, "escrs", escr_columns, 0); document_pass(d);) {
		document_add_row(d, P4EscrAt(event->escr[0]));
		if (event->escr[1] != event->escr[0])
			document_add_row(d, P4EscrAt(event->escr[1]));
	}
	for (document_begin_list(d, "masks", part_columns, IS_MASK); document_pass(d);)
		for (size_t i = 0; i < event->mask_count; i++)
			p4_add_part(
				d, event->masks[i].name, event->masks[i].what, &event->masks[i]);
	for (document_begin_list(d, "tags", part_columns, 0); document_pass(d);)
		for (size_t i = 0; (metric = P4MetricAt(i)); i++)
			if (event->tagging && metric->tagging == event->tagging)
				p4_add_part(d, metric->name, metric->what, NULL);
	document_add(d, note_columns, event->note ? HAS_NOTE : 0, event);
	document_close(d, '}');
}

int event_p4_show(const struct verb *verb, const char *cpu, bool json, int operands, char **operand)
{
	enum p4_model model = model_of(cpu);
	const struct p4_event *event;
	struct print_stream stream;
	char why[P4_WHY_MAX];

	if (operands == 0)
		cmd_misuse(verb, "show needs the name of an event");
	for (int i = 0; i < operands; i++) {
		event = P4FindEvent(operand[i]);
		if (P4HasEvent(model, event))
			continue;
		snprintf(why, sizeof why, "%.100s: %s", operand[i],
			event ? "only models 3, 4 and 6 have it"
			      : "the Pentium 4 has no such event; swtrace event list --cpu p4 names them");
		return p4_fail(verb, json,
			event ? PU_ERROR_EVENT_NOT_SUPPORTED : PU_ERROR_INVALID_EVENT, why);
	}
	struct document *d = p4_begin(&stream, json, cpu);
	document_open(d, "events", '[');
	for (int i = 0; i < operands; i++) {
		if (i && document_is_text(d))
			out_char(d->o, '\n');
		p4_write_event(d, P4FindEvent(operand[i]));
	}
	document_close(d, ']');
	print_document_end(&stream);
	return EXIT_FINE;
}

/* ---------------------------------------------------------------------- encode */

enum { NOTES_MAX = 6 };

struct notes {
	size_t count;
	char text[NOTES_MAX][P4_TEXT_MAX];
};

__attribute__((format(printf, 2, 3))) static void p4_add_note(
	struct notes *n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(n->text[n->count++], P4_TEXT_MAX, format, args);
	va_end(args);
}

/* Facts that the registers alone do not show. */
static void p4_add_notes(struct notes *n, const struct p4_program *p)
{
	const struct p4_request *r = p->request;

	n->count = 0;
	if (r->event->note)
		p4_add_note(n, "%s", r->event->note);
	if (r->event->tagging && !r->metric)
		p4_add_note(n,
			"counts uops that something else tags: name what, as in show %s, or have another event tag them",
			r->event->name);
	if (r->metric && r->metric->pebs_enable)
		p4_add_note(n,
			"sampling with PEBS needs a debug store area before IA32_PEBS_ENABLE is written; counting does not");
	if (r->cascade)
		p4_add_note(n, "the counter starts when the alternate one of its pair overflows");
	if (p->shares >= 0)
		p4_add_note(n,
			"shares %s, with the same selection, with the counter of event %d of this list; Linux and Solaris would refuse that",
			P4EscrAt(p->escr)->name, p->shares + 1);
}

static const char *p4_exclude_modifier(const struct p4_request *r)
{
	if (r->user && r->kernel)
		return "";
	return r->user ? ", exclude_kernel 1" : ", exclude_user 1";
}

static const char *perf_modes(const struct p4_request *r)
{
	if (r->user && r->kernel)
		return "";
	return r->user ? ":u" : ":k";
}

static void p4_print_register_json(
	struct json *j, const char *key, const char *name, uint32_t msr, uint32_t value)
{
	json_member_open(j, key, '{');
	json_member_text(j, "name", name);
	json_member_u64(j, "msr", msr);
	json_member_u64(j, "value", value);
	json_close(j, '}');
}

static void registers_json(struct json *j, const struct p4_program *p)
{
	const struct p4_counter *counter = P4CounterAt(p->counter);
	const struct p4_escr *escr = P4EscrAt(p->escr), *upstream;

	p4_print_register_json(j, "escr", escr->name, escr->msr, p->escr_value);
	json_member_open(j, "counter", '{');
	json_member_u64(j, "number", p->counter);
	json_member_text(j, "name", counter->name);
	json_member_u64(j, "msr", counter->msr);
	json_close(j, '}');
	p4_print_register_json(j, "cccr", counter->cccr_name, counter->cccr_msr, p->cccr_value);
	if (!p->upstream) {
		json_member_text(j, "upstream_escr", NULL);
		return;
	}
	upstream = P4EscrAt(p->upstream_escr);
	p4_print_register_json(
		j, "upstream_escr", upstream->name, upstream->msr, p->upstream_value);
}

static void p4_spell_step(struct out *o, const void *row)
{
	const struct p4_step *step = row;

	out_printf(o, "  %u. %s", step->number, step->text);
	if (!step->write)
		return;
	out_char(o, '\n');
	event_spell_wrmsr(o, step->msr, step->value);
}

enum { IS_WRITE = 1 };
#define AT(member) COLUMN_AT(struct p4_step, member)
static const struct column step_columns[] = {
	{"step", AT(number)},
	{"text", COLUMN_CHARS_AT(struct p4_step, text)},
	{"msr", AT(msr), .when = IS_WRITE},
	{"value", AT(value), .when = IS_WRITE},
	{.heading = "step", .text = p4_spell_step, .left = true, .width = 1},
	{.name = NULL},
};
#undef AT

static void p4_write_steps(struct document *d, const struct p4_program *p)
{
	struct p4_step steps[P4_STEPS_MAX];
	size_t n = P4Steps(p, steps);

	for (document_begin_list(d, "steps", step_columns, 0); document_pass(d);)
		for (size_t i = 0; i < n; i++) {
			d->has = steps[i].write ? IS_WRITE : 0;
			document_add_row(d, &steps[i]);
		}
}

static void perf_json(struct json *j, const struct p4_request *r, uint64_t config)
{
	json_member_open(j, "perf", '{');
	json_member_u64(j, "type", 4);
	json_key(j, "config");
	/* A string: more than 53 bits. */
	json_format(j, "%#llx", (unsigned long long)config);
	json_member_u64(j, "exclude_user", !r->user);
	json_member_u64(j, "exclude_kernel", !r->kernel);
	json_close(j, '}');
}

static void perf_text(struct out *o, const struct p4_request *r, uint64_t config)
{
	out_printf(o, "type 4 (raw), config %#llx%s; perf stat -e r%llx%s\n",
		(unsigned long long)config, p4_exclude_modifier(r), (unsigned long long)config,
		perf_modes(r));
}

static void p4_write_program(struct document *d, const struct p4_program *p)
{
	const char *lacking;
	uint64_t config = P4PerfConfig(p->request, &lacking);
	struct notes notes;

	p4_add_notes(&notes, p);
	document_open(d, NULL, '{');
	if (d->j) {
		json_member_text(d->j, "event", p->request->name);
		registers_json(d->j, p);
	} else {
		out_printf(d->o, "%s\n", p->request->name);
	}
	p4_write_steps(d, p);
	if (!d->j && lacking)
		out_printf(document_begin_line(d, "perf:"), "n/a: %s\n", lacking);
	else if (!d->j)
		perf_text(document_begin_line(d, "perf:"), p->request, config);
	else if (!lacking)
		perf_json(d->j, p->request, config);
	if (d->j && lacking) {
		json_member_text(d->j, "perf", NULL);
		p4_add_note(&notes, "%s", lacking);
	}
	document_open(d, "notes", '[');
	for (size_t i = 0; i < notes.count; i++)
		if (d->j)
			json_text(d->j, notes.text[i]);
		else
			out_printf(document_begin_line(d, "note:"), "%s\n", notes.text[i]);
	document_close(d, ']');
	document_close(d, '}');
}

static int encode_all(
	const struct verb *verb, bool json, const struct p4_request *requests, size_t count)
{
	struct p4_program programs[P4_COUNTERS];
	struct print_stream stream;
	char why[P4_WHY_MAX];
	int rc = P4Assign(requests, count, programs, why);

	if (rc)
		return p4_fail(verb, json, rc, why);
	struct document *d = p4_begin(&stream, json, "p4");
	document_open(d, "events", '[');
	for (size_t i = 0; i < count; i++) {
		if (i && document_is_text(d))
			out_char(d->o, '\n');
		p4_write_program(d, &programs[i]);
	}
	document_close(d, ']');
	print_document_end(&stream);
	return EXIT_FINE;
}

int event_p4_encode(
	const struct verb *verb, const char *cpu, bool json, int operands, char **operand)
{
	struct p4_request *requests;
	char why[P4_WHY_MAX];
	int rc = PU_SUCCESS;

	if (operands == 0)
		cmd_misuse(verb, "encode needs an event, as NAME[:MASK...][:c=N][:i][:e][:u][:k]");
	requests = calloc((size_t)operands, sizeof *requests);
	if (!requests)
		return cmd_fail(verb, "encodings: not enough memory");
	for (int i = 0; i < operands && rc == PU_SUCCESS; i++)
		rc = P4Parse(operand[i], model_of(cpu), &requests[i], why);
	if (rc)
		rc = p4_fail(verb, json, rc, why);
	else
		rc = encode_all(verb, json, requests, (size_t)operands);
	free(requests);
	return rc;
}
