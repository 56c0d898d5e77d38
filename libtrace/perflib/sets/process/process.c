/*
 * Process: its instances and their values.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/base/compare.h"
#include "../../../../formats/base/time_ns.h"
#include "../../../core/clock.h"
#include "process.h"
#include "../sets.h"

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) != 0)
		return 0;
	return time_ns(t);
}

static uint32_t process_open(const struct counterset *set, void **state)
{
	struct processes *p = calloc(1, sizeof *p);
	long hz = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);

	if (!p)
		return ERROR_OUTOFMEMORY;
	p->machine = set->context;
	p->user_hz = hz > 0 && hz <= 10000000 ? (uint64_t)hz : 100;
	p->page_bytes = page > 0 ? (uint64_t)page : 4096;
	p->ticks = clock_now();
	p->boot_ns = ns_of(CLOCK_BOOTTIME);
	*state = p;
	return ERROR_SUCCESS;
}

static void process_close(const struct counterset *set, void *state)
{
	struct processes *p = state;

	(void)set;
	process_instructions_end(p, true);
	numbers_free(&p->pids);
	numbers_free(&p->tids);
	file_text_free(&p->text);
	free(p->process);
	free(p->before);
	free(p->threads.thread);
	free(p->threads_before.thread);
	free(p);
}

/* ------------------------------------------------------------------------- one process */

static int process_compare_key(const void *key, const void *element)
{
	const uint32_t *pid = key;
	const struct process *p = element;

	return compare_u64(*pid, p->pid);
}

const struct process *processes_before(const struct processes *p, uint32_t pid, uint64_t start)
{
	const struct process *b = p->used_before ? bsearch(&pid, p->before, p->used_before,
							   sizeof *p->before, process_compare_key)
						 : NULL;

	return b && b->start == start ? b : NULL;
}

static bool process_read_stat(struct processes *p, uint32_t pid, struct process_stat *stat)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%s/%u/stat", p->machine->proc, pid) <
		       (int)sizeof path &&
	       file_text_read(&p->text, path) &&
	       process_parse_stat(p->text.bytes, p->text.used, stat);
}

static void process_set_value(struct process *to, enum process_column column, uint64_t value)
{
	to->value[column] = value;
	to->known |= PROCESS_BIT(column);
}

/* Prefers the process's CPU clock, in ns, to /proc/PID/stat, in ticks of 10 ms. */
static uint64_t time_of(const struct processes *p, uint32_t pid, const struct process_stat *s)
{
	clockid_t clock;
	uint64_t ns;

	if (p->machine->real && clock_getcpuclockid((pid_t)pid, &clock) == 0 &&
		(ns = ns_of(clock)) != 0)
		return ns / 100;
	return (s->user + s->system) * (10000000 / p->user_hz);
}

/* Converts the start time to time stamp ticks. False: the process started before the clock did. */
static bool start_ticks(
	const struct processes *p, uint64_t start, int64_t frequency, uint64_t *ticks)
{
	double age = ((double)p->boot_ns - (double)start * (1e9 / (double)p->user_hz)) / 1e9;
	double back = age * (double)frequency;

	if (back > (double)p->ticks)
		return false;
	*ticks = (uint64_t)((double)p->ticks - back);
	return true;
}

static void set_moment(const struct processes *p, const struct process_stat *s, uint32_t pid,
	const struct sample_time *time, struct rows *rows)
{
	uint64_t ticks;

	rows_set(rows, PROCESS_THREADS, (uint32_t)s->threads);
	rows_set(rows, PROCESS_VIRTUAL, s->virtual_bytes);
	rows_set(rows, PROCESS_RESIDENT, s->pages * p->page_bytes);
	if (start_ticks(p, s->start, time->frequency, &ticks))
		rows_set(rows, PROCESS_ELAPSED, ticks);
	rows_set(rows, PROCESS_ID, pid);
}

/* Adds this process's increase to the total. */
static void add_to_total(struct processes *p, const struct process *now)
{
	const struct process *before = processes_before(p, now->pid, now->start);

	for (uint32_t i = 0; i < PROCESS_GROWING; i++) {
		uint64_t was = 0;

		if (!(now->known & PROCESS_BIT(i)))
			continue;
		if (before && before->known & PROCESS_BIT(i))
			was = before->value[i];
		p->total_known |= PROCESS_BIT(i);
		if (now->value[i] > was)
			p->total[i] += now->value[i] - was;
	}
}

/* Adds a process's row; skips one that has ended. False: out of memory. */
static bool process_add_row(struct processes *p, uint32_t pid, uint64_t wanted,
	const struct sample_time *time, struct rows *rows, uint64_t now[3])
{
	const uint64_t unit = 10000000 / p->user_hz;
	struct process_stat s;
	struct process *to;

	if (!process_read_stat(p, pid, &s))
		return true;
	if (!array_reserve(&p->process, &p->room, p->used + 1, sizeof *p->process) ||
		!rows_add(rows, s.name, s.name_bytes, pid))
		return false;
	to = &p->process[p->used++];
	*to = (struct process){.pid = pid, .start = s.start};
	process_set_value(to, PROCESS_TIME, time_of(p, pid, &s));
	process_set_value(to, PROCESS_USER, s.user * unit);
	process_set_value(to, PROCESS_PRIVILEGED, s.system * unit);
	process_set_value(to, PROCESS_FAULTS, s.minor_faults + s.major_faults);
	process_set_value(to, PROCESS_MAJOR_FAULTS, s.major_faults);
	if (wanted & PROCESS_SWITCH_BITS)
		process_switches(p, to, s.threads);
	if (wanted & PROCESS_BIT(PROCESS_INSTRUCTIONS))
		process_instructions(p, to);
	for (uint32_t i = 0; i < PROCESS_GROWING; i++)
		if (to->known & PROCESS_BIT(i))
			rows_set(rows, i, to->value[i]);
	set_moment(p, &s, pid, time, rows);
	add_to_total(p, to);
	now[0] += s.threads;
	now[1] += s.virtual_bytes;
	now[2] += s.pages * p->page_bytes;
	return true;
}

/* -------------------------------------------------------------------------------- all */

static void process_set_total(const struct processes *p, struct rows *rows, const uint64_t now[3])
{
	for (uint32_t i = 0; i < PROCESS_GROWING; i++)
		if (p->total_known & PROCESS_BIT(i))
			rows_set(rows, i, p->total[i]);
	rows_set(rows, PROCESS_THREADS, (uint32_t)now[0]);
	rows_set(rows, PROCESS_VIRTUAL, now[1]);
	rows_set(rows, PROCESS_RESIDENT, now[2]);
}

static void next_sample(struct processes *p, uint64_t wanted)
{
	struct process *was = p->before;
	size_t room = p->room_before;

	process_switches_end(p);
	process_instructions_end(p, !(wanted & PROCESS_BIT(PROCESS_INSTRUCTIONS)));
	p->before = p->process;
	p->used_before = p->used;
	p->room_before = p->room;
	p->process = was;
	p->room = room;
	p->used = 0;
}

static uint32_t process_collect(const struct counterset *set, void *state, const uint64_t *wanted,
	const struct sample_time *time, struct rows *rows)
{
	struct processes *p = state;
	uint32_t first = rows->used, used;
	uint64_t now[3] = {0};
	bool good;

	(void)set;
	if (!numbers_read(&p->pids, p->machine->proc))
		return ERROR_READ_FAULT;
	good = rows_add(rows, "_Total", 6, 0);
	p->total_known = 0;
	/* One row is reserved for the total. */
	for (uint32_t i = 0; good && i < p->pids.used && rows->used < COUNTERSET_INSTANCES; i++)
		good = process_add_row(p, p->pids.number[i], wanted[0], time, rows, now);
	next_sample(p, wanted[0]);
	if (!good)
		return ERROR_OUTOFMEMORY;
	used = rows->used;
	rows->used = first + 1;
	process_set_total(p, rows, now);
	rows->used = used;
	return ERROR_SUCCESS;
}

static uint32_t process_instances(const struct counterset *set, struct rows *rows)
{
	uint32_t status = ERROR_OUTOFMEMORY;
	struct process_stat s;
	struct processes *p;
	void *state;
	bool good;

	if (process_open(set, &state) != ERROR_SUCCESS)
		return status;
	p = state;
	if (!numbers_read(&p->pids, p->machine->proc)) {
		status = ERROR_READ_FAULT;
	} else {
		good = rows_add(rows, "_Total", 6, 0);
		for (uint32_t i = 0; good && i < p->pids.used && rows->used < COUNTERSET_INSTANCES;
			i++)
			good = !process_read_stat(p, p->pids.number[i], &s) ||
			       rows_add(rows, s.name, s.name_bytes, p->pids.number[i]);
		if (good)
			status = ERROR_SUCCESS;
	}
	process_close(set, p);
	return status;
}

const struct counterset_operations process_operations = {
	.open = process_open,
	.close = process_close,
	.instances = process_instances,
	.collect = process_collect,
};

static struct process_machine this_machine = {.proc = "/proc", .real = true};

const struct counterset process_set = {&process_definition, &process_operations, &this_machine};
