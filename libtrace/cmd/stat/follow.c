/*
 * stat: opens the events, waits and prints.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../counters/perf/core_types.h"
#include "stat.h"
#include "../../dump/drain/stream.h"
#include "../wake.h"

struct follow {
	struct stat_run *run;
	struct count count;
	struct count_value *now,
		*before; /* [events * targets]; before: values at the last interval */
	struct stat_row *row;
	uint64_t began, last; /* CLOCK_MONOTONIC, ns */
	int wake;	      /* readable: check at once */
	int code;	      /* exit code of opening the events */
};

/* ------------------------------------------------------------------------ opening */

/* Raises the limit of open files: every event needs a descriptor per thread or processor. Call
 * after the fork, so that the command keeps its own limit. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int open_events(struct follow *f, pid_t pid)
{
	const struct stat_targets *t = &f->run->targets;

	raise_limit();
	switch (f->run->scope) {
	case STAT_COMMAND:
		return count_open_command(&f->count, pid);
	case STAT_PROCESSES:
		return count_open_processes(&f->count, t->pid, t->count);
	case STAT_THREADS:
		return count_open_threads(&f->count, t->pid, t->count);
	default:
		return count_open_processors(&f->count);
	}
}

/* Reports an unavailable event once, however many there are of its kind. */
static void tell_why_none(const struct stat_run *r)
{
	const char *last = "";

	for (unsigned i = 0; i < r->events.count; i++) {
		const struct count_event *e = &r->events.event[i];

		if (strcmp(e->why, last) != 0)
			cmd_fail(r->verb, "cannot count %s: %s", e->event.name, e->why);
		last = e->why;
	}
}

static int follow_tell_failure(const struct stat_run *r, int rc)
{
	switch (rc) {
	case -ENOENT:
		tell_why_none(r);
		return EXIT_NO_COUNTERS;
	case -ESRCH:
		return cmd_fail(r->verb, "%s: there is no such %s", r->target,
			r->scope == STAT_THREADS ? "thread" : "process");
	case -EMFILE:
	case -ENFILE:
		return cmd_fail(r->verb,
			"too few file descriptors: every event needs one per %s; raise ulimit -n or name fewer events",
			r->scope == STAT_PROCESSORS ? "processor" : "thread");
	default:
		return cmd_fail(r->verb, "cannot open the events: %s", strerror(-rc));
	}
}

static void tell_notes(const struct follow *f)
{
	const struct stat_run *r = f->run;
	bool user_only = false, hardware = false;

	for (unsigned i = 0; i < f->count.events; i++) {
		const struct count_event *e = &f->count.event[i];

		user_only = user_only || (e->user_only && !stat_event_is_time(e));
		hardware = hardware || (!e->error && e->event.type == PERF_TYPE_HARDWARE);
	}
	if (user_only)
		cmd_note(r->verb,
			"names with :u count user mode only, as kernel.perf_event_paranoid demands; root, CAP_PERFMON or sysctl kernel.perf_event_paranoid=1 adds the kernel");
	if (hardware && core_types()->count > 1)
		cmd_note(r->verb,
			"this machine has %u types of processors and a hardware event counts on one of them; name its PMU (%s/cycles/), each in an event of its own",
			core_types()->count, core_types()->type[0].name);
	if (f->count.unsettled)
		cmd_note(r->verb,
			"threads came and went while their events were opened: some may be missing or counted twice");
}

static bool follow_allocate_counts(struct follow *f)
{
	size_t n = (size_t)f->count.events * f->count.targets;

	f->now = calloc(n, sizeof *f->now);
	f->before = calloc(n, sizeof *f->before);
	f->row = calloc(n + f->count.events, sizeof *f->row);
	return f->now && f->before && f->row;
}

/* Opens the events; for a command, right before its exec. */
static int follow_prepare_counts(void *arg, pid_t pid)
{
	struct follow *f = arg;
	int rc = open_events(f, pid);

	if (rc) {
		f->code = follow_tell_failure(f->run, rc);
		return rc;
	}
	if (!follow_allocate_counts(f)) {
		f->code = cmd_fail(f->run->verb, "table of counts: not enough memory");
		return -ENOMEM;
	}
	tell_notes(f);
	stat_targets_watch(&f->run->targets);
	if (f->run->scope != STAT_COMMAND)
		count_start(&f->count);
	f->began = f->last = time_ns_monotonic();
	return 0;
}

/* ----------------------------------------------------------------------- reporting */

/* Reads all counters. Returns the time before the first read, since the command may be preempted
 * between two reads. */
static uint64_t read_all(struct follow *f)
{
	uint64_t began = time_ns_monotonic();

	for (unsigned i = 0; i < f->count.events; i++)
		for (unsigned p = 0; p < f->count.targets; p++)
			f->now[(size_t)i * f->count.targets + p] = count_read(&f->count, i, p);
	return began;
}

/* Reports the values in f->now, read from `began` to `at`. */
static void report_interval(struct follow *f, uint64_t began, uint64_t at)
{
	struct count_value *swap = f->before;
	struct stat_report r = {.at = at - f->began,
		.elapsed = at - f->last,
		.least = began - f->last,
		.row = f->row,
		.target = ""};

	stat_rows(&f->count, f->last == f->began ? NULL : f->before, f->now,
		f->run->printer.per_cpu, &r);
	stat_print(&f->run->printer, &r);
	f->before = f->now;
	f->now = swap;
	f->last = at;
}

static uint64_t timeval_to_us(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void report_total(
	struct follow *f, uint64_t began, uint64_t at, const struct count_value *values)
{
	struct stat_run *run = f->run;
	struct rusage usage;
	struct stat_report r = {.total = true,
		.at = at - f->began,
		.elapsed = at - f->began,
		.least = began - f->began,
		.row = f->row,
		.target = run->target,
		.has_command = run->command.words != NULL,
		.user_us = UINT64_MAX};

	if (r.has_command)
		r.exit_code = command_exit_code(&run->command);
	if (run->scope == STAT_COMMAND && getrusage(RUSAGE_CHILDREN, &usage) == 0) {
		r.user_us = timeval_to_us(usage.ru_utime);
		r.system_us = timeval_to_us(usage.ru_stime);
	}
	stat_rows(&f->count, NULL, values, run->printer.per_cpu, &r);
	stat_print(&run->printer, &r);
}

/* --------------------------------------------------------------------------- the time */

static bool is_over(struct follow *f, uint64_t now)
{
	struct stat_run *r = f->run;

	if (r->command.words && command_ended(&r->command))
		return true;
	if (!r->command.words && (wake_should_end || r->printer.failed))
		return true;
	if (r->duration && now >= f->began + r->duration)
		return true;
	return r->targets.count && !stat_targets_live(&r->targets) && !r->command.words;
}

/* Multiples of the interval since the beginning, so that intervals do not drift; skips missed
 * ones. */
static uint64_t next_interval(const struct follow *f, uint64_t now)
{
	if (!f->run->interval)
		return UINT64_MAX;
	return f->began + ((now - f->began) / f->run->interval + 1) * f->run->interval;
}

static void follow_intervals(struct follow *f)
{
	uint64_t now = time_ns_monotonic(), due = next_interval(f, now), began;
	const uint64_t until = f->run->duration ? f->began + f->run->duration : UINT64_MAX;

	while (!is_over(f, now)) {
		uint64_t next = due < until ? due : until;
		uint64_t pause = next > now ? next - now : 0;

		/* cap the pause at one day */
		if (pause > 86400000000000u)
			pause = 86400000000000u;
		stat_targets_wait(&f->run->targets, f->wake, pause);
		now = time_ns_monotonic();
		if (now < due || now >= until)
			continue;
		began = read_all(f);
		now = time_ns_monotonic();
		report_interval(f, began, now);
		due = next_interval(f, now);
	}
	began = read_all(f);
	now = time_ns_monotonic();
	if (f->run->interval) {
		report_interval(f, began, now);
		report_total(f, began, now, f->before);
	} else {
		report_total(f, began, now, f->now);
	}
}

static int follow_run_command(struct follow *f)
{
	struct command *c = &f->run->command;

	c->before = follow_prepare_counts;
	c->arg = f;
	int failure = command_start(c, NULL);
	if (f->code) {
		command_wait(c);
		return f->code;
	}
	if (failure)
		return command_failed(f->run->verb, c, failure);
	follow_intervals(f);
	return command_exit_code(c);
}

static int run_alone(struct follow *f)
{
	if (follow_prepare_counts(f, 0) == 0)
		follow_intervals(f);
	return f->code;
}

int stat_follow(struct stat_run *r)
{
	struct follow f = {
		.run = r, .count = {.event = r->events.event, .events = r->events.count}};
	int code = wake_catch_signals(r->verb, !r->command.words, &f.wake);

	if (code)
		return code;
	code = r->command.words ? follow_run_command(&f) : run_alone(&f);
	if (!r->printer.begun)
		r->printer.failed = true; /* do not replace an earlier file */
	int printed = cmd_finish_output(r->verb, &r->printer.to, r->printer.failed);
	count_close(&f.count);
	free(f.now);
	free(f.before);
	free(f.row);
	return code ? code : printed;
}
