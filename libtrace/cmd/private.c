/*
 * A private session around a command.
 */
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../formats/base/signals.h"
#include "../../include/perfutil.h"
#include "doctor/keep.h"
#include "switches.h"

/* ------------------------------------------------------------------------- the session */

int private_make(const struct verb *verb, struct private_session *p, struct session *s,
	const struct session_config *config)
{
	struct session_error error = {"unknown error"};

	cmd_sweep();
	int rc = session_create_private(s, &error);
	if (rc)
		return cmd_fail(verb, "%s", error.text);
	p->location = s->location;
	p->lock = openat(s->dir, RUNNER_LOCK_NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (p->lock < 0 || flock(p->lock, LOCK_EX | LOCK_NB)) {
		snprintf(error.text, sizeof error.text, "%.300s: cannot lock it: %s",
			s->location.dir, strerror(errno));
		rc = PU_ERR_FILE_ERROR;
	}
	if (rc == 0)
		rc = session_init(s, config, &error);
	if (rc == 0) {
		cmd_warn_if_short(verb, s);
		doctor_keep(verb->name, s);
		return EXIT_FINE;
	}
	session_remove(s);
	session_close(s);
	return cmd_fail(verb, "%s", error.text);
}

void private_note_left(const struct verb *verb, struct session *s)
{
	struct session_task *tasks = NULL;
	const int count = session_tasks(s, &tasks);
	const uint32_t recorder = switches_recorder(s);
	unsigned left = 0;

	for (int i = 0; i < count; i++)
		left += tasks[i].alive && tasks[i].leader && tasks[i].pid != recorder;
	free(tasks);
	if (left)
		cmd_note(verb,
			"the command has ended, %u process%s that it started and that wrote hooks %s on, untraced: swtrace on, or record without a command, traces programs of any length",
			left, left == 1 ? "" : "es", left == 1 ? "goes" : "go");
}

/* ------------------------------------------------------------------------- the command */

static volatile sig_atomic_t child;

/* Skip signals from the kernel: the terminal sends a key's signal to the command, too. */
static void private_forward_signal(int signal, siginfo_t *info, void *context)
{
	(void)context;
	int before = errno;

	if (info->si_code != SI_KERNEL && child > 0)
		kill((pid_t)child, signal);
	errno = before;
}

static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

/* Blocks the signals until there is a command to forward them to. */
static void private_catch_signals(sigset_t *before)
{
	const struct sigaction catcher = {
		.sa_sigaction = private_forward_signal, .sa_flags = SA_SIGINFO};
	const sigset_t set = signals_catch(forwarded, FORWARDED, NULL);

	sigprocmask(SIG_BLOCK, &set, before);
	signals_catch(forwarded, FORWARDED, &catcher);
}

static int command_check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno;
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

/* Searches PATH like execvp. */
int command_find(const struct command *c)
{
	const char *dirs = getenv("PATH"), *end;
	char path[PATH_MAX];
	int found = ENOENT;

	if (strchr(c->words[0], '/'))
		return command_check_file(c->words[0]);
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *c->words[0]; dirs = end + 1) {
		end = strchrnul(dirs, ':');
		snprintf(path, sizeof path, "%.*s%s%s", (int)(end - dirs), dirs,
			end == dirs ? "" : "/", c->words[0]);
		int err = command_check_file(path);
		if (err == 0)
			return 0;
		if (err == EACCES)
			found = err;
		if (!*end)
			break;
	}
	return found;
}

/* EOF instead of a byte means that the command must not start. */
static void wait_for_word(int go)
{
	char word;
	ssize_t n;

	while ((n = read(go, &word, 1)) < 0 && errno == EINTR)
		;
	if (n != 1)
		_exit(EXIT_NOT_FOUND);
}

/* In the child. exec resets caught signals to their defaults. */
__attribute__((noreturn)) static void private_exec_command(const struct command *c,
	const struct session_location *location, const sigset_t *mask, int report)
{
	int code;

	if ((!location || setenv("SWTRACE_SESSION", location->dir, 1) == 0) &&
		(!c->output_is_ours || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(c->words[0], c->words);
	}
	code = errno;
	while (write(report, &code, sizeof code) < 0 && errno == EINTR)
		;
	_exit(EXIT_NOT_FOUND);
}

static bool make_pipes(int report[2], int go[2])
{
	if (pipe2(report, O_CLOEXEC))
		return false;
	if (pipe2(go, O_CLOEXEC) == 0)
		return true;
	int err = errno;
	close(report[0]);
	close(report[1]);
	errno = err;
	return false;
}

/* Runs c->before while the child waits on the pipe, then releases the child. The read end is still
 * open here, so the write cannot raise SIGPIPE even if the child is gone. */
static void let_go(struct command *c, const int go[2])
{
	if (c->pid > 0 && (!c->before || c->before(c->arg, c->pid) == 0))
		while (write(go[1], "", 1) < 0 && errno == EINTR)
			;
	close(go[0]);
	close(go[1]);
}

int command_start(struct command *c, const struct session_location *location)
{
	int report[2], go[2], failure = 0;
	sigset_t mask;
	ssize_t n;

	if (!make_pipes(report, go))
		return errno;
	private_catch_signals(&mask);
	pid_t pid = fork();
	if (pid == 0) {
		close(go[1]);
		wait_for_word(go[0]);
		private_exec_command(c, location, &mask, report[1]);
	}
	if (pid < 0)
		failure = errno;
	child = c->pid = pid < 0 ? 0 : pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(report[1]);
	let_go(c, go);
	while (pid > 0 && (n = read(report[0], &failure, sizeof failure)) < 0 && errno == EINTR)
		;
	close(report[0]);
	if (failure)
		command_wait(c);
	return failure;
}

static void private_reap_command(struct command *c, int flags)
{
	pid_t got;

	if (c->pid <= 0)
		return;
	while ((got = waitpid(c->pid, &c->status, flags)) < 0 && errno == EINTR)
		;
	if (got != 0)
		child = c->pid = 0;
}

void command_wait(struct command *c)
{
	private_reap_command(c, 0);
}

bool command_ended(struct command *c)
{
	private_reap_command(c, WNOHANG);
	return c->pid == 0;
}

int command_exit_code(const struct command *c)
{
	return WIFSIGNALED(c->status) ? EXIT_SIGNAL + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

int command_failed(const struct verb *verb, const struct command *c, int err)
{
	cmd_fail(verb, "cannot run %s: %s", c->words[0], strerror(err));
	return err == ENOENT || err == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

char *command_line(char **words)
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
