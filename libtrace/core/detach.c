#include "detach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../formats/base/number.h"

int detach_process(void (*live)(void *ctx), void *ctx)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid == 0)
			live(ctx);
		_exit(pid <= 0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

void detach_from_caller(int keep)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *e;
	int null;

	while (d && (e = readdir(d))) {
		int fd = (int)number_at(e->d_name, INT_MAX);

		if (fd > STDERR_FILENO && fd != keep && fd != dirfd(d))
			close(fd);
	}
	if (d)
		closedir(d);
	null = open("/dev/null", O_RDWR);
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	if (chdir("/") != 0)
		return; /* a failure only keeps a file system from being unmounted */
}
