#include "tasks.h"

#include <stdlib.h>
#include <string.h>

enum { READINGS = 16 };

static int by_tid(const void *a, const void *b)
{
	const struct event_task *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* What cannot be read is unknown. */
static void read_table(struct tasks *t)
{
	struct session_task *tasks;
	int n = session_tasks(t->session, &tasks);

	free(t->task);
	t->count = 0;
	t->task = n > 0 ? calloc((size_t)n, sizeof *t->task) : NULL;
	for (int i = 0; t->task && i < n; i++) {
		struct event_task *to = &t->task[t->count++];

		to->tid = tasks[i].tid;
		to->pid = tasks[i].pid;
		to->first = tasks[i].first;
		memcpy(to->name, tasks[i].name, sizeof tasks[i].name);
	}
	if (t->count)
		qsort(t->task, t->count, sizeof *t->task, by_tid);
	free(tasks);
}

static const struct event_task *look_up(const struct tasks *t, uint32_t tid, uint64_t stamp)
{
	uint32_t low = 0, high = t->count;

	/* The first that is of a later thread. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct event_task *m = &t->task[middle];

		if (m->tid < tid || (m->tid == tid && m->first <= stamp))
			low = middle + 1;
		else
			high = middle;
	}
	return low && t->task[low - 1].tid == tid ? &t->task[low - 1] : NULL;
}

void tasks_open(struct tasks *t, struct session *s)
{
	*t = (struct tasks){.session = s, .readings = READINGS};
}

void tasks_close(struct tasks *t)
{
	free(t->task);
	t->task = NULL;
	t->count = 0;
}

void tasks_refresh(struct tasks *t)
{
	t->readings = READINGS;
}

const struct event_task *tasks_find(struct tasks *t, uint32_t tid, uint64_t stamp)
{
	const struct event_task *found = look_up(t, tid, stamp);

	/* A thread registers before its first hook. */
	if (!found && t->readings) {
		t->readings--;
		read_table(t);
		found = look_up(t, tid, stamp);
	}
	return found;
}
