/*
 * doctor: what works on this machine, what does not, and what to do about it.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "continuous.h"
#include "doctor.h"

void finding(
	struct findings *f, const char *topic, enum finding_status status, const char *format, ...)
{
	struct finding *n = &f->list[f->count];
	va_list args;

	if (f->count == FINDINGS_MAX)
		return;
	n->topic = topic;
	n->status = status;
	va_start(args, format);
	vsnprintf(n->text, sizeof n->text, format, args);
	va_end(args);
	f->count++;
}

/* ---------------------------------------------------------------------------- sessions */

static void describe_place(struct findings *f, const struct session_place *place, bool used)
{
	struct session_error error = {""};
	struct session s;
	int rc = session_check(place, &error);

	if (rc == PU_ERROR_DRIVER_NOT_LOADED) {
		finding(f, "sessions", FINDING_NOTE, "%s, %.300s: there is none%s", place->why,
			place->dir, used ? "; it would be used, once made (swtrace init)" : "");
		return;
	}
	if (rc == 0)
		rc = session_open(&s, place, SESSION_READ, &error);
	if (rc) {
		finding(f, "sessions", used ? FINDING_BAD : FINDING_NOTE, "%s: not used: %.400s",
			place->why, error.text);
		return;
	}
	finding(f, "sessions", FINDING_GOOD, "%s, %.300s: %s%s", place->why, place->dir,
		cmd_state_name(s.control->state), used ? "; this one is used" : "; not used");
	if (is_continuous(&s) && cmd_is_on(&s) && !continuous_runs(&s))
		finding(f, "sessions", FINDING_BAD,
			"no drain runs there: hooks are lost once the buffers are full; swtrace on "
			"starts one");
	session_close(&s);
}

void doctor_sessions(struct findings *f)
{
	const char *variable = getenv("SWTRACE_SESSION");
	struct session_error error = {""};
	struct session_place used, other = {.owner = 0, .why = "root's session"};
	int rc = session_find(&used, &error);

	if (rc) {
		finding(f, "sessions", FINDING_BAD, "%s", error.text);
		return;
	}
	describe_place(f, &used, true);
	if (variable && *variable && strcmp(variable, used.dir) == 0)
		return; /* nothing else is looked at */
	snprintf(other.dir, sizeof other.dir, SHM_DIR_FORMAT, 0u);
	if (strcmp(other.dir, used.dir) != 0)
		describe_place(f, &other, false);
	other.owner = geteuid();
	other.why = "your own session";
	snprintf(other.dir, sizeof other.dir, SHM_DIR_FORMAT, (unsigned)geteuid());
	if (strcmp(other.dir, used.dir) != 0)
		describe_place(f, &other, false);
}

/* -------------------------------------------------------------------------------- verb */

enum { DOCTOR_JSON = 1 };
static const struct option options[] = {{DOCTOR_JSON, "--json", NULL}, {0, NULL, NULL}};

static const char *const status_name[] = {"good", "note", "bad"};

static void print_text(const struct findings *f, bool measurable, const char *verdict)
{
	static const char *const mark[] = {"ok", "--", "no"};
	static const char *const colour[] = {COLOUR_GOOD, "", COLOUR_BAD};

	for (int i = 0; i < f->count; i++) {
		const struct finding *n = &f->list[i];
		const char *code = cmd_colour(stdout, colour[n->status]);

		printf("%-9s %s%s%s  %s\n",
			i && strcmp(n->topic, f->list[i - 1].topic) == 0 ? "" : n->topic, code,
			mark[n->status], *code ? COLOUR_OFF : "", n->text);
	}
	const char *code = cmd_colour(stdout, measurable ? COLOUR_GOOD : COLOUR_BAD);
	printf("\n%s%s%s\n", code, verdict, *code ? COLOUR_OFF : "");
}

static void print_json(const struct findings *f, bool measurable, const char *verdict)
{
	printf("{\"cpi_measurable\": %s, \"verdict\": ", measurable ? "true" : "false");
	json_string(stdout, verdict);
	printf(", \"findings\": [");
	for (int i = 0; i < f->count; i++) {
		printf("%s{\"topic\": \"%s\", \"status\": \"%s\", \"text\": ", i ? ", " : "",
			f->list[i].topic, status_name[f->list[i].status]);
		json_string(stdout, f->list[i].text);
		printf("}");
	}
	printf("]}\n");
}

static int run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .options = options, .argc = argc, .argv = argv};
	struct findings *f = calloc(1, sizeof *f);
	char verdict[512];
	bool json = false;
	int id;

	while ((id = arguments_next(&a)))
		json = json || id == DOCTOR_JSON;
	if (a.operands)
		cmd_misuse(verb, "\"%s\" is one argument too many", argv[1]);
	if (!f)
		return cmd_fail(verb, "not enough memory");
	doctor_sessions(f);
	doctor_memory(f);
	doctor_rings(f);
	doctor_clock(f);
	bool measurable = doctor_counters(f, verdict);
	if (json)
		print_json(f, measurable, verdict);
	else
		print_text(f, measurable, verdict);
	free(f);
	return measurable ? EXIT_FINE : EXIT_NO_COUNTERS;
}

const struct verb verb_doctor = {"doctor", "doctor [--json]",
	"says what works on this machine and what to do about the rest",
	"  --json      one JSON object\n"
	"Exits with 4 if CPI cannot be measured here, because nothing counts instructions.\n",
	run};
