#include "tasks.h"

#include <stdio.h>
#include <string.h>

#include "../../../formats/base/hash.h"
#include "../../../formats/trace_file.h"
#include "../../base/grow.h"
#include "../../model/trace/containers.h"
#include "../../model/trace/trace.h"
#include "../open.h"

static uint64_t flame_tasks_hash(const struct flame_task *task)
{
	return hash_add_u64(hash_u64((uint64_t)task->process << 32 | task->thread),
		(uint64_t)task->host << 32 | task->container);
}

static uint32_t flame_tasks_add(struct flame_tasks *tasks, const struct flame_task *task)
{
	uint64_t hash = flame_tasks_hash(task);
	size_t i;

	for (uint32_t found; (found = hash_index_next(&tasks->by_names, &hash));)
		if (tasks->at[found - 1].container == task->container &&
			tasks->at[found - 1].host == task->host &&
			tasks->at[found - 1].process == task->process &&
			tasks->at[found - 1].thread == task->thread)
			return found;
	if (tasks->count >= UINT32_MAX ||
		array_grow(&tasks->at, tasks->count, &tasks->cap, sizeof *tasks->at) ||
		!hash_index_grow(&tasks->by_names, tasks->count + 1, &i))
		return 0;
	tasks->at[tasks->count++] = *task;
	for (; i < tasks->count; i++)
		hash_index_add(&tasks->by_names, flame_tasks_hash(&tasks->at[i]), (uint32_t)i);
	return (uint32_t)tasks->count;
}

/*
 * A process is called as its main thread is. The main thread may have been named later than
 * another of its threads.
 */
static const struct task *flame_tasks_find_main(
	const struct trace *t, uint32_t machine, const struct task *task)
{
	const uint64_t moments[] = {task->first, UINT64_MAX};

	if (task->tid == task->pid)
		return task;
	for (unsigned i = 0; i < sizeof moments / sizeof *moments; i++) {
		const struct task *main = trace_task(t, machine, task->pid, moments[i]);

		if (main && main->pid == task->pid && main->name[0])
			return main;
	}
	return NULL;
}

/* The number of the name, or of a text instead of it. container: NULL: none. */
static uint32_t flame_tasks_name(struct flame_names *names, const struct task *task,
	const char *word, uint32_t number, const char *container)
{
	char unnamed[24], text[sizeof unnamed + TF_CONTAINER_MAX + 4];
	const char *name = task ? task->name : "";

	if (!name[0]) {
		snprintf(unnamed, sizeof unnamed, "%s %u", word, number);
		name = unnamed;
	}
	if (container) {
		snprintf(text, sizeof text, "%s (%s)", name, container);
		name = text;
	}
	return flame_names_add(names, name, strlen(name));
}

/* NULL: unknown. */
static const char *flame_tasks_container(const struct trace *t, const struct interval *iv)
{
	if (iv->task && !iv->task->container && iv->task->is_at_home)
		return trace_owner_cgroup(t, iv->machine);
	return iv->task ? iv->task->container : NULL;
}

uint32_t flame_tasks_find(struct flame_tasks *tasks, struct flame_names *names,
	const struct trace *t, const struct interval *iv)
{
	struct flame_recent_task *recent = &tasks->recent[iv->tid % FLAME_RECENT_TASKS];
	struct flame_task task = {0};

	if (recent->number && recent->task == iv->task && recent->tid == iv->tid &&
		recent->machine == iv->machine)
		return recent->number;
	/* Instead of a name, a thread of another PID namespace has its own ids. */
	const struct container *in = iv->task ? trace_container(t, iv->machine, iv->task) : NULL;
	task.thread = flame_tasks_name(
		names, iv->task, "tid", in && in->own_tid ? in->own_tid : iv->tid, NULL);
	if (iv->task)
		task.process =
			flame_tasks_name(names, flame_tasks_find_main(t, iv->machine, iv->task),
				"pid", in && in->own_pid ? in->own_pid : iv->task->pid,
				tasks->has_containers ? iv->task->container : NULL);
	const char *container = tasks->names_containers ? flame_tasks_container(t, iv) : NULL;
	if (container)
		task.container = flame_names_add(names, container, strlen(container));
	if (tasks->names_hosts) {
		const char *host = report_host_of(t, iv->file);

		if (!host)
			host = "n/a";
		task.host = flame_names_add(names, host, strlen(host));
	}
	if (!task.thread || (iv->task && !task.process) || (container && !task.container) ||
		(tasks->names_hosts && !task.host))
		return 0;
	uint32_t number = flame_tasks_add(tasks, &task);
	*recent = (struct flame_recent_task){iv->task, iv->tid, iv->machine, number};
	return number;
}

void flame_tasks_free(struct flame_tasks *tasks)
{
	free(tasks->at);
	hash_index_free(&tasks->by_names);
}
