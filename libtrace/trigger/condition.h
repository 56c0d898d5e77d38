/*
 * Conditions on events, in the language of formats/base/expression.h:
 *
 *	label, comm (or task)		patterns
 *	elapsed, elapsed_ns		durations
 *	major, minor, mm, tid, pid, cpu, lost	whole numbers
 *	cpi				of the thread, else of the system
 *	arg.NAME			a number or a pattern
 *
 * Of an interval, `minor` is the program's own, as in cpidecode's columns; a number above 0xFF is
 * compared with the full minors of its hooks: `=` holds if one is equal, `!=` if none is, the other
 * operators if they hold for one.
 */
#ifndef SWT_TRIGGER_CONDITION_H
#define SWT_TRIGGER_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/base/expression.h"
#include "event.h"

enum { CONDITION_NAME = 64 };

struct condition {
	struct expression expression;
	char name[EXPRESSION_NODES][CONDITION_NAME]; /* of arguments */
	uint32_t names;
	bool asks_task; /* it has tid, pid or comm: events want their task */
	bool asks_lost;
};

/* 0, or PU_ERROR_INVALID_PARAMETER and the expected syntax with its position. error may be NULL. */
int condition_parse(struct condition *c, const char *text, struct expression_error *error);

/* ticks_per_second: of the events' clock, not 0. */
bool condition_holds(const struct condition *c, const struct event *e, uint64_t ticks_per_second);

#endif
