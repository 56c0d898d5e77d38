#include "proc_stat.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../core/clock.h"
#include "../../core/file.h"
#include "../../core/lock.h"

/* Holds 1024 processors of 10 fields. The interrupt line comes after them and may be cut. */
enum { STAT_BYTES = 256 * 1024 };

/* Guards the buffer and the descriptor. */
static pthread_mutex_t proc_stat_lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer; /* lives as long as the process */
static struct file_kept proc_stat = {.fd = -1};

uint64_t stat_resolution(void)
{
	long hz = sysconf(_SC_CLK_TCK);

	return TIME_SECOND_NS / (uint64_t)(hz > 0 ? hz : 100);
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

/* Reads again after an interruption, which blurs the moment of the sample. Many processors need
 * time anyway: up to 10 us each counts as uninterrupted. */
static ssize_t stat_read_file(uint32_t room, uint64_t *at)
{
	const uint64_t quick =
		clock_ticks_per_second() / 5000 + room * (clock_ticks_per_second() / 100000);
	uint64_t took = UINT64_MAX;
	ssize_t n = -1;

	for (int i = 0; i < 3 && took > quick; i++) {
		uint64_t before = clock_now();

		n = file_pread(proc_stat.fd, buffer, STAT_BYTES, 0);
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
	if (!buffer || (!file_is_kept(&proc_stat) && !file_keep(&proc_stat, "/proc/stat")))
		return false;
	n = stat_read_file(room, at);
	return n > 0 && stat_parse_cpus(buffer, (size_t)n, cpu, room);
}

bool stat_read(struct stat_cpu *cpu, uint32_t room, uint64_t *at)
{
	const int cancellation = lock_hold(&proc_stat_lock);
	const bool good = stat_read_cpus(cpu, room, at);

	lock_release(&proc_stat_lock, cancellation);
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
