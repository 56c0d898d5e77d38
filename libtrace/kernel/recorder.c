/* The recorder as others see it: started, asked, ended. */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../core/detach.h"
#include "../core/online.h"
#include "../session/fail.h"
#include "records.h"
#include "recording.h"

#define PATIENCE_NS (10 * TIME_SECOND_NS)

/* Its single message to its starter. */
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
			rc = kernel_records_open(&records, cpu, false);
	if (rc == 0) {
		kernel_records_close(&records);
		return 0;
	}
	kernel_records_explain(rc, why, sizeof why);
	return session_fail(error, rc, "cannot record the kernel's context switches: %s", why);
}

/* -------------------------------------------------------------------------- start */

/* The recorder's arguments. */
struct recorder_arguments {
	const struct session_location *location;
	uint32_t generation;
	bool stays;
	int channel;
};

static void recorder_live(void *ctx)
{
	const struct recorder_arguments *start = ctx;
	struct recorder_report report = {0};
	struct recording *r;

	detach_from_caller(start->channel);
	prctl(PR_SET_NAME, "swtrace-kernel");
	r = recording_open(start->location, start->generation, start->channel, start->stays,
		&report.rc, &report.error);
	send(start->channel, &report, sizeof report, MSG_NOSIGNAL);
	if (!r)
		_exit(1);
	recording_follow(r);
	_exit(0);
}

int kernel_recorder_start(const struct session_location *location, uint32_t generation, bool stays,
	int *channel, struct session_error *error)
{
	struct recorder_report report;
	int ends[2], rc;
	ssize_t n;

	*channel = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return session_fail(error, -errno, "cannot start the recorder of switches: %s",
			strerror(errno));
	rc = detach_process(
		recorder_live, &(struct recorder_arguments){location, generation, stays, ends[1]});
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
	if (error)
		*error = report.error;
	return report.rc;
}

/* --------------------------------------------------------------------- figures, end */

/* Opens its file. -1: there is none, or it is not of the session's owner. */
static int recorder_open_file(const struct session *s, int access)
{
	int fd = openat(s->dir, SHM_KERNEL_NAME, access | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 ||
		(fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == s->location.owner))
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
	if (pread(fd, figures, sizeof *figures, 0) <
			(ssize_t)offsetof(struct shm_kernel, wakeups) ||
		figures->magic != SHM_MAGIC)
		*figures = (struct shm_kernel){0};
	if (figures->wakeups_of != figures->pid) {
		figures->has_wakeups = 0;
		figures->wakeups = figures->wakeups_missing = 0;
	}
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

/* Closes its descriptors: this wakes the recorder. */
static void recorder_request(const struct session *s, uint64_t asked, uint32_t ends_of)
{
	const struct shm_kernel k = {.asked = asked, .ends_of = ends_of};
	const size_t at = offsetof(struct shm_kernel, asked),
		     end = offsetof(struct shm_kernel, wakeups);
	int fd = recorder_open_file(s, O_RDWR);
	ssize_t n;

	if (fd < 0)
		return;
	n = pwrite(fd, (const char *)&k + at, end - at, (off_t)at);
	(void)n; /* a request that fails is repeated */
	close(fd);
}

/*
 * Waits until all records so far are hooks; ends: until the recorder has ended. False: there is
 * none, or it did not answer in time. A request that another one has replaced is repeated.
 */
static bool recorder_ask(const struct session *s, bool ends, struct shm_kernel *figures)
{
	const struct timespec pause = {.tv_nsec = TIME_MS_NS};
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
