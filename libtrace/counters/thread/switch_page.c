#include "switch_page.h"

#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../core/file.h"
#include "../perf/group.h"

static uint32_t pages; /* of this process */
static long most;
static pthread_once_t switch_page_once = PTHREAD_ONCE_INIT;

/* The kernel's default, for kernels whose /proc lacks it. */
enum { MLOCK_KB = 516 };

static long mlock_kb(void)
{
	int64_t kb;

	return file_read_number("/proc/sys/kernel/perf_event_mlock_kb", &kb) && kb >= 0 &&
			       kb <= INT_MAX
		       ? (long)kb
		       : MLOCK_KB;
}

/* Half of what the kernel grants: this much for each processor to a user, and beyond it the locked
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

static bool switch_page_reserve(long count)
{
	pthread_once(&switch_page_once, switch_page_find_most);
	if (__atomic_fetch_add(&pages, count, __ATOMIC_RELAXED) + count <= most)
		return true;
	__atomic_fetch_sub(&pages, count, __ATOMIC_RELAXED);
	return false;
}

static void switch_page_release(long count)
{
	__atomic_fetch_sub(&pages, count, __ATOMIC_RELAXED);
}

/* The event's page, and one of a ring. */
enum { PAGES_MOST = 2 };

static int count_pages(bool faults)
{
	return faults ? PAGES_MOST : 1;
}

static void *switch_page_map_event(bool faults)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = faults ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_DUMMY,
		.sample_period = faults,
		.exclude_kernel = !faults,
		.exclude_hv = 1};
	int fd = perf_calls.open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *page;

	if (fd < 0)
		return NULL;
	page = perf_calls.map(fd, (size_t)count_pages(faults));
	perf_calls.close(fd);
	return page;
}

/* Maps the event where the thread's page is. NULL: refused. */
static void *switch_page_map(const struct switch_page *p, bool faults)
{
	void *event = switch_page_map_event(faults), *address, *page;

	if (!event)
		return NULL;
	address = p->page ? (void *)(uintptr_t)p->page : perf_calls.map(-1, PAGES_MOST);
	page = address ? perf_calls.move_map(event, (size_t)count_pages(faults), address) : NULL;
	if (page)
		return page;
	perf_calls.unmap(event, (size_t)count_pages(faults));
	if (address && !p->page)
		perf_calls.unmap(address, PAGES_MOST);
	return NULL;
}

bool switch_page_open(struct switch_page *p, bool faults)
{
	void *page;

	if (!switch_page_reserve(count_pages(faults)))
		return false;
	page = switch_page_map(p, faults);
	if (!page) {
		switch_page_release(count_pages(faults));
		return false;
	}
	if (p->is_open)
		switch_page_release(count_pages(p->has_faults));
	*p = (struct switch_page){page, true, faults};
	return true;
}

void switch_page_close(struct switch_page *p)
{
	if (!p->is_open)
		return;
	perf_calls.blank((void *)(uintptr_t)p->page, PAGES_MOST);
	switch_page_release(count_pages(p->has_faults));
	p->is_open = false;
}

void switch_page_free(struct switch_page *p, bool forked)
{
	if (p->is_open)
		switch_page_release(count_pages(p->has_faults));
	if (p->page && !forked)
		perf_calls.unmap((void *)(uintptr_t)p->page, PAGES_MOST);
	*p = (struct switch_page){0};
}
