/*
 * swtrace: controls the trace buffers of a session.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static const struct verb *const verbs[] = {&verb_init, &verb_on, &verb_off, &verb_dump, &verb_get,
	&verb_free, &verb_run, &verb_record, &verb_bench, &verb_trigger, &verb_top, &verb_info,
	&verb_enable, &verb_disable, &verb_maj, &verb_doctor, &verb_event, &verb_stat, &verb_ai,
	&verb_counters, &verb_install};

enum { VERBS = sizeof verbs / sizeof *verbs, VERB_COLUMN = 12 };

static void main_print_overview(FILE *f)
{
	fputs("usage: swtrace VERB [option ...]\n\n", f);
	for (int i = 0; i < VERBS; i++) {
		const struct option row[] = {
			{.id = 1, .name = verbs[i]->name, .help = verbs[i]->what}, {0}};

		options_print_help(f, row, VERB_COLUMN);
	}
	fputs("\n`swtrace VERB --help` describes a verb, swtrace(1) all. Exit codes: 0 fine,\n"
	      "1 failed, 2 wrong usage, 3 (record --strict) hooks were lost, 4 (doctor,\n"
	      "event list --try, stat, ai, counters, --switches) nothing is measured here, 5 (bench) a\n"
	      "--fail-if came true.\n",
		f);
}

static const struct verb *find_verb(const char *name)
{
	for (int i = 0; i < VERBS; i++)
		if (strcmp(verbs[i]->name, name) == 0)
			return verbs[i];
	return NULL;
}

static int no_verb(const char *name)
{
	fprintf(stderr, "swtrace: there is no verb \"%s\"; see swtrace --help\n", name);
	return EXIT_USAGE;
}

/* Operands of the verbs, for completion; format as of options_print_completion. */
static const struct {
	const struct verb *verb;
	const char *operands;
} completed[] = {{&verb_run, OPTIONS_COMMAND}, {&verb_record, OPTIONS_COMMAND},
	{&verb_bench, OPTIONS_COMMAND}, {&verb_stat, OPTIONS_COMMAND},
	{&verb_event, "list|show|encode"}, {&verb_counters, "list|instances|query"}};

/* --complete WORD...: prints completions of the last word. */
static int main_print_completion(int argc, char **argv)
{
	const struct verb *verb = argc > 1 ? find_verb(argv[0]) : NULL;
	const char *operands =
		verb == &verb_enable || verb == &verb_disable ? enable_operands() : NULL;

	for (int i = 0; argc == 1 && i < VERBS; i++)
		if (strncmp(verbs[i]->name, argv[0], strlen(argv[0])) == 0)
			printf("%s\t%s\n", verbs[i]->name, verbs[i]->what);
	if (argc == 1)
		options_print_words(stdout, "help|--help|--version", argv[0], "");
	if (!verb)
		return EXIT_FINE;
	for (size_t i = 0; i < sizeof completed / sizeof *completed; i++)
		if (completed[i].verb == verb)
			operands = completed[i].operands;
	options_print_completion(stdout, verb->options, operands, argc, argv);
	if (verb == &verb_counters)
		counters_complete_set(argc, argv);
	return EXIT_FINE;
}

/* Failed output is a failure, even if the verb succeeded. */
static int main_flush_output(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (!cmd_reader_is_gone())
		fprintf(stderr, "swtrace: cannot write to standard output: %s\n", strerror(errno));
	return code ? code : EXIT_FAILED;
}

static void do_nothing(int signal)
{
	(void)signal;
}

/* Catch SIGPIPE: a verb finishes its work and keeps its exit code when the reader of its output is
 * gone. Not ignored, because an executed command must inherit the default. */
static void survive_closed_pipe(void)
{
	const struct sigaction catcher = {.sa_handler = do_nothing};
	struct sigaction before;

	if (sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &catcher, NULL);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	survive_closed_pipe();
	if (argc < 2) {
		fputs("swtrace: a verb is missing; see swtrace --help\n", stderr);
		return EXIT_USAGE;
	}
	if (strcmp(name, "help") == 0 && argc > 2) {
		char *help[] = {argv[2], (char[]){"--help"}, NULL};
		const struct verb *of = find_verb(argv[2]);

		return of ? main_flush_output(of->run(of, 2, help)) : no_verb(argv[2]);
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		main_print_overview(stdout);
		return main_flush_output(EXIT_FINE);
	}
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("swtrace " SWTRACE_VERSION);
		return main_flush_output(EXIT_FINE);
	}
	if (strcmp(name, "--complete") == 0)
		return main_flush_output(main_print_completion(argc - 2, argv + 2));
	const struct verb *verb = find_verb(name);
	if (!verb)
		return no_verb(name);
	return main_flush_output(verb->run(verb, argc - 1, argv + 1));
}
