/*
 * Actions of an actor. The code is the function's, the command's exit code, or errno.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "matrix.h"
#include "sandbox.h"

void do_trace(const char *argument, struct result *r)
{
	struct session_location location;
	struct session_error error = {""};

	(void)argument;
	r->code = TraceHookWords(1, 1, 0, NULL);
	snprintf(r->text, sizeof r->text, "%s",
		session_find(&location, &error) == 0 ? location.dir : error.text);
}

static int suspend_resume(void)
{
	int rc = TraceSuspend();

	return rc ? rc : TraceResume();
}

static int enable(void)
{
	return TraceEnable(5);
}

static int disable(void)
{
	return TraceDisable(ALL_MAJORS);
}

static int init(void)
{
	return TraceInit(65536);
}

static int write_file(void)
{
	return TraceWriteBufferToFile("/dev/null");
}

static int schema(void)
{
	return TraceRegisterSchema("major 0x42 mine\n");
}

static int environment(void)
{
	struct session_location location;

	return session_find_own(&location, NULL);
}

void do_api(const char *argument, struct result *r)
{
	static const struct {
		const char *name;
		int (*call)(void);
	} calls[] = {{"TraceInit", init}, {"TraceOn", TraceOn}, {"TraceOff", TraceOff},
		{"TraceSuspend", TraceSuspend}, {"TraceResume", TraceResume},
		{"TraceSuspend, TraceResume", suspend_resume}, {"TraceDiscard", TraceDiscard},
		{"TraceTerminate", TraceTerminate}, {"TraceEnable", enable},
		{"TraceDisable", disable}, {"TraceWriteBufferToFile", write_file},
		{"TraceRegisterSchema", schema}, {"session_find_own", environment},
		{"IsTraceOn", IsTraceOn}};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		if (strcmp(calls[i].name, argument) == 0) {
			r->code = calls[i].call();
			snprintf(r->text, sizeof r->text, "%s", RcToString(r->code));
			return;
		}
	}
	die("no function %s", argument);
}

/* ------------------------------------------------------------------- other programs */

/* Runs the command. Returns its exit code (128 + signal) and its standard error. */
static void run_command(char **words, struct result *r)
{
	int pipes[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	if (pipe(pipes) != 0)
		die("pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(pipes[1], 2);
		close(pipes[0]);
		close(pipes[1]);
		execv(words[0], words);
		_exit(127);
	}
	close(pipes[1]);
	while (n < sizeof r->text - 1 &&
		(got = read(pipes[0], r->text + n, sizeof r->text - 1 - n)) > 0)
		n += (size_t)got;
	r->text[n] = '\0';
	close(pipes[0]);
	if (waitpid(pid, &status, 0) != pid)
		die("wait: %s", strerror(errno));
	r->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void do_command(const char *argument, struct result *r)
{
	char line[512], *words[16], *save = NULL;
	int n = 0;

	snprintf(line, sizeof line, "%s", argument);
	words[n++] = (char *)path("%s/tools/swtrace", box.base);
	for (char *w = strtok_r(line, " ", &save); w && n < 15; w = strtok_r(NULL, " ", &save))
		words[n++] = *w == '@' ? (char *)path("%s/%s", box.base, w + 1) : w;
	words[n] = NULL;
	if (chdir("/") != 0)
		die("/: %s", strerror(errno));
	run_command(words, r);
}

void do_program(const char *argument, struct result *r)
{
	const char *slash = strchr(argument, '/');
	char way[64];
	char *words[] = {NULL, way, NULL};

	snprintf(way, sizeof way, "%.*s", slash ? (int)(slash - argument) : 60, argument);
	words[0] = (char *)path("%s/tools/%s", box.base, slash ? slash + 1 : "access");
	run_command(words, r);
}

/* This program under another name (for example set-user-ID): writes a hook and prints its
 * session. With "wait" it does not exit. */
int program_main(int argc, char **argv)
{
	struct result r = {0};

	(void)argc;
	do_trace(NULL, &r);
	fprintf(stderr, "%s\n", r.text);
	if (strcmp(argv[1], "wait") == 0)
		pause();
	return r.code != 0;
}
