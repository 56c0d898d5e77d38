#include <stdlib.h>
#include <string.h>

#include "groups.h"

/* No label before every label; then label, minor. */
static int compare_names(const struct interval *a, const struct interval *b)
{
	if (a->has_label != b->has_label)
		return a->has_label ? 1 : -1;
	if (a->has_label && a->label != b->label) {
		size_t common = a->label_len < b->label_len ? a->label_len : b->label_len;
		int order = common ? memcmp(a->label, b->label, common) : 0;
		if (order)
			return order;
	}
	if (a->has_label && a->label_len != b->label_len)
		return a->label_len < b->label_len ? -1 : 1;
	return (a->mm > b->mm) - (a->mm < b->mm);
}

static int compare_members(const void *x, const void *y)
{
	const struct interval *a = *(const struct interval *const *)x;
	const struct interval *b = *(const struct interval *const *)y;
	int order = compare_names(a, b);
	if (order)
		return order;
	return (a->elapsed_ns > b->elapsed_ns) - (a->elapsed_ns < b->elapsed_ns);
}

static int compare_groups(const void *x, const void *y)
{
	const struct group *a = x, *b = y;
	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return compare_names(a->members[0], b->members[0]);
}

static int split(struct groups *g, size_t n)
{
	size_t allocated = 0;
	for (size_t i = 0; i < n;) {
		if (g->count == allocated) {
			allocated = allocated ? 2 * allocated : 64;
			struct group *more = realloc(g->groups, allocated * sizeof *more);
			if (!more)
				return CPIDECODE_ENOMEM;
			g->groups = more;
		}
		struct group *group = &g->groups[g->count++];
		*group = (struct group){.members = g->members + i};
		do {
			group->count++;
			group->total_ns += g->members[i++]->elapsed_ns;
		} while (i < n && !compare_names(group->members[0], g->members[i]));
	}
	return 0;
}

int groups_make(struct groups *g, const struct report *r)
{
	size_t n = 0;
	*g = (struct groups){0};
	g->members = calloc(r->nintervals + 1, sizeof *g->members);
	if (!g->members)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < r->nintervals; i++)
		if (filter_interval(r->filter, &r->intervals[i]))
			g->members[n++] = &r->intervals[i];
	qsort(g->members, n, sizeof *g->members, compare_members);
	if (split(g, n) < 0) {
		groups_free(g);
		return CPIDECODE_ENOMEM;
	}
	if (g->count)
		qsort(g->groups, g->count, sizeof *g->groups, compare_groups);
	return 0;
}

void groups_free(struct groups *g)
{
	free(g->members);
	free(g->groups);
	*g = (struct groups){0};
}
