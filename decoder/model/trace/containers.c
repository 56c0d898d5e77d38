#include "containers.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"

int containers_add(struct container_table *t, const struct container *entry)
{
	if (array_grow(&t->at, t->count, &t->room, sizeof *t->at))
		return CPIDECODE_ENOMEM;
	t->at[t->count++] = *entry;
	return 0;
}

static int containers_compare(const void *a, const void *b)
{
	const struct container *x = a, *y = b;

	return compare_u64_pair(x->tid, y->tid, x->first, y->first);
}

int containers_merge(struct container_table *t, struct container_table *from)
{
	size_t kept = 0, before = t->count;

	for (size_t i = 0; i < from->count; i++) {
		if (containers_add(t, &from->at[i])) {
			t->count = before;
			return CPIDECODE_ENOMEM;
		}
	}
	if (t->count)
		qsort(t->at, t->count, sizeof *t->at, containers_compare);
	/* Each file of a rotated trace repeats the same threads. */
	for (size_t i = 0; i < t->count; i++)
		if (!kept || containers_compare(&t->at[kept - 1], &t->at[i]))
			t->at[kept++] = t->at[i];
	t->count = kept;
	containers_free(from);
	return 0;
}

void containers_free(struct container_table *t)
{
	free(t->at);
	*t = (struct container_table){0};
}

const struct container *containers_find(const struct container_table *t, const struct task *task)
{
	const struct container key = {.tid = task->tid, .first = task->first};

	return t->count ? bsearch(&key, t->at, t->count, sizeof *t->at, containers_compare) : NULL;
}
