/*
 * The names of the intervals around each one, for --by parent, root and stack. Fed with all
 * intervals of a trace by machine and ticks, parents first.
 */
#ifndef SWT_DECODER_REPORT_QUERY_AROUND_H
#define SWT_DECODER_REPORT_QUERY_AROUND_H

#include "../../base/intern.h"
#include "../../model/intervals/thread_stacks.h"
#include "by.h"

/* Names of a stack, and their bytes: the outermost ones, and the interval's own. */
enum { AROUND_STACK = 1000, AROUND_BYTES = 64 << 10 };

/* Starts zeroed but for wants_stack. */
struct around {
	bool wants_stack;
	struct thread_stacks threads;
	struct intern names;
	struct buffer stack;
};

/* The intervals around the next one; valid until the next call. 0 or CPIDECODE_ENOMEM. */
int around_add(struct around *a, const struct interval *iv, struct by_around *found);
void around_free(struct around *a);

#endif
