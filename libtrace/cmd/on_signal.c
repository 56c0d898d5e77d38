/*
 * dump --on-signal: dumps the flight recorder on a signal.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../formats/base/number.h"
#include "flight.h"

/* Interval at which freed trace buffers are noticed. */
#define FOLLOW_NS 500000000u

int flight_signal(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"QUIT", SIGQUIT}, {"ALRM", SIGALRM},
		{"CONT", SIGCONT}, {"URG", SIGURG}, {"WINCH", SIGWINCH}};
	uint64_t n;

	if (strncasecmp(name, "SIG", 3) == 0)
		name += 3;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (strcasecmp(name, signals[i].name) == 0)
			return signals[i].number;
	if (strncasecmp(name, "RTMIN", 5) != 0)
		return 0;
	if (name[5] == 0)
		return SIGRTMIN;
	return name[5] == '+' && number_parse(name + 6, 10, (uint64_t)(SIGRTMAX - SIGRTMIN), &n)
		       ? SIGRTMIN + (int)n
		       : 0;
}

/* Consumes queued signals: one dump serves all that came before it begins. Returns whether there
 * were any. */
static bool consume_signals(const sigset_t *wanted)
{
	const struct timespec at_once = {0};
	bool any = false;

	while (sigtimedwait(wanted, NULL, &at_once) > 0)
		any = true;
	return any;
}

static int follow_signals(struct flight *f, const sigset_t *wanted)
{
	for (;;) {
		int signal = flight_wait(f, wanted, FOLLOW_NS);
		bool asked = consume_signals(wanted) || (signal && sigismember(wanted, signal));

		if (flight_follow(f) == RINGS_GONE)
			return EXIT_FAILED;
		if (asked)
			flight_dump(f, NULL);
		/* If an ending signal came with a wanted one, dump first. */
		if (signal && !sigismember(wanted, signal))
			return f->failed ? EXIT_FAILED : EXIT_FINE;
	}
}

int flight_on_signal(struct flight *f, int signal)
{
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, signal);
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	int code = flight_begin(f);
	if (code)
		return code;
	printf("process %ld dumps to %s at each signal %d (%s)\n", (long)getpid(), f->path, signal,
		strsignal(signal));
	fflush(stdout);
	code = follow_signals(f, &wanted);
	flight_end(f);
	return code;
}
