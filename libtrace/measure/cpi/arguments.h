/*
 * The arguments of an instance's next groups. They are copies, names included: a plugin may be
 * unloaded before the group is written. The memory is reused by the next interval. Also holds the
 * number of the interval's begin hook, which the groups carry, too.
 */
#ifndef SWT_MEASURE_CPI_ARGUMENTS_H
#define SWT_MEASURE_CPI_ARGUMENTS_H

#include "../scope/args.h"

struct arguments {
	swtrace_label_ name[SWT_ARGS_MAX];
	char *text; /* memory of the names and values */
	size_t used, room;
	uint64_t begin, period; /* of the begin hook of the interval; 0: none */
	struct args args;	/* SWT_ARGS_MAX of them follow */
};

/* NULL: out of memory. */
struct arguments *arguments_new(void);
void arguments_free(struct arguments *a); /* NULL is fine */

static inline void arguments_clear(struct arguments *a)
{
	a->args.count = 0;
	a->used = 0;
}

/* Adds all of them, or none: PU_ERROR_INVALID_PARAMETER (too many), PU_ERROR_NOT_ENOUGH_MEMORY. */
int arguments_add(struct arguments *a, UINT32 count, const SWT_ARG *arg);

#endif
