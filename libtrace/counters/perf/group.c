#include "group.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core_types.h"
#include "../../core/file.h"
#include "page.h"

static int real_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

static int real_ioctl(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument);
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void *map_zeros(void *at, size_t bytes, int flags)
{
	void *page = mmap(at, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (page != MAP_FAILED)
		madvise(page, bytes, MADV_DONTFORK);
	return page;
}

static void *real_map(int fd, size_t pages)
{
	size_t bytes = pages * page_size();
	void *page = fd < 0 ? map_zeros(NULL, bytes, 0)
			    : mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

static void real_unmap(void *page, size_t pages)
{
	munmap(page, pages * page_size());
}

static void *real_move_map(void *page, size_t pages, void *onto)
{
	size_t bytes = pages * page_size();
	void *at = mremap(page, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, onto);

	return at == MAP_FAILED ? NULL : at;
}

static void real_blank(void *page, size_t pages)
{
	map_zeros(page, pages * page_size(), MAP_FIXED);
}

static int real_move(int fd, int least)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, least);

	if (high >= 0)
		close(fd);
	return high;
}

struct perf_calls perf_calls = {real_open, read, real_ioctl, close, real_map, real_unmap,
	real_move_map, real_blank, real_move};

/* ---------------------------------------------------------------- opening, closing */

/* No attributes: EFAULT if the call exists. */
bool perf_group_supported(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) >= 0 || errno != ENOSYS;
}

/* Keeps the low number if no high one is free. */
static int perf_move_high(int fd)
{
	int least = file_high_descriptor();
	int high = fd < least ? perf_calls.move(fd, least) : -1;

	return high >= 0 ? high : fd;
}

static bool perf_member_is_own(const struct perf_member *m)
{
	uint64_t id = 0;

	return perf_calls.ioctl(m->fd, PERF_EVENT_IOC_ID, &id) == 0 && id == m->id;
}

static int open_member(struct perf_group *g, struct perf_event_attr *attr, pid_t pid, int cpu,
	struct perf_member *m)
{
	int leader = g->count ? g->member[0].fd : -1;

	attr->size = sizeof *attr;
	attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			    PERF_FORMAT_TOTAL_TIME_RUNNING;
	m->page = NULL;
	m->counts_instructions = attr->type == PERF_TYPE_HARDWARE &&
				 (uint32_t)attr->config == PERF_COUNT_HW_INSTRUCTIONS;
	do
		m->fd = perf_calls.open(attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	while (m->fd < 0 && errno == EINTR);
	if (m->fd < 0)
		return -errno;
	if (perf_calls.ioctl(m->fd, PERF_EVENT_IOC_ID, &m->id) != 0) {
		int error = errno;

		perf_calls.close(m->fd);
		return -error;
	}
	m->fd = perf_move_high(m->fd);
	return 0;
}

static int open_members(struct perf_group *g, struct perf_event_attr *attr, unsigned count,
	pid_t pid, int cpu, unsigned *failed)
{
	g->count = 0;
	g->mapped = false;
	for (unsigned i = 0; i < count; i++) {
		int rc = open_member(g, &attr[i], pid, cpu, &g->member[i]);

		if (rc) {
			*failed = i;
			perf_group_close(g, false);
			return rc;
		}
		g->count = i + 1;
	}
	return 0;
}

/*
 * Where cores differ, a counter's number may be right on the one that the thread was on and
 * wrong on the one that it was moved to before it read: system calls only.
 */
static bool may_read_here(void)
{
	return perf_registers_usable() && core_types()->count <= 1;
}

/* The bits of config1 that request counters readable in user mode, the widest first. */
static const uint64_t access_bits[] = {
#ifdef __aarch64__
	3,
	2,
#endif
	0,
};

static bool takes_access(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

int perf_group_open(struct perf_group *g, struct perf_event_attr *attr, unsigned count, pid_t pid,
	int cpu, unsigned *failed)
{
	const unsigned ways = sizeof access_bits / sizeof *access_bits;
	bool here = pid == 0 && cpu == -1 && may_read_here();
	bool asked[PERF_GROUP_MAX];
	unsigned index = 0;
	int rc = -EINVAL;

	g->count = 0;
	if (failed)
		*failed = 0;
	if (count == 0 || count > PERF_GROUP_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < count; i++)
		asked[i] = takes_access(&attr[i]) && attr[i].config1 == 0;
	for (unsigned way = here ? 0 : ways - 1; way < ways; way++) {
		for (unsigned i = 0; i < count; i++)
			if (asked[i])
				attr[i].config1 = access_bits[way];
		rc = open_members(g, attr, count, pid, cpu, &index);
		if (rc != -EINVAL && rc != -EOPNOTSUPP)
			break;
	}
	if (rc && failed)
		*failed = index;
	return rc;
}

static void perf_group_unmap(struct perf_group *g)
{
	for (unsigned i = 0; i < g->count; i++) {
		if (g->member[i].page)
			perf_calls.unmap(g->member[i].page, 1);
		g->member[i].page = NULL;
	}
	g->mapped = false;
}

void perf_group_map(struct perf_group *g)
{
	if (g->mapped || !may_read_here())
		return;
	for (unsigned i = 0; i < g->count; i++) {
		struct perf_member *m = &g->member[i];

		m->page = perf_member_is_own(m) ? perf_calls.map(m->fd, 1) : NULL;
		if (!m->page || !m->page->cap_user_rdpmc) {
			perf_group_unmap(g);
			return;
		}
	}
	g->mapped = g->count > 0;
}

/* Closes members before their leader. */
void perf_group_close(struct perf_group *g, bool forked)
{
	if (!forked)
		perf_group_unmap(g);
	for (unsigned i = g->count; i-- > 0;)
		if (perf_member_is_own(&g->member[i]))
			perf_calls.close(g->member[i].fd);
	g->count = 0;
	g->mapped = false;
}

/* ------------------------------------------------------------------------- reading */

int perf_group_read(const struct perf_group *g, struct perf_group_reading *r)
{
	uint64_t word[PERF_WORDS];
	int rc = perf_group_read_words(g, word);

	if (rc)
		return rc;
	for (unsigned i = 0; i < g->count; i++)
		r->count[i] = word[PERF_WORD_COUNTS + PERF_COUNT_WORDS * i];
	r->enabled = word[PERF_WORD_ENABLED];
	r->running = word[PERF_WORD_RUNNING];
	r->in_user_mode = false;
	return 0;
}

/* A group that is not on the counters now is read by the kernel, which knows whether it is
 * enabled; its pages do where the descriptors are gone. */
int perf_group_read_here(const struct perf_group *g, struct perf_group_reading *r)
{
	int rc;

	/* Nothing follows the call: after a system call each return is a guess of the processor's
	 * that went wrong. */
	if (!g->mapped)
		return perf_group_read(g, r);
	if (perf_pages_read(g->member, g->count, r) == PERF_PAGE_COUNTING)
		return 0;
	rc = perf_group_read(g, r);
	if (rc == -EBADF && perf_pages_read(g->member, g->count, r) != PERF_PAGE_UNKNOWN)
		return 0;
	return rc;
}

/* ------------------------------------------------------------------------ control */

static int perf_group_control(const struct perf_group *g, unsigned long request)
{
	if (g->count == 0 || !perf_member_is_own(&g->member[0]))
		return -EBADF;
	if (perf_calls.ioctl(g->member[0].fd, request, (void *)(uintptr_t)PERF_IOC_FLAG_GROUP) != 0)
		return -errno;
	return 0;
}

int perf_group_reset(const struct perf_group *g)
{
	return perf_group_control(g, PERF_EVENT_IOC_RESET);
}

int perf_group_enable(const struct perf_group *g)
{
	return perf_group_control(g, PERF_EVENT_IOC_ENABLE);
}

int perf_group_disable(const struct perf_group *g)
{
	return perf_group_control(g, PERF_EVENT_IOC_DISABLE);
}
