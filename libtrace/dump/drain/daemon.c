/* The drain as a daemon, without a terminal or files other than the session's and its own. */
#include "daemon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../include/perfutil.h"
#include "../../session/fail.h"
#include "stream.h"

/* The time limit for beginning its file. */
enum { BEGIN_SECONDS = 60 };

/* The daemon's single message to `on`. */
struct report {
	int rc;
	struct session_error error;
};

static volatile sig_atomic_t told_to_end;

/* Finishes the file on a signal, for example when the machine shuts down. */
static void daemon_request_end(int signal)
{
	told_to_end = signal;
}

static bool daemon_is_wanted(void *arg)
{
	(void)arg;
	return !told_to_end;
}

/* ------------------------------------------------------------------------ its life */

/* Closes what it inherited: the reader of an inherited pipe would never see its end. */
static void daemon_close_inherited(int keep)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		int fd = atoi(e->d_name);

		if (fd > STDERR_FILENO && fd != keep && fd != dirfd(d))
			close(fd);
	}
	if (d)
		closedir(d);
	int null = open("/dev/null", O_RDWR);
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	if (chdir("/") != 0)
		return; /* a failure only keeps a file system from being unmounted */
}

static void daemon_catch_signals(void)
{
	const struct sigaction ender = {.sa_handler = daemon_request_end};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGHUP, SIG_IGN);
	sigaction(SIGTERM, &ender, NULL);
	sigaction(SIGINT, &ender, NULL);
	stream_catch_signals();
}

static int daemon_open_stream(struct stream *stream, const struct session_place *place,
	uint32_t generation, const struct drain_config *config)
{
	struct session *s = stream->session;
	int rc = session_open(s, place, SESSION_CONTROL, &stream->error);

	if (rc)
		return rc;
	session_unlock(s);
	if (s->generation != generation)
		rc = session_fail(&stream->error, PU_ERROR_INCORRECT_STATE,
			"%.300s got new trace buffers just now; try again", place->dir);
	else
		rc = drain_open(&stream->drain, s, config, &stream->error);
	if (rc)
		session_close(s);
	return rc;
}

/* Runs in the daemon. */
__attribute__((noreturn)) static void live(const struct session_place *place, uint32_t generation,
	const struct drain_config *config, int channel)
{
	struct session s;
	struct stream stream = {.session = &s, .wake = -1, .wanted = daemon_is_wanted};
	struct report report = {0};
	char byte;

	daemon_close_inherited(channel);
	daemon_catch_signals();
	prctl(PR_SET_NAME, "swtrace-drain");
	/* A lock that another thread of the program held at the fork is never released here. */
	signal(SIGALRM, SIG_DFL);
	alarm(BEGIN_SECONDS);
	report.rc = daemon_open_stream(&stream, place, generation, config);
	report.error = stream.error;
	alarm(0);
	send(channel, &report, sizeof report, MSG_NOSIGNAL);
	if (report.rc)
		_exit(1);
	/* `on` opens the gate meanwhile; if it was killed, the gate shows whether it did. */
	while (recv(channel, &byte, 1, 0) < 0 && errno == EINTR)
		;
	close(channel);
	stream_follow(&stream);
	int rc = stream_finish(&stream);
	drain_close(stream.drain);
	session_close(&s);
	_exit(rc != 0);
}

/* ------------------------------------------------------------------------ its birth */

/* Fork twice: init adopts the daemon, which can never acquire a terminal. */
static int fork_twice(const struct session_place *place, uint32_t generation,
	const struct drain_config *config, int channel)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -1;
	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid == 0)
			live(place, generation, config, channel);
		_exit(pid < 0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

int daemon_start(const struct session *s, const struct drain_config *config, int *go,
	struct session_error *error)
{
	struct report report;
	int ends[2];
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return session_fail(error, PU_ERROR_INSUFFICIENT_RESOURCES,
			"cannot start the drain: %s", strerror(errno));
	if (fork_twice(&s->place, s->generation, config, ends[1]) != 0) {
		session_fail(error, 0, "cannot start the drain: %s", strerror(errno));
		close(ends[0]);
		close(ends[1]);
		return PU_ERROR_INSUFFICIENT_RESOURCES;
	}
	close(ends[1]);
	while ((n = recv(ends[0], &report, sizeof report, 0)) < 0 && errno == EINTR)
		;
	if (n != sizeof report) {
		close(ends[0]);
		return session_fail(error, PU_FAILURE, "the drain ended before it began");
	}
	if (report.rc) {
		close(ends[0]);
		if (error)
			*error = report.error;
		return report.rc;
	}
	*go = ends[0];
	return 0;
}

void daemon_go(int go)
{
	close(go);
}
