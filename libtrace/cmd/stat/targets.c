/*
 * stat: existing processes and threads as targets, and how their ends are noticed.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../../formats/base/number.h"
#include "../../../formats/base/time_ns.h"
#include "../../core/file.h"
#include "stat.h"

/* Missing from older kernel headers. */
#define PIDFD_OPEN 434
#define PIDFD_THREAD O_EXCL

/* Poll interval for targets without a pidfd. */
#define LOOK_NS 50000000u

static bool stat_targets_have(const struct stat_targets *t, pid_t pid)
{
	for (unsigned i = 0; i < t->count; i++)
		if (t->pid[i] == pid)
			return true;
	return false;
}

bool stat_targets_add(struct stat_targets *t, const char *text)
{
	const char *end = text + strlen(text);

	for (;; text++) {
		uint64_t pid;

		if (!number_scan(&text, end, 10, INT32_MAX, &pid) || pid == 0 ||
			(*text && *text != ','))
			return false;
		if (!stat_targets_have(t, (pid_t)pid)) {
			if (t->count == STAT_TARGETS_MAX)
				return false;
			t->fd[t->count] = -1;
			t->pid[t->count++] = (pid_t)pid;
		}
		if (!*text)
			return true;
	}
}

void stat_targets_watch(struct stat_targets *t)
{
	for (unsigned i = 0; i < t->count; i++)
		t->fd[i] = (int)syscall(PIDFD_OPEN, t->pid[i], t->threads ? PIDFD_THREAD : 0);
}

/* A process continues while any thread runs, even if its first thread has ended. */
static bool has_more_threads(pid_t pid)
{
	int *tid;
	unsigned n;

	if (count_threads(&pid, 1, &tid, &n))
		return false;
	free(tid);
	return n > 1;
}

static bool has_ended(const struct stat_targets *t, unsigned i)
{
	struct pollfd p = {.fd = t->fd[i], .events = POLLIN};
	char path[40], text[512];

	if (t->fd[i] >= 0)
		return poll(&p, 1, 0) > 0;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)t->pid[i]);
	ssize_t n = file_read_once(path, text, sizeof text - 1);
	if (n <= 0)
		return true;
	text[n] = 0;
	/* "12 (name) S ...": the name may contain anything. */
	const char *name_end = strrchr(text, ')');
	bool dead = name_end && name_end[1] && strchr("ZXx", name_end[2]);
	return dead && (t->threads || !has_more_threads(t->pid[i]));
}

bool stat_targets_live(struct stat_targets *t)
{
	for (unsigned i = 0; i < t->count;) {
		if (!has_ended(t, i)) {
			i++;
			continue;
		}
		if (t->fd[i] >= 0)
			close(t->fd[i]);
		t->count--;
		t->pid[i] = t->pid[t->count];
		t->fd[i] = t->fd[t->count];
	}
	return t->count > 0;
}

void stat_targets_wait(const struct stat_targets *t, int wake, uint64_t ns)
{
	struct pollfd p[1 + STAT_TARGETS_MAX] = {{.fd = wake, .events = POLLIN}};
	uint64_t count;

	for (unsigned i = 0; i < t->count; i++) {
		p[1 + i] = (struct pollfd){.fd = t->fd[i], .events = POLLIN};
		if (t->fd[i] < 0 && ns > LOOK_NS)
			ns = LOOK_NS;
	}
	const struct timespec time = time_of_ns(ns);
	/* If the wake cannot be read, the caller notices it anyway. */
	if (ppoll(p, 1 + t->count, &time, NULL) > 0 && p[0].revents &&
		read(wake, &count, sizeof count) < 0)
		return;
}
