#include "fake_pmu.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "../../libtrace/counters/perf/page.h"

enum { FIRST_FD = 5000, FDS = 4096 };

struct fake_pmu fake_pmu;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct event {
	bool open;
	int kind; /* PERF_KINDS: keeps others company */
	int leader;
	int cpu, type;
	unsigned present; /* when it was opened */
	uint64_t serial;
	uint64_t reads; /* of the group */
	bool begun;	/* a reading in user mode */
	uint64_t enabled, running;
} events[FDS];

static struct perf_event_mmap_page pages[FDS];
static bool lost;
static struct perf_calls kernel; /* where fake_pmu.switch_pages */

/* -1: no such event. */
static int kind_of(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY)
		return PERF_KINDS;
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES)
		return PERF_SWITCHES;
	if (attr->type == FAKE_MSR_TYPE)
		return attr->config == 2 ? PERF_MPERF : attr->config == 1 ? PERF_APERF : -1;
	if (attr->type != PERF_TYPE_HARDWARE)
		return -1;
	switch ((uint32_t)attr->config) {
	case PERF_COUNT_HW_INSTRUCTIONS:
		return PERF_INSTRUCTIONS;
	case PERF_COUNT_HW_CPU_CYCLES:
		return PERF_CYCLES;
	case PERF_COUNT_HW_REF_CPU_CYCLES:
		return PERF_REF_CYCLES;
	default:
		return -1;
	}
}

static bool on_type(int type, int cpu)
{
	return cpu < 64 && (fake_pmu.cpus_of[type] >> cpu & 1);
}

/* The type of core of the event, or of the processor if it has none; -1: none. */
static int type_of(const struct perf_event_attr *attr, int cpu)
{
	uint64_t pmu = attr->type == PERF_TYPE_HARDWARE ? attr->config >> 32 : 0;

	if (pmu)
		return fake_pmu.no_extended_types || pmu < FAKE_PMU_TYPE ||
				       pmu >= FAKE_PMU_TYPE + fake_pmu.types
			       ? -1
			       : (int)(pmu - FAKE_PMU_TYPE);
	for (unsigned type = 0; cpu >= 0 && type < fake_pmu.types; type++)
		if (on_type((int)type, cpu))
			return (int)type;
	return 0;
}

static int refusal(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int kind = kind_of(attr), type = type_of(attr, cpu);

	if (attr->read_format !=
			(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
				PERF_FORMAT_TOTAL_TIME_RUNNING) ||
		kind < 0 || attr->size != sizeof *attr)
		return EINVAL;
	if (pid < 0 && fake_pmu.cpu_errno)
		return fake_pmu.cpu_errno;
	if (cpu >= 0 && cpu == fake_pmu.offline)
		return ENODEV;
	if (pid == 0 && attr->exclude_kernel && fake_pmu.user_errno)
		return fake_pmu.user_errno;
	if (pid == 0 && !attr->exclude_kernel && fake_pmu.thread_errno)
		return fake_pmu.thread_errno;
	if (kind < PERF_KINDS && fake_pmu.errno_of[kind])
		return fake_pmu.errno_of[kind];
	if (type < 0 || (cpu >= 0 && fake_pmu.types && !on_type(type, cpu)))
		return ENOENT;
	if (fake_pmu.errno_of_access[attr->config1 & 3])
		return fake_pmu.errno_of_access[attr->config1 & 3];
	return fake_pmu.open >= fake_pmu.limit ? EMFILE : 0;
}

static int fake_open(
	struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	int fd = 0, error = flags & PERF_FLAG_FD_CLOEXEC ? 0 : EINVAL;

	if (fake_pmu.switch_pages && kind_of(attr) == PERF_KINDS)
		return kernel.open(attr, pid, cpu, group, flags);
	pthread_mutex_lock(&lock);
	fake_pmu.opens++;
	if (!error)
		error = fake_pmu.interrupts-- > 0 ? EINTR : refusal(attr, pid, cpu);
	while (!error && events[fd].open)
		if (++fd == FDS)
			error = ENFILE;
	if (!error) {
		events[fd] = (struct event){
			.open = true,
			.kind = kind_of(attr),
			.leader = group < 0 ? fd : group - FIRST_FD,
			.cpu = cpu,
			.type = type_of(attr, cpu),
			.present = cpu < 0 ? 0 : fake_pmu.present[cpu],
			.serial = 100000 + fake_pmu.opens,
		};
		fake_pmu.access = attr->config1;
		if (++fake_pmu.open > fake_pmu.most)
			fake_pmu.most = fake_pmu.open;
	}
	pthread_mutex_unlock(&lock);
	errno = error;
	return error ? -1 : FIRST_FD + fd;
}

static bool counts_now(const struct event *e)
{
	return e->cpu >= 0 || fake_pmu.types == 0 || e->type == (int)fake_pmu.thread_on;
}

static uint64_t value_of(const struct event *e, const struct event *leader)
{
	return e->kind < PERF_KINDS ? leader->reads * fake_pmu.count[e->kind] : 0;
}

/* A processor that goes offline takes groups apart. */
static bool is_dissolved(const struct event *e)
{
	return e->cpu >= 0 && fake_pmu.present[e->cpu] != e->present;
}

static size_t read_words(int leader, uint64_t *word)
{
	struct event *l = &events[leader];
	size_t n = 3;

	word[0] = 0;
	word[1] = l->enabled += fake_pmu.enabled;
	if (counts_now(l)) {
		l->reads++;
		l->running += fake_pmu.running;
	}
	word[2] = l->running;
	for (int fd = leader; fd < FDS; fd++) {
		if (!events[fd].open || events[fd].leader != leader ||
			(fd != leader && is_dissolved(l)))
			continue;
		word[n++] = value_of(&events[fd], l);
		word[n++] = fake_pmu.foreign_reads && word[0] > 0 ? 7 : events[fd].serial;
		word[0]++;
	}
	return n * sizeof *word;
}

static ssize_t fake_read(int fd, void *bytes, size_t size)
{
	uint64_t word[3 + 2 * PERF_GROUP_MAX];
	size_t have = 0;
	int error = 0;

	fd -= FIRST_FD;
	pthread_mutex_lock(&lock);
	fake_pmu.reads++;
	if (fake_pmu.interrupts-- > 0)
		error = EINTR;
	else if (lost || fd < 0 || fd >= FDS || !events[fd].open)
		error = EBADF;
	else if (fake_pmu.read_fails)
		error = EIO;
	else if (!fake_pmu.short_reads)
		have = read_words(fd, word);
	if (size < have)
		error = ENOSPC;
	if (!error)
		memcpy(bytes, word, have);
	pthread_mutex_unlock(&lock);
	errno = error;
	return error ? -1 : (ssize_t)have;
}

static int fake_ioctl(int fd, unsigned long request, void *argument)
{
	int error = 0;

	fd -= FIRST_FD;
	pthread_mutex_lock(&lock);
	if (fd < 0 || fd >= FDS || !events[fd].open)
		error = EBADF;
	else if (lost)
		error = ENOTTY;
	else if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)argument = events[fd].serial;
	else if (argument == (void *)(uintptr_t)PERF_IOC_FLAG_GROUP && events[fd].leader == fd)
		fake_pmu.control = request;
	else
		error = EINVAL;
	pthread_mutex_unlock(&lock);
	errno = error;
	return error ? -1 : 0;
}

static int fake_close(int fd)
{
	if (fake_pmu.switch_pages && fd < FIRST_FD)
		return kernel.close(fd);
	pthread_mutex_lock(&lock);
	events[fd - FIRST_FD].open = false;
	fake_pmu.open--;
	pthread_mutex_unlock(&lock);
	return 0;
}

static void *fake_map(int fd, size_t count)
{
	static struct perf_event_mmap_page zeros;
	struct perf_event_mmap_page *p;
	bool has_room;

	if (fake_pmu.switch_pages && fd < FIRST_FD)
		return kernel.map(fd, count);
	if (fd < 0) {
		pthread_mutex_lock(&lock);
		fake_pmu.mapped++;
		pthread_mutex_unlock(&lock);
		return &zeros;
	}

	pthread_mutex_lock(&lock);
	fake_pmu.maps++;
	has_room = fake_pmu.mapped < fake_pmu.pages;
	fake_pmu.mapped += has_room;
	pthread_mutex_unlock(&lock);
	if (!has_room)
		return NULL;
	p = &pages[fd - FIRST_FD];
	memset(p, 0, sizeof *p);
	p->cap_user_rdpmc = fake_pmu.user_read;
	p->cap_user_time = 1;
	p->time_mult = 1;
	p->pmc_width = 48;
	p->index = fake_pmu.off_counters ? 0 : (uint32_t)(fd - FIRST_FD + 1);
	p->offset = fake_pmu.off_counters ? 777 : 0;
	return p;
}

static bool is_switch_page(const struct perf_event_mmap_page *page)
{
	return fake_pmu.switch_pages && (page < pages || page >= pages + FDS);
}

static void fake_unmap(void *page, size_t count)
{
	if (is_switch_page(page)) {
		kernel.unmap(page, count);
		return;
	}
	pthread_mutex_lock(&lock);
	fake_pmu.mapped--;
	pthread_mutex_unlock(&lock);
}

/* They stay in place; the file at `onto` is replaced. */
static void *fake_move_map(void *page, size_t count, void *onto)
{
	if (is_switch_page(page))
		return kernel.move_map(page, count, onto);
	fake_unmap(onto, count);
	return page;
}

static void fake_blank(void *page, size_t count)
{
	if (is_switch_page(page))
		kernel.blank(page, count);
}

static int fake_move(int fd, int least)
{
	(void)least;
	return fd;
}

/* A leader that counts instructions is read before the others, and once more after them. */
static bool starts_reading(struct event *e)
{
	e->begun = e->kind != PERF_INSTRUCTIONS || !e->begun;
	return e->begun;
}

/* As read_words counts, so that both ways of reading agree. */
static uint64_t read_register(uint32_t index)
{
	uint64_t value;
	struct event *e;

	pthread_mutex_lock(&lock);
	e = &events[index - 1];
	fake_pmu.user_reads++;
	if (e->leader == (int)index - 1 && starts_reading(e))
		e->reads++;
	value = value_of(e, &events[e->leader]);
	pthread_mutex_unlock(&lock);
	return value;
}

static perf_register *fake_counter(uint32_t index)
{
	return index > 0 && index <= FDS ? read_register : NULL;
}

static uint64_t fake_ticks(void)
{
	static _Atomic uint64_t ticks;

	ticks += 100;
	return ticks;
}

void fake_pmu_lose_descriptors(void)
{
	lost = true;
}

void fake_pmu_replace_cpu(uint32_t cpu)
{
	pthread_mutex_lock(&lock);
	fake_pmu.present[cpu]++;
	pthread_mutex_unlock(&lock);
}

void fake_pmu_use(void)
{
	fake_pmu = (struct fake_pmu){.limit = 1000,
		.pages = 1000,
		.offline = -1,
		.count = {[PERF_INSTRUCTIONS] = 1000,
			[PERF_CYCLES] = 500,
			[PERF_REF_CYCLES] = 500,
			[PERF_MPERF] = 500,
			[PERF_APERF] = 750,
			[PERF_SWITCHES] = 7},
		.enabled = 100,
		.running = 100};
	if (perf_calls.open != fake_open)
		kernel = perf_calls;
	perf_calls = (struct perf_calls){fake_open, fake_read, fake_ioctl, fake_close, fake_map,
		fake_unmap, fake_move_map, fake_blank, fake_move};
	perf_registers = (struct perf_registers){fake_counter, fake_ticks};
}
