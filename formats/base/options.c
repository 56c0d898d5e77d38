#include "options.h"

#include <string.h>

static bool options_is_last(const struct option *o)
{
	return !o->name && !o->help;
}

static const char *options_help_of(const struct option *o)
{
	return o->choices ? o->choices->help : o->help;
}

static bool options_is_optional(const struct option *o)
{
	return o->value && o->value[0] == '[';
}

/* The argument is this name, or a long one with =VALUE. */
static bool options_match_name(struct options_scan *scan, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	if (!n || strncmp(scan->text, name, n) != 0)
		return false;
	if (scan->text[n] == '=' && strncmp(name, "--", 2) == 0)
		scan->value = scan->text + n + 1;
	return scan->value || !scan->text[n];
}

static int options_read_value(struct options_scan *scan, const struct option *o)
{
	scan->found = o;
	if (scan->value && !o->value)
		return OPTIONS_TAKES_NO_VALUE;
	if (scan->value || !o->value || options_is_optional(o))
		return o->id;
	if (scan->at + 1 >= scan->argc)
		return OPTIONS_NEEDS_VALUE;
	scan->value = scan->argv[++scan->at];
	return o->id;
}

/* -s4: the longest short option with a value that the argument begins with. */
static int options_find_joined(struct options_scan *scan)
{
	size_t longest = 1;

	scan->found = NULL;
	for (const struct option *o = scan->table; !options_is_last(o); o++) {
		size_t n = o->name && o->value && o->name[1] != '-' ? strlen(o->name) : 0;

		if (n > longest && strncmp(scan->text, o->name, n) == 0) {
			scan->found = o;
			longest = n;
		}
	}
	scan->value = scan->text + longest;
	return scan->found ? scan->found->id : OPTIONS_UNKNOWN;
}

static bool options_is_long(const char *name)
{
	return name && strncmp(name, "--", 2) == 0;
}

/* --rep: the one long option that begins so. */
static int options_find_abbreviated(struct options_scan *scan)
{
	size_t n = strcspn(scan->text, "=");
	const struct option *only = NULL;

	for (const struct option *o = scan->table; !options_is_last(o); o++) {
		const char *name = options_is_long(o->name) ? o->name : o->longer;

		const char *help = options_help_of(o);

		if (!name || strncmp(name, scan->text, n) != 0 || (help && !*help))
			continue;
		if (only)
			return OPTIONS_UNKNOWN;
		only = o;
	}
	if (!only)
		return OPTIONS_UNKNOWN;
	scan->value = scan->text[n] ? scan->text + n + 1 : NULL;
	return options_read_value(scan, only);
}

int options_next(struct options_scan *scan)
{
	scan->value = NULL;
	if (scan->at + 1 >= scan->argc)
		return OPTIONS_END;
	scan->text = scan->argv[++scan->at];
	if (scan->only_operands || scan->text[0] != '-' || !scan->text[1])
		return OPTIONS_OPERAND;
	if (strcmp(scan->text, "--") == 0) {
		scan->only_operands = true;
		return options_next(scan);
	}
	if (strcmp(scan->text, "--help") == 0 || strcmp(scan->text, "-h") == 0)
		return OPTIONS_HELP;
	for (const struct option *o = scan->table; !options_is_last(o); o++)
		if (options_match_name(scan, o->name) || options_match_name(scan, o->longer))
			return options_read_value(scan, o);
	return options_is_long(scan->text) ? options_find_abbreviated(scan)
					   : options_find_joined(scan);
}

/* Prints "-o, --output FILE". Returns its length. */
static int options_print_names(FILE *f, const struct option *o)
{
	return fprintf(f, "%s%s%s%s%s", o->name, o->longer ? ", " : "", o->longer ? o->longer : "",
		o->value && !options_is_optional(o) ? " " : "", o->value ? o->value : "");
}

/* The choices but the first, below the option's value. */
static void options_print_choices(FILE *f, const struct option *o, int column)
{
	const int indent = (int)strlen("  ") + (int)strlen(o->name) + 1;

	for (const struct option_choice *c = o->choices + 1; c->name; c++)
		fprintf(f, "%*s%-*s%s\n", indent, "", column - indent, c->name, c->help);
}

void options_print_help(FILE *f, const struct option *table, int column)
{
	int at = 0;

	for (const struct option *o = table; !options_is_last(o); o++) {
		const char *help = options_help_of(o);

		if (!o->name) {
			fputs(help, f);
			continue;
		}
		if (help && !*help)
			continue;
		at += fprintf(f, "%s", at ? ", " : "  ");
		at += options_print_names(f, o);
		if (!help)
			continue;
		/* A name that is too long for the column moves the help to the right, unless that
		 * begins with a line break. */
		int gap = at < column ? column - at : help[0] == '\n' ? 0 : 3;
		fprintf(f, "%*s%s\n", gap, "", help);
		if (o->choices)
			options_print_choices(f, o, column);
		at = 0;
	}
}

/* ---------------------------------------------------------------- completion */

static void options_print_word(
	FILE *f, const char *word, size_t length, const char *text, const char *before)
{
	const size_t n = strlen(text);

	if (length >= n && strncmp(word, text, n) == 0)
		fprintf(f, "%s%.*s\n", before, (int)length, word);
}

void options_print_words(FILE *f, const char *words, const char *text, const char *before)
{
	size_t length;

	for (const char *w = words; *w; w += length + (w[length] != 0)) {
		length = strcspn(w, "|");
		options_print_word(f, w, length, text, before);
	}
}

static void options_print_values(
	FILE *f, const struct option *o, const char *text, const char *before)
{
	for (const struct option_choice *c = o->choices; c && c->name; c++)
		options_print_word(f, c->name, strlen(c->name), text, before);
	if (o->choices)
		return;
	if (o->words)
		options_print_words(f, o->words, text, before);
	else if (o->value && strchr(o->value, '|'))
		options_print_words(f, o->value, text, before);
}

static void options_print_name(
	FILE *f, const char *name, const struct option *row, const char *text)
{
	const char *help = options_help_of(row);

	if (!name || strncmp(name, text, strlen(text)) != 0)
		return;
	help += strspn(help, "\n ");
	fprintf(f, "%s\t%.*s\n", name, (int)strcspn(help, "\n"), help);
}

static void options_print_beginning(FILE *f, const struct option *table, const char *text)
{
	static const struct option help = {OPTIONS_HELP, "--help", .help = "the options"};
	bool has_help = false;

	for (const struct option *o = table, *row; !options_is_last(o); o++) {
		for (row = o; !options_help_of(row); row++)
			;
		if (!o->name || !*options_help_of(row))
			continue;
		has_help = has_help || o->id == OPTIONS_HELP;
		options_print_name(f, o->name, row, text);
		options_print_name(f, o->longer, row, text);
	}
	if (!has_help)
		options_print_name(f, help.name, &help, text);
}

/* The number of the first operand among the arguments but the last, or 0. */
static int options_scan_all(struct options_scan *scan, int *id)
{
	int first = 0;

	while ((*id = options_next(scan)) != OPTIONS_END && *id != OPTIONS_NEEDS_VALUE)
		if (*id == OPTIONS_OPERAND && !first)
			first = scan->at;
	return first;
}

/* --name=begin */
static void options_print_equals(FILE *f, const struct option *table, char *text)
{
	struct options_scan scan = {.table = table, .argc = 2, .argv = (char *[]){NULL, text}};
	char before[64];

	if (options_next(&scan) <= 0)
		return;
	snprintf(before, sizeof before, "%.*s", (int)(scan.value - text), text);
	options_print_values(f, scan.found, scan.value, before);
}

void options_print_completion(
	FILE *f, const struct option *table, const char *operands, int argc, char **argv)
{
	struct options_scan scan = {.table = table, .argc = argc - 1, .argv = argv};
	bool is_command = operands && strcmp(operands, OPTIONS_COMMAND) == 0;
	char *text = argv[argc - 1];
	int id, first = options_scan_all(&scan, &id);

	if (is_command && first)
		fprintf(f, "\t%d\n", first);
	else if (id == OPTIONS_NEEDS_VALUE)
		options_print_values(f, scan.found, text, "");
	else if (is_command && (scan.only_operands || text[0] != '-'))
		fprintf(f, "\t%d\n", argc - 1);
	else if (operands && !first && text[0] != '-')
		options_print_words(f, operands, text, "");
	else if (!scan.only_operands && strchr(text, '='))
		options_print_equals(f, table, text);
	else if (!scan.only_operands && text[0] == '-')
		options_print_beginning(f, table, text);
}
