/*
 * Options of a command: one table parses them, prints --help and completes them in a shell. The
 * exit codes of the commands.
 */
#ifndef SWT_FORMATS_BASE_OPTIONS_H
#define SWT_FORMATS_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

enum exit_code {
	EXIT_FINE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_LOST = 3, /* --strict, and data was lost or damaged */
	EXIT_NO_COUNTERS = 4,
	EXIT_GATE = 5, /* --fail-if came true */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_SIGNAL = 128, /* plus its number */
};

/* A value that an option may have. */
struct option_choice {
	const char *name, *help; /* help: with its line breaks */
};

/*
 * A row of a table, in the order of --help. A row without a name is text between options, printed
 * as it is; a row of zeros ends the table.
 */
struct option {
	int id;		    /* positive, or OPTIONS_HELP */
	const char *name;   /* "-s", "--json" */
	const char *longer; /* "--output" for "-o"; NULL: none */
	const char *value;  /* its name, as in --help; NULL: no value; "[=NAME]": optional */
	const char *help;   /* with its line breaks; NULL: shares the next row's line; "": hidden */
	const char *words;  /* the values that there are, "a|b|c"; NULL: any, or those of value */
	/* In place of help and words, value being the first of them; a row of zeros ends them. */
	const struct option_choice *choices;
	bool is_marked; /* of the command: what it means is said at its table */
};

enum {
	OPTIONS_END = 0,
	OPTIONS_HELP = -1, /* -h, --help: in every table, whether or not it has a row */
	OPTIONS_OPERAND = -2,
	/* Errors; text is the argument at fault. */
	OPTIONS_UNKNOWN = -3,
	OPTIONS_NEEDS_VALUE = -4,
	OPTIONS_TAKES_NO_VALUE = -5,
};

/* Begin with table, argc and argv (argv[0] is no argument), and zeros. */
struct options_scan {
	const struct option *table;
	int argc;
	char **argv;
	int at;			    /* arguments taken so far */
	bool only_operands;	    /* after --; the caller may set it at an operand */
	const struct option *found; /* of a positive id, and of OPTIONS_NEEDS_VALUE */
	char *text;		    /* the argument returned */
	char *value;		    /* NULL: the option has none */
};

/*
 * The id of the next option, or one of the above. Options and operands come in their order, and
 * may be mixed. Values: --x v, --x=v, -s v, -sv. A long name may be abbreviated as long as no other
 * begins so.
 */
int options_next(struct options_scan *scan);

/*
 * Prints what the last argument may become, a line each: a word, and where it has a help a tab and
 * the help's first line. Prints nothing if a file or any text is allowed. operands: the allowed
 * first operands, "a|b|c", or NULL; OPTIONS_COMMAND: another command's line begins with it, of
 * which only a tab and the number of its first argument is printed.
 */
#define OPTIONS_COMMAND "COMMAND"

void options_print_completion(
	FILE *f, const struct option *table, const char *operands, int argc, char **argv);
/* The words, "a|b|c", that begin with text, a line each behind `before`. */
void options_print_words(FILE *f, const char *words, const char *text, const char *before);

/* The rows for --help. column: where the help begins, in characters. */
void options_print_help(FILE *f, const struct option *table, int column);

#endif
