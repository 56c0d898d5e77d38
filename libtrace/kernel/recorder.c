/* The recorder as others see it: started, asked, ended. */
#include "recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../core/online.h"
#include "../session/fail.h"
#include "records.h"
#include "recording.h"

#define PATIENCE_NS UINT64_C(10000000000)

/* Its single message to who starts it. */
struct recorder_report {
	int rc;
	struct session_error error;
};

int kernel_recorder_probe(struct session_error *error)
{
	struct kernel_records records;
	struct cpu_set online;
	char why[256];
	int rc = -ENODEV;

	cpu_set_online(&online);
	/* One may go offline meanwhile. */
	for (uint32_t cpu = 0; cpu < online.end && rc == -ENODEV; cpu++)
		if (cpu_set_has(&online, cpu))
			rc = kernel_records_open(&records, cpu);
	if (rc == 0) {
		kernel_records_close(&records);
		return 0;
	}
	kernel_records_explain(rc, why, sizeof why);
	return session_fail(error, rc, "cannot record the kernel's context switches: %s", why);
}

/* -------------------------------------------------------------------------- start */

/* What it inherited would stay open: locks of the command, pipes. */
static void recorder_close_inherited(int keep)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *e;
	int null;

	while (d && (e = readdir(d))) {
		int fd = atoi(e->d_name);

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

__attribute__((noreturn)) static void recorder_live(
	const struct session_place *place, uint32_t generation, bool stays, int channel)
{
	struct recorder_report report = {0};
	struct recording *r;

	recorder_close_inherited(channel);
	prctl(PR_SET_NAME, "swtrace-kernel");
	r = recording_open(place, generation, channel, stays, &report.rc, &report.error);
	send(channel, &report, sizeof report, MSG_NOSIGNAL);
	if (!r)
		_exit(1);
	recording_follow(r);
	_exit(0);
}

/* Fork twice: init reaps it, and its session has no terminal. */
static int recorder_fork(
	const struct session_place *place, uint32_t generation, bool stays, int channel)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid == 0)
			recorder_live(place, generation, stays, channel);
		_exit(pid < 0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

int kernel_recorder_start(const struct session_place *place, uint32_t generation, bool stays,
	int *channel, struct session_error *error)
{
	struct recorder_report report;
	int ends[2], rc;
	ssize_t n;

	*channel = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return session_fail(error, -errno, "cannot start the recorder of switches: %s",
			strerror(errno));
	rc = recorder_fork(place, generation, stays, ends[1]);
	close(ends[1]);
	while (rc == 0 && (n = recv(ends[0], &report, sizeof report, 0)) != sizeof report)
		if (n >= 0 || errno != EINTR)
			rc = -ECHILD;
	if (rc) {
		close(ends[0]);
		return session_fail(error, rc, "cannot start the recorder of switches: %s",
			rc == -ECHILD ? "it ended at once" : strerror(-rc));
	}
	if (report.rc || stays)
		close(ends[0]);
	else
		*channel = ends[0];
	if (report.rc && error)
		*error = report.error;
	return report.rc;
}

/* --------------------------------------------------------------------- figures, end */

/* Opens its file. -1: there is none, or it is not of the session's owner. */
static int recorder_open_file(const struct session *s, int access)
{
	int fd = openat(s->dir, SHM_KERNEL_NAME, access | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == s->place.owner))
		return fd;
	close(fd);
	return -1;
}

static bool recorder_read(int fd, struct shm_kernel *figures)
{
	bool runs;

	*figures = (struct shm_kernel){0};
	if (fd < 0)
		return false;
	runs = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (!runs)
		flock(fd, LOCK_UN);
	if (pread(fd, figures, sizeof *figures, 0) != sizeof *figures ||
		figures->magic != SHM_MAGIC)
		*figures = (struct shm_kernel){0};
	return runs && figures->pid > 1 && !figures->has_ended;
}

bool kernel_recorder_is_running(const struct session *s, struct shm_kernel *figures)
{
	int fd = recorder_open_file(s, O_RDONLY);
	bool runs = recorder_read(fd, figures);

	if (fd >= 0)
		close(fd);
	return runs;
}

static uint64_t recorder_ticket(const struct shm_kernel *k)
{
	const uint64_t most = k->asked > k->answered ? k->asked : k->answered,
		       now = time_ns_monotonic();

	return now > most ? now : most + 1;
}

/* Closes what it opens: this wakes the recorder. */
static void recorder_request(const struct session *s, uint64_t asked, uint32_t ends_of)
{
	const struct shm_kernel k = {.asked = asked, .ends_of = ends_of};
	const size_t at = offsetof(struct shm_kernel, asked);
	int fd = recorder_open_file(s, O_RDWR);
	ssize_t n;

	if (fd < 0)
		return;
	n = pwrite(fd, (const char *)&k + at, sizeof k - at, (off_t)at);
	(void)n; /* a request that fails is repeated */
	close(fd);
}

/*
 * Waits until all records so far are hooks; ends: until the recorder has ended. False: there is
 * none, or it did not answer in time. A request that another one has replaced is repeated.
 */
static bool recorder_ask(const struct session *s, bool ends, struct shm_kernel *figures)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const uint64_t since = time_ns_monotonic();
	int fd = recorder_open_file(s, O_RDONLY);
	bool done = !recorder_read(fd, figures);
	const uint64_t ticket = recorder_ticket(figures);
	const uint32_t pid = figures->pid;

	while (!done && time_ns_monotonic() - since < PATIENCE_NS) {
		if (figures->asked < ticket || (ends && figures->ends_of != pid))
			recorder_request(s, ticket, ends ? pid : figures->ends_of);
		nanosleep(&pause, NULL);
		done = !recorder_read(fd, figures) || figures->pid != pid ||
		       (!ends && figures->answered >= ticket);
	}
	if (fd >= 0)
		close(fd);
	return done;
}

bool kernel_recorder_flush(const struct session *s)
{
	struct shm_kernel figures;

	return recorder_ask(s, false, &figures);
}

bool kernel_recorder_stop(const struct session *s, struct shm_kernel *figures)
{
	return recorder_ask(s, true, figures);
}
