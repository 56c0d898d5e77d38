#include "wake.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../../formats/base/signals.h"
#include "../dump/drain/stream.h"

volatile sig_atomic_t wake_should_end;
static int wake_fd = -1;

static void wake_catch_signal(int signal)
{
	static const uint64_t one = 1;
	int before = errno;

	if (signal != SIGCHLD)
		wake_should_end = signal;
	ssize_t n = write(wake_fd, &one, sizeof one);
	(void)n; /* if the counter is full, the reader is awake already */
	errno = before;
}

int wake_catch_signals(const struct verb *verb, bool enders, int *fd)
{
	static const int ender[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	const struct sigaction catcher = {.sa_handler = wake_catch_signal};

	*fd = wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wake_fd < 0)
		return cmd_fail(verb, "cannot wait for signals: %s", strerror(errno));
	stream_catch_signals();
	sigaction(SIGCHLD, &catcher, NULL);
	if (enders)
		signals_catch(ender, sizeof ender / sizeof *ender, &catcher);
	return EXIT_FINE;
}
