/* The recorder as others see it: started, asked, ended. */
#include "recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
#include "../core/file.h"
#include "../core/online.h"
#include "../session/fail.h"
#include "records.h"
#include "recording.h"

#define END_PATIENCE_NS UINT64_C(10000000000)
#define FLUSH_PATIENCE_NS UINT64_C(2000000000)

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
	prctl(PR_SET_NAME, SHM_KERNEL_COMMAND);
	r = recording_open(place, generation, channel, stays, &report.rc, &report.error);
	send(channel, &report, sizeof report, MSG_NOSIGNAL);
	if (!r)
		_exit(1);
	recording_follow(r);
	_exit(0);
}

/* Fork twice: nobody has to wait for it, and its session has no terminal. */
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
static int recorder_open_file(const struct session *s)
{
	int fd = openat(s->dir, SHM_KERNEL_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
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
	int fd = recorder_open_file(s);
	bool runs = recorder_read(fd, figures);

	if (fd >= 0)
		close(fd);
	return runs;
}

/* The number may be stale, of another PID namespace, or made up by the session's owner: signals
 * only a process that bears the recorder's name. */
static bool recorder_signal(uint32_t pid, int signal)
{
	char path[32], name[sizeof SHM_KERNEL_COMMAND + 1];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%u/comm", pid);
	n = file_read_once(path, name, sizeof name - 1);
	name[n > 0 ? n : 0] = 0;
	return strcmp(name, SHM_KERNEL_COMMAND "\n") == 0 && kill((pid_t)pid, signal) == 0;
}

/* Sends the signal, and waits until `flushes` has changed; ends: until it is gone. */
static bool recorder_ask(const struct session *s, int signal, struct shm_kernel *figures)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const uint64_t since = time_ns_monotonic(),
		       patience = signal == SIGTERM ? END_PATIENCE_NS : FLUSH_PATIENCE_NS;
	int fd = recorder_open_file(s);
	struct shm_kernel before;
	bool runs = recorder_read(fd, &before), done = false;

	*figures = before;
	if (runs && recorder_signal(before.pid, signal)) {
		while (!done && time_ns_monotonic() - since < patience) {
			runs = recorder_read(fd, figures);
			done = !runs || (signal != SIGTERM && figures->flushes != before.flushes);
			if (!done)
				nanosleep(&pause, NULL);
		}
	}
	if (fd >= 0)
		close(fd);
	return done;
}

void kernel_recorder_flush(const struct session *s)
{
	struct shm_kernel figures;

	recorder_ask(s, SIGUSR1, &figures);
}

bool kernel_recorder_stop(const struct session *s, struct shm_kernel *figures)
{
	return recorder_ask(s, SIGTERM, figures);
}
