#include "perf.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int real_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

struct perf_calls perf_calls = {real_open, read, close};

static int open_event(uint64_t config, pid_t pid, int cpu, int group, bool user_only)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof attr,
		.config = config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
	};
	int fd;

	do
		fd = perf_calls.open(&attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd;
}

static bool out_of_descriptors(int error)
{
	return error == EMFILE || error == ENFILE;
}

static int open_group(struct perf_group *g, uint64_t second, pid_t pid, int cpu, bool user_only)
{
	*g = PERF_NO_GROUP;
	g->user_only = user_only;
	g->leader = open_event(PERF_COUNT_HW_INSTRUCTIONS, pid, cpu, -1, user_only);
	if (g->leader < 0) {
		g->error = errno;
		return out_of_descriptors(errno) ? PERF_NO_DESCRIPTORS : PERF_UNAVAILABLE;
	}
	g->second = open_event(second, pid, cpu, g->leader, user_only);
	if (g->second < 0 && out_of_descriptors(errno)) {
		g->error = errno;
		perf_close_group(g);
		return PERF_NO_DESCRIPTORS;
	}
	return PERF_OPEN;
}

int perf_open_cpu(struct perf_group *g, uint32_t cpu)
{
	return open_group(g, PERF_COUNT_HW_REF_CPU_CYCLES, -1, (int)cpu, false);
}

int perf_open_thread(struct perf_group *g)
{
	int rc = open_group(g, PERF_COUNT_HW_CPU_CYCLES, 0, -1, false);

	if (rc == PERF_UNAVAILABLE && (g->error == EACCES || g->error == EPERM))
		rc = open_group(g, PERF_COUNT_HW_CPU_CYCLES, 0, -1, true);
	return rc;
}

bool perf_read_group(const struct perf_group *g, struct perf_reading *r)
{
	uint64_t words[5]; /* how many, enabled, running, instructions, second */
	ssize_t n, want = g->second >= 0 ? 40 : 32;

	*r = (struct perf_reading){CPI_NONE, CPI_NONE, 0, 0};
	if (g->leader < 0)
		return false;
	do
		n = perf_calls.read(g->leader, words, sizeof words);
	while (n < 0 && errno == EINTR);
	/* 0: its processor went offline, or it lost the counter for good. */
	if (n != want || words[0] != (uint64_t)(want - 24) / 8)
		return false;
	r->enabled = words[1];
	r->running = words[2];
	r->instructions = words[3];
	if (g->second >= 0)
		r->second = words[4];
	return true;
}

void perf_close_group(struct perf_group *g)
{
	int error = g->error;

	if (g->second >= 0)
		perf_calls.close(g->second);
	if (g->leader >= 0)
		perf_calls.close(g->leader);
	*g = PERF_NO_GROUP;
	g->error = error;
}

/* ------------------------------------------------------------ the processors' groups */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned holders;
static struct perf_group cpu_group[ONLINE_MAX];
static uint32_t cpu_groups; /* entries of cpu_group in use */

static void close_cpus(void)
{
	for (uint32_t cpu = 0; cpu < cpu_groups; cpu++)
		perf_close_group(&cpu_group[cpu]);
	cpu_groups = 0;
}

static int open_cpus(const struct cpu_set *online)
{
	for (uint32_t cpu = 0; cpu < online->end; cpu++) {
		int rc = PERF_UNAVAILABLE;

		cpu_group[cpu] = PERF_NO_GROUP;
		cpu_groups = cpu + 1;
		if (cpu_set_has(online, cpu))
			rc = perf_open_cpu(&cpu_group[cpu], cpu);
		if (rc == PERF_NO_DESCRIPTORS) {
			close_cpus();
			return rc;
		}
		/* ENODEV: this one just went offline. Anything else holds for all. */
		if (rc != PERF_OPEN && cpu_set_has(online, cpu) && cpu_group[cpu].error != ENODEV)
			break;
	}
	return PERF_OPEN;
}

int perf_hold_cpus(const struct cpu_set *online)
{
	int rc = PERF_OPEN;

	pthread_mutex_lock(&lock);
	if (holders == 0)
		rc = open_cpus(online);
	if (rc == PERF_OPEN)
		holders++;
	pthread_mutex_unlock(&lock);
	return rc;
}

void perf_drop_cpus(void)
{
	pthread_mutex_lock(&lock);
	if (holders > 0 && --holders == 0)
		close_cpus();
	pthread_mutex_unlock(&lock);
}

/* Without the lock: who reads holds the groups, so nobody opens or closes them. */
bool perf_read_cpu(uint32_t cpu, struct perf_reading *r)
{
	if (cpu < cpu_groups)
		return perf_read_group(&cpu_group[cpu], r);
	*r = (struct perf_reading){CPI_NONE, CPI_NONE, 0, 0};
	return false;
}

void perf_before_fork(void)
{
	pthread_mutex_lock(&lock);
}

/* A processor's counters go on counting for the child as well. */
void perf_after_fork(void)
{
	pthread_mutex_unlock(&lock);
}
