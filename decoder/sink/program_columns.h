/* The columns of hooks lost by program: of a trace's info, and of a session's. */
#ifndef SWT_DECODER_PROGRAM_COLUMNS_H
#define SWT_DECODER_PROGRAM_COLUMNS_H

#include "column.h"

struct program_row {
	const char *name;
	struct cell pid;
	uint64_t lost;
};

static const struct column program_columns[] = {
	{"name", "program", COLUMN_AT(struct program_row, name), .left = true},
	{"pid", "process", COLUMN_AT(struct program_row, pid)},
	{"lost", "hooks lost", COLUMN_AT(struct program_row, lost)},
	{.name = NULL},
};

#endif
