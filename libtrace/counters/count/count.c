#include "count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/file.h"
#include "../../core/online.h"
#include "../perf/group.h"
#include "../machine/rate.h"

/* How threads are opened. */
enum manner { COMMAND, PROCESSES, THREADS };

/* Attempts to list the threads of a process, if some came while they were opened. */
enum { LISTINGS = 10 };

uint64_t count_scale(uint64_t count, uint64_t enabled, uint64_t running)
{
	if (running == 0 || running >= enabled)
		return count;
	return rate_scale(count, enabled, running);
}

/* -------------------------------------------------------------------------- one event */

static int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	struct perf_event_attr copy = *attr;
	int fd;

	do
		fd = perf_calls.open(&copy, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static void make_attr(const struct count *c, const struct count_event *e, enum manner manner,
	bool leads, struct perf_event_attr *attr)
{
	event_attr(&e->event, attr, sizeof *attr);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->disabled = leads; /* the others follow their leader */
	attr->enable_on_exec = leads && manner == COMMAND;
	attr->inherit = !c->processors && manner != THREADS;
	if (e->user_only)
		attr->exclude_kernel = attr->exclude_hv = 1;
}

static bool is_denied(int rc)
{
	return rc == -EACCES || rc == -EPERM;
}

/* A user without rights to the kernel's part may count user mode, unless that is always zero.
 * The clock events count both whatever their attributes say. */
static bool may_fall_back(const struct count_event *e, int rc)
{
	return is_denied(rc) && !e->user_only && !e->event.modes_given &&
	       !event_is_in_kernel_only(&e->event);
}

static int open_here(
	const struct count *c, struct count_event *e, enum manner manner, int target, int leader)
{
	struct perf_event_attr attr;
	pid_t pid = c->processors ? -1 : target;
	int cpu = c->processors ? target : -1;

	make_attr(c, e, manner, leader < 0, &attr);
	int rc = open_event(&attr, pid, cpu, leader);
	if (may_fall_back(e, rc)) {
		e->user_only = true;
		make_attr(c, e, manner, leader < 0, &attr);
		int again = open_event(&attr, pid, cpu, leader);
		e->user_only = again >= 0;
		/* Both denied: reports the first one. Else no user can count it. */
		return is_denied(again) ? rc : again;
	}
	return rc;
}

/* Errors of the target or the machine, not of the event. */
static bool is_general(int rc)
{
	return rc == -ESRCH || rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM;
}

/* ---------------------------------------------------------------------------- a target */

/* The first member of its group that counts there, which leads it. */
static int leader_of(const struct count *c, unsigned event, unsigned target)
{
	const struct count_event *e = &c->event[event];

	for (unsigned i = 0; e->group && i < event; i++)
		if (c->event[i].group == e->group && c->event[i].fd[target] >= 0)
			return c->event[i].fd[target];
	return -1;
}

static void close_target(struct count *c, unsigned target)
{
	for (unsigned i = c->events; i-- > 0;) {
		if (!c->event[i].fd)
			continue;
		if (c->event[i].fd[target] >= 0)
			perf_calls.close(c->event[i].fd[target]);
		c->event[i].fd[target] = COUNT_MISSING;
	}
}

static int count_open_target(struct count *c, enum manner manner, unsigned target)
{
	for (unsigned i = 0; i < c->events; i++) {
		struct count_event *e = &c->event[i];

		if (e->fd[target] == COUNT_FOREIGN)
			continue;
		int rc = open_here(c, e, manner, c->target[target], leader_of(c, i, target));
		if (is_general(rc))
			return rc;
		if (rc < 0 && e->error == 0) {
			e->error = -rc;
			count_explain(e, -rc, c->processors, c->processors ? 0 : c->target[target],
				e->why);
		}
		e->fd[target] = rc < 0 ? COUNT_MISSING : rc;
	}
	return 0;
}

/* ------------------------------------------------------------------------- all targets */

static void forget_target(struct count *c, unsigned target)
{
	close_target(c, target);
	c->targets--;
	memmove(&c->target[target], &c->target[target + 1],
		(c->targets - target) * sizeof *c->target);
	for (unsigned i = 0; i < c->events; i++)
		memmove(&c->event[i].fd[target], &c->event[i].fd[target + 1],
			(c->targets - target) * sizeof *c->event[i].fd);
}

/* An event that is refused here may be counted there. */
static int count_settle_events(struct count *c)
{
	bool any = false;

	for (unsigned i = 0; i < c->events; i++) {
		struct count_event *e = &c->event[i];
		bool here = false;

		for (unsigned p = 0; p < c->targets; p++)
			here = here || e->fd[p] >= 0;
		if (here)
			e->error = 0;
		any = any || here;
	}
	return any ? 0 : -ENOENT;
}

static int count_allocate_descriptors(struct count *c)
{
	for (unsigned i = 0; i < c->events; i++) {
		struct count_event *e = &c->event[i];

		e->fd = malloc((c->targets + 1) * sizeof *e->fd);
		for (unsigned p = 0; e->fd && p < c->targets; p++)
			e->fd[p] = e->error || (c->processors && !event_pmu_counts_on(e->event.pmu,
									 (uint32_t)c->target[p]))
					   ? COUNT_FOREIGN
					   : COUNT_MISSING;
		if (!e->fd)
			return -ENOMEM;
	}
	return 0;
}

static int open_places(struct count *c, enum manner manner)
{
	int rc = count_allocate_descriptors(c);

	for (unsigned p = 0; rc == 0 && p < c->targets;) {
		rc = count_open_target(c, manner, p);
		if (rc == 0) {
			p++;
		} else if (rc == -ESRCH && !c->processors) {
			forget_target(c, p);
			rc = 0;
		}
	}
	if (rc == 0)
		rc = c->targets ? count_settle_events(c) : -ESRCH;
	return rc;
}

static int set_targets(struct count *c, int *target, unsigned targets)
{
	c->target = target;
	c->targets = targets;
	c->unsettled = false;
	for (unsigned i = 0; i < c->events; i++)
		c->event[i].fd = NULL;
	return target ? 0 : -ENOMEM;
}

static int open_or_close(struct count *c, enum manner manner, int rc)
{
	if (rc == 0)
		rc = open_places(c, manner);
	if (rc)
		count_close(c);
	return rc;
}

static int *copy_of(const pid_t *tid, unsigned n)
{
	int *copy = malloc(n * sizeof *copy);

	if (copy)
		memcpy(copy, tid, n * sizeof *copy);
	return copy;
}

int count_open_command(struct count *c, pid_t pid)
{
	c->processors = false;
	return open_or_close(c, COMMAND, set_targets(c, copy_of(&pid, 1), 1));
}

int count_open_threads(struct count *c, const pid_t *tid, unsigned n)
{
	c->processors = false;
	return open_or_close(c, THREADS, set_targets(c, copy_of(tid, n), n));
}

/* Whether all live threads existed before the events were opened. */
static bool is_complete(const int *now, unsigned count, const int *before, unsigned many)
{
	unsigned b = 0;

	for (unsigned i = 0; i < count; i++) {
		while (b < many && before[b] < now[i])
			b++;
		if (b == many || before[b] != now[i])
			return false;
	}
	return true;
}

/*
 * A thread created meanwhile has inherited the events, unless its creator had none yet. Opening it
 * again may count it twice, skipping it may miss it: start over.
 */
int count_open_processes(struct count *c, const pid_t *pid, unsigned n)
{
	bool complete = false;
	int rc = 0;

	c->processors = false;
	for (int i = 0; i < LISTINGS && rc == 0 && !complete; i++) {
		int *before = NULL, *now = NULL;
		unsigned many = 0, count = 0;

		if (i)
			count_close(c);
		rc = count_threads(pid, n, &before, &many);
		if (rc)
			return rc;
		rc = open_or_close(c, PROCESSES, set_targets(c, copy_of(before, many), many));
		complete = count_threads(pid, n, &now, &count) != 0 ||
			   is_complete(now, count, before, many);
		free(before);
		free(now);
	}
	c->unsettled = !complete;
	return rc;
}

int count_open_processors(struct count *c)
{
	struct cpu_set online;
	unsigned n = 0;

	c->processors = true;
	cpu_set_online(&online);
	int rc = set_targets(c, malloc((online.end + 1) * sizeof(int)), 0);
	for (uint32_t cpu = 0; rc == 0 && cpu < online.end; cpu++)
		if (cpu_set_has(&online, cpu))
			c->target[n++] = (int)cpu;
	c->targets = n;
	return open_or_close(c, THREADS, rc);
}

/* -------------------------------------------------------------------- start, read, close */

void count_start(const struct count *c)
{
	for (unsigned p = 0; p < c->targets; p++)
		for (unsigned i = 0; i < c->events; i++)
			if (c->event[i].fd[p] >= 0 && leader_of(c, i, p) < 0)
				perf_calls.ioctl(c->event[i].fd[p], PERF_EVENT_IOC_ENABLE, NULL);
}

struct count_value count_read(const struct count *c, unsigned event, unsigned target)
{
	struct count_value v = {0};
	uint64_t word[3];
	ssize_t n;

	if (c->event[event].fd[target] < 0)
		return v;
	do
		n = perf_calls.read(c->event[event].fd[target], word, sizeof word);
	while (n < 0 && errno == EINTR);
	/* Less comes of a processor that went offline with its counters. */
	if (n != sizeof word)
		return v;
	v = (struct count_value){
		.count = word[0], .enabled = word[1], .running = word[2], .known = true};
	return v;
}

void count_close(struct count *c)
{
	for (unsigned p = 0; p < c->targets; p++)
		close_target(c, p);
	for (unsigned i = 0; i < c->events; i++) {
		free(c->event[i].fd);
		c->event[i].fd = NULL;
	}
	free(c->target);
	c->target = NULL;
	c->targets = 0;
}
