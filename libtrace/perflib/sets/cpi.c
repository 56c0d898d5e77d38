/*
 * CPI: instructions, cycles and busy cycles of each processor, counted while a query is open.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../include/perfutil.h"
#include "../../core/online.h"
#include "../../counters/source.h"
#include "../../counters/thread/thread.h"
#include "cpi_sums.h"
#include "sets.h"

struct cpi_state {
	struct counter_sample *from, *now;
	struct counter_interval *interval;
	struct cpi_sums sums[ONLINE_MAX];
};

static struct counter_sample *make_sample(uint32_t room)
{
	struct counter_sample *s = calloc(1, counters_sample_size(room));

	if (s)
		s->room = room;
	return s;
}

static void free_state(struct cpi_state *c)
{
	if (!c)
		return;
	free(c->from);
	free(c->now);
	free(c->interval);
	free(c);
}

static struct cpi_state *make_state(void)
{
	struct cpi_state *c = calloc(1, sizeof *c);
	uint32_t room = counters_room();

	if (!c)
		return NULL;
	c->from = make_sample(room);
	c->now = make_sample(room);
	c->interval = calloc(1, counters_interval_size(room));
	if (c->from && c->now && c->interval)
		return c;
	free_state(c);
	return NULL;
}

static uint32_t cpi_open(const struct counterset *set, void **state)
{
	struct cpi_state *c;

	(void)set;
	/* SWTRACE_COUNTERS requests counters that the machine lacks. */
	if (counters_choose() != 0)
		return ERROR_NOT_SUPPORTED;
	c = make_state();
	if (!c)
		return ERROR_OUTOFMEMORY;
	if (counters_hold(COUNTER_CPU_BITS) != 0) {
		free_state(c);
		errno = EMFILE;
		return ERROR_READ_FAULT;
	}
	/* Start the counters' thread now, so that a child of fork finds none of their locks
	 * held. */
	counters_thread();
	counters_read(c->from, COUNTER_CPU_BITS, COUNTER_START);
	*state = c;
	return ERROR_SUCCESS;
}

static void cpi_close(const struct counterset *set, void *state)
{
	(void)set;
	counters_drop(COUNTER_CPU_BITS);
	free_state(state);
}

/* ----------------------------------------------------------------------------- rows */

static bool cpi_add_cpu_row(struct rows *rows, uint32_t cpu)
{
	char name[16];

	return rows_add(rows, name, (size_t)snprintf(name, sizeof name, "%u", cpu), cpu);
}

static void set_sums(struct rows *rows, const struct cpi_sums *s, unsigned known)
{
	if (known & CPI_KNOWS_INSTRUCTIONS) {
		rows_set(rows, CPI_COLUMN_BASE, s->instructions);
		rows_set(rows, CPI_COLUMN_INSTRUCTIONS, s->instructions);
	}
	if (known & CPI_KNOWS_CYCLES) {
		rows_set(rows, CPI_COLUMN_CPI, s->cycles);
		rows_set(rows, CPI_COLUMN_CYCLES, s->cycles);
	}
	if (known & CPI_KNOWS_BUSY) {
		rows_set(rows, CPI_COLUMN_SCALED, s->busy);
		rows_set(rows, CPI_COLUMN_BUSY_CYCLES, s->busy);
	}
	if (known & CPI_KNOWS_SHARE) {
		rows_set(rows, CPI_COLUMN_BUSY, s->part);
		rows_set(rows, CPI_COLUMN_BUSY_BASE, s->whole);
	}
	/* A ratio's numerator is meaningless without its base. */
	if (!(known & CPI_KNOWS_INSTRUCTIONS)) {
		size_t row = (size_t)(rows->used - 1) * rows->columns;

		rows->known[row + CPI_COLUMN_CPI] = rows->known[row + CPI_COLUMN_SCALED] = 0;
	}
}

static uint32_t cpi_instances(const struct counterset *set, struct rows *rows)
{
	struct cpu_set online;

	(void)set;
	cpu_set_online(&online);
	if (!rows_add(rows, "_Total", 6, INSTANCE_ALL))
		return ERROR_OUTOFMEMORY;
	for (uint32_t cpu = 0; cpu < online.end; cpu++)
		if (cpu_set_has(&online, cpu) && !cpi_add_cpu_row(rows, cpu))
			return ERROR_OUTOFMEMORY;
	return ERROR_SUCCESS;
}

/* The total has the values that all online processors have, and includes processors that went
 * offline. */
static void cpi_set_total(
	struct rows *rows, const struct cpi_state *c, const struct counter_sample *s)
{
	unsigned known = s->cpus ? CPI_KNOWS_ALL : 0;
	struct cpi_sums total = {0};

	for (uint32_t cpu = 0; cpu < ONLINE_MAX; cpu++)
		cpi_sums_add(&total, &c->sums[cpu]);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
		if (s->cpu[cpu].online)
			known &= cpi_knows(s, cpu);
	set_sums(rows, &total, known);
}

static uint32_t cpi_collect(const struct counterset *set, void *state, const uint64_t *wanted,
	const struct sample_time *time, struct rows *rows)
{
	struct cpi_state *c = state;
	struct counter_sample *s = c->now;

	(void)set;
	(void)wanted;
	(void)time;
	counters_read(s, COUNTER_CPU_BITS, COUNTER_START);
	if (!cpi_is_too_short(c->from, s)) {
		counters_difference(c->from, s, c->interval);
		for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
			cpi_sums_gain(&c->sums[cpu], &c->interval->cpu[cpu], cpi_knows(s, cpu));
		c->now = c->from;
		c->from = s;
	}
	if (!rows_add(rows, "_Total", 6, INSTANCE_ALL))
		return ERROR_OUTOFMEMORY;
	cpi_set_total(rows, c, s);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		if (!s->cpu[cpu].online)
			continue;
		if (!cpi_add_cpu_row(rows, cpu))
			return ERROR_OUTOFMEMORY;
		set_sums(rows, &c->sums[cpu], cpi_knows(s, cpu));
	}
	return ERROR_SUCCESS;
}

static bool cpi_scripted(const struct counterset *set)
{
	uint32_t flags;

	(void)set;
	return counters_tell_source(&flags) == SHM_SOURCE_SCRIPTED;
}

static const struct counterset_operations cpi_operations = {
	.open = cpi_open,
	.close = cpi_close,
	.instances = cpi_instances,
	.collect = cpi_collect,
	.scripted = cpi_scripted,
};

const struct counterset cpi_set = {&cpi_definition, &cpi_operations, NULL};
