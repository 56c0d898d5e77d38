/*
 * Hooks, bytes and lost hooks by program: a row sums the tasks of one process and thread name. The
 * first row, if there are rows, is for unknown tasks.
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
	/* The tasks' losses at the last reading, and the sum that is not of unknown tasks. */
	struct session_loss *losses;
	size_t loss_count;
	uint64_t lost;
};

/* Counts hooks of one writer. */
void top_programs_add(struct top_programs *p, struct tasks *tasks, uint32_t number, uint32_t hooks,
	uint32_t bytes);
/* Sets the baseline to the tasks' losses now. Call it before and after the rings' baseline is read:
 * losses counted in between then belong neither to a program nor to unknown tasks. */
void top_programs_begin_losses(struct top_programs *p, const struct session *s);
/* Adds losses since the last reading to their programs. tasks: NULL sets a baseline. After a failed
 * reading the next call adds its losses. */
void top_programs_add_losses(struct top_programs *p, struct tasks *tasks, const struct session *s);
/* Closes the current round. lost: losses since the start by the rings' counters, read after
 * top_programs_add_losses. The first row gets the losses of unknown tasks: the difference, less
 * what the tasks counted since then. The next round adds that. */
void top_programs_close_round(struct top_programs *p, const struct session *s, uint64_t lost);
void top_programs_free(struct top_programs *p);

#endif
