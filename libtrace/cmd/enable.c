/*
 * enable, disable, maj: which majors' hooks are wanted.
 */
#include <string.h>

#include "../../include/perfutil.h"
#include "cmd.h"

static const struct {
	uint8_t major;
	const char *name;
} known[] = {{0x04, "interrupts"}, {0x10, "time profile"}, {0x11, "system information"},
	{0x12, "dispatch"}, {0x19, "modules and tasks"}, {0xA8, "special"},
	{0xC0, "CPI measurement"}, {0xC8, "CPU utilisation"}, {0xC9, "recorded counters"}};

enum { KNOWN = sizeof known / sizeof *known };

/* Majors to change; all of them where none is named. */
static void take_majors(const struct verb *verb, struct arguments *a, bool chosen[SHM_MAJORS])
{
	uint64_t n;

	arguments_next(a);
	for (int i = 1; i <= a->operands; i++) {
		if (strcmp(a->argv[i], "all") == 0)
			memset(chosen, true, SHM_MAJORS);
		else if (parse_number(a->argv[i], true, SHM_MAJORS - 1, &n))
			chosen[n] = true;
		else
			cmd_misuse(verb, "\"%s\" is no major: 0 to 255, 0x00 to 0xff, or all",
				a->argv[i]);
	}
	if (a->operands == 0)
		memset(chosen, true, SHM_MAJORS);
}

static int change(const struct verb *verb, int argc, char **argv, bool enable)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct session_error error = {"unknown error"};
	bool chosen[SHM_MAJORS] = {false};
	struct session s;
	int rc = 0;

	take_majors(verb, &a, chosen);
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
	return change(verb, argc, argv, true);
}

static int run_disable(const struct verb *verb, int argc, char **argv)
{
	return change(verb, argc, argv, false);
}

#define MAJORS_HELP                                                                                \
	"Majors are numbers from 0 to 255, in decimal or after 0x in hexadecimal; none or `all`\n" \
	"means every one. It takes effect at once, in running programs too. init enables all.\n"

const struct verb verb_enable = {"enable", "enable [MAJOR ...|all]",
	"lets hooks of these majors be written", MAJORS_HELP, run_enable};
const struct verb verb_disable = {"disable", "disable [MAJOR ...|all]",
	"keeps hooks of these majors from being written", MAJORS_HELP, run_disable};

/* ------------------------------------------------------------------------- maj */

enum { MAJ_JSON = 1 };
static const struct option maj_options[] = {{MAJ_JSON, "--json", NULL}, {0, NULL, NULL}};

static void print_ranges(const char *title, const bool enabled[SHM_MAJORS], bool which)
{
	const char *separator = "";

	printf("%-9s ", title);
	for (int i = 0, end; i < SHM_MAJORS; i = end) {
		for (end = i; end < SHM_MAJORS && enabled[end] == which; end++)
			;
		if (end == i) {
			end++;
			continue;
		}
		printf(end - i > 1 ? "%s0x%02X-0x%02X" : "%s0x%02X", separator, i, end - 1);
		separator = ", ";
	}
	puts(*separator ? "" : "none");
}

static void print_text(const bool enabled[SHM_MAJORS])
{
	print_ranges("enabled", enabled, true);
	print_ranges("disabled", enabled, false);
	for (int i = 0; i < KNOWN; i++)
		printf("  0x%02X  %-19s %s\n", known[i].major, known[i].name,
			enabled[known[i].major] ? "enabled" : "disabled");
}

static void json_majors(const char *key, const bool enabled[SHM_MAJORS], bool which)
{
	const char *separator = "";

	printf("\"%s\": [", key);
	for (int i = 0; i < SHM_MAJORS; i++) {
		if (enabled[i] != which)
			continue;
		printf("%s%d", separator, i);
		separator = ", ";
	}
	printf("]");
}

static void print_json(const bool enabled[SHM_MAJORS])
{
	printf("{");
	json_majors("enabled", enabled, true);
	printf(", ");
	json_majors("disabled", enabled, false);
	printf(", \"known\": [");
	for (int i = 0; i < KNOWN; i++)
		printf("%s{\"major\": %d, \"name\": \"%s\", \"enabled\": %s}", i ? ", " : "",
			known[i].major, known[i].name, enabled[known[i].major] ? "true" : "false");
	printf("]}\n");
}

static int run_maj(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .options = maj_options, .argc = argc, .argv = argv};
	bool enabled[SHM_MAJORS], json = false;
	struct session s;
	int id;

	while ((id = arguments_next(&a)))
		json = json || id == MAJ_JSON;
	if (a.operands)
		cmd_misuse(verb, "\"%s\" is one argument too many", argv[1]);
	int code = cmd_open(verb, &s, SESSION_READ);
	if (code)
		return code;
	for (int i = 0; i < SHM_MAJORS; i++)
		enabled[i] = __atomic_load_n(&s.control->majors[i], __ATOMIC_RELAXED) != 0;
	session_close(&s);
	if (json)
		print_json(enabled);
	else
		print_text(enabled);
	return EXIT_FINE;
}

const struct verb verb_maj = {"maj", "maj [--json]", "lists the majors, enabled and disabled",
	"  --json      one JSON object\n", run_maj};
