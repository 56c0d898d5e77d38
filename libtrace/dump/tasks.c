#include "tasks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/array.h"
#include "../../formats/base/hash.h"
#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../formats/trace_file.h"
#include "../ring/reader.h"
#include "meta_lines.h"

/* Slots hold whatever members wrote: tasks beyond these bounds stay unknown. */
enum {
	KNOWN_MAX = 4 * SHM_TASK_SLOTS,
	KNOWN_KEPT = 2 * SHM_TASK_SLOTS, /* above it, drops tasks that are not listed */
	SAME_TID_MAX = 64,
};

void tasks_open(struct tasks *t, struct session *s)
{
	*t = (struct tasks){.session = s};
}

void tasks_close(struct tasks *t)
{
	free(t->task);
	hash_index_free(&t->by_number);
	hash_index_free(&t->by_tid);
	*t = (struct tasks){0};
}

/* ---------------------------------------------------------------------- tables */

/* The slot in by_tid of the first task with this thread id, or the free one for it. */
static uint32_t *slot_of_tid(const struct tasks *t, uint32_t tid)
{
	for (uint64_t i = hash_u64(tid);; i++) {
		uint32_t *slot = hash_index_at(&t->by_tid, i);

		if (*slot == 0 || t->task[*slot - 1].task.tid == tid)
			return slot;
	}
}

static struct known_task *tasks_find_number(const struct tasks *t, uint32_t number)
{
	uint32_t found;

	for (uint64_t hash = hash_u64(number); (found = hash_index_next(&t->by_number, &hash));)
		if (t->task[found - 1].number == number)
			return &t->task[found - 1];
	return NULL;
}

/* If two tasks have the same thread id, the earlier one's name applies until the later one began.
 */
static bool link_by_tid(struct tasks *t, struct known_task *k)
{
	uint32_t *head = slot_of_tid(t, k->task.tid), same = 0;

	for (uint32_t i = *head; i; i = t->task[i - 1].next)
		if (++same == SAME_TID_MAX)
			return false;
	for (uint32_t i = *head; i; i = t->task[i - 1].next) {
		struct known_task *other = &t->task[i - 1];

		if (other->task.first <= k->task.first && k->task.first < other->until)
			other->until = k->task.first;
		if (other->task.first >= k->task.first && other->task.first < k->until)
			k->until = other->task.first;
	}
	k->next = *head;
	*head = (uint32_t)(k - t->task) + 1;
	return true;
}

/* Rebuilds the empty indexes. */
static void tasks_index_all(struct tasks *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t *head = slot_of_tid(t, t->task[i].task.tid);

		hash_index_add(&t->by_number, hash_u64(t->task[i].number), i);
		t->task[i].next = *head;
		*head = i + 1;
	}
}

static bool tasks_grow_table(struct tasks *t)
{
	size_t room = t->room;
	struct hash_index by_number = {0}, by_tid = {0};

	if (!array_reserve(&t->task, &room, room ? room + 1 : 256, sizeof *t->task) ||
		!hash_index_reset(&by_number, room) || !hash_index_reset(&by_tid, room)) {
		hash_index_free(&by_number);
		return false;
	}
	hash_index_free(&t->by_number);
	hash_index_free(&t->by_tid);
	t->by_number = by_number;
	t->by_tid = by_tid;
	t->room = (uint32_t)room;
	tasks_index_all(t);
	return true;
}

/* The file, if any, already has the names of tasks whose slots were reused. */
static void tasks_forget_reused(struct tasks *t)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->count; i++)
		if (t->task[i].listed || !t->task[i].written || !t->task[i].placed)
			t->task[kept++] = t->task[i];
	t->count = kept;
	t->first_unwritten = 0;
	hash_index_reset(&t->by_number, kept);
	hash_index_reset(&t->by_tid, kept);
	tasks_index_all(t);
	memset(t->cache, 0, sizeof t->cache);
}

/* ---------------------------------------------------------------------- adding */

static void tasks_set_name(struct known_task *k, const char *name)
{
	memset(k->task.name, 0, sizeof k->task.name);
	memcpy(k->task.name, name, strnlen(name, TF_TASK_NAME_SIZE));
	meta_clean_text(k->task.name);
}

static void tasks_set_unwritten(struct tasks *t, const struct known_task *k)
{
	uint32_t i = (uint32_t)(k - t->task);

	if (t->unwritten++ == 0 || i < t->first_unwritten)
		t->first_unwritten = i;
}

static void rename_task(struct tasks *t, struct known_task *k, const char *name)
{
	struct known_task before = *k;

	tasks_set_name(k, name);
	if (k->written && strcmp(k->task.name, before.task.name) != 0) {
		k->written = false;
		tasks_set_unwritten(t, k);
	}
}

/* Several containers may share the owner's PID namespace. */
static bool tasks_is_contained(const struct session_task *task)
{
	return task->foreign || (task->cgroup && task->cgroup != SHM_CGROUP_OWNER);
}

static bool tasks_add_listed(struct tasks *t, const struct session_task *from)
{
	struct known_task *k = tasks_find_number(t, from->number);

	if (k) {
		rename_task(t, k, from->name);
		k->listed = true;
		return true;
	}
	/* Keeps half of the tables' slots empty. */
	if (from->number == 0 || from->tid == 0 ||
		((from->tid & TASKS_UNKNOWN) && from->tid != (from->number | TASKS_UNKNOWN)))
		return true;
	if (t->count == KNOWN_MAX || (t->count == t->room && !tasks_grow_table(t)))
		return false;
	k = &t->task[t->count];
	*k = (struct known_task){.number = from->number,
		.until = UINT64_MAX,
		.listed = true,
		.contained = tasks_is_contained(from),
		.placed = !tasks_is_contained(from),
		.own_tid = from->own_tid,
		.own_pid = from->own_pid,
		.pid_namespace = from->pid_namespace,
		.cgroup = from->cgroup,
		.task = {.tid = from->tid, .pid = from->pid, .first = from->first}};
	tasks_set_name(k, from->name);
	if (!link_by_tid(t, k))
		return true;
	hash_index_add(&t->by_number, hash_u64(k->number), t->count++);
	tasks_set_unwritten(t, k);
	t->unplaced += !k->placed;
	memset(t->cache, 0, sizeof t->cache);
	return true;
}

bool tasks_read(struct tasks *t, const struct session_task *tasks, int count)
{
	bool whole = true;

	for (uint32_t i = 0; i < t->count; i++)
		t->task[i].listed = false;
	for (int i = 0; i < count; i++)
		whole = tasks_add_listed(t, &tasks[i]) && whole;
	if (t->count > KNOWN_KEPT)
		tasks_forget_reused(t);
	return whole;
}

static void tasks_read_slot(struct tasks *t, uint32_t number)
{
	struct session_task task;

	if (!t->sealed && t->session && session_read_task(t->session, number, &task))
		tasks_add_listed(t, &task);
}

/* ------------------------------------------------------------------------ asking */

static const struct known_task *tasks_find_known(struct tasks *t, uint32_t number)
{
	const struct known_task *k = tasks_find_number(t, number);

	if (k)
		return k;
	tasks_read_slot(t, number);
	return tasks_find_number(t, number);
}

const struct task_identity *tasks_find(struct tasks *t, uint32_t number)
{
	const struct known_task *k = tasks_find_known(t, number);

	return k ? &k->task : NULL;
}

/* The id of a writer whose own must not be used: of no task in the file. */
static uint32_t tasks_id_of_unknown(const struct tasks *t, uint32_t number)
{
	return tasks_find_number(t, number ^ TASKS_UNKNOWN) ? TASKS_UNKNOWN
							    : number | TASKS_UNKNOWN;
}

uint32_t tasks_thread(struct tasks *t, uint32_t number, uint64_t stamp)
{
	struct cached_task *c = &t->cache[number % TASKS_CACHE];

	if (c->number != number || number == 0) {
		/* A writer registers before its first record: a number unknown now stays
		 * unknown. */
		const struct known_task *k = tasks_find_known(t, number);

		*c = (struct cached_task){.number = number,
			.tid = k ? k->task.tid : tasks_id_of_unknown(t, number),
			.until = k ? k->until : UINT64_MAX};
	}
	return stamp < c->until ? c->tid : tasks_id_of_unknown(t, number);
}

void tasks_translate(struct tasks *t, uint8_t *records, uint32_t bytes)
{
	uint32_t at = 0, control;

	for (; rec_read_control(records, at, bytes, &control); at += rec_control_size(control)) {
		uint8_t *record = records + at;

		if (rec_control_is_hook(control))
			put_le32(record + REC_TID, tasks_thread(t, get_le32(record + REC_TID),
							   get_le64(record + REC_STAMP)));
	}
}

/* ----------------------------------------------------------------------- telling */

void tasks_untell(struct tasks *t)
{
	t->unplaced = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		t->task[i].written = false;
		t->task[i].placed = !t->task[i].contained;
		t->unplaced += t->task[i].contained;
	}
	t->unwritten = t->count;
	t->first_unwritten = 0;
}

static void put_entry(uint8_t *p, const struct task_identity *task)
{
	memset(p, 0, TF_TASK_SIZE);
	put_le32(p + TF_TASK_TID, task->tid);
	put_le32(p + TF_TASK_PID, task->pid);
	put_le64(p + TF_TASK_FIRST, task->first);
	memcpy(p + TF_TASK_NAME, task->name, TF_TASK_NAME_SIZE);
}

uint32_t tasks_tell(struct tasks *t, uint8_t *entries, uint32_t room)
{
	uint32_t n = 0;

	for (uint32_t i = t->first_unwritten; t->unwritten && n < room; i++) {
		struct known_task *k = &t->task[i];

		t->first_unwritten = i + 1;
		if (k->written)
			continue;
		put_entry(entries + (size_t)n++ * TF_TASK_SIZE, &k->task);
		k->written = true;
		t->unwritten--;
	}
	return n;
}

/* Returns the entry's bytes. */
static uint32_t put_container(const struct session *s, uint8_t *p, const struct known_task *k)
{
	char name[SHM_CGROUP_TEXT_MAX];
	uint32_t length = session_read_cgroup(s, k->cgroup, name);
	uint32_t bytes = (TF_CONTAINER_NAME + length + 7) & ~7u;

	memset(p, 0, bytes);
	put_le32(p + TF_CONTAINER_TID, k->task.tid);
	put_le32(p + TF_CONTAINER_OWN_TID, k->own_tid);
	put_le32(p + TF_CONTAINER_OWN_PID, k->own_pid);
	put_le32(p + TF_CONTAINER_NAMESPACE, k->pid_namespace);
	put_le64(p + TF_CONTAINER_FIRST, k->task.first);
	put_le32(p + TF_CONTAINER_LENGTH, length);
	memcpy(p + TF_CONTAINER_NAME, name, length);
	return bytes;
}

uint32_t tasks_tell_containers(struct tasks *t, uint8_t *bytes, uint32_t room)
{
	uint32_t n = 0;

	/* Tasks are added at the end, and those before are placed: from there backwards. */
	for (uint32_t i = t->count; i && t->unplaced && n + TASKS_CONTAINER_MAX <= room; i--) {
		struct known_task *k = &t->task[i - 1];

		if (k->placed)
			continue;
		n += put_container(t->session, bytes + n, k);
		k->placed = true;
		t->unplaced--;
	}
	return n;
}
