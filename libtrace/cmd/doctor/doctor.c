/*
 * doctor: reports which functions work on this machine, which do not, and how to fix these.
 */
#include <stdlib.h>
#include <string.h>

#include "../cmd.h"
#include "../print_stream.h"
#include "doctor.h"

enum { DOCTOR_JSON = 1 };
static const struct option options[] = {{DOCTOR_JSON, "--json", .help = "one JSON object"},
	{.help = "Exits with 4 if CPI cannot be measured here; the last line says why.\n"}, {0}};

/* ------------------------------------------------------------------ text */

enum {
	TOPIC_WIDTH = 9,
	MARK_WIDTH = 3,
	TEXT_INDENT = TOPIC_WIDTH + MARK_WIDTH + 2,
	TEXT_WIDTH = 100
};

/* Ends the row with name and text, wrapped to TEXT_WIDTH. */
static void print_wrapped(struct table *t, const char *name, const char *text)
{
	size_t at = TEXT_INDENT + strlen(name), n;
	const char *between = "";

	for (out_str(table_left(t), name); *text; text += n + strspn(text + n, " ")) {
		n = strcspn(text, " ");
		if (*between && at + 1 + n > TEXT_WIDTH) {
			table_end_row(t);
			table_printf(t, "\t\t");
			between = "";
			at = TEXT_INDENT;
		}
		out_str(&t->row, between);
		out_bytes(&t->row, text, n);
		at += strlen(between) + n;
		between = " ";
	}
	table_end_row(t);
}

static void print_part(struct table *t, const char *name, const char *text)
{
	if (*text) {
		table_printf(t, "\t");
		print_wrapped(t, name, text);
	}
}

static void doctor_print_text(const struct findings *f)
{
	static const unsigned widths[] = {TOPIC_WIDTH, MARK_WIDTH, 0};
	static const char *const mark[] = {"ok", "--", "no"};
	static const char *const colour[] = {COLOUR_GOOD, "", COLOUR_BAD};
	struct print_stream stream;
	struct table *t = print_table_begin(&stream, stdout, widths);
	const char *before = "";

	for (int i = 0; i < f->count; i++) {
		const struct finding *n = &f->list[i];
		int topic = (int)strcspn(n->id, ".");
		bool again = strncmp(before, n->id, (size_t)topic + 1) == 0;

		out_str(t->o, i && !again ? "\n" : "");
		table_printf(t, "%.*s\t%s", again ? 0 : topic, n->id, mark[n->status]);
		table_colour(t, cmd_colour(stdout, colour[n->status]));
		print_wrapped(t, "", n->text);
		print_part(t, "means: ", n->meaning);
		print_part(t, "to do: ", n->todo);
		before = n->id;
	}
	const char *code = cmd_colour(stdout, f->measurable ? COLOUR_GOOD : COLOUR_BAD);
	out_printf(t->o, "\n%s%s%s\n", code, f->verdict, *code ? COLOUR_OFF : "");
	print_stream_end(&stream);
}

/* ------------------------------------------------------------------ JSON */

static void doctor_json_member(struct json *j, const char *name, const char *text)
{
	json_member_text(j, name, *text ? text : NULL);
}

static void doctor_print_json(const struct findings *f)
{
	static const char *const status[] = {"good", "note", "bad"};
	struct print_stream stream;
	struct json *j = print_document_begin(&stream, stdout, true)->j;

	json_member_bool(j, "cpi_measurable", f->measurable);
	json_member_text(j, "cause", f->cause);
	json_member_text(j, "verdict", f->verdict);
	json_member_open(j, "findings", '[');
	for (int i = 0; i < f->count; i++) {
		const struct finding *n = &f->list[i];

		json_open(j, '{');
		json_member_text(j, "id", n->id);
		json_key(j, "topic");
		json_string(j, n->id, strcspn(n->id, "."));
		json_member_text(j, "status", status[n->status]);
		doctor_json_member(j, "text", n->text);
		doctor_json_member(j, "meaning", n->meaning);
		doctor_json_member(j, "todo", n->todo);
		json_close(j, '}');
	}
	json_close(j, ']');
	print_document_end(&stream);
}

/* ------------------------------------------------------------------ verb */

static int doctor_run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct doctor_facts *m;
	struct findings *f;
	bool json = false, measurable;
	int id;

	while ((id = arguments_next(&a)))
		json = json || id == DOCTOR_JSON;
	arguments_expect_no_operand(&a);
	m = calloc(1, sizeof *m);
	f = calloc(1, sizeof *f);
	if (!m || !f) {
		free(m);
		free(f);
		return cmd_fail(verb, "findings: not enough memory");
	}
	doctor_gather(m);
	doctor_findings(f, m);
	measurable = f->measurable;
	if (json)
		doctor_print_json(f);
	else
		doctor_print_text(f);
	free(m);
	free(f);
	return measurable ? EXIT_FINE : EXIT_NO_COUNTERS;
}

const struct verb verb_doctor = {"doctor", "doctor [--json]",
	"reports what works on this machine and how to fix the rest", options, doctor_run};
