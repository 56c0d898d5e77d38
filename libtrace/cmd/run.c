/*
 * run: traces a command in a private session and dumps it at the end.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "switches.h"

enum { RUN_OUTPUT = INIT_OPTIONS, RUN_COMPRESS, RUN_SWITCHES };

static const struct option options[] = {INIT_OPTION_SIZE("3"),
	{INIT_MODE, "-t", .value = "MODE", .words = "norm|wrap",
		.help = "norm: stop when full (default); wrap: overwrite the oldest"},
	INIT_OPTION_SECTION, INIT_OPTION_GROUP, INIT_OPTION_EVENTS, INIT_OPTION_BEGINS,
	SWITCHES_OPTION(RUN_SWITCHES),
	{RUN_OUTPUT, "-o", .value = "FILE",
		.help = "where the dump goes (swtrace.bin); - is standard output"},
	{RUN_COMPRESS, "--compress", .value = "none|lz4|zlib",
		.help = "how the hooks are stored (lz4)"},
	{.help = "Exits with the command's status; 126 if it cannot be executed, 127 if it is not found,\n"
		 "128 + N if signal N ended it, 1 if it succeeded and the dump failed.\n"},
	{0}};

struct runner {
	const struct verb *verb;
	struct session_config config;
	enum tf_codec codec;
	const char *output;
	bool switches;
	int recorder; /* its channel; -1: none */
	struct private_session private;
	struct command command;
};

/* Releases session_open's lock, so that the command can control its session. */
static int run_prepare_session(struct runner *r)
{
	struct session_error error = {"unknown error"};
	struct session s;
	int code = private_make(r->verb, &r->private, &s, &r->config);

	if (code)
		return code;
	if (session_on(&s, &error))
		code = cmd_fail(r->verb, "%s", error.text);
	else if (r->switches)
		code = switches_begin(r->verb, &s.location, s.generation, false, &r->recorder);
	if (code)
		session_remove(&s);
	session_close(&s);
	return code;
}

/*
 * A failed dump must not lose the trace: renames the session so that the sweep spares it. Not for a
 * pipe whose reader is gone.
 */
static bool run_keep_session(const struct runner *r, const struct session *s)
{
	char kept[PATH_MAX];
	const char *mark = strstr(r->private.location.dir, ".run.");

	if (s->control->state == SHM_NO_RINGS || !mark || strcmp(r->output, "-") == 0 ||
		(size_t)snprintf(kept, sizeof kept, "%.*s.kept.%s",
			(int)(mark - r->private.location.dir), r->private.location.dir,
			mark + strlen(".run.")) >= sizeof kept ||
		rename(r->private.location.dir, kept) != 0)
		return false;
	cmd_fail(r->verb,
		"the trace is kept: SWTRACE_SESSION=%s swtrace dump FILE writes it; rm -r %s drops it",
		kept, kept);
	return true;
}

/* Removes the session, however the command ended, unless that would lose the trace. */
static int run_conclude_session(struct runner *r, bool dump)
{
	struct session_error error = {"unknown error"};
	struct session s;
	int code = EXIT_FINE;
	int rc = session_open(&s, &r->private.location, SESSION_CONTROL, &error);

	if (rc)
		return cmd_fail(r->verb, "the trace is lost: %s", error.text);
	switches_end(r->verb, &s, r->recorder);
	if (cmd_is_on(&s))
		session_off(&s, NULL);
	if (dump) {
		char *line = command_line(r->command.words);

		session_reclaim(&s);
		private_note_left(r->verb, &s);
		code = cmd_dump(r->verb, &s, r->output, CMD_TRACE, r->codec, line);
		free(line);
	}
	if (code == EXIT_FINE || !run_keep_session(r, &s))
		session_remove(&s);
	session_close(&s);
	return code;
}

static int run_start_command(struct runner *r)
{
	int code = cmd_check_output(r->verb, r->output);

	if (code == EXIT_FINE && r->switches)
		code = switches_check(r->verb);
	if (code == EXIT_FINE)
		code = run_prepare_session(r);
	if (code)
		return code;
	int failure = command_start(&r->command, &r->private.location);
	if (failure) {
		run_conclude_session(r, false);
		return command_failed(r->verb, &r->command, failure);
	}
	command_wait(&r->command);
	code = run_conclude_session(r, true);
	return command_exit_code(&r->command) ? command_exit_code(&r->command) : code;
}

static int run_run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .stop = true, .argc = argc, .argv = argv};
	struct runner r = {.verb = verb,
		.codec = TF_CODEC_LZ4,
		.output = "swtrace.bin",
		.recorder = -1,
		.private = {.lock = -1}};
	int id;

	init_config(&r.config);
	while ((id = arguments_next(&a))) {
		if (id == RUN_OUTPUT)
			r.output = a.value;
		else if (id == RUN_SWITCHES)
			r.switches = true;
		else if (id == RUN_COMPRESS)
			r.codec = cmd_codec(&a);
		else
			init_option(&r.config, &a, id);
	}
	if (a.operands == 0)
		cmd_misuse(verb, "the command is missing");
	if (!*r.output)
		cmd_misuse(verb, "-o: the file's name is empty");
	r.command.words = argv + 1;
	argv[1 + a.operands] = NULL;
	return run_start_command(&r);
}

const struct verb verb_run = {"run",
	"run [-s MB] [-t norm|wrap] [-ss KB] [-g GROUP] [-e LIST] [--begins] [--switches] [-o FILE] [--compress none|lz4|zlib] -- COMMAND ...",
	"runs a command in a session of its own and dumps its trace", options, run_run};
