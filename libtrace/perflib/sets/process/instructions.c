/*
 * Instructions of processes: one inherited counter on each thread that a process has when it is
 * first seen, so a thread created later counts with its creator. Counts start at 0 then.
 */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/base/compare.h"
#include "../../../counters/choice.h"
#include "../../../core/file.h"
#include "../../../counters/perf/group.h"
#include "../../../counters/machine/rate.h"
#include "process.h"

struct counted {
	uint32_t pid;
	uint64_t start;
	bool seen; /* in this sample */
	uint64_t last;
	uint32_t fds;
	int *fd; /* NULL: the counters could not be opened */
};

/* A quarter of this program's limit of open files, capped at a few thousand. */
static uint32_t descriptors_most(void)
{
	enum { MOST = 4096 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 4 > MOST)
		return MOST;
	return (uint32_t)(limit.rlim_cur / 4);
}

static bool may_count(struct processes *p)
{
	const struct counter_choice *c;

	if (p->refused)
		return false;
	if (p->descriptors_most)
		return true;
	if (!p->machine->real)
		return false;
	c = counter_choice();
	if (c->rc || (c->asked != KIND_AUTO && c->asked != KIND_PERF))
		return false;
	p->descriptors_most = descriptors_most();
	return true;
}

static int counted_compare_pids(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	return compare_u64(x->pid, y->pid);
}

/* Searches the processes known from earlier samples. */
static struct counted *counted_find_process(struct processes *p, uint32_t pid, uint64_t start)
{
	struct counted key = {.pid = pid}, *c;

	c = p->counted_before
		    ? bsearch(&key, p->counted, p->counted_before, sizeof key, counted_compare_pids)
		    : NULL;
	return c && c->start == start ? c : NULL;
}

static struct counted *counted_add_process(struct processes *p, uint32_t pid, uint64_t start)
{
	if (!array_reserve(&p->counted, &p->counted_room, p->counteds + 1, sizeof *p->counted))
		return NULL;
	p->counted[p->counteds] = (struct counted){.pid = pid, .start = start};
	return &p->counted[p->counteds++];
}

static void counted_stop_process(struct processes *p, struct counted *c)
{
	for (uint32_t i = 0; i < c->fds; i++)
		perf_calls.close(c->fd[i]);
	p->descriptors -= c->fds;
	free(c->fd);
	c->fd = NULL;
	c->fds = 0;
}

static int counted_open_thread(uint32_t tid)
{
	struct perf_event_attr attr = {.size = sizeof attr,
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.inherit = 1,
		.inherit_thread = 1};
	int fd, high;

	fd = perf_calls.open(&attr, (pid_t)tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	/* Move the descriptor above the range that the program uses. */
	high = fd >= 0 ? perf_calls.move(fd, file_high_descriptor()) : -1;
	return high >= 0 ? high : fd;
}

/* Counts all threads or none: a partial sum would be wrong. */
static void counted_start_process(struct processes *p, struct counted *c)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s/%u/task", p->machine->proc, c->pid) >=
			(int)sizeof path ||
		!numbers_read(&p->tids, path) || p->tids.used == 0 ||
		p->descriptors + p->tids.used > p->descriptors_most)
		return;
	c->fd = malloc(p->tids.used * sizeof *c->fd);
	for (uint32_t i = 0; c->fd && i < p->tids.used; i++) {
		int fd = counted_open_thread(p->tids.number[i]);

		if (fd < 0 && errno == ESRCH)
			continue; /* the thread ended */
		if (fd < 0) {
			p->refused |= errno == ENOENT || errno == EOPNOTSUPP || errno == ENOSYS ||
				      errno == ENODEV || errno == EINVAL;
			counted_stop_process(p, c);
			return;
		}
		c->fd[c->fds++] = fd;
		p->descriptors++;
	}
}

static bool counted_read_instructions(const struct counted *c, uint64_t *sum)
{
	*sum = 0;
	for (uint32_t i = 0; i < c->fds; i++) {
		uint64_t value[3]; /* count, enabled, running */

		if (perf_calls.read(c->fd[i], value, sizeof value) != (ssize_t)sizeof value)
			return false;
		if (value[2] == 0 && value[1] != 0)
			return false; /* it was never on a counter */
		*sum += value[1] == value[2] ? value[0] : rate_scale(value[0], value[1], value[2]);
	}
	return c->fds > 0;
}

void process_instructions(struct processes *p, struct process *to)
{
	struct counted *c;
	uint64_t sum;

	if (!may_count(p))
		return;
	c = counted_find_process(p, to->pid, to->start);
	if (!c) {
		c = counted_add_process(p, to->pid, to->start);
		if (!c)
			return;
		counted_start_process(p, c);
	}
	c->seen = true;
	if (!counted_read_instructions(c, &sum))
		return;
	/* Scaled counts may decrease a little; the reported sum must not. */
	if (sum > c->last)
		c->last = sum;
	to->value[PROCESS_INSTRUCTIONS] = c->last;
	to->known |= PROCESS_BIT(PROCESS_INSTRUCTIONS);
}

void process_instructions_end(struct processes *p, bool all)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->counteds; i++) {
		struct counted *c = &p->counted[i];

		if (all || !c->seen) {
			counted_stop_process(p, c);
			continue;
		}
		c->seen = false;
		p->counted[kept++] = *c;
	}
	p->counteds = p->counted_before = kept;
	if (kept)
		qsort(p->counted, kept, sizeof *p->counted, counted_compare_pids);
	if (all) {
		free(p->counted);
		p->counted = NULL;
		p->counted_room = 0;
	}
}
