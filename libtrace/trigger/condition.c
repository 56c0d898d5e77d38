/* Evaluates conditions. */
#include "condition.h"

#include <string.h>

#include "../../formats/base/glob.h"
#include "../../formats/cpi_hooks.h"
#include "../../formats/interval_hooks.h"

typedef unsigned __int128 wide;

static bool condition_test_order(bool less, enum condition_op op, bool more)
{
	switch (op) {
	case OP_EQUAL:
		return !less && !more;
	case OP_UNEQUAL:
		return less || more;
	case OP_LESS:
		return less;
	case OP_AT_MOST:
		return !more;
	case OP_MORE:
		return more;
	case OP_AT_LEAST:
		return !less;
	}
	return false;
}

static bool condition_compare_values(wide a, enum condition_op op, wide b)
{
	return condition_test_order(a<b, op, a> b);
}

static bool compare_text(const struct condition_node *n, const void *text, size_t size)
{
	return glob_match(n->text, text, size) == (n->op == OP_EQUAL);
}

static bool compare_minors(const struct condition_node *n, const struct event *e)
{
	bool none = n->op == OP_UNEQUAL, found = false;

	for (uint32_t i = 0; i < e->minors; i++)
		found |= condition_compare_values(e->minor[i], none ? OP_EQUAL : n->op, n->number);
	return e->minors && found != none;
}

/* A NaN differs from every number and has no order. */
static bool condition_compare_reals(double a, enum condition_op op, double b)
{
	if (a != a || b != b)
		return op == OP_UNEQUAL;
	return condition_test_order(a<b, op, a> b);
}

/* Whole numbers, exact: both above 0 after the sum. */
static bool compare_whole(const struct condition_node *n, bool negative, uint64_t size)
{
	const wide zero = (wide)1 << 64;

	return condition_compare_values(negative ? zero - size : zero + size, n->op,
		n->is_negative ? zero - n->number : zero + n->number);
}

/* A number is compared with a number, a text with a pattern; else it is false. */
static bool compare_arg(const struct condition_node *n, const struct event *e)
{
	struct event_arg arg;
	double real;

	if (!event_find_arg(e, n->name, &arg))
		return false;
	if (arg.type == INTERVAL_ARG_TEXT)
		return (n->op == OP_EQUAL || n->op == OP_UNEQUAL) &&
		       compare_text(n, arg.text, arg.length);
	if (!n->is_number || arg.type < INTERVAL_ARG_U64 || arg.type > INTERVAL_ARG_F64)
		return false;
	bool negative = arg.type == INTERVAL_ARG_I64 && arg.value >> 63;
	uint64_t size = negative ? -arg.value : arg.value;
	if (arg.type != INTERVAL_ARG_F64 && n->is_whole)
		return compare_whole(n, negative, size);
	if (arg.type == INTERVAL_ARG_F64)
		memcpy(&real, &arg.value, sizeof real);
	else
		real = negative ? -(double)size : (double)size;
	return condition_compare_reals(real, n->op, n->real);
}

/* For a hook, which exists. */
static bool term_of_hook(
	const struct condition_node *n, const struct event *e, uint64_t ticks_per_second)
{
	const uint8_t *label;
	uint32_t length;

	switch (n->field) {
	case FIELD_LABEL:
		return event_find_label(e, &label, &length) && compare_text(n, label, length);
	case FIELD_ELAPSED:
		/* Multiplies both sides by the rate: exact in 128 bits. */
		return e->has_elapsed && condition_compare_values((wide)e->elapsed * 1000000000u,
						 n->op, (wide)n->number * ticks_per_second);
	case FIELD_MAJOR:
		return condition_compare_values(e->major, n->op, n->number);
	case FIELD_MINOR:
		return compare_minors(n, e);
	case FIELD_MM:
		return condition_compare_values(e->minor[0] & CPI_MINOR_MM, n->op, n->number);
	case FIELD_TID:
		return condition_compare_values(e->tid, n->op, n->number);
	case FIELD_PID:
		return e->task && condition_compare_values(e->task->pid, n->op, n->number);
	case FIELD_COMM:
		return e->task && compare_text(n, e->task->name, strlen(e->task->name));
	case FIELD_CPU:
		return e->has_cpu && condition_compare_values(e->cpu, n->op, n->number);
	case FIELD_CPI:
		return e->has_cpi && condition_compare_values(e->cpi, n->op, n->number);
	case FIELD_ARG:
		return compare_arg(n, e);
	case FIELD_LOST:
		break;
	}
	return false;
}

static bool holds(const struct condition *c, uint16_t node, const struct event *e, uint64_t rate)
{
	const struct condition_node *n = &c->node[node];

	switch (n->kind) {
	case NODE_AND:
		return holds(c, n->left, e, rate) && holds(c, n->right, e, rate);
	case NODE_OR:
		return holds(c, n->left, e, rate) || holds(c, n->right, e, rate);
	case NODE_NOT:
		return !holds(c, n->left, e, rate);
	case NODE_TERM:
		break;
	}
	if (n->field == FIELD_LOST)
		return condition_compare_values(e->lost, n->op, n->number);
	return e->record && term_of_hook(n, e, rate);
}

bool condition_holds(const struct condition *c, const struct event *e, uint64_t ticks_per_second)
{
	return holds(c, c->root, e, ticks_per_second);
}
