/*
 * Hooks and bytes by the program that wrote them: tasks of one process and name are a row.
 */
#ifndef SWT_CMD_TOP_PROGRAMS_H
#define SWT_CMD_TOP_PROGRAMS_H

#include "../../dump/tasks.h"

struct top_count {
	uint64_t hooks, bytes;
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
};

/* Counts hooks of one writer. */
void top_programs_add(struct top_programs *p, struct tasks *tasks, uint32_t number, uint32_t hooks,
	uint32_t bytes);
/* Makes the current round the last one. */
void top_programs_close_round(struct top_programs *p);
void top_programs_free(struct top_programs *p);

#endif
