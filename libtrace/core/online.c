#include "online.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../../formats/base/number.h"
#include "clock.h"
#include "file.h"

_Static_assert((int)ONLINE_MAX == MAX_CPUS, "one entry a processor");

#define CPU_DIR "/sys/devices/system/cpu/"

/* A list of 1024 processors, every other one online, is under 3 KiB. */
enum { LIST_BYTES = 8192 };

static void add_range(struct cpu_set *set, uint64_t from, uint64_t to)
{
	for (uint64_t cpu = from; cpu <= to && cpu < ONLINE_MAX; cpu++) {
		set->word[cpu / 64] |= (uint64_t)1 << cpu % 64;
		if (cpu + 1 > set->end)
			set->end = (uint32_t)cpu + 1;
	}
}

bool cpu_set_parse(struct cpu_set *set, const char *text, size_t length)
{
	const char *p = text, *end = text + length;

	memset(set, 0, sizeof *set);
	while (length) {
		uint64_t from, to;

		if (!number_scan(&p, end, 10, UINT32_MAX, &from))
			break;
		to = from;
		if (p < end && *p == '-') {
			p++;
			if (!number_scan(&p, end, 10, UINT32_MAX, &to) || to < from)
				break;
		}
		add_range(set, from, to);
		if (p == end || (*p == '\n' && p + 1 == end))
			return set->end > 0;
		if (*p++ != ',')
			break;
	}
	memset(set, 0, sizeof *set);
	return false;
}

static bool read_list(const char *path, struct cpu_set *set)
{
	char text[LIST_BYTES];
	ssize_t n = file_read_once(path, text, sizeof text);

	return n > 0 && n < (ssize_t)sizeof text && cpu_set_parse(set, text, (size_t)n);
}

static struct file_kept online_file = {.fd = -1};
static pthread_once_t online_once = PTHREAD_ONCE_INIT;

static void open_online(void)
{
	file_keep(&online_file, CPU_DIR "online");
}

void cpu_set_online(struct cpu_set *set)
{
	char text[LIST_BYTES];
	ssize_t n;

	pthread_once(&online_once, open_online);
	n = file_is_kept(&online_file) ? file_pread(online_file.fd, text, sizeof text, 0) : -1;
	if (n > 0 && n < (ssize_t)sizeof text && cpu_set_parse(set, text, (size_t)n))
		return;
	if (read_list(CPU_DIR "online", set))
		return;

	long count = sysconf(_SC_NPROCESSORS_ONLN);

	memset(set, 0, sizeof *set);
	add_range(set, 0, count > 1 ? (uint32_t)count - 1 : 0);
}

_Thread_local struct cpu_set_lately cpu_set_lately;

void cpu_set_renew(uint64_t now)
{
	int saved = errno;

	cpu_set_online(&cpu_set_lately.set);
	cpu_set_lately.at = now;
	cpu_set_lately.lasts = clock_ticks_per_second();
	errno = saved;
}

static uint32_t possible;
static pthread_once_t possible_once = PTHREAD_ONCE_INIT;

static void read_possible(void)
{
	struct cpu_set set, online;
	long count = sysconf(_SC_NPROCESSORS_CONF);

	possible = count > 0 ? (uint32_t)count : 1;
	if (read_list(CPU_DIR "possible", &set))
		possible = set.end;
	cpu_set_online(&online);
	if (possible < online.end)
		possible = online.end;
	if (possible > ONLINE_MAX)
		possible = ONLINE_MAX;
}

uint32_t cpus_possible(void)
{
	pthread_once(&possible_once, read_possible);
	return possible;
}

/* The directory is made as a processor comes online, and removed as it goes; numbers of
 * sysfs's directories are not used again. */
uint64_t cpu_presence(uint32_t cpu)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof path, CPU_DIR "cpu%u/topology", cpu);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

bool cpu_list_is_empty(const char *name)
{
	char path[128];
	struct cpu_set set;

	snprintf(path, sizeof path, CPU_DIR "%s", name);
	return !read_list(path, &set);
}
