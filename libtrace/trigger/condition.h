/*
 * Conditions on events, in the language of formats/base/expression.h:
 *
 *	label, comm (or task)		patterns
 *	elapsed, elapsed_ns		durations
 *	major, minor, mm, tid, pid, cpu, lost	whole numbers
 *	cpi				of the thread, else of the system
 *	arg.NAME			a number or a pattern
 *	event.NAME, {NAME}		a number
 *	start_ns, end_ns, and what columns.h has
 *
 * A column of cpidecode's that only a whole trace can tell is refused with a message of its own.
 *
 * Of an interval, `minor` is the program's own, as in cpidecode's columns; a number above 0xFF is
 * compared with the full minors of its hooks: `=` holds if one is equal, `!=` if none is, the other
 * operators if they hold for one.
 */
#ifndef SWT_TRIGGER_CONDITION_H
#define SWT_TRIGGER_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "columns.h"

enum { CONDITION_NAME = 128 };

struct condition {
	struct expression expression;
	char name[EXPRESSION_NODES][CONDITION_NAME]; /* of arguments and events */
	bool is_event[EXPRESSION_NODES];	     /* by name */
	uint32_t names;
	bool asks_task; /* it has tid, pid or comm: events want their task */
	bool asks_lost, asks_columns;
	bool asks_time;	       /* it has start_ns or end_ns: events want their end_ns */
	struct schema *schema; /* NULL: it has no column of columns.h */
};

/* 0, or PU_ERROR_INVALID_PARAMETER and the expected syntax with its position, or
 * PU_ERROR_NOT_ENOUGH_MEMORY. error may be NULL. */
int condition_parse(struct condition *c, const char *text, struct expression_error *error);
void condition_free(struct condition *c);

/* ticks_per_second: of the events' clock, not 0. */
bool condition_holds(const struct condition *c, const struct event *e, uint64_t ticks_per_second);

#endif
