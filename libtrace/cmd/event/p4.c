/*
 * event --cpu p4: what the Pentium 4 counts, and how it is told to.
 */
#include "p4.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../../include/p4counters.h"
#include "../cmd.h"

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

static int fail(const struct verb *verb, bool json, int rc, const char *why)
{
	if (json) {
		printf("{\"error\": ");
		put_json(stdout, why);
		printf(", \"code\": \"%s\"}\n", RcToString(rc));
	}
	return cmd_fail(verb, "%s (%s)", why, RcToString(rc));
}

/* ------------------------------------------------------------------------ list */

/* A pattern of the shell's; one without its special characters matches names that hold it. */
static bool matches(const char *name, const char *pattern)
{
	size_t n = strlen(pattern);

	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
	for (; strlen(name) >= n; name++)
		if (strncasecmp(name, pattern, n) == 0)
			return true;
	return false;
}

static bool listed(
	const struct p4_event *event, enum p4_model model, int operands, char *const *operand)
{
	if (!P4HasEvent(model, event))
		return false;
	for (int i = 0; i < operands; i++)
		if (matches(event->name, operand[i]))
			return true;
	return operands == 0;
}

int event_p4_list(const struct verb *verb, const char *cpu, bool json, int operands, char **operand)
{
	enum p4_model model = model_of(cpu);
	int count = 0;

	if (json)
		printf("{\"cpu\": \"%s\", \"events\": [", cpu);
	for (size_t i = 0; P4EventAt(i); i++) {
		const struct p4_event *event = P4EventAt(i);

		if (!listed(event, model, operands, operand))
			continue;
		if (json) {
			printf("%s{\"name\": \"%s\", \"description\": ", count ? ", " : "",
				event->name);
			put_json(stdout, event->what);
			printf("}");
		} else
			printf("%-28s %s\n", event->name, event->what);
		count++;
	}
	if (json)
		printf("]}\n");
	if (count == 0)
		return cmd_fail(verb, "the Pentium 4 has no event with such a name");
	return EXIT_FINE;
}

/* ------------------------------------------------------------------------ show */

/* "MSR_CRU_ESCR2 (3CCH): counters 12, 13, 16" */
static void show_escr(const struct p4_escr *escr, bool json, const char *before)
{
	const char *join = "";

	if (json)
		printf("%s{\"name\": \"%s\", \"msr\": %u, \"counters\": [", before, escr->name,
			escr->msr);
	else
		printf("  %s (%XH): counters ", escr->name, escr->msr);
	for (unsigned c = 0; c < P4_COUNTERS; c++)
		if (escr->counters >> c & 1) {
			printf("%s%u", join, c);
			join = ", ";
		}
	printf(json ? "]}" : "\n");
}

static void show_escrs(const struct p4_event *event, bool json)
{
	show_escr(P4EscrAt(event->escr[0]), json, "");
	if (event->escr[1] != event->escr[0])
		show_escr(P4EscrAt(event->escr[1]), json, ", ");
}

static void show_text(const struct p4_event *event)
{
	const struct p4_metric *metric;

	printf("%s: %s\n", event->name, event->what);
	printf("  event select %02XH, CCCR select %u%s\n", event->select, event->cccr_select,
		event->prescott ? "; models 3, 4 and 6 only" : "");
	show_escrs(event, false);
	for (size_t i = 0; i < event->mask_count; i++)
		printf("  :%-15s bit %2u  %s\n", event->masks[i].name, event->masks[i].bit,
			event->masks[i].what);
	for (size_t i = 0; (metric = P4MetricAt(i)); i++)
		if (event->tagging && metric->tagging == event->tagging)
			printf("  :%-15s tags    %s\n", metric->name, metric->what);
	if (event->note)
		printf("  note: %s\n", event->note);
}

static void show_json(const struct p4_event *event)
{
	const struct p4_metric *metric;
	const char *join = "";

	printf("{\"name\": \"%s\", \"description\": ", event->name);
	put_json(stdout, event->what);
	printf(", \"event_select\": %u, \"cccr_select\": %u, \"models\": \"%s\", \"escrs\": [",
		event->select, event->cccr_select, event->prescott ? "3, 4, 6" : "all");
	show_escrs(event, true);
	printf("], \"masks\": [");
	for (size_t i = 0; i < event->mask_count; i++) {
		printf("%s{\"name\": \"%s\", \"bit\": %u, \"description\": ", i ? ", " : "",
			event->masks[i].name, event->masks[i].bit);
		put_json(stdout, event->masks[i].what);
		printf("}");
	}
	printf("], \"tags\": [");
	for (size_t i = 0; (metric = P4MetricAt(i)); i++)
		if (event->tagging && metric->tagging == event->tagging) {
			printf("%s{\"name\": \"%s\", \"description\": ", join, metric->name);
			put_json(stdout, metric->what);
			printf("}");
			join = ", ";
		}
	printf("], \"note\": ");
	if (event->note)
		put_json(stdout, event->note);
	else
		printf("null");
	printf("}");
}

int event_p4_show(const struct verb *verb, const char *cpu, bool json, int operands, char **operand)
{
	enum p4_model model = model_of(cpu);
	const struct p4_event *event;
	char why[P4_WHY_MAX];

	if (operands == 0)
		cmd_misuse(verb, "show needs the name of an event");
	for (int i = 0; i < operands; i++) {
		event = P4FindEvent(operand[i]);
		if (P4HasEvent(model, event))
			continue;
		snprintf(why, sizeof why, "%.100s: %s", operand[i],
			event ? "only models 3, 4 and 6 have it"
			      : "the Pentium 4 has no such event; swtrace event list --cpu p4 "
				"names them");
		return fail(verb, json,
			event ? PU_ERROR_EVENT_NOT_SUPPORTED : PU_ERROR_INVALID_EVENT, why);
	}
	if (json)
		printf("{\"cpu\": \"%s\", \"events\": [", cpu);
	for (int i = 0; i < operands; i++) {
		event = P4FindEvent(operand[i]);
		printf("%s", i == 0 ? "" : json ? ", " : "\n");
		if (json)
			show_json(event);
		else
			show_text(event);
	}
	if (json)
		printf("]}\n");
	return EXIT_FINE;
}

/* ---------------------------------------------------------------------- encode */

enum { NOTES_MAX = 6 };

struct notes {
	size_t count;
	char text[NOTES_MAX][P4_TEXT_MAX];
};

__attribute__((format(printf, 2, 3))) static void note(struct notes *n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(n->text[n->count++], P4_TEXT_MAX, format, args);
	va_end(args);
}

/* What the registers alone do not tell. */
static void take_notes(struct notes *n, const struct p4_program *p)
{
	const struct p4_request *r = p->request;

	n->count = 0;
	if (r->event->note)
		note(n, "%s", r->event->note);
	if (r->event->tagging && !r->metric)
		note(n,
			"counts uops that something else tags: name what, as in show %s, or have "
			"another event tag them",
			r->event->name);
	if (r->metric && r->metric->pebs_enable)
		note(n, "sampling with PEBS needs a debug store area before IA32_PEBS_ENABLE is "
			"written; counting does not");
	if (r->cascade)
		note(n, "the counter starts when the alternate one of its pair overflows");
	if (p->shares >= 0)
		note(n,
			"shares %s, with the same selection, with the counter of event %d of this "
			"list; Linux and Solaris would refuse that",
			P4EscrAt(p->escr)->name, p->shares + 1);
}

static const char *exclude(const struct p4_request *r)
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
			(unsigned long long)config, exclude(p->request), (unsigned long long)config,
			perf_modes(p->request));
	take_notes(&notes, p);
	for (size_t i = 0; i < notes.count; i++)
		printf("  note: %s\n", notes.text[i]);
}

static void encode_registers(const struct p4_program *p)
{
	const struct p4_counter *counter = P4CounterAt(p->counter);
	const struct p4_escr *escr = P4EscrAt(p->escr);

	printf("\"escr\": {\"name\": \"%s\", \"msr\": %u, \"value\": %u}, ", escr->name, escr->msr,
		p->escr_value);
	printf("\"counter\": {\"number\": %u, \"name\": \"%s\", \"msr\": %u}, ", p->counter,
		counter->name, counter->msr);
	printf("\"cccr\": {\"name\": \"%s\", \"msr\": %u, \"value\": %u}, ", counter->cccr_name,
		counter->cccr_msr, p->cccr_value);
	printf("\"upstream_escr\": ");
	if (p->upstream)
		printf("{\"name\": \"%s\", \"msr\": %u, \"value\": %u}, ",
			P4EscrAt(p->upstream_escr)->name, P4EscrAt(p->upstream_escr)->msr,
			p->upstream_value);
	else
		printf("null, ");
}

static void encode_json(const struct p4_program *p)
{
	struct p4_step steps[P4_STEPS_MAX];
	size_t n = P4Steps(p, steps);
	const char *lacking;
	uint64_t config = P4PerfConfig(p->request, &lacking);
	struct notes notes;

	printf("{\"event\": ");
	put_json(stdout, p->request->name);
	printf(", ");
	encode_registers(p);
	printf("\"steps\": [");
	for (size_t i = 0; i < n; i++) {
		printf("%s{\"step\": %u, \"text\": ", i ? ", " : "", steps[i].number);
		put_json(stdout, steps[i].text);
		if (steps[i].write)
			printf(", \"msr\": %u, \"value\": %u", steps[i].msr, steps[i].value);
		printf("}");
	}
	printf("], \"perf\": ");
	if (lacking)
		printf("null");
	else /* a string: more than 53 bits */
		printf("{\"type\": 4, \"config\": \"%#llx\", \"exclude_user\": %d, "
		       "\"exclude_kernel\": %d}",
			(unsigned long long)config, !p->request->user, !p->request->kernel);
	take_notes(&notes, p);
	if (lacking)
		note(&notes, "%s", lacking);
	printf(", \"notes\": [");
	for (size_t i = 0; i < notes.count; i++) {
		printf("%s", i ? ", " : "");
		put_json(stdout, notes.text[i]);
	}
	printf("]}");
}

static int encode_all(
	const struct verb *verb, bool json, const struct p4_request *requests, size_t count)
{
	struct p4_program programs[P4_COUNTERS];
	char why[P4_WHY_MAX];
	int rc = P4Assign(requests, count, programs, why);

	if (rc)
		return fail(verb, json, rc, why);
	printf("%s", json ? "{\"cpu\": \"p4\", \"events\": [" : "");
	for (size_t i = 0; i < count; i++) {
		printf("%s", i == 0 ? "" : json ? ", " : "\n");
		if (json)
			encode_json(&programs[i]);
		else
			encode_text(&programs[i]);
	}
	printf("%s", json ? "]}\n" : "");
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
		return cmd_fail(verb, "not enough memory");
	for (int i = 0; i < operands && rc == PU_SUCCESS; i++)
		rc = P4Parse(operand[i], model_of(cpu), &requests[i], why);
	if (rc)
		rc = fail(verb, json, rc, why);
	else
		rc = encode_all(verb, json, requests, (size_t)operands);
	free(requests);
	return rc;
}
