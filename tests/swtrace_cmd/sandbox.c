/*
 * Runs a command in which perf_event_open fails, as a container's seccomp filter makes it.
 *
 *	sandbox EPERM|ENOSYS COMMAND ...
 *
 * Exit code 77: the kernel offers no seccomp filters here.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../lib/refuse_call.h"

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;

	uint32_t error = strcmp(argv[1], "ENOSYS") == 0 ? ENOSYS : EPERM;

	if (!refuse_call(SYS_perf_event_open, error))
		return 77;
	execv(argv[2], argv + 2);
	fprintf(stderr, "sandbox: %s: %s\n", argv[2], strerror(errno));
	return 127;
}
