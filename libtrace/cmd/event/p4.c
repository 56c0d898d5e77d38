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
#include "../cmd.h"
#include "../print_stream.h"

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

/* Closes the object of a complete answer. */
static void end_json(struct print_stream *stream, struct json *j)
{
	json_close(j, '}');
	json_end_line(j);
	print_stream_end(stream);
}

static struct json *p4_begin_json(struct print_stream *stream, const char *cpu)
{
	struct json *j = print_json_begin(stream, stdout);

	json_open(j, '{');
	json_member_text(j, "cpu", cpu);
	json_member_open(j, "events", '[');
	return j;
}

static int p4_fail(const struct verb *verb, bool json, int rc, const char *why)
{
	struct print_stream stream;
	struct json *j;

	if (json) {
		j = print_json_begin(&stream, stdout);
		json_open(j, '{');
		json_member_text(j, "error", why);
		json_member_text(j, "code", RcToString(rc));
		end_json(&stream, j);
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

int event_p4_list(const struct verb *verb, const char *cpu, bool json, int operands, char **operand)
{
	static const unsigned widths[] = {28, 0};
	enum p4_model model = model_of(cpu);
	struct print_stream stream;
	struct json *j = json ? p4_begin_json(&stream, cpu) : NULL;
	struct table *t = json ? NULL : print_table_begin(&stream, stdout, widths, 1);
	int count = 0;

	for (size_t i = 0; P4EventAt(i); i++) {
		const struct p4_event *event = P4EventAt(i);

		if (!p4_is_listed(event, model, operands, operand))
			continue;
		count++;
		if (!j) {
			table_printf(t, "%s\t%s\n", event->name, event->what);
			continue;
		}
		json_open(j, '{');
		json_member_text(j, "name", event->name);
		json_member_text(j, "description", event->what);
		json_close(j, '}');
	}
	if (j) {
		json_close(j, ']');
		end_json(&stream, j);
	} else {
		print_stream_end(&stream);
	}
	if (count == 0)
		return cmd_fail(verb, "the Pentium 4 has no event with such a name");
	return EXIT_FINE;
}

/* ------------------------------------------------------------------------ show */

/* "MSR_CRU_ESCR2 (3CCH): counters 12, 13, 16" */
static void escr_text(const struct p4_escr *escr)
{
	const char *join = "";

	printf("  %s (%XH): counters ", escr->name, escr->msr);
	for (unsigned c = 0; c < P4_COUNTERS; c++)
		if (escr->counters >> c & 1) {
			printf("%s%u", join, c);
			join = ", ";
		}
	printf("\n");
}

static void escr_json(struct json *j, const struct p4_escr *escr)
{
	json_open(j, '{');
	json_member_text(j, "name", escr->name);
	json_member_u64(j, "msr", escr->msr);
	json_member_open(j, "counters", '[');
	for (unsigned c = 0; c < P4_COUNTERS; c++)
		if (escr->counters >> c & 1)
			json_u64(j, c);
	json_close(j, ']');
	json_close(j, '}');
}

static void show_text(const struct p4_event *event)
{
	static const unsigned widths[] = {18, 7, 0};
	const struct p4_metric *metric;
	struct print_stream stream;

	printf("%s: %s\n", event->name, event->what);
	printf("  event select %02XH, CCCR select %u%s\n", event->select, event->cccr_select,
		event->prescott ? "; models 3, 4 and 6 only" : "");
	escr_text(P4EscrAt(event->escr[0]));
	if (event->escr[1] != event->escr[0])
		escr_text(P4EscrAt(event->escr[1]));
	struct table *t = print_table_begin(&stream, stdout, widths, 1);
	for (size_t i = 0; i < event->mask_count; i++)
		table_printf(t, "  :%s\tbit %2u\t%s\n", event->masks[i].name, event->masks[i].bit,
			event->masks[i].what);
	for (size_t i = 0; (metric = P4MetricAt(i)); i++)
		if (event->tagging && metric->tagging == event->tagging)
			table_printf(t, "  :%s\ttags\t%s\n", metric->name, metric->what);
	print_stream_end(&stream);
	if (event->note)
		printf("  note: %s\n", event->note);
}

static void show_json(struct json *j, const struct p4_event *event)
{
	const struct p4_metric *metric;

	json_open(j, '{');
	json_member_text(j, "name", event->name);
	json_member_text(j, "description", event->what);
	json_member_u64(j, "event_select", event->select);
	json_member_u64(j, "cccr_select", event->cccr_select);
	json_member_text(j, "models", event->prescott ? "3, 4, 6" : "all");
	json_member_open(j, "escrs", '[');
	escr_json(j, P4EscrAt(event->escr[0]));
	if (event->escr[1] != event->escr[0])
		escr_json(j, P4EscrAt(event->escr[1]));
	json_close(j, ']');
	json_member_open(j, "masks", '[');
	for (size_t i = 0; i < event->mask_count; i++) {
		json_open(j, '{');
		json_member_text(j, "name", event->masks[i].name);
		json_member_u64(j, "bit", event->masks[i].bit);
		json_member_text(j, "description", event->masks[i].what);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_member_open(j, "tags", '[');
	for (size_t i = 0; (metric = P4MetricAt(i)); i++) {
		if (!event->tagging || metric->tagging != event->tagging)
			continue;
		json_open(j, '{');
		json_member_text(j, "name", metric->name);
		json_member_text(j, "description", metric->what);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_member_text(j, "note", event->note);
	json_close(j, '}');
}

int event_p4_show(const struct verb *verb, const char *cpu, bool json, int operands, char **operand)
{
	enum p4_model model = model_of(cpu);
	const struct p4_event *event;
	struct print_stream stream;
	struct json *j = NULL;
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
	if (json)
		j = p4_begin_json(&stream, cpu);
	for (int i = 0; i < operands; i++) {
		event = P4FindEvent(operand[i]);
		if (j) {
			show_json(j, event);
			continue;
		}
		printf("%s", i == 0 ? "" : "\n");
		show_text(event);
	}
	if (j) {
		json_close(j, ']');
		end_json(&stream, j);
	}
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

static void encode_text(const struct p4_program *p)
{
	struct p4_step steps[P4_STEPS_MAX];
	size_t n = P4Steps(p, steps);
	const char *lacking;
	uint64_t config = P4PerfConfig(p->request, &lacking);
	struct notes notes;

	printf("%s\n", p->request->name);
	for (size_t i = 0; i < n; i++) {
		printf("  %u. %s\n", steps[i].number, steps[i].text);
		if (steps[i].write)
			printf("       wrmsr %#x, %#010x\n", steps[i].msr, steps[i].value);
	}
	if (lacking)
		printf("  perf: n/a: %s\n", lacking);
	else
		printf("  perf: type 4 (raw), config %#llx%s; perf stat -e r%llx%s\n",
			(unsigned long long)config, p4_exclude_modifier(p->request),
			(unsigned long long)config, perf_modes(p->request));
	p4_add_notes(&notes, p);
	for (size_t i = 0; i < notes.count; i++)
		printf("  note: %s\n", notes.text[i]);
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

static void steps_json(struct json *j, const struct p4_program *p)
{
	struct p4_step steps[P4_STEPS_MAX];
	size_t n = P4Steps(p, steps);

	json_member_open(j, "steps", '[');
	for (size_t i = 0; i < n; i++) {
		json_open(j, '{');
		json_member_u64(j, "step", steps[i].number);
		json_member_text(j, "text", steps[i].text);
		if (steps[i].write) {
			json_member_u64(j, "msr", steps[i].msr);
			json_member_u64(j, "value", steps[i].value);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
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

static void encode_json(struct json *j, const struct p4_program *p)
{
	const char *lacking;
	uint64_t config = P4PerfConfig(p->request, &lacking);
	struct notes notes;

	json_open(j, '{');
	json_member_text(j, "event", p->request->name);
	registers_json(j, p);
	steps_json(j, p);
	if (lacking)
		json_member_text(j, "perf", NULL);
	else
		perf_json(j, p->request, config);
	p4_add_notes(&notes, p);
	if (lacking)
		p4_add_note(&notes, "%s", lacking);
	json_member_open(j, "notes", '[');
	for (size_t i = 0; i < notes.count; i++)
		json_text(j, notes.text[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static int encode_all(
	const struct verb *verb, bool json, const struct p4_request *requests, size_t count)
{
	struct p4_program programs[P4_COUNTERS];
	char why[P4_WHY_MAX];
	int rc = P4Assign(requests, count, programs, why);

	if (rc)
		return p4_fail(verb, json, rc, why);
	if (!json) {
		for (size_t i = 0; i < count; i++) {
			printf("%s", i == 0 ? "" : "\n");
			encode_text(&programs[i]);
		}
		return EXIT_FINE;
	}
	struct print_stream stream;
	struct json *j = p4_begin_json(&stream, "p4");
	for (size_t i = 0; i < count; i++)
		encode_json(j, &programs[i]);
	json_close(j, ']');
	end_json(&stream, j);
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
