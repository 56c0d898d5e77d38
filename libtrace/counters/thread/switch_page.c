#include "switch_page.h"

#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../../formats/base/number.h"
#include "../../core/file.h"
#include "../perf/group.h"

static uint32_t pages; /* of this process */
static long most;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The kernel's default, where /proc does not tell. */
enum { MLOCK_KB = 516 };

static long mlock_kb(void)
{
	char text[32];
	const char *p = text;
	ssize_t n = file_read_once("/proc/sys/kernel/perf_event_mlock_kb", text, sizeof text - 1);
	uint64_t v;

	if (n <= 0)
		return MLOCK_KB;
	text[n] = 0;
	return number_scan(&p, text + n, 10, INT_MAX, &v) ? (long)v : MLOCK_KB;
}

/* Half of what the kernel grants: so much for each processor to a user, and beyond it the locked
 * memory of the process. */
static void switch_page_find_most(void)
{
	long page = sysconf(_SC_PAGESIZE);
	struct rlimit limit;

	most = mlock_kb() * 1024 / page * sysconf(_SC_NPROCESSORS_ONLN);
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
		most += limit.rlim_cur < INT_MAX ? (long)limit.rlim_cur / page : INT_MAX;
	most /= 2;
}

static bool take_share(long count)
{
	pthread_once(&once, switch_page_find_most);
	if (__atomic_fetch_add(&pages, count, __ATOMIC_RELAXED) + count <= most)
		return true;
	__atomic_fetch_sub(&pages, count, __ATOMIC_RELAXED);
	return false;
}

/* The event's page, and one of a ring. */
static int pages_of(const struct switch_page *p)
{
	return p->has_faults ? 2 : 1;
}

bool switch_page_open(struct switch_page *p, bool faults)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = faults ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_DUMMY,
		.sample_period = faults,
		.exclude_kernel = !faults,
		.exclude_hv = 1};
	int fd;

	p->page = NULL;
	p->has_faults = faults;
	if (!take_share(pages_of(p)))
		return false;
	fd = perf_calls.open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0) {
		p->page = perf_calls.map(fd, (size_t)pages_of(p));
		perf_calls.close(fd);
	}
	if (!p->page)
		__atomic_fetch_sub(&pages, pages_of(p), __ATOMIC_RELAXED);
	return p->page != NULL;
}

void switch_page_close(struct switch_page *p, bool forked)
{
	if (!p->page)
		return;
	if (!forked)
		perf_calls.unmap((void *)(uintptr_t)p->page, (size_t)pages_of(p));
	__atomic_fetch_sub(&pages, pages_of(p), __ATOMIC_RELAXED);
	p->page = NULL;
}
