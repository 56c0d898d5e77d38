#include "tasks.h"

#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/search.h"
#include "../../base/sort.h"

static bool task_precedes(const struct task *a, const struct task *b)
{
	return a->tid != b->tid ? a->tid < b->tid : a->first < b->first;
}

static int tasks_compare_entries(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	if (task_precedes(x, y) || task_precedes(y, x))
		return task_precedes(x, y) ? -1 : 1;
	return compare_u64(x->order, y->order);
}

static bool tasks_are_same(const struct task *a, const struct task *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->first == b->first &&
	       memcmp(a->name, b->name, sizeof a->name) == 0;
}

/* Each file of a rotated trace repeats the same threads. */
static size_t drop_repeated(struct task *sorted, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!kept || !tasks_are_same(&sorted[kept - 1], &sorted[i]))
			sorted[kept++] = sorted[i];
	return kept;
}

int tasks_add(struct task_table *t, struct spill *entries, size_t n)
{
	size_t total = t->count + n;
	int rc = t->count ? spill_reserve(&t->entries, total * sizeof(struct task)) : 0;

	if (rc || !n)
		return rc;
	if (t->count) {
		memcpy((struct task *)t->entries.p + t->count, entries->p, n * sizeof(struct task));
		spill_free(entries);
	} else {
		spill_free(&t->entries);
		t->entries = *entries;
		*entries = (struct spill){0};
	}
	struct task *all = t->entries.p;
	for (size_t i = t->count; i < total; i++)
		all[i].order = t->added++;
	sort_in_place(all, total, sizeof *all, tasks_compare_entries);
	t->count = drop_repeated(all, total);
	spill_drop(&t->entries);
	return 0;
}

void tasks_free(struct task_table *t)
{
	spill_free(&t->entries);
}

const struct task *tasks_find(
	const struct task_table *t, uint32_t tid, uint64_t ticks, uint64_t *from, uint64_t *to)
{
	struct task key = {.tid = tid, .first = ticks};
	struct search s = {0, t->count};

	while (s.low < s.high)
		search_narrow(&s, !task_precedes(&key, tasks_at(t, search_middle(&s))));
	const size_t lo = s.low; /* the first entry after the key */
	bool more = lo < t->count && tasks_at(t, lo)->tid == tid;
	*to = more ? tasks_at(t, lo)->first - 1 : UINT64_MAX;
	*from = 0;
	if (lo == 0 || tasks_at(t, lo - 1)->tid != tid)
		return NULL;
	*from = tasks_at(t, lo - 1)->first;
	return tasks_at(t, lo - 1);
}
