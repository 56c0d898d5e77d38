/* Containers of the sessions' owners, which distinguish the tasks of several traces. */
#include <string.h>

#include "trace_private.h"

const char *trace_owner_cgroup(const struct trace *t, uint32_t machine)
{
	return t->machines[machine]->owner;
}

const char *trace_known_owner(const struct trace *t)
{
	const char *owner = NULL;

	for (size_t i = 0; i < t->nmachines && !owner; i++)
		owner = t->machines[i]->owner;
	return owner;
}

bool trace_machine_has_several(const struct trace *t, uint32_t machine, const char **name)
{
	const struct machine *m = t->machines[machine];

	*name = m->first_container;
	return m->has_several_containers;
}

void owners_name_tasks(struct trace *t)
{
	const char *first = NULL;

	for (uint32_t i = 0; i < t->nmachines; i++) {
		const char *owner = t->machines[i]->owner;

		t->owners_differ |= first && owner && strcmp(owner, first) != 0;
		first = first ? first : owner;
	}
	for (uint32_t i = 0; i < t->nmachines && t->owners_differ; i++) {
		struct machine *m = t->machines[i];

		for (size_t k = 0; k < m->tasks.count; k++) {
			struct task *task = (struct task *)m->tasks.entries.p + k;

			if (task->is_at_home)
				task->container = m->owner;
		}
	}
}
