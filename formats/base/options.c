#include "options.h"

#include <string.h>

static bool options_is_last(const struct option *o)
{
	return !o->name && !o->help;
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

static int options_take_value(struct options_scan *scan, const struct option *o)
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
			return options_take_value(scan, o);
	return options_find_joined(scan);
}

/* Prints "-o, --output FILE". Returns its length. */
static int options_print_names(FILE *f, const struct option *o)
{
	return fprintf(f, "%s%s%s%s%s", o->name, o->longer ? ", " : "", o->longer ? o->longer : "",
		o->value && !options_is_optional(o) ? " " : "", o->value ? o->value : "");
}

void options_print_help(FILE *f, const struct option *table, int column)
{
	int at = 0;

	for (const struct option *o = table; !options_is_last(o); o++) {
		if (!o->name) {
			fputs(o->help, f);
			continue;
		}
		if (o->help && !*o->help)
			continue;
		at += fprintf(f, "%s", at ? ", " : "  ");
		at += options_print_names(f, o);
		if (!o->help)
			continue;
		/* A name that is too long for the column moves the help to the right, unless that
		 * begins with a line break. */
		int gap = at < column ? column - at : o->help[0] == '\n' ? 0 : 3;
		fprintf(f, "%*s%s\n", gap, "", o->help);
		at = 0;
	}
}
