/*
 * Bare groups of perf events, and software events that replace hardware events.
 */
#include "counters.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

static bool standing_in;

void stand_in_begin(void)
{
	standing_in = true;
}

bool stands_in(void)
{
	return standing_in;
}

/* Picks an event that the kernel reads with a single load, the cheapest kind. */
static struct perf_event_attr stand_in(const struct perf_event_attr *attr)
{
	static const uint64_t config[] = {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS_MIN,
		PERF_COUNT_SW_PAGE_FAULTS_MAJ};
	struct perf_event_attr other = *attr;

	other.type = PERF_TYPE_SOFTWARE;
	other.config = config[attr->config % (sizeof config / sizeof *config)];
	return other;
}

/* Interposes libc's syscall for the whole process; libc has no wrapper for perf_event_open. */
long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long argument[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		argument[i] = va_arg(args, long);
	va_end(args);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (standing_in && number == SYS_perf_event_open) {
		const struct perf_event_attr *attr = (const void *)argument[0];
		struct perf_event_attr other;

		if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_RAW) {
			other = stand_in(attr);
			return real(
				number, &other, argument[1], argument[2], argument[3], argument[4]);
		}
	}
	return real(number, argument[0], argument[1], argument[2], argument[3], argument[4],
		argument[5]);
}

static int open_one(uint32_t type, uint64_t config, int pid, int cpu, int group)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.size = sizeof attr;
	attr.type = type;
	attr.config = config;
	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

	long fd = syscall(SYS_perf_event_open, &attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);

	/* Unprivileged users may count at least user mode. */
	if (fd < 0 && errno == EACCES) {
		attr.exclude_kernel = attr.exclude_hv = 1;
		fd = syscall(SYS_perf_event_open, &attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
	}
	return (int)fd;
}

struct bare bare_open(uint32_t type, const uint64_t *config, unsigned count, int pid, int cpu)
{
	struct bare b = {0, {0}};

	for (unsigned i = 0; i < count; i++) {
		int fd = open_one(type, config[i], pid, cpu, b.count ? b.fd[0] : -1);

		if (fd < 0 && i == 0)
			break;
		if (fd >= 0)
			b.fd[b.count++] = fd;
	}
	return b;
}

void bare_close(struct bare *b)
{
	while (b->count)
		close(b->fd[--b->count]);
}
