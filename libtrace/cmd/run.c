/*
 * run: a private session around a command. Trace, run, dump.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../dump/output.h"
#include "cmd.h"

enum { RUN_OUTPUT = INIT_OPTIONS, RUN_COMPRESS };

static const struct option options[] = {INIT_OPTION_LIST, {RUN_OUTPUT, "-o", "FILE"},
	{RUN_COMPRESS, "--compress", "none, lz4 or zlib"}, {0, NULL, NULL}};

struct runner {
	const struct verb *verb;
	struct session_config config;
	enum tf_codec codec;
	const char *output;
	char **command;
	struct session_place place;
	int lock;      /* held as long as this process lives: the session is not left behind */
	sigset_t mask; /* the command's */
};

/* ------------------------------------------------------------------ the private session */

/* session_open's own lock is let go of, so that the command may control its session. */
static int prepare(struct runner *r)
{
	struct session_error error = {"unknown error"};
	struct session s;

	cmd_sweep();
	int rc = session_create_private(&s, &error);
	if (rc)
		return cmd_fail(r->verb, "%s", error.text);
	r->place = s.place;
	r->lock = openat(s.dir, RUNNER_LOCK_NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (r->lock < 0 || flock(r->lock, LOCK_EX | LOCK_NB)) {
		snprintf(error.text, sizeof error.text, "%.300s: cannot lock it: %s", s.place.dir,
			strerror(errno));
		rc = PU_ERR_FILE_ERROR;
	}
	if (rc == 0)
		rc = session_init(&s, &r->config, &error);
	if (rc == 0)
		rc = session_on(&s, &error);
	if (rc)
		session_remove(&s);
	session_close(&s);
	return rc ? cmd_fail(r->verb, "%s", error.text) : EXIT_FINE;
}

/* The command's words with spaces between them. */
static char *command_line(char **words)
{
	size_t size = 1;

	for (char **w = words; *w; w++)
		size += strlen(*w) + 1;
	char *line = malloc(size);
	if (!line)
		return NULL;
	*line = 0;
	for (char **w = words; *w; w++) {
		strcat(line, *w);
		if (w[1])
			strcat(line, " ");
	}
	return line;
}

/*
 * A dump that failed must not cost the trace: the session stays, under a name that the sweep
 * does not take for one left behind. Not for a pipe, whose reader had enough.
 */
static bool keep(const struct runner *r, const struct session *s)
{
	char kept[PATH_MAX];
	const char *mark = strstr(r->place.dir, ".run.");

	if (s->control->state == SHM_NO_RINGS || !mark || strcmp(r->output, "-") == 0 ||
		(size_t)snprintf(kept, sizeof kept, "%.*s.kept.%s", (int)(mark - r->place.dir),
			r->place.dir, mark + strlen(".run.")) >= sizeof kept ||
		rename(r->place.dir, kept) != 0)
		return false;
	cmd_fail(r->verb,
		"the trace is kept: SWTRACE_SESSION=%s swtrace dump FILE writes it; rm -r %s drops "
		"it",
		kept, kept);
	return true;
}

/* Whatever happened to the command, its session goes, unless the trace would go with it. */
static int conclude(struct runner *r, bool dump)
{
	struct session_error error = {"unknown error"};
	struct session s;
	int code = EXIT_FINE;
	int rc = session_open(&s, &r->place, SESSION_CONTROL, &error);

	if (rc)
		return cmd_fail(r->verb, "the trace is lost: %s", error.text);
	if (cmd_is_on(&s))
		session_off(&s, NULL);
	if (dump) {
		char *line = command_line(r->command);

		session_reclaim(&s);
		code = cmd_dump(r->verb, &s, r->output, r->codec, line);
		free(line);
	}
	if (code == EXIT_FINE || !keep(r, &s))
		session_remove(&s);
	session_close(&s);
	return code;
}

/* ------------------------------------------------------------------------- the command */

static volatile sig_atomic_t child;

/* A key pressed reaches the command without us: the terminal sends it to both. */
static void forward(int signal, siginfo_t *info, void *context)
{
	(void)context;
	int before = errno;

	if (info->si_code != SI_KERNEL && child > 0)
		kill((pid_t)child, signal);
	errno = before;
}

static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

/* The signals are held back until there is a command to forward them to. */
static void catch_signals(struct runner *r)
{
	struct sigaction now, catcher = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO};
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < FORWARDED; i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, &r->mask);
	for (int i = 0; i < FORWARDED; i++)
		if (sigaction(forwarded[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(forwarded[i], &catcher, NULL);
}

/* In the child: a caught signal is back at its default after exec by itself. */
__attribute__((noreturn)) static void become(const struct runner *r, int report)
{
	int code;

	if (setenv("SWTRACE_SESSION", r->place.dir, 1) == 0) {
		sigprocmask(SIG_SETMASK, &r->mask, NULL);
		execvp(r->command[0], r->command);
	}
	code = errno;
	while (write(report, &code, sizeof code) < 0 && errno == EINTR)
		;
	_exit(EXIT_NOT_FOUND);
}

/* 0, or the errno of an exec that failed; *status as of waitpid. */
static int execute(struct runner *r, int *status)
{
	int report[2], failure = 0;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC))
		return errno;
	catch_signals(r);
	pid_t pid = fork();
	if (pid == 0)
		become(r, report[1]);
	if (pid < 0)
		failure = errno;
	child = pid;
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	close(report[1]);
	while (pid > 0 && (n = read(report[0], &failure, sizeof failure)) < 0 && errno == EINTR)
		;
	close(report[0]);
	while (pid > 0 && waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	return failure;
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Before the command has run for an hour is the time to find that out. */
static int check_output(const struct runner *r)
{
	struct session_error error;
	struct output *o = malloc(sizeof *o);
	int rc = PU_ERROR_NOT_ENOUGH_MEMORY;

	/* Opening a FIFO waits for its reader: that one is tried when it is needed. */
	if (strcmp(r->output, "-") == 0 || !output_is_file(r->output)) {
		free(o);
		return EXIT_FINE;
	}
	snprintf(error.text, sizeof error.text, "not enough memory");
	if (o)
		rc = output_open(o, r->output, &error);
	if (rc == 0)
		output_abandon(o);
	free(o);
	return rc ? cmd_fail(r->verb, "%s", error.text) : EXIT_FINE;
}

static int run_command(struct runner *r)
{
	int status = 0, code = check_output(r);

	if (code == EXIT_FINE)
		code = prepare(r);
	if (code)
		return code;
	int failure = execute(r, &status);
	if (failure) {
		conclude(r, false);
		cmd_fail(r->verb, "cannot run %s: %s", r->command[0], strerror(failure));
		return failure == ENOENT || failure == ENOTDIR ? EXIT_NOT_FOUND
							       : EXIT_NOT_EXECUTABLE;
	}
	code = conclude(r, true);
	return exit_code(status) ? exit_code(status) : code;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {
		.verb = verb, .options = options, .stop = true, .argc = argc, .argv = argv};
	struct runner r = {
		.verb = verb, .codec = TF_CODEC_LZ4, .output = "swtrace.bin", .lock = -1};
	int id;

	init_config(&r.config);
	while ((id = arguments_next(&a))) {
		if (id == RUN_OUTPUT)
			r.output = a.value;
		else if (id == RUN_COMPRESS && !cmd_codec(a.value, &r.codec))
			cmd_misuse(verb, "--compress takes none, lz4 or zlib, not \"%s\"", a.value);
		else
			init_option(&r.config, &a, id);
	}
	if (a.operands == 0)
		cmd_misuse(verb, "the command is missing");
	if (!*r.output)
		cmd_misuse(verb, "-o: the file's name is empty");
	r.command = argv + 1;
	argv[1 + a.operands] = NULL;
	return run_command(&r);
}

const struct verb verb_run = {"run",
	"run " INIT_OPTION_USAGE " [-o FILE] [--compress none|lz4|zlib] -- COMMAND ...",
	"runs a command in a session of its own and dumps its trace",
	INIT_OPTION_HELP
	"  -o FILE     where the dump goes (swtrace.bin); - is standard output\n"
	"  --compress none|lz4|zlib   how the hooks are stored (lz4)\n"
	"Exits with the command's status; 126 if it cannot be executed, 127 if it is not found,\n"
	"128 + N if signal N ended it, 1 if it succeeded and the dump failed.\n",
	run};
