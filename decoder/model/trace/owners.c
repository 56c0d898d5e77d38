/* Containers of the sessions' owners, which distinguish the tasks of several traces. */
#include <string.h>

#include "trace_private.h"

/* The cgroup of the session's owner, from any file of the machine. NULL: unknown. */
static const char *owners_find_cgroup(const struct trace *t, uint32_t machine)
{
	const char *owner = NULL;

	for (size_t i = 0; i < t->nfiles && !owner; i++)
		if (t->files[i]->pub.machine == machine)
			owner = trace_meta_value(&t->files[i]->pub, "cgroup");
	return owner;
}

void owners_name_tasks(struct trace *t)
{
	const char *first = NULL;

	for (uint32_t i = 0; i < t->nmachines; i++) {
		const char *owner = owners_find_cgroup(t, i);

		t->owners_differ |= first && owner && strcmp(owner, first) != 0;
		first = first ? first : owner;
	}
	for (uint32_t i = 0; i < t->nmachines && t->owners_differ; i++) {
		struct machine *m = t->machines[i];
		const char *owner = owners_find_cgroup(t, i);

		for (size_t k = 0; k < m->tasks.count; k++) {
			struct task *task = (struct task *)m->tasks.entries.p + k;

			if (!containers_find(&m->containers, task))
				task->container = owner;
		}
	}
}
