#include "task_losses.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/bytes.h"
#include "../../include/perfutil.h"
#include "../session/fail.h"
#include "file_head.h"

/* A drain's file promises room for HEAD_TASKS_MAX tasks in a section. */
_Static_assert((int)TF_TASKLOSS_SIZE == (int)TF_TASK_SIZE, "as many entries in a section as tasks");

bool task_losses_read(struct task_losses *l, const struct session *s)
{
	struct session_loss *task;
	int n = session_losses(s, &task);

	if (n < 0)
		return false;
	free(l->task);
	*l = (struct task_losses){.task = task, .count = (size_t)n};
	return true;
}

void task_losses_free(struct task_losses *l)
{
	free(l->task);
	*l = (struct task_losses){0};
}

static size_t task_losses_room(const struct task_losses *l)
{
	return l->count + 1 < HEAD_TASKS_MAX ? l->count + 1 : HEAD_TASKS_MAX;
}

uint64_t task_losses_largest(const struct task_losses *l)
{
	return (uint64_t)task_losses_room(l) * TF_TASKLOSS_SIZE;
}

static void task_losses_put(
	uint8_t *p, const struct task_identity *task, uint64_t hooks, bool is_before)
{
	memset(p, 0, TF_TASKLOSS_SIZE);
	if (task) {
		put_le32(p + TF_TASKLOSS_TID, task->tid);
		put_le64(p + TF_TASKLOSS_FIRST, task->first);
	}
	put_le64(p + TF_TASKLOSS_LOST, hooks);
	put_le64(p + TF_TASKLOSS_BEFORE, is_before ? hooks : 0);
}

/* Whether `since`, which is ordered by slot too, has the same. *at only grows. */
static bool task_losses_has(
	const struct task_losses *since, size_t *at, const struct session_loss *loss)
{
	while (*at < since->count &&
		shm_task_index(since->task[*at].number) < shm_task_index(loss->number))
		++*at;
	return *at < since->count && since->task[*at].number == loss->number &&
	       since->task[*at].hooks == loss->hooks;
}

int task_losses_write(const struct task_losses *l, const struct task_losses *since, bool is_before,
	struct section_writer *w, enum tf_codec codec, struct tasks *known,
	struct session_error *error)
{
	const size_t room = task_losses_room(l);
	size_t n = 0, at = 0;
	int rc = 0;

	if (since ? since->all == l->all : l->all == 0)
		return 0;
	uint8_t *entries = malloc(room * TF_TASKLOSS_SIZE);
	if (!entries)
		return session_fail(
			error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory for the losses");
	task_losses_put(entries, NULL, l->all, is_before);
	n = 1;
	for (size_t i = 0; i < l->count && rc == 0; i++) {
		const struct task_identity *task;

		if ((since && task_losses_has(since, &at, &l->task[i])) ||
			!(task = tasks_find(known, l->task[i].number)))
			continue;
		if (n == room) {
			rc = head_write_plain(
				w, TF_TYPE_TASKLOSS, codec, entries, n * TF_TASKLOSS_SIZE, error);
			n = 0;
		}
		task_losses_put(
			entries + n++ * TF_TASKLOSS_SIZE, task, l->task[i].hooks, is_before);
	}
	if (rc == 0)
		rc = head_write_plain(
			w, TF_TYPE_TASKLOSS, codec, entries, n * TF_TASKLOSS_SIZE, error);
	free(entries);
	return rc;
}
