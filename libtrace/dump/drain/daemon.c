/* The drain as a daemon, without a terminal or files other than the session's and its own. */
#include "daemon.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../include/perfutil.h"
#include "../../core/detach.h"
#include "../../session/fail.h"
#include "stream.h"

/* The time limit for beginning its file. */
enum { BEGIN_SECONDS = 60 };

/* The daemon's single message to `on`. */
struct report {
	int rc;
	struct session_error error;
};

static volatile sig_atomic_t should_end;

/* Finishes the file on a signal, for example when the machine shuts down. */
static void daemon_request_end(int signal)
{
	should_end = signal;
}

static bool daemon_is_wanted(void *arg)
{
	(void)arg;
	return !should_end;
}

/* ------------------------------------------------------------------------ main loop */

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

static int daemon_open_stream(struct stream *stream, const struct session_location *location,
	uint32_t generation, const struct drain_config *config)
{
	struct session *s = stream->session;
	int rc = session_open(s, location, SESSION_CONTROL, &stream->error);

	if (rc)
		return rc;
	session_unlock(s);
	if (s->generation != generation)
		rc = session_fail(&stream->error, PU_ERROR_INCORRECT_STATE,
			"%.300s got new trace buffers just now; try again", location->dir);
	else
		rc = drain_open(&stream->drain, s, config, &stream->error);
	if (rc)
		session_close(s);
	return rc;
}

/* The daemon's arguments. */
struct daemon_arguments {
	const struct session *session;
	const struct drain_config *config;
	int channel;
};

static void daemon_live(void *ctx)
{
	const struct daemon_arguments *start = ctx;
	const int channel = start->channel;
	struct session s;
	struct stream stream = {.session = &s, .wake = -1, .wanted = daemon_is_wanted};
	struct report report = {0};
	char byte;

	detach_from_caller(channel);
	daemon_catch_signals();
	prctl(PR_SET_NAME, "swtrace-drain");
	/* A lock that another thread of the program held at the fork is never released here. */
	signal(SIGALRM, SIG_DFL);
	alarm(BEGIN_SECONDS);
	report.rc = daemon_open_stream(
		&stream, &start->session->location, start->session->generation, start->config);
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

/* ------------------------------------------------------------------------ start */

int daemon_start(const struct session *s, const struct drain_config *config, int *go,
	struct session_error *error)
{
	struct report report;
	int ends[2], rc;
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return session_fail(error, PU_ERROR_INSUFFICIENT_RESOURCES,
			"cannot start the drain: %s", strerror(errno));
	rc = detach_process(daemon_live, &(struct daemon_arguments){s, config, ends[1]});
	if (rc) {
		session_fail(error, 0, "cannot start the drain: %s", strerror(-rc));
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
