/*
 * Conditions on events:
 *
 *	condition = term, `not` condition, ( condition ), or several joined by `and`, `or`;
 *	            `not` binds closest, then `and`
 *	term      = FIELD OP VALUE
 *
 * A term on a field that an event does not have is false, with every operator. Of the minors
 * of a group, `=` wants one that is equal, `!=` that none is; < <= > >= want one.
 */
#ifndef SWT_TRIGGER_CONDITION_H
#define SWT_TRIGGER_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "../session/session.h"
#include "event.h"

enum { CONDITION_NODES = 128, CONDITION_TEXT = 256, CONDITION_NAME = 64, CONDITION_DEPTH = 32 };

enum condition_op { OP_EQUAL, OP_UNEQUAL, OP_LESS, OP_AT_MOST, OP_MORE, OP_AT_LEAST };

enum condition_kind { NODE_AND, NODE_OR, NODE_NOT, NODE_TERM };

enum condition_field {
	FIELD_LABEL,
	FIELD_ELAPSED,
	FIELD_MAJOR,
	FIELD_MINOR,
	FIELD_MM,
	FIELD_TID,
	FIELD_PID,
	FIELD_COMM,
	FIELD_CPU,
	FIELD_CPI,
	FIELD_LOST,
	FIELD_ARG, /* arg.NAME: a number or a pattern */
};

struct condition_node {
	enum condition_kind kind;
	uint16_t left, right; /* nodes; left alone of `not` */
	enum condition_field field;
	enum condition_op op;
	uint64_t number; /* ns of elapsed; times 10000 of cpi */
	char text[CONDITION_TEXT];
	/* Of an argument: its name, and its value as a number, if text is one; exact if it is
	 * whole. */
	char name[CONDITION_NAME];
	bool is_number, is_whole, is_negative;
	double real;
};

struct condition {
	struct condition_node node[CONDITION_NODES];
	uint16_t nodes, root;
	bool asks_task; /* it has tid, pid or comm: events want their task */
	bool asks_lost;
};

/* 0, or PU_ERROR_INVALID_PARAMETER and a line: the column (from 1) and what was expected. */
int condition_parse(struct condition *c, const char *text, struct session_error *error);

/* ticks_per_second: of the events' clock, not 0. */
bool condition_holds(const struct condition *c, const struct event *e, uint64_t ticks_per_second);

#endif
