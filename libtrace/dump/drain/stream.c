/* Runs the rounds of a drain. */
#include "stream.h"

#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"

/* Tracing may be turned off at any time; the drain learns it from the control page. */
#define LONGEST_PAUSE_NS 100000000u

static void stream_interrupt_only(int signal)
{
	(void)signal;
}

void stream_catch_signals(void)
{
	/* Caught, not ignored: an executed command would inherit the ignored signal. */
	const struct sigaction catcher = {.sa_handler = stream_interrupt_only};

	sigaction(SIGPIPE, &catcher, NULL);
	sigaction(SIGXFSZ, &catcher, NULL);
}

void stream_sleep(int wake, uint64_t ns)
{
	const struct timespec t = time_of_ns(ns);
	struct pollfd p = {.fd = wake, .events = POLLIN};
	uint64_t count;

	/* The caller checks for a signal, and for a failed read of the wake pipe. */
	if (ppoll(&p, 1, &t, NULL) > 0 && read(wake, &count, sizeof count) < 0)
		return;
}

static bool time_is_over(const struct stream *s)
{
	return s->until && time_ns_monotonic() >= s->until;
}

/* began: ns, of the last round. Writers continued during the round: its time is part of the pause,
 * or a drain that is busy for most of its time would sleep until the rings are full. */
static void pause_for_writers(const struct stream *s, uint64_t began)
{
	uint64_t ns = (uint64_t)drain_pause(s->drain) * 1000000u, now = time_ns_monotonic();

	if (ns > LONGEST_PAUSE_NS)
		ns = LONGEST_PAUSE_NS;
	ns = began + ns > now ? began + ns - now : 0;
	if (s->until) {
		uint64_t left = s->until > now ? s->until - now : 0;

		if (ns > left)
			ns = left;
	}
	if (ns)
		stream_sleep(s->wake, ns);
}

int stream_follow(struct stream *s)
{
	for (;;) {
		if (!session_is_on(s->session) || drain_orphaned(s->drain) || time_is_over(s) ||
			(s->wanted && !s->wanted(s->arg)))
			return 0;
		uint64_t began = time_ns_monotonic();
		int rc = drain_round(s->drain, &s->error);
		if (rc < 0)
			return rc;
		pause_for_writers(s, began);
	}
}

/* Closes the gate even without the lock: otherwise it would stay open for ever. */
static void stream_turn_off(struct stream *s)
{
	int locked = session_lock(s->session, true, NULL);

	if (!drain_orphaned(s->drain) && session_is_on(s->session))
		session_off(s->session, NULL);
	if (locked == 0)
		session_unlock(s->session);
}

int stream_finish(struct stream *s)
{
	stream_turn_off(s);
	return drain_finish(s->drain, &s->error);
}
