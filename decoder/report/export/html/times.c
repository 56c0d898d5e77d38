#include "times.h"

#include <stdlib.h>

#include "../../../base/grow.h"

static void times_add_count(struct counted_sum *to, uint64_t value)
{
	if (value == NOT_MEASURED)
		return;
	exact_add(&to->sum, value);
	to->measured++;
}

int times_add(struct times *t, uint32_t name, const struct interval *iv)
{
	if (name >= TIMES_MOST) {
		t->is_cut |= iv->on_cpu_ns != NOT_MEASURED || iv->off_cpu_ns != NOT_MEASURED ||
			     iv->ctx_switches != NOT_MEASURED;
		return 0;
	}
	while (t->count <= name) {
		if (array_grow(&t->groups, t->count, &t->room, sizeof *t->groups))
			return CPIDECODE_ENOMEM;
		t->groups[t->count++] = (struct times_group){0};
	}
	times_add_count(&t->groups[name].on_cpu, iv->on_cpu_ns);
	times_add_count(&t->groups[name].off_cpu, iv->off_cpu_ns);
	times_add_count(&t->groups[name].switches, iv->ctx_switches);
	return 0;
}

static void times_write_count(const struct counted_sum *sum, struct json *j)
{
	if (sum->measured)
		json_u64(j, sum->sum < UINT64_MAX ? (uint64_t)sum->sum : UINT64_MAX);
	else
		json_null(j);
}

void times_write(const struct times *t, struct json *j)
{
	json_open(j, '[');
	for (size_t i = 0; i < t->count; i++) {
		const struct times_group *g = &t->groups[i];

		if (!g->on_cpu.measured && !g->off_cpu.measured && !g->switches.measured)
			continue;
		json_open(j, '[');
		json_u64(j, i);
		times_write_count(&g->on_cpu, j);
		times_write_count(&g->off_cpu, j);
		times_write_count(&g->switches, j);
		json_close(j, ']');
	}
	json_close(j, ']');
}

void times_free(struct times *t)
{
	free(t->groups);
}
