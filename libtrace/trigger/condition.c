/* Evaluates conditions. */
#include "condition.h"

#include <string.h>

#include "../../formats/base/glob.h"
#include "../../formats/cpi_hooks.h"

typedef unsigned __int128 wide;

static bool condition_compare_values(wide a, enum condition_op op, wide b)
{
	switch (op) {
	case OP_EQUAL:
		return a == b;
	case OP_UNEQUAL:
		return a != b;
	case OP_LESS:
		return a < b;
	case OP_AT_MOST:
		return a <= b;
	case OP_MORE:
		return a > b;
	case OP_AT_LEAST:
		return a >= b;
	}
	return false;
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

/* For a hook, which exists. */
static bool term_of_hook(
	const struct condition_node *n, const struct event *e, uint64_t ticks_per_second)
{
	switch (n->field) {
	case FIELD_LABEL:
		return e->has_label && compare_text(n, e->label, e->label_length);
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
