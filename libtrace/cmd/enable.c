/*
 * enable, disable, maj: select the majors whose hooks are written.
 */
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/number.h"
#include "../../formats/counters_hooks.h"
#include "../../formats/cpi_hooks.h"
#include "../../formats/cpuutil_hooks.h"
#include "../../formats/interval_hooks.h"
#include "../../formats/kernel_hooks.h"
#include "../../formats/schema_program.h"
#include "../../formats/scope_hooks.h"
#include "../../include/perfutil.h"
#include "cmd.h"
#include "print_stream.h"

/* The majors to change; all if none is named. */
static void enable_parse_majors(
	const struct verb *verb, struct arguments *a, bool chosen[SHM_MAJORS])
{
	uint64_t n;

	arguments_next(a);
	for (int i = 1; i <= a->operands; i++) {
		if (strcmp(a->argv[i], "all") == 0)
			memset(chosen, true, SHM_MAJORS);
		else if (number_parse(a->argv[i], NUMBER_PREFIXED, SHM_MAJORS - 1, &n))
			chosen[n] = true;
		else
			cmd_misuse(verb, "\"%s\" is not a major: 0 to 255, 0x00 to 0xff, or all",
				a->argv[i]);
	}
	if (a->operands == 0)
		memset(chosen, true, SHM_MAJORS);
}

static int enable_change_majors(const struct verb *verb, int argc, char **argv, bool enable)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct session_error error = {"unknown error"};
	bool chosen[SHM_MAJORS] = {false};
	struct session s;
	int rc = 0;

	enable_parse_majors(verb, &a, chosen);
	int code = cmd_open(verb, &s, SESSION_CONTROL);
	if (code)
		return code;
	for (int i = 0; i < SHM_MAJORS && rc == 0; i++)
		if (chosen[i])
			rc = session_enable(&s, i, enable, &error);
	session_close(&s);
	return rc ? cmd_fail(verb, "%s", error.text) : EXIT_FINE;
}

static int run_enable(const struct verb *verb, int argc, char **argv)
{
	return enable_change_majors(verb, argc, argv, true);
}

static int run_disable(const struct verb *verb, int argc, char **argv)
{
	return enable_change_majors(verb, argc, argv, false);
}

static const struct option no_options[] = {
	{.help = "Majors are numbers from 0 to 255, in decimal or after 0x in hexadecimal; none or `all`\n"
		 "means every one. It takes effect at once, in running programs too. init enables all.\n"},
	{0}};

const struct verb verb_enable = {"enable", "enable [MAJOR ...|all]",
	"lets hooks of these majors be written", no_options, run_enable};
const struct verb verb_disable = {"disable", "disable [MAJOR ...|all]",
	"keeps hooks of these majors from being written", no_options, run_disable};

/* ------------------------------------------------------------------------- maj */

enum { MAJ_JSON = 1 };
static const struct option maj_options[] = {
	{.help = "Marks those without a known writer: neither this toolkit nor a program that registered a\nschema writes them.\n\n"},
	{MAJ_JSON, "--json", .help = "one JSON object"}, {0}};

/* A major's name and writers. */
struct major {
	uint8_t number;
	const char *name; /* NULL: none */
	bool is_enabled;
	bool is_written; /* this toolkit writes it, or a program registered a schema for it */
};

struct majors {
	struct major of[SHM_MAJORS];
	struct schema *registered; /* owns the names */
};

/* Majors of the original toolkit's kernel part have a name here but no writer. */
static const struct major known[] = {{.number = 0x04, .name = "interrupts"},
	{.number = 0x10, .name = "time profile"}, {.number = 0x11, .name = "system information"},
	{.number = 0x12, .name = "dispatch"}, {.number = 0x19, .name = "modules and tasks"},
	{.number = 0xA8, .name = "special"},
	{.number = CPI_MAJOR, .name = "CPI measurement", .is_written = true},
	{.number = INTERVAL_MAJOR, .name = "intervals", .is_written = true},
	{.number = SCOPE_MAJOR, .name = "light intervals", .is_written = true},
	{.number = KERNEL_MAJOR, .name = "kernel's records", .is_written = true},
	{.number = CPUUTIL_MAJOR, .name = "CPU utilisation", .is_written = true},
	{.number = COUNTERS_MAJOR, .name = "recorded counters", .is_written = true}};

const char *enable_operands(void)
{
	static char text[sizeof "all" + sizeof known / sizeof *known * (sizeof "|0x00" - 1)];
	char *at = stpcpy(text, "all");

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		at += sprintf(at, "|0x%02X", known[i].number);
	return text;
}

/* Ignores schemas that cannot be read. */
static void read_registered(struct majors *m, struct session *s)
{
	char *text;
	int n = session_schemas(s, &text, NULL);

	if (n > 0 && schema_parse(text, (size_t)n, &m->registered, NULL) != 0)
		m->registered = NULL;
	free(text);
	for (uint32_t i = 0; m->registered && i < m->registered->nmajors; i++) {
		const struct schema_major *r = &m->registered->majors[i];

		if (!m->of[r->code].name)
			m->of[r->code].name = r->name;
		m->of[r->code].is_written = true;
	}
}

static void read_majors(struct majors *m, struct session *s)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		m->of[known[i].number] = known[i];
	read_registered(m, s);
	for (int i = 0; i < SHM_MAJORS; i++) {
		m->of[i].number = (uint8_t)i;
		m->of[i].is_enabled =
			__atomic_load_n(&s->control->majors[i], __ATOMIC_RELAXED) != 0;
	}
}

static bool is_enabled(const struct major *m)
{
	return m->is_enabled;
}

static bool is_disabled(const struct major *m)
{
	return !m->is_enabled;
}

static bool is_unwritten(const struct major *m)
{
	return !m->is_written;
}

static const struct {
	const char *key;
	bool (*has)(const struct major *m);
} lists[] = {{"enabled", is_enabled}, {"disabled", is_disabled}, {"unwritten", is_unwritten}};

enum { LISTS = sizeof lists / sizeof *lists };

static void maj_print_ranges(struct out *o, const struct majors *m, int list)
{
	const char *separator = "";

	for (int i = 0, end; i < SHM_MAJORS; i = end) {
		for (end = i; end < SHM_MAJORS && lists[list].has(&m->of[end]); end++)
			;
		if (end == i) {
			end++;
			continue;
		}
		out_printf(o, end - i > 1 ? "%s0x%02X-0x%02X" : "%s0x%02X", separator, i, end - 1);
		separator = ", ";
	}
	out_str(o, *separator ? "\n" : "none\n");
}

static void maj_print_list(struct document *d, const struct majors *m, int list)
{
	if (document_is_text(d)) {
		maj_print_ranges(document_begin_line(d, lists[list].key), m, list);
		return;
	}
	json_member_open(d->j, lists[list].key, '[');
	for (int i = 0; i < SHM_MAJORS; i++)
		if (lists[list].has(&m->of[i]))
			json_i64(d->j, i);
	json_close(d->j, ']');
}

static void maj_spell_number(struct out *o, const void *row)
{
	out_printf(o, "  0x%02X", ((const struct major *)row)->number);
}

static void maj_spell_state(struct out *o, const void *row)
{
	const struct major *m = row;

	out_str(o, m->is_enabled ? "enabled" : "disabled");
	out_str(o, m->is_written ? "" : ", no known writer");
}

#define AT(member) COLUMN_AT(struct major, member)
static const struct column known_columns[] = {
	{"major", "major", AT(number), .left = true, .width = 7, .text = maj_spell_number},
	{"name", "name", AT(name), .left = true, .width = 19},
	{"enabled", "state", AT(is_enabled), .left = true, .text = maj_spell_state},
	{"written", AT(is_written)},
	{.name = NULL},
};
#undef AT

static void maj_print(struct majors *m, bool json)
{
	struct print_stream stream;
	struct document *d = print_document_begin(&stream, stdout, json);

	d->label_width = 10;
	d->has_no_headings = true;
	for (int i = 0; i < LISTS; i++)
		maj_print_list(d, m, i);
	for (document_begin_list(d, "known", known_columns, 0); document_pass(d);)
		for (int i = 0; i < SHM_MAJORS; i++)
			if (m->of[i].name)
				document_add_row(d, &m->of[i]);
	print_document_end(&stream);
}

static int run_maj(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct majors majors = {0};
	bool json = false;
	struct session s;
	int id;

	while ((id = arguments_next(&a)))
		json = json || id == MAJ_JSON;
	arguments_expect_no_operand(&a);
	int code = cmd_open(verb, &s, SESSION_READ);
	if (code)
		return code;
	read_majors(&majors, &s);
	session_close(&s);
	maj_print(&majors, json);
	schema_free(majors.registered);
	return EXIT_FINE;
}

const struct verb verb_maj = {
	"maj", "maj [--json]", "lists the majors, enabled and disabled", maj_options, run_maj};
