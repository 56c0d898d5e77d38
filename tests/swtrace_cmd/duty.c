/*
 * A load of known size on processors, and how large it was: runs a command that prints a line when
 * it begins to measure and another when it has, with a thread on each processor that is busy for
 * a share of every 10 ms meanwhile.
 *
 *	duty CPU PERCENT [CPU PERCENT ...] -- COMMAND ...
 *
 * Prints "load CPU PERCENT OWN OTHERS" (percent between the two lines: the thread's clock; the
 * scheduler's switches to other tasks, n/a where they are not to be had), then the command's
 * lines. Exit code: the command's, or 125.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOADS = 16, PERIOD_NS = 10000000, RING_PAGES = 512, TROUBLE = 125 };

struct load {
	int cpu, percent;
	pthread_t thread;
	pid_t tid;
	clockid_t clock;
	uint64_t own[2];
	int fd;
	struct perf_event_mmap_page *ring;
};

static struct load load[LOADS];
static int loads;
static _Atomic bool over;
static _Atomic int ready;
static uint64_t window[2]; /* CLOCK_MONOTONIC, ns */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---------------------------------------------------------------------------- the load */

/* Its share of all the time so far, so that what others took is made up for. */
static void be_busy(uint64_t began, uint64_t cpu_began, int percent)
{
	for (uint64_t n = 1; !over; n++) {
		const uint64_t end = began + n * PERIOD_NS;
		const struct timespec until = {.tv_sec = (time_t)(end / 1000000000u),
			.tv_nsec = (long)(end % 1000000000u)};

		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_began <
				n * PERIOD_NS / 100 * (uint64_t)percent &&
			!over)
			;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
}

static void *work(void *arg)
{
	struct load *l = arg;
	const struct sched_param first = {.sched_priority = 1};
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(l->cpu, &cpus);
	if (sched_setaffinity(0, sizeof cpus, &cpus))
		exit(TROUBLE);
	/* Before others, where that is allowed. */
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
	l->tid = (pid_t)syscall(SYS_gettid);
	pthread_getcpuclockid(pthread_self(), &l->clock);
	ready++;
	be_busy(clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_THREAD_CPUTIME_ID), l->percent);
	return NULL;
}

/* ---------------------------------------------------------------------------- the others */

/* All switches of tasks on a processor. */
static void watch(struct load *l)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.context_switch = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	l->ring = MAP_FAILED;
	l->fd = (int)syscall(SYS_perf_event_open, &attr, -1, l->cpu, -1, 0);
	if (l->fd >= 0)
		l->ring = mmap(NULL, (RING_PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
			l->fd, 0);
}

struct record {
	struct perf_event_header header;
	uint32_t other_pid, other_tid;
	uint32_t pid, tid;
	uint64_t time;
};

static uint64_t within(uint64_t from, uint64_t to)
{
	from = from < window[0] ? window[0] : from;
	to = to > window[1] ? window[1] : to;
	return to > from ? to - from : 0;
}

/* Nanoseconds in the window that tasks other than the load had the processor; false: some
 * switches are not known. */
static bool others_of(const struct load *l, uint64_t *ns)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = RING_PAGES * page;
	uint64_t at = 0, since = 0;
	uint32_t running = 0;

	if (l->ring == MAP_FAILED)
		return false;
	const uint8_t *data = (const uint8_t *)l->ring + page;
	const uint64_t head = __atomic_load_n(&l->ring->data_head, __ATOMIC_ACQUIRE);
	/* Nobody reads meanwhile: once it is full, what comes is lost without a record of it. */
	if (head + 2 * sizeof(struct record) > size)
		return false;
	for (*ns = 0; at < head;) {
		struct record r = {0};

		for (size_t i = 0; i < sizeof r && at + i < head; i++)
			((uint8_t *)&r)[i] = data[(at + i) % size];
		if (r.header.type == PERF_RECORD_LOST || r.header.size < 8)
			return false;
		at += r.header.size;
		if (r.header.type != PERF_RECORD_SWITCH_CPU_WIDE)
			continue;
		if (running && running != (uint32_t)l->tid)
			*ns += within(since, r.time);
		running = r.header.misc & PERF_RECORD_MISC_SWITCH_OUT ? 0 : r.tid;
		since = r.time;
	}
	if (running && running != (uint32_t)l->tid)
		*ns += within(since, window[1]);
	return true;
}

/* ---------------------------------------------------------------------------- the command */

static FILE *start(char **command, pid_t *pid)
{
	int ends[2];

	if (pipe(ends))
		exit(TROUBLE);
	*pid = fork();
	if (*pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execv(command[0], command);
		_exit(TROUBLE);
	}
	close(ends[1]);
	return fdopen(ends[0], "r");
}

static void note(int end)
{
	window[end] = clock_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < loads; i++)
		load[i].own[end] = clock_ns(load[i].clock);
}

static void report(void)
{
	const double length = (double)(window[1] - window[0]);

	for (int i = 0; i < loads; i++) {
		const struct load *l = &load[i];
		uint64_t others;

		printf("load %d %d %.3f ", l->cpu, l->percent,
			100.0 * (double)(l->own[1] - l->own[0]) / length);
		if (others_of(l, &others))
			printf("%.3f\n", 100.0 * (double)others / length);
		else
			printf("n/a\n");
	}
}

int main(int argc, char **argv)
{
	static char line[2][1 << 20];
	int at = 1, status = 0;
	pid_t pid;

	for (; at + 1 < argc && strcmp(argv[at], "--") != 0 && loads < LOADS; at += 2)
		load[loads++] = (struct load){.cpu = atoi(argv[at]), .percent = atoi(argv[at + 1])};
	if (at + 1 >= argc || !loads)
		return TROUBLE;
	for (int i = 0; i < loads; i++) {
		watch(&load[i]);
		if (pthread_create(&load[i].thread, NULL, work, &load[i]))
			return TROUBLE;
	}
	while (ready < loads)
		usleep(1000);
	FILE *f = start(argv + at + 1, &pid);
	for (int i = 0; i < 2 && f && fgets(line[i], sizeof line[i], f); i++)
		note(i);
	waitpid(pid, &status, 0);
	over = true;
	for (int i = 0; i < loads; i++)
		pthread_join(load[i].thread, NULL);
	report();
	fputs(line[0], stdout);
	fputs(line[1], stdout);
	return WIFEXITED(status) ? WEXITSTATUS(status) : TROUBLE;
}
