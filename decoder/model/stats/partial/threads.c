#include "threads.h"

#include <stdlib.h>
#include <string.h>

#include "../../../../formats/base/compare.h"
#include "../../../../formats/trace_file.h"
#include "../../../base/grow.h"
#include "../../../base/varint.h"
#include "../../trace/tasks.h"

enum { UNSETTLED = 64 /* sets that may come before they are joined */ };

/* Reads the containers of a trace's threads. */
enum { CONTAINER_UNNAMED, CONTAINER_NAMED, CONTAINER_SEVERAL };

/* A new set, which may be of a trace that has one already. NULL: no memory. */
static struct partial_threads *partial_threads_push(struct partial *p, const uint8_t *trace_id)
{
	if (array_grow(&p->threads, p->nthreads, &p->threads_cap, sizeof *p->threads))
		return NULL;
	struct partial_threads *set = &p->threads[p->nthreads++];
	*set = (struct partial_threads){.count = 0};
	memcpy(set->trace_id, trace_id, sizeof set->trace_id);
	return set;
}

static int partial_threads_add(struct partial_threads *set, const uint32_t *tids, size_t n)
{
	if (!array_reserve(&set->tids, &set->cap, set->count + n, sizeof *set->tids))
		return CPIDECODE_ENOMEM;
	if (n)
		memcpy(set->tids + set->count, tids, n * sizeof *tids);
	set->count += n;
	return 0;
}

/* Merges the containers of other threads of the trace. */
static int partial_threads_merge_container(
	struct partial_threads *set, bool is_first, bool has_several, const char *container)
{
	const bool same = is_first || (!set->container && !container) ||
			  (set->container && container && strcmp(set->container, container) == 0);

	if (has_several || !same)
		set->has_several = true;
	if (set->has_several) {
		free(set->container);
		set->container = NULL;
	} else if (container && !set->container) {
		set->container = strdup(container);
		return set->container ? 0 : CPIDECODE_ENOMEM;
	}
	return 0;
}

static int partial_threads_compare_tids(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return compare_u64(*x, *y);
}

static int partial_threads_compare(const void *a, const void *b)
{
	const struct partial_threads *x = a, *y = b;

	return memcmp(x->trace_id, y->trace_id, sizeof x->trace_id);
}

/* Each id once, in order. */
static void partial_threads_sort(struct partial_threads *set)
{
	size_t n = 0;

	qsort(set->tids, set->count, sizeof *set->tids, partial_threads_compare_tids);
	for (size_t k = 0; k < set->count; k++)
		if (!n || set->tids[n - 1] != set->tids[k])
			set->tids[n++] = set->tids[k];
	set->count = n;
}

int partial_threads_settle(struct partial *p)
{
	size_t n = 0;
	int rc = 0;

	if (p->nthreads == p->threads_settled)
		return 0;
	qsort(p->threads, p->nthreads, sizeof *p->threads, partial_threads_compare);
	for (size_t i = 0; i < p->nthreads; i++) {
		struct partial_threads *set = &p->threads[i], *last = &p->threads[n ? n - 1 : 0];

		if (!n || partial_threads_compare(last, set) != 0) {
			p->threads[n++] = *set;
			continue;
		}
		if (!rc)
			rc = partial_threads_add(last, set->tids, set->count);
		if (!rc)
			rc = partial_threads_merge_container(
				last, false, set->has_several, set->container);
		free(set->tids);
		free(set->container);
	}
	p->nthreads = p->threads_settled = n;
	for (size_t i = 0; i < n; i++)
		partial_threads_sort(&p->threads[i]);
	return rc;
}

int partial_threads_gather(struct partial *p, const struct trace *t)
{
	const size_t most = trace_nfiles(t);
	bool *seen = calloc(most + 1, sizeof *seen);
	int rc = seen ? 0 : CPIDECODE_ENOMEM;

	for (size_t i = 0; i < most && !rc; i++) {
		const struct trace_file *f = trace_file(t, i);
		const struct task *task = trace_task_at(t, f->machine, 0);

		if (!task || seen[f->machine])
			continue;
		seen[f->machine] = true;
		struct partial_threads *set = partial_threads_push(p, f->header.trace_id);
		for (size_t k = 0; set && !rc && (task = trace_task_at(t, f->machine, k)); k++)
			rc = partial_threads_add(set, &task->tid, 1);
		const char *container;
		const bool several = trace_machine_has_several(t, f->machine, &container);
		if (!rc)
			rc = set ? partial_threads_merge_container(set, true, several, container)
				 : CPIDECODE_ENOMEM;
	}
	free(seen);
	return rc ? rc : partial_threads_settle(p);
}

int partial_threads_merge(struct partial *p, const struct partial *from)
{
	for (size_t i = 0; i < from->nthreads; i++) {
		struct partial_threads *set = partial_threads_push(p, from->threads[i].trace_id);

		if (!set ||
			partial_threads_add(set, from->threads[i].tids, from->threads[i].count) ||
			partial_threads_merge_container(set, true, from->threads[i].has_several,
				from->threads[i].container))
			return CPIDECODE_ENOMEM;
	}
	/* Keeps the time of merging many in proportion to their number. */
	return p->nthreads > 2 * p->threads_settled + UNSETTLED ? partial_threads_settle(p) : 0;
}

void partial_threads_put(struct buffer *o, const struct partial *p)
{
	varint_put(o, p->nthreads);
	for (size_t i = 0; i < p->nthreads; i++) {
		const struct partial_threads *set = &p->threads[i];

		buffer_add(o, set->trace_id, sizeof set->trace_id);
		varint_put(o, set->count);
		for (size_t k = 0; k < set->count; k++)
			varint_put(o, set->tids[k] - (k ? set->tids[k - 1] : 0));
		varint_put(o, set->has_several ? CONTAINER_SEVERAL
			      : set->container ? CONTAINER_NAMED
					       : CONTAINER_UNNAMED);
		if (set->container)
			varint_put_string(o, set->container, strlen(set->container));
	}
}

static int partial_threads_get_container(struct varint_in *in, struct partial_threads *set)
{
	const uint64_t kind = varint_get_max(in, CONTAINER_SEVERAL);
	uint32_t length;

	set->has_several = kind == CONTAINER_SEVERAL;
	if (kind != CONTAINER_NAMED)
		return 0;
	const uint8_t *name = varint_get_string(in, &length);
	if (in->why || length > TF_CONTAINER_MAX || !length || memchr(name, 0, length)) {
		varint_fail(in, "an invalid container's name");
		return 0;
	}
	set->container = strndup((const char *)name, length);
	return set->container ? 0 : CPIDECODE_ENOMEM;
}

static int partial_threads_get_set(struct varint_in *in, struct partial *p)
{
	const uint8_t *id = varint_get_raw(in, sizeof p->threads->trace_id);
	uint64_t n = varint_get_max(in, UINT32_MAX);
	uint32_t tid = 0;
	int rc = 0;

	if (in->why)
		return 0;
	struct partial_threads *set = partial_threads_push(p, id);
	if (!set)
		return CPIDECODE_ENOMEM;
	if (!n || (p->nthreads > 1 && partial_threads_compare(set - 1, set) >= 0))
		varint_fail(in, "threads are not in order");
	for (uint64_t k = 0; k < n && !in->why && !rc; k++) {
		uint64_t step = varint_get_max(in, UINT32_MAX - tid);

		tid += (uint32_t)step;
		if (k && !step)
			varint_fail(in, "threads are not in order");
		else if (!in->why)
			rc = partial_threads_add(set, &tid, 1);
	}
	return rc || in->why ? rc : partial_threads_get_container(in, set);
}

int partial_threads_get(struct varint_in *in, struct partial *p)
{
	uint64_t n = varint_get_max(in, UINT32_MAX);
	int rc = 0;

	for (uint64_t i = 0; i < n && !in->why && !rc; i++)
		rc = partial_threads_get_set(in, p);
	p->threads_settled = p->nthreads;
	return rc;
}

void partial_threads_free(struct partial *p)
{
	for (size_t i = 0; i < p->nthreads; i++) {
		free(p->threads[i].tids);
		free(p->threads[i].container);
	}
	free(p->threads);
	p->threads = NULL;
	p->nthreads = p->threads_cap = p->threads_settled = 0;
}
