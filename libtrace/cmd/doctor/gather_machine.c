/*
 * doctor: gathers facts on the clock, restartable sequences, memory and limits.
 */
#include <errno.h>
#include <linux/magic.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../../formats/session.h"
#include "../../../formats/trace_file.h"
#include "../../core/clock.h"
#include "../../core/file.h"
#include "../../core/proc_field.h"
#include "../../session/session.h"
#include "facts.h"

/* ------------------------------------------------------------- the clock */

/* Measures the clock for 50 ms: deviation from CLOCK_MONOTONIC_RAW, in parts per million. */
static double drift_ppm(void)
{
	const struct timespec wait = {.tv_nsec = 50000000};
	uint64_t t0 = clock_now(), n0 = clock_raw_ns();

	nanosleep(&wait, NULL);
	uint64_t t1 = clock_now(), n1 = clock_raw_ns();
	double ticks = (double)(t1 - t0) / (double)clock_ticks_per_second() * 1e9;
	return (ticks - (double)(n1 - n0)) / (double)(n1 - n0) * 1e6;
}

/* Visits all processors twice. Returns how many; *back: how often a stamp was less than the one
 * before it. */
static int round_trip(int *back)
{
	cpu_set_t before, one;
	uint64_t last = 0;
	int visited = 0;

	*back = 0;
	if (sched_getaffinity(0, sizeof before, &before))
		return 0;
	for (int i = 0; i < 2 * CPU_SETSIZE; i++) {
		int cpu = i % CPU_SETSIZE;

		if (!CPU_ISSET(cpu, &before))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof one, &one))
			continue;
		uint64_t now = clock_now();
		*back += now < last;
		last = now;
		visited += i < CPU_SETSIZE;
	}
	sched_setaffinity(0, sizeof before, &before);
	return visited;
}

/* Whether the first processor has these flags; -1: /proc/cpuinfo has no flags line, as on
 * AArch64. */
static void tsc_flags(struct clock_facts *c)
{
	char flags[8192];

	c->constant = c->nonstop = -1;
	if (!proc_field_read("/proc/cpuinfo", "flags", flags, sizeof flags))
		return;
	c->constant = strstr(flags, " constant_tsc") != NULL;
	c->nonstop = strstr(flags, " nonstop_tsc") != NULL;
}

/* CLOCK_BOOTTIME includes suspended time. Read it first, so that preemption does not look like a
 * suspend. */
static uint64_t suspended_ns(void)
{
	struct timespec boot, mono;
	int64_t more;

	if (clock_gettime(CLOCK_BOOTTIME, &boot) || clock_gettime(CLOCK_MONOTONIC, &mono))
		return 0;
	more = (int64_t)(time_ns(boot) - time_ns(mono));
	return more > 0 ? (uint64_t)more : 0;
}

void gather_clock(struct clock_facts *c)
{
	const char *asked = secure_getenv("SWTRACE_CLOCK");

	c->title = clock_name(clock_kind());
	c->is_call = clock_kind() == TF_CLOCK_MONOTONIC_RAW;
	c->asked_for = asked && strcmp(asked, "raw") == 0;
	c->hz = clock_ticks_per_second();
	c->ppm = NAN;
	c->trust = clock_trust_now(&c->kernel);
	tsc_flags(c);
	c->suspended_ns = suspended_ns();
}

void gather_clock_measure(struct clock_facts *c)
{
	c->visited = round_trip(&c->back);
	c->ppm = drift_ppm();
}

/* ------------------------------------------------------------- the rings */

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
extern const unsigned int __rseq_size __attribute__((weak));

static bool libc_registers_rseq(void)
{
	return &__rseq_size && __rseq_size > 0;
}
#else
static bool libc_registers_rseq(void)
{
	return false;
}
#endif

/* Passes an invalid address: a kernel with rseq rejects it with an error other than ENOSYS. */
static bool kernel_has_rseq(void)
{
#if defined(SYS_rseq)
	return syscall(SYS_rseq, NULL, 0, 0, 0) == 0 || (errno != ENOSYS && errno != EPERM);
#else
	return false;
#endif
}

void gather_rings(struct rings_facts *r)
{
	r->registered = libc_registers_rseq();
	r->kernel = r->registered || kernel_has_rseq();
}

/* -------------------------------------------------------------- /dev/shm */

/* The lowest limit of a control group and its ancestors; UINT64_MAX: none. */
static uint64_t least_limit(const char *root, char *group, const char *file)
{
	uint64_t least = UINT64_MAX;

	for (;;) {
		char path[512];
		int64_t limit;

		snprintf(path, sizeof path, "%s%.400s/%s", root, group, file);
		if (file_read_number(path, &limit) && limit >= 0 && (uint64_t)limit < least)
			least = (uint64_t)limit;
		char *end = strrchr(group, '/');
		if (!end)
			return least;
		*end = 0;
	}
}

/* Parses lines "0::/GROUP" (version 2) and "N:memory:/GROUP". Ignores a limit above the machine's
 * memory. */
static uint64_t container_limit(void)
{
	char line[512];
	uint64_t least = UINT64_MAX, limit;
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && fgets(line, sizeof line, f)) {
		char *kind = strchr(line, ':'), *group = kind ? strchr(kind + 1, ':') : NULL;

		if (!group)
			continue;
		line[strcspn(line, "\n")] = 0;
		*group++ = 0;
		if (kind[1] == 0)
			limit = least_limit("/sys/fs/cgroup", group, "memory.max");
		else if (strcmp(kind + 1, "memory") == 0)
			limit = least_limit(
				"/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
		else
			continue;
		least = limit < least ? limit : least;
	}
	if (f)
		fclose(f);
	return least < 1ull << 60 ? least : 0;
}

void gather_memory(struct memory_facts *m)
{
	struct session_config config = {.mode = SHM_MODE_NORMAL, .group = (gid_t)-1};
	struct shm_geometry g;
	struct statvfs v;
	struct statfs fs;
	struct stat st;

	if (session_plan(&config, &g, NULL) == 0)
		m->wanted = g.file_size;
	m->container = container_limit();
	if (stat(SHM_ROOT, &st) || statvfs(SHM_ROOT, &v) || statfs(SHM_ROOT, &fs)) {
		m->error = errno;
		return;
	}
	m->tmpfs = fs.f_type == TMPFS_MAGIC;
	m->writable = access(SHM_ROOT, W_OK) == 0;
	m->mode = (unsigned)st.st_mode & 07777;
	m->room = (uint64_t)v.f_bavail * v.f_frsize;
	m->size = (uint64_t)v.f_blocks * v.f_frsize;
}

static uint64_t limit_of(rlim_t value)
{
	return value == RLIM_INFINITY ? UINT64_MAX : (uint64_t)value;
}

void gather_limits(struct limit_facts *l)
{
	struct rlimit files = {RLIM_INFINITY, RLIM_INFINITY}, size = files;

	getrlimit(RLIMIT_NOFILE, &files);
	getrlimit(RLIMIT_FSIZE, &size);
	l->descriptors = limit_of(files.rlim_cur);
	l->descriptors_hard = limit_of(files.rlim_max);
	l->file_size = limit_of(size.rlim_cur);
}
