#include "programs.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/hash.h"
#include "../../session/labels.h"

enum {
	MOST_PROGRAMS = 4096,	/* the first row counts the writers of all others, too */
	MOST_WRITERS = 1 << 16, /* then the table of writers starts empty again */
};

static uint64_t hash_program(uint32_t pid, const char *name)
{
	return labels_hash(name, (uint32_t)strlen(name)) ^ hash_u64(pid);
}

/* The row of a program. 0, that of unknown writers, if there is no room; UINT32_MAX: not even it.
 */
static uint32_t need_program(struct top_programs *p, const struct task_identity *task)
{
	uint32_t pid = task ? task->pid : 0, found;
	const char *name = task ? task->name : "";
	size_t from;

	for (uint64_t hash = hash_program(pid, name);
		(found = hash_index_next(&p->by_program, &hash));)
		if (p->row[found - 1].pid == pid && strcmp(p->row[found - 1].name, name) == 0)
			return found - 1;
	if (p->count == MOST_PROGRAMS ||
		!array_reserve(&p->row, &p->room, p->count + 1, sizeof *p->row) ||
		!hash_index_grow(&p->by_program, p->count + 1, &from))
		return p->count ? 0 : UINT32_MAX;
	p->row[p->count] = (struct top_program){.pid = pid};
	strcpy(p->row[p->count++].name, name);
	for (; from < p->count; from++)
		hash_index_add(&p->by_program, hash_program(p->row[from].pid, p->row[from].name),
			(uint32_t)from);
	return (uint32_t)p->count - 1;
}

static void remember_writer(struct top_programs *p, uint32_t number, uint32_t row)
{
	size_t from;

	if (p->writers == MOST_WRITERS) {
		p->writers = 0;
		hash_index_reset(&p->by_number, MOST_WRITERS);
	}
	if (!array_reserve(&p->writer, &p->writers_room, p->writers + 1, sizeof *p->writer) ||
		!hash_index_grow(&p->by_number, p->writers + 1, &from))
		return;
	p->writer[p->writers++] = (struct top_writer){number, row};
	for (; from < p->writers; from++)
		hash_index_add(&p->by_number, hash_u64(p->writer[from].number), (uint32_t)from);
}

static uint32_t row_of_writer(struct top_programs *p, struct tasks *tasks, uint32_t number)
{
	uint32_t found;

	for (uint64_t hash = hash_u64(number); (found = hash_index_next(&p->by_number, &hash));)
		if (p->writer[found - 1].number == number)
			return p->writer[found - 1].row;
	/* The first row is that of unknown writers. */
	uint32_t unknown = p->count ? 0 : need_program(p, NULL);
	const struct task_identity *task = tasks_find(tasks, number);
	uint32_t row = task ? need_program(p, task) : unknown;
	if (row != UINT32_MAX)
		remember_writer(p, number, row);
	return row;
}

void top_programs_add(struct top_programs *p, struct tasks *tasks, uint32_t number, uint32_t hooks,
	uint32_t bytes)
{
	if (number != p->last_number || number == 0) {
		uint32_t row = row_of_writer(p, tasks, number);

		if (row == UINT32_MAX)
			return;
		p->last_number = number;
		p->last_row = row;
	}
	p->row[p->last_row].current.hooks += hooks;
	p->row[p->last_row].current.bytes += bytes;
}

static void programs_add_lost(
	struct top_programs *p, struct tasks *tasks, uint32_t number, uint64_t hooks)
{
	uint32_t row = row_of_writer(p, tasks, number);

	if (row == 0 || row == UINT32_MAX)
		return;
	p->row[row].current.lost += hooks;
	p->lost += hooks;
}

/* Hooks that `now` counts and the last reading does not. Both are ordered by slot; *k, 0 for the
 * first call, is where to search from. */
static uint64_t programs_new_losses(
	const struct top_programs *p, const struct session_loss *now, size_t *k)
{
	uint64_t before = 0;

	while (*k < p->loss_count &&
		shm_task_index(p->losses[*k].number) < shm_task_index(now->number))
		++*k;
	if (*k < p->loss_count && p->losses[*k].number == now->number)
		before = p->losses[*k].hooks;
	return now->hooks > before ? now->hooks - before : 0;
}

void top_programs_add_losses(struct top_programs *p, struct tasks *tasks, const struct session *s)
{
	struct session_loss *losses;
	int count = session_losses(s, &losses);
	size_t k = 0;

	if (count < 0)
		return;
	for (int i = 0; i < count; i++) {
		uint64_t hooks = programs_new_losses(p, &losses[i], &k);

		if (hooks && tasks)
			programs_add_lost(p, tasks, losses[i].number, hooks);
		else
			p->lost += hooks;
	}
	free(p->losses);
	p->losses = losses;
	p->loss_count = (size_t)count;
}

void top_programs_begin_losses(struct top_programs *p, const struct session *s)
{
	p->lost = 0;
	top_programs_add_losses(p, NULL, s);
}

/* Losses that tasks counted since the last reading. */
static uint64_t programs_count_newer(const struct top_programs *p, const struct session *s)
{
	struct session_loss *losses;
	int count = session_losses(s, &losses);
	uint64_t hooks = 0;
	size_t k = 0;

	for (int i = 0; i < count; i++)
		hooks += programs_new_losses(p, &losses[i], &k);
	free(losses);
	return hooks;
}

static void programs_settle_unknown(struct top_programs *p, uint64_t lost)
{
	uint64_t unknown = lost > p->lost ? lost - p->lost : 0;
	struct top_program *row;

	if (p->count == 0 && (unknown == 0 || need_program(p, NULL) != 0))
		return;
	row = &p->row[0];
	/* A thread stopped between its ring's counter and its own makes unknown shrink later. */
	row->last.lost = unknown > row->total.lost ? unknown - row->total.lost : 0;
	row->total.lost = unknown;
}

void top_programs_close_round(struct top_programs *p, const struct session *s, uint64_t lost)
{
	uint64_t newer = programs_count_newer(p, s);

	for (size_t i = 0; i < p->count; i++) {
		struct top_program *row = &p->row[i];

		row->last = row->current;
		row->total.hooks += row->last.hooks;
		row->total.bytes += row->last.bytes;
		row->total.lost += row->last.lost;
		row->current = (struct top_count){0};
	}
	programs_settle_unknown(p, lost > newer ? lost - newer : 0);
}

void top_programs_free(struct top_programs *p)
{
	free(p->row);
	free(p->writer);
	free(p->losses);
	hash_index_free(&p->by_number);
	hash_index_free(&p->by_program);
	*p = (struct top_programs){0};
}
