/*
 * Scans the options of a verb, and prints the messages of wrong ones.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/expression.h"
#include "../../formats/base/quantity.h"
#include "cmd.h"

static void cmd_print_message(
	const struct verb *verb, const char *format, va_list args, const char *tail)
{
	fprintf(stderr, "swtrace %s: ", verb->name);
	vfprintf(stderr, format, args);
	fprintf(stderr, "%s\n", tail);
}

int cmd_fail(const struct verb *verb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	cmd_print_message(verb, format, args, "");
	va_end(args);
	return EXIT_FAILED;
}

void cmd_note(const struct verb *verb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	cmd_print_message(verb, format, args, "");
	va_end(args);
}

void cmd_misuse(const struct verb *verb, const char *format, ...)
{
	char tail[64];
	va_list args;

	snprintf(tail, sizeof tail, "; see swtrace %s --help", verb->name);
	va_start(args, format);
	cmd_print_message(verb, format, args, tail);
	va_end(args);
	exit(EXIT_USAGE);
}

static void arguments_help(const struct verb *verb)
{
	printf("usage: swtrace %s\n\n%s.\n\n", verb->usage, verb->what);
	options_print_help(stdout, verb->options, 14);
	exit(fflush(stdout) == 0 && !ferror(stdout) ? EXIT_FINE : EXIT_FAILED);
}

int arguments_next(struct arguments *a)
{
	struct options_scan *scan = &a->scan;
	int id;

	if (!scan->table)
		*scan = (struct options_scan){
			.table = a->verb->options, .argc = a->argc, .argv = a->argv};
	while ((id = options_next(scan)) == OPTIONS_OPERAND) {
		a->argv[++a->operands] = scan->text;
		scan->only_operands = scan->only_operands || a->stop;
	}
	if (id == OPTIONS_HELP)
		arguments_help(a->verb);
	if (id == OPTIONS_NEEDS_VALUE)
		cmd_misuse(a->verb, "%s needs %s", scan->text, scan->found->value);
	if (id < 0)
		cmd_misuse(a->verb, "unknown option \"%s\"", scan->text);
	a->value = scan->value;
	return id;
}

void arguments_expect_no_operand(const struct arguments *a)
{
	if (a->operands)
		cmd_misuse(a->verb, "\"%s\": one argument too many", a->argv[1]);
}

bool parse_size(const char *text, uint64_t *bytes)
{
	return quantity_parse_size(text, QUANTITY_ANY_CASE, UINT64_MAX / 10, bytes);
}

bool parse_time(const char *text, uint64_t *ns)
{
	return quantity_parse_duration(text, strlen(text),
		QUANTITY_WHOLE_POINT | QUANTITY_ANY_CASE | QUANTITY_BARE_SECONDS, INT64_MAX / 10,
		ns);
}

void cmd_misuse_condition(
	const struct arguments *a, const char *option, const struct expression_error *error)
{
	char shown[EXPRESSION_SHOWN];

	cmd_note(a->verb, "%s: %s", option, error->text);
	expression_show(a->value, error, shown);
	fputs(shown, stderr);
	exit(EXIT_USAGE);
}
