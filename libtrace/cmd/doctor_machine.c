/*
 * doctor: shared memory, restartable sequences, the clock.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/session.h"
#include "../../formats/trace_file.h"
#include "../counters/clock.h"
#include "../session/session.h"
#include "doctor.h"

/* ------------------------------------------------------------------------- /dev/shm */

void doctor_memory(struct findings *f)
{
	struct session_config config = {.mode = SHM_MODE_NORMAL, .group = (gid_t)-1};
	struct shm_geometry g;
	struct statvfs v;
	struct statfs fs;
	struct stat st;

	if (stat(SHM_ROOT, &st) || statvfs(SHM_ROOT, &v) || statfs(SHM_ROOT, &fs)) {
		finding(f, "memory", FINDING_BAD, "%s: %s; sessions need a tmpfs mounted there",
			SHM_ROOT, strerror(errno));
		return;
	}
	unsigned long long room = (unsigned long long)v.f_bavail * v.f_frsize;
	bool fits = session_plan(&config, &g, NULL) != 0 || g.file_size < room;
	finding(f, "memory", fits ? FINDING_GOOD : FINDING_BAD, "%s has %llu MiB free%s", SHM_ROOT,
		room >> 20,
		fits ? "" : ", too little for the defaults: swtrace init -s 1, or enlarge it");
	if (fs.f_type != TMPFS_MAGIC)
		finding(f, "memory", FINDING_BAD, "%s is no tmpfs: hooks may go through a disk",
			SHM_ROOT);
	if ((st.st_mode & 07777) != 01777)
		finding(f, "memory", access(SHM_ROOT, W_OK) == 0 ? FINDING_NOTE : FINDING_BAD,
			"%s has mode %04o, not 1777: not everyone can make a session", SHM_ROOT,
			(unsigned)(st.st_mode & 07777));
}

/* ------------------------------------------------------------------------- the rings */

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

void doctor_rings(struct findings *f)
{
	if (clock_kind() == TF_CLOCK_MONOTONIC_RAW)
		finding(f, "rings", FINDING_NOTE,
			"programs use the guest rings, because the clock is a call here and no "
			"instruction: hooks cost more");
	else if (libc_registers_rseq())
		finding(f, "rings", FINDING_GOOD,
			"programs use the per-processor rings (libc registers rseq)");
	else
		finding(f, "rings", FINDING_NOTE,
			"programs use the guest rings, because libc does not register rseq (glibc "
			"before 2.35, GLIBC_TUNABLES, or a kernel without it): hooks cost more");
}

/* ------------------------------------------------------------------------- the clock */

static const char *clock_title(void)
{
	switch (clock_kind()) {
	case TF_CLOCK_TSC:
		return "TSC";
	case TF_CLOCK_ARM_GENERIC:
		return "generic timer";
	default:
		return "CLOCK_MONOTONIC_RAW";
	}
}

/* How far 50 ms of ticks are from 50 ms of CLOCK_MONOTONIC_RAW, parts per million. */
static double drift_ppm(void)
{
	const struct timespec wait = {.tv_nsec = 50000000};
	uint64_t t0 = clock_now(), n0 = clock_raw_ns();

	nanosleep(&wait, NULL);
	uint64_t t1 = clock_now(), n1 = clock_raw_ns();
	double ticks = (double)(t1 - t0) / (double)clock_ticks_per_second() * 1e9;
	return (ticks - (double)(n1 - n0)) / (double)(n1 - n0) * 1e6;
}

/* Goes round the processors twice. Returns how many; *back: how often a stamp was less
 * than the one before it. */
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

static bool first_line(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, line, size - 1);

	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = 0;
	line[strcspn(line, "\n")] = 0;
	return n > 0;
}

static void kernel_opinion(struct findings *f)
{
	char source[64];

	if (clock_kind() != TF_CLOCK_TSC ||
		!first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			source, sizeof source))
		return;
	if (strcmp(source, "tsc") != 0)
		finding(f, "clock", FINDING_NOTE, "the kernel keeps time by %s, not by the TSC: %s",
			source,
			strstr(source, "kvm") || strstr(source, "hyperv") || strstr(source, "xen")
				? "usual in a virtual machine"
				: "if it found the TSC unstable, set SWTRACE_CLOCK=raw");
}

void doctor_clock(struct findings *f)
{
	int back, cpus = round_trip(&back);
	double ppm = drift_ppm();
	bool steady = ppm < 500 && ppm > -500;

	finding(f, "clock", FINDING_GOOD, "%s, %" PRIu64 " ticks per second", clock_title(),
		clock_ticks_per_second());
	finding(f, "clock", back ? FINDING_BAD : FINDING_GOOD,
		back ? "stamps went backwards %2$d times from one of %1$d processors to the next: "
		       "set SWTRACE_CLOCK=raw"
		     : "stamps never went backwards over %d processors",
		cpus, back);
	finding(f, "clock", steady ? FINDING_GOOD : FINDING_BAD,
		"%+.0f ppm from CLOCK_MONOTONIC_RAW over 50 ms%s", ppm,
		steady ? "" : ": set SWTRACE_CLOCK=raw, or try again on a quieter machine");
	kernel_opinion(f);
}
