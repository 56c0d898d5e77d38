/*
 * counters: the output's columns, indexed by counterset, counter and instance.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/compare.h"
#include "../../../formats/base/hash.h"
#include "counters.h"

static unsigned hash_of(const struct catalogue_set *set, ULONG counter, const char *instance)
{
	const uint64_t of_set = HASH_BYTES ^ (uintptr_t)set ^ (uint64_t)counter << 40;
	const uint64_t h = hash_bytes(of_set, instance, strlen(instance));

	return (unsigned)(h ^ h >> 32);
}

/* Adds a column, and to the index all that it lacks. False: no memory, or too many. */
static bool columns_append(struct counters_query *q, const struct counters_column *c)
{
	size_t from;

	q->too_many = q->columns == COLUMNS_MAX;
	if (q->too_many ||
		!array_reserve(&q->column, &q->column_room, q->columns + 1, sizeof *q->column) ||
		!hash_index_grow(&q->column_index, q->columns + 1, &from))
		return false;
	q->column[q->columns++] = *c;
	for (; from < q->columns; from++) {
		c = &q->column[from];
		hash_index_add(&q->column_index, hash_of(c->set, c->counter->id, c->instance),
			(uint32_t)from);
	}
	return true;
}

static char *path_of(const struct counters_column *c)
{
	char *path, suffix[16] = "";
	int n;

	if (c->number)
		snprintf(suffix, sizeof suffix, "#%u", c->number);
	if (c->set->many)
		n = asprintf(&path, "\\%s(%s%s)\\%s", c->set->name, c->instance, suffix,
			c->counter->name);
	else
		n = asprintf(&path, "\\%s\\%s", c->set->name, c->counter->name);
	return n < 0 ? NULL : path;
}

static struct counters_column *columns_add_column(
	struct counters_query *q, struct counters_column c)
{
	c.instance = strdup(c.instance);
	c.path = c.instance ? path_of(&c) : NULL;
	if (!c.path || !columns_append(q, &c)) {
		free(c.path);
		free(c.instance);
		return NULL;
	}
	return &q->column[q->columns - 1];
}

/* Continues a hash lookup at *at: the index + 1 of the next column with this name; 0: no more. */
static unsigned next_of_name(const struct counters_query *q, const struct catalogue_set *set,
	const struct catalogue_counter *counter, const char *name, uint64_t *at)
{
	uint32_t index;

	while ((index = hash_index_next(&q->column_index, at))) {
		const struct counters_column *c = &q->column[index - 1];

		if (c->set == set && c->counter == counter && strcmp(c->instance, name) == 0)
			break;
	}
	return index;
}

/* The next unused N of name#N. In a trace, an ended instance keeps its number. */
static unsigned free_number(
	const struct counters_query *q, const struct counters_column *c, unsigned number)
{
	const unsigned begin = hash_of(c->set, c->counter->id, c->instance);
	uint64_t at = begin;
	unsigned index;

	while ((index = next_of_name(q, c->set, c->counter, c->instance, &at)))
		if (q->column[index - 1].number == number) {
			number++;
			at = begin;
		}
	return number;
}

struct counters_column *column_of(struct counters_query *q, const struct counter_path *path,
	const struct catalogue_counter *counter, const struct block_instance *instance,
	unsigned number)
{
	struct counters_column c = {.question = path->question,
		.base = path->base,
		.set = path->set,
		.counter = counter,
		.instance = instance->name,
		.order = (unsigned)(path - q->path),
		.made = q->columns,
		.id = instance->id};
	uint64_t at = hash_of(c.set, counter->id, c.instance);
	unsigned index;

	while ((index = next_of_name(q, c.set, counter, c.instance, &at)))
		if (q->column[index - 1].id == instance->id)
			return &q->column[index - 1];
	if (path->use_named) {
		c.question = path->named;
		c.base = path->named_base;
	}
	c.number = free_number(q, &c, number);
	return columns_add_column(q, c);
}

static int columns_compare_order(const void *a, const void *b)
{
	const struct counters_column *x = a, *y = b;

	if (x->order != y->order)
		return x->order > y->order ? 1 : -1;
	return compare_u64(x->made, y->made);
}

void columns_sort(struct counters_query *q)
{
	qsort(q->column, q->columns, sizeof *q->column, columns_compare_order);
}
