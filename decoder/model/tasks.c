#include "tasks.h"

#include <string.h>

#include "grow.h"

static bool before(const struct task *a, const struct task *b)
{
	return a->tid != b->tid ? a->tid < b->tid : a->first < b->first;
}

/* Stable: of two entries for one tick the later one counts. Widths double, no recursion. */
static void merge_sort(struct task **a, struct task **scratch, size_t n)
{
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t i = 0; i < n; i += 2 * width) {
			size_t mid = i + width < n ? i + width : n;
			size_t end = i + 2 * width < n ? i + 2 * width : n;
			size_t l = i, r = mid;
			for (size_t k = i; k < end; k++) {
				bool right = l == mid || (r < end && before(a[r], a[l]));
				scratch[k] = right ? a[r++] : a[l++];
			}
		}
		for (size_t i = 0; i < n; i++)
			a[i] = scratch[i];
	}
}

static bool same(const struct task *a, const struct task *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->first == b->first &&
	       !memcmp(a->name, b->name, sizeof a->name);
}

/* Each file of a rotated trace tells of the same threads again. */
static size_t drop_repeated(struct task **sorted, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (!kept || !same(sorted[kept - 1], sorted[i]))
			sorted[kept++] = sorted[i];
	return kept;
}

int tasks_add(struct task_table *t, struct task *entries, size_t n)
{
	if (!n) {
		free(entries);
		return 0;
	}
	size_t total = t->count + n;
	int rc = grow(&t->chunks, t->nchunks, &t->chunks_cap, sizeof *t->chunks);
	if (rc)
		return rc;
	struct task **sorted = malloc(total * sizeof *sorted);
	struct task **scratch = malloc(total * sizeof *scratch);
	if (!sorted || !scratch) {
		free(sorted);
		free(scratch);
		return CPIDECODE_ENOMEM;
	}
	for (size_t i = 0; i < t->count; i++)
		sorted[i] = t->sorted[i];
	for (size_t i = 0; i < n; i++)
		sorted[t->count + i] = &entries[i];
	merge_sort(sorted, scratch, total);
	free(scratch);
	free(t->sorted);
	t->sorted = sorted;
	t->count = drop_repeated(sorted, total);
	t->chunks[t->nchunks++] = entries;
	return 0;
}

void tasks_free(struct task_table *t)
{
	for (size_t i = 0; i < t->nchunks; i++)
		free(t->chunks[i]);
	free(t->chunks);
	free(t->sorted);
}

const struct task *tasks_find(
	const struct task_table *t, uint32_t tid, uint64_t ticks, uint64_t *from, uint64_t *to)
{
	struct task key = {.tid = tid, .first = ticks};
	size_t lo = 0, hi = t->count; /* entries below lo are not after the key */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (before(&key, t->sorted[mid]))
			hi = mid;
		else
			lo = mid + 1;
	}
	bool more = lo < t->count && t->sorted[lo]->tid == tid;
	*to = more ? t->sorted[lo]->first - 1 : UINT64_MAX;
	*from = 0;
	if (lo == 0 || t->sorted[lo - 1]->tid != tid)
		return NULL;
	*from = t->sorted[lo - 1]->first;
	return t->sorted[lo - 1];
}
