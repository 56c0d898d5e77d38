/*
 * Hooks and bytes by the program that wrote them, and hooks that it lost: tasks of one process and
 * name are a row. The first row is that of unknown tasks, once there is any row.
 */
#ifndef SWT_CMD_TOP_PROGRAMS_H
#define SWT_CMD_TOP_PROGRAMS_H

#include "../../dump/tasks.h"

struct top_count {
	uint64_t hooks, bytes, lost;
};

struct top_program {
	uint32_t pid; /* 0: unknown writers */
	char name[17];
	struct top_count current, last, total; /* total is without `current` */
};

/* Starts zeroed. */
struct top_programs {
	struct top_program *row;
	size_t count, room;
	/* Writers' numbers, and their rows. */
	struct top_writer {
		uint32_t number, row;
	} * writer;
	size_t writers, writers_room;
	struct hash_index by_number, by_program;
	uint32_t last_number, last_row; /* of the last hook; number 0: none */
	/* The tasks' losses when they were read last, and the sum of what was counted of them. */
	struct session_loss *losses;
	size_t loss_count;
	uint64_t lost;
};

/* Counts hooks of one writer. */
void top_programs_add(struct top_programs *p, struct tasks *tasks, uint32_t number, uint32_t hooks,
	uint32_t bytes);
/* What the tasks had lost before. Owns `losses`, as the next one does. */
void top_programs_begin_losses(struct top_programs *p, struct session_loss *losses, size_t count);
/* Counts what the tasks lost since. */
void top_programs_add_losses(
	struct top_programs *p, struct tasks *tasks, struct session_loss *losses, size_t count);
/* Makes the current round the last one. lost: by the rings' counters, since the start; what no task
 * is known of is in the first row. */
void top_programs_close_round(struct top_programs *p, uint64_t lost);
void top_programs_free(struct top_programs *p);

#endif
