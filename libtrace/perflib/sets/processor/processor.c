/*
 * Processor Information: its instances and their values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../counters/thread/thread.h"
#include "processor.h"
#include "../sets.h"

static struct processors *processor_make_state(const struct counterset *set)
{
	struct processors *p = calloc(1, sizeof *p);
	long hz = sysconf(_SC_CLK_TCK);

	if (!p)
		return NULL;
	p->machine = set->context;
	p->user_hz = hz > 0 && hz <= 10000000 ? (uint64_t)hz : 100;
	return p;
}

static uint32_t processor_open(const struct counterset *set, void **state)
{
	/* Start the counters' thread now, so that a child of fork finds none of their locks
	 * held. */
	counters_thread();
	*state = processor_make_state(set);
	return *state ? ERROR_SUCCESS : ERROR_OUTOFMEMORY;
}

static void processor_close(const struct counterset *set, void *state)
{
	struct processors *p = state;

	(void)set;
	processors_drop_counters(p);
	file_text_free(&p->text);
	free(p);
}

/* Sets the row's known values. */
static void set_values(struct rows *rows, uint64_t known, const uint64_t *value)
{
	for (uint32_t i = 0; i < PROCESSOR_COLUMNS; i++)
		if (known & PROCESSOR_BIT(i))
			rows_set(rows, i,
				(processor_definition.counter[i].type & PERF_SIZE_MASK) ==
						PERF_SIZE_LARGE
					? value[i]
					: (uint32_t)value[i]);
}

static bool add_total(struct rows *rows, const struct processor_total *t, uint32_t id,
	const char *name, int length, bool values)
{
	if (!rows_add(rows, name, (size_t)length, id))
		return false;
	if (values)
		set_values(rows, t->known, t->value);
	return true;
}

static bool has_online(const struct processors *p, uint32_t node)
{
	for (uint32_t cpu = 0; cpu < p->online.end; cpu++)
		if (p->cpu[cpu].online && p->topology.cpu[cpu].node == node)
			return true;
	return false;
}

static bool add_node(const struct processors *p, uint32_t node, struct rows *rows, bool values)
{
	const struct topology *t = &p->topology;
	char name[32];

	if (!has_online(p, node))
		return true;
	if (!add_total(rows, &p->total[1 + node], INSTANCE_GROUP + node, name,
		    snprintf(name, sizeof name, "%u,_Total", node), values))
		return false;
	for (uint32_t cpu = 0; cpu < p->online.end; cpu++) {
		int length;

		if (!p->cpu[cpu].online || t->cpu[cpu].node != node)
			continue;
		length = snprintf(name, sizeof name, "%u,%u", node, t->cpu[cpu].index);
		if (!rows_add(rows, name, (size_t)length, cpu))
			return false;
		if (values)
			set_values(rows, p->cpu[cpu].known, p->cpu[cpu].value);
	}
	return true;
}

static uint32_t processor_add_rows(const struct processors *p, struct rows *rows, bool values)
{
	if (!add_total(rows, &p->total[0], INSTANCE_ALL, "_Total", 6, values))
		return ERROR_OUTOFMEMORY;
	for (uint32_t i = 0; i < p->topology.nodes; i++)
		if (!add_node(p, p->topology.node[i], rows, values))
			return ERROR_OUTOFMEMORY;
	return ERROR_SUCCESS;
}

static uint32_t processor_instances(const struct counterset *set, struct rows *rows)
{
	struct processors *p = processor_make_state(set);
	uint32_t status = ERROR_OUTOFMEMORY;

	if (p) {
		processors_refresh(p);
		status = processor_add_rows(p, rows, false);
	}
	free(p);
	return status;
}

static uint32_t processor_collect(const struct counterset *set, void *state, const uint64_t *wanted,
	const struct sample_time *time, struct rows *rows)
{
	struct processors *p = state;

	(void)set;
	processors_refresh(p);
	processors_read(p, wanted[0]);
	processors_smooth(p, time->time_100ns);
	processors_add_up(p);
	return processor_add_rows(p, rows, true);
}

const struct counterset_operations processor_operations = {
	.open = processor_open,
	.close = processor_close,
	.instances = processor_instances,
	.collect = processor_collect,
};

static bool timer_list(struct idle_cpu *cpu, uint32_t room, uint64_t *at)
{
	return idle_kind() == IDLE_TIMER_LIST && idle_read(cpu, room, at);
}

static struct processor_machine this_machine = {
	.proc = "/proc", .sys = "/sys", .idle = timer_list, .hardware = true};

const struct counterset processor_set = {
	&processor_definition, &processor_operations, &this_machine};
