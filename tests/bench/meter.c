/*
 * meter [-i FILE] [-o FILE] [-n EVENTS] ID COMMAND...: runs a command once and prints samples:
 *
 *	ID		million EVENTS per second of wall time; without -n: seconds
 *	ID.wall		seconds from fork to wait
 *	ID.cpu		user and system seconds of the command and the children it waited for
 *	ID.anon		MiB, the largest anonymous resident size in /proc/PID/status, sampled every
 *			2 ms: misses shorter peaks
 *	ID.peak		MiB, the kernel's peak resident size (ru_maxrss), including pages of mapped
 *			files: misses nothing
 *
 * -o: the command's standard output goes to FILE instead of /dev/null. -i: its standard input is
 * a pipe, into which another process copies FILE. If the command fails, prints no sample and exits
 * with 1.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_EVERY_NS = 2000000 };

static int opened(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0666);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

/* Starts a process that copies the file into a pipe; returns the pipe's read end. */
static int start_feeder(const char *path, pid_t *feeder)
{
	static char bytes[1 << 16];
	int ends[2], from = opened(path, O_RDONLY);
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) != 0 || (*feeder = fork()) < 0)
		die("feeding a pipe: %s", strerror(errno));
	if (*feeder) {
		close(ends[1]);
		close(from);
		return ends[0];
	}
	while ((n = read(from, bytes, sizeof bytes)) > 0)
		for (ssize_t done = 0, wrote; done < n; done += wrote)
			if ((wrote = write(ends[1], bytes + done, (size_t)(n - done))) < 0)
				_exit(1);
	_exit(n != 0);
}

static pid_t start(char **command, int in, int out)
{
	sigset_t none;
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid)
		return pid;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(126);
	execvp(command[0], command);
	fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
	_exit(127);
}

static long anonymous_kib(int status)
{
	char text[4096], *line;
	ssize_t n = pread(status, text, sizeof text - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = 0;
	line = strstr(text, "RssAnon:");
	return line ? atol(line + strlen("RssAnon:")) : 0;
}

/* Waits for the end of the process and samples its memory meanwhile. */
static int watch(pid_t pid, struct rusage *usage, long *anonymous)
{
	struct timespec interval = {0, LOOK_EVERY_NS};
	sigset_t child;
	char path[64];
	int status, ended;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	status = opened(path, O_RDONLY);
	*anonymous = 0;
	while (wait4(pid, &ended, WNOHANG, usage) == 0) {
		long now = anonymous_kib(status);

		if (now > *anonymous)
			*anonymous = now;
		sigtimedwait(&child, NULL, &interval);
	}
	close(status);
	return ended;
}

static void sample(const char *id, const char *what, double value)
{
	printf("sample\t%s%s\t%.6g\n", id, what, value);
}

int main(int argc, char **argv)
{
	const char *input = NULL, *output = "/dev/null";
	double events = 0;
	int option;

	while ((option = getopt(argc, argv, "+i:o:n:")) != -1) {
		if (option == 'i')
			input = optarg;
		else if (option == 'o')
			output = optarg;
		else if (option == 'n')
			events = atof(optarg);
		else
			exit(2);
	}
	if (argc - optind < 2)
		die("meter: an id and a command are needed");
	const char *id = argv[optind];
	sigset_t child;
	pid_t feeder = 0;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	int out = opened(output, O_WRONLY | O_CREAT | O_TRUNC);
	int in = input ? start_feeder(input, &feeder) : opened("/dev/null", O_RDONLY);
	struct rusage usage;
	long anonymous;
	uint64_t begin = now_ns();
	pid_t pid = start(argv + optind + 1, in, out);

	close(in);
	int ended = watch(pid, &usage, &anonymous);
	double wall = (double)(now_ns() - begin) / 1e9;

	if (feeder)
		waitpid(feeder, NULL, 0);
	if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
		die("%s failed", argv[optind + 1]);
	sample(id, "", events > 0 ? events / wall / 1e6 : wall);
	sample(id, ".wall", wall);
	sample(id, ".cpu",
		(double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	sample(id, ".anon", (double)anonymous / 1024);
	sample(id, ".peak", (double)usage.ru_maxrss / 1024);
	return fflush(stdout) == 0 ? 0 : 1;
}
