#include "fake_pmu.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "../../libtrace/counters/perf.h"

enum { FIRST_FD = 5000, FDS = 4096 };

struct fake_pmu fake_pmu;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	bool open;
	bool leader, has_second;
	uint64_t reads;
} fds[FDS];

static int refusal(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	if (cpu >= 0 && cpu == fake_pmu.offline)
		return ENODEV;
	if (pid < 0 && fake_pmu.cpu_errno)
		return fake_pmu.cpu_errno;
	if (pid == 0 && attr->exclude_kernel && fake_pmu.user_errno)
		return fake_pmu.user_errno;
	if (pid == 0 && !attr->exclude_kernel && fake_pmu.thread_errno)
		return fake_pmu.thread_errno;
	if (group >= 0 && fake_pmu.second_errno)
		return fake_pmu.second_errno;
	return fake_pmu.open >= fake_pmu.limit ? EMFILE : 0;
}

static int fake_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	int fd, error;

	if (!(flags & PERF_FLAG_FD_CLOEXEC) || attr->type != PERF_TYPE_HARDWARE) {
		errno = EINVAL;
		return -1;
	}
	pthread_mutex_lock(&lock);
	fake_pmu.opens++;
	error = fake_pmu.interrupts-- > 0 ? EINTR : refusal(attr, pid, cpu, group);
	for (fd = 0; !error && fds[fd].open;)
		if (++fd == FDS)
			error = ENFILE;
	if (!error) {
		memset(&fds[fd], 0, sizeof fds[fd]);
		fds[fd].open = true;
		fds[fd].leader = group < 0;
		if (group >= 0)
			fds[group - FIRST_FD].has_second = true;
		if (++fake_pmu.open > fake_pmu.most)
			fake_pmu.most = fake_pmu.open;
	}
	pthread_mutex_unlock(&lock);
	errno = error;
	return error ? -1 : FIRST_FD + fd;
}

static ssize_t fake_read(int fd, void *bytes, size_t size)
{
	uint64_t word[5] = {1}, n;
	size_t have = 32;

	fd -= FIRST_FD;
	pthread_mutex_lock(&lock);
	fake_pmu.reads++;
	if (fake_pmu.interrupts-- > 0 || fake_pmu.read_fails || fd < 0 || !fds[fd].leader) {
		errno = fake_pmu.interrupts >= 0 ? EINTR : EIO;
		pthread_mutex_unlock(&lock);
		return -1;
	}
	n = ++fds[fd].reads;
	word[1] = n * fake_pmu.enabled;
	word[2] = n * fake_pmu.running;
	word[3] = n * fake_pmu.instructions;
	if (fds[fd].has_second) {
		word[0] = 2;
		word[4] = n * fake_pmu.second;
		have = 40;
	}
	pthread_mutex_unlock(&lock);
	if (fake_pmu.short_reads)
		return 0;
	if (size < have) {
		errno = ENOSPC;
		return -1;
	}
	memcpy(bytes, word, have);
	return (ssize_t)have;
}

static int fake_close(int fd)
{
	pthread_mutex_lock(&lock);
	fds[fd - FIRST_FD].open = false;
	fake_pmu.open--;
	pthread_mutex_unlock(&lock);
	return 0;
}

void fake_pmu_use(void)
{
	fake_pmu = (struct fake_pmu){.limit = 1000,
		.offline = -1,
		.instructions = 1000,
		.second = 500,
		.enabled = 100,
		.running = 100};
	perf_calls = (struct perf_calls){fake_open, fake_read, fake_close};
}
