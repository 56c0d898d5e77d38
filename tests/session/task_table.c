#include "task_table.h"

#include <stdlib.h>
#include <unistd.h>

struct session table_box;

void table_begin(void)
{
	sandbox_fresh();
	box_open(&table_box, SHM_MODE_WRAP, 65536, 4096);
}

struct session_task *table_tasks;
int table_count;

const struct session_task *table_find(uint32_t tid)
{
	free(table_tasks);
	table_count = session_tasks(&table_box, &table_tasks);
	ck_assert_int_ge(table_count, 0);
	for (int i = 0; i < table_count; i++) {
		if (table_tasks[i].tid == tid)
			return &table_tasks[i];
	}
	return NULL;
}

uint64_t table_word(size_t offset)
{
	uint64_t value;

	ck_assert_int_eq(
		pread(table_box.tasks_fd, &value, sizeof value, (off_t)offset), sizeof value);
	return value;
}

void table_set_word(size_t offset, uint64_t value)
{
	ck_assert_int_eq(
		pwrite(table_box.tasks_fd, &value, sizeof value, (off_t)offset), sizeof value);
}

off_t table_slot_at(uint32_t index)
{
	return (off_t)(offsetof(struct shm_task_file, slot) + index * sizeof(struct shm_task));
}

uint32_t table_slots_of_kind(enum shm_task_state kind)
{
	const size_t bytes = SHM_TASK_SLOTS * sizeof(struct shm_task);
	struct shm_task *slots = malloc(bytes);
	uint32_t n = 0;

	ck_assert_ptr_nonnull(slots);
	ck_assert(ring_read_at(table_box.tasks_fd, slots, bytes, (uint64_t)table_slot_at(0)));
	for (uint32_t i = 0; i < SHM_TASK_SLOTS; i++)
		n += shm_task_kind(slots[i].state) == (uint32_t)kind;
	free(slots);
	return n;
}

void table_leave_slots(uint32_t n)
{
	table_set_word(USED, SHM_TASK_SLOTS - n);
}
