#include "proc_stat.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../core/clock.h"
#include "../../core/file.h"

/* Holds 1024 processors of 10 fields. The interrupt line comes after them and may be cut. */
enum { STAT_BYTES = 256 * 1024 };

/* Guards the buffer and the descriptor. */
static pthread_mutex_t proc_stat_lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer; /* lives as long as the process */
static int proc_stat_fd = -1;
static struct stat fd_as; /* its identity when it was opened */

uint64_t stat_resolution(void)
{
	long hz = sysconf(_SC_CLK_TCK);

	return TIME_SECOND_NS / (uint64_t)(hz > 0 ? hz : 100);
}

/* The program may have closed and reused the descriptor (a daemon closes everything). */
static bool stat_is_own_file(void)
{
	struct stat now;

	return proc_stat_fd >= 0 && fstat(proc_stat_fd, &now) == 0 && now.st_dev == fd_as.st_dev &&
	       now.st_ino == fd_as.st_ino;
}

static bool stat_open_file(void)
{
	int low = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, file_high_descriptor());

	if (high >= 0)
		close(low);
	proc_stat_fd = high >= 0 ? high : low;
	if (proc_stat_fd >= 0 && fstat(proc_stat_fd, &fd_as) == 0)
		return true;
	if (proc_stat_fd >= 0)
		close(proc_stat_fd);
	proc_stat_fd = -1;
	return false;
}

static uint64_t in_ns(uint64_t value, bool known, uint64_t quantum)
{
	return known && value < INT64_MAX / quantum ? value * quantum : UINT64_MAX;
}

static bool stat_parse_cpus(const char *text, size_t length, struct stat_cpu *cpu, uint32_t room)
{
	const uint64_t quantum = stat_resolution();
	const char *p = text, *end = text + length;
	struct stat_line line;
	bool found = false;

	for (uint32_t i = 0; i < room; i++)
		cpu[i] = (struct stat_cpu){UINT64_MAX, UINT64_MAX, UINT64_MAX};
	while (stat_next(&p, end, &line)) {
		found = true;
		if (line.cpu < room)
			cpu[line.cpu] = (struct stat_cpu){in_ns(line.idle, true, quantum),
				in_ns(line.intr, line.has_intr, quantum),
				in_ns(line.steal, line.has_steal, quantum)};
	}
	return found;
}

/* Reads again after an interruption, which blurs the moment of the sample. Many processors take
 * long anyway: up to 10 us each counts as uninterrupted. */
static ssize_t stat_read_file(uint32_t room, uint64_t *at)
{
	const uint64_t quick =
		clock_ticks_per_second() / 5000 + room * (clock_ticks_per_second() / 100000);
	uint64_t took = UINT64_MAX;
	ssize_t n = -1;

	for (int i = 0; i < 3 && took > quick; i++) {
		uint64_t before = clock_now();

		n = file_pread(proc_stat_fd, buffer, STAT_BYTES, 0);
		took = clock_now() - before;
		*at = before + took / 2;
	}
	return n;
}

static bool stat_read_cpus(struct stat_cpu *cpu, uint32_t room, uint64_t *at)
{
	ssize_t n;

	if (!buffer)
		buffer = malloc(STAT_BYTES);
	if (!buffer || (!stat_is_own_file() && !stat_open_file()))
		return false;
	n = stat_read_file(room, at);
	return n > 0 && stat_parse_cpus(buffer, (size_t)n, cpu, room);
}

bool stat_read(struct stat_cpu *cpu, uint32_t room, uint64_t *at)
{
	bool good;

	pthread_mutex_lock(&proc_stat_lock);
	good = stat_read_cpus(cpu, room, at);
	pthread_mutex_unlock(&proc_stat_lock);
	return good;
}

void stat_before_fork(void)
{
	pthread_mutex_lock(&proc_stat_lock);
}

void stat_after_fork(void)
{
	pthread_mutex_unlock(&proc_stat_lock);
}

void stat_forget_lock(void)
{
	proc_stat_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
