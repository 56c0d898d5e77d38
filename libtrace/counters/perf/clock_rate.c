/*
 * The rate of the clock as the kernel knows it: in the page of any perf event, a software event's
 * too, it exports its conversion of the TSC, ns = ticks * mult >> shift, good to a few parts per
 * billion.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../core/clock.h"

uint64_t clock_rate_of_kernel(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	long page = sysconf(_SC_PAGESIZE);
	uint64_t rate = 0;
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return 0;
	const volatile struct perf_event_mmap_page *p =
		mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED) {
		if (p->cap_user_time && p->time_mult)
			rate = (uint64_t)(((unsigned __int128)TIME_SECOND_NS << p->time_shift) /
					  p->time_mult);
		munmap((void *)(uintptr_t)p, (size_t)page);
	}
	close(fd);
	return rate;
}
