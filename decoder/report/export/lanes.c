#include "lanes.h"

#include <math.h>

#include "../../base/grow.h"

enum { THREADS_HELD = 1024 };

static int64_t lanes_find_end(struct lanes *l, const struct interval *iv)
{
	int64_t elapsed, end;

	if (iv->end_ns >= iv->start_ns)
		return iv->end_ns;
	l->set_back++;
	if (iv->long_ns)
		elapsed = iv->long_ns > INT64_MAX ? INT64_MAX : (int64_t)iv->long_ns;
	else
		elapsed = llround(iv->elapsed_ns);
	return __builtin_add_overflow(iv->start_ns, elapsed, &end) ? INT64_MAX : end;
}

/* Ends the slices that are over at `now`, but not the one at `keep`. */
static int lane_pop(
	struct lanes *l, struct lane_thread *t, struct lane *lane, int64_t now, int64_t keep)
{
	int rc = 0;

	while (lane->count && !rc) {
		const struct open_slice *top = &lane->open[lane->count - 1];

		if (top->end > now || (keep >= 0 && top->place == keep))
			break;
		lane->last = top->end;
		rc = l->writer->end_slice(l->ctx, t, lane, top->end);
		lane->count--;
	}
	return rc;
}

static int lanes_end_thread(struct lanes *l, struct lane_thread *t)
{
	int rc = 0;

	for (size_t i = 0; i < t->count && !rc; i++)
		rc = lane_pop(l, t, &t->lanes[i], INT64_MAX, -1);
	for (size_t i = 0; i < t->count; i++) {
		if (l->writer->free_lane)
			l->writer->free_lane(l->ctx, &t->lanes[i]);
		free(t->lanes[i].own);
		free(t->lanes[i].open);
	}
	t->count = 0;
	if (l->writer->free_thread)
		l->writer->free_thread(l->ctx, t);
	free(t->own);
	t->own = NULL;
	return rc;
}

static int lanes_drop_thread(struct lanes *l, struct lane_thread *t)
{
	int rc = lanes_end_thread(l, t);

	free(t->lanes);
	free(t);
	return rc;
}

static uint64_t lanes_hash(uint32_t machine, uint32_t tid)
{
	uint64_t key = (uint64_t)machine << 32 | tid;

	return key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/* Drops the threads that are over, and makes room for as many more as are left. */
static int lanes_make_room(struct lanes *l, int64_t now)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < l->nthreads; i++) {
		struct lane_thread *t = l->threads[i];

		if (t->until >= now || rc)
			l->threads[kept++] = t;
		else
			rc = lanes_drop_thread(l, t);
	}
	l->nthreads = kept;
	l->limit = 2 * kept > THREADS_HELD ? 2 * kept : THREADS_HELD;
	if (!hash_index_reset(&l->index, l->limit))
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < kept; i++)
		hash_index_add(&l->index, lanes_hash(l->threads[i]->machine, l->threads[i]->tid),
			(uint32_t)i);
	return rc;
}

void lanes_init(struct lanes *l, const struct lane_writer *writer, void *ctx)
{
	*l = (struct lanes){.writer = writer, .ctx = ctx};
}

static int lanes_begin_thread(struct lanes *l, struct lane_thread *t, const struct interval *iv)
{
	t->machine = iv->machine;
	t->tid = iv->tid;
	t->file = iv->file;
	t->task = iv->task;
	return l->writer->begin_thread(l->ctx, t);
}

static bool lanes_are_alike(const struct task *a, const struct task *b)
{
	return a == b || (a && b && a->pid == b->pid && strcmp(a->name, b->name) == 0);
}

static int lanes_add_thread(struct lanes *l, const struct interval *iv, struct lane_thread **t)
{
	if (l->nthreads >= l->limit) {
		int rc = lanes_make_room(l, iv->start_ns);

		if (rc)
			return rc;
	}
	if (grow(&l->threads, l->nthreads, &l->room, sizeof *l->threads))
		return CPIDECODE_ENOMEM;
	*t = calloc(1, sizeof **t);
	if (!*t)
		return CPIDECODE_ENOMEM;
	hash_index_add(&l->index, lanes_hash(iv->machine, iv->tid), (uint32_t)l->nthreads);
	l->threads[l->nthreads++] = *t;
	(*t)->until = INT64_MIN;
	return lanes_begin_thread(l, *t, iv);
}

static struct lane_thread *lanes_find(const struct lanes *l, uint32_t machine, uint32_t tid)
{
	uint64_t hash = lanes_hash(machine, tid);

	if (!l->index.slots)
		return NULL;
	for (uint32_t found; (found = *hash_index_at(&l->index, hash)); hash++) {
		struct lane_thread *t = l->threads[found - 1];

		if (t->tid == tid && t->machine == machine)
			return t;
	}
	return NULL;
}

static int lanes_find_thread(struct lanes *l, const struct interval *iv, struct lane_thread **found)
{
	struct lane_thread *t = *found = lanes_find(l, iv->machine, iv->tid);

	if (!t)
		return lanes_add_thread(l, iv, found);
	if (lanes_are_alike(t->task, iv->task))
		return 0;
	/* Another name, or another thread with the same id: a track of its own, unless it began
	 * within an interval. */
	for (size_t i = 0; i < t->count; i++) {
		int rc = lane_pop(l, t, &t->lanes[i], iv->start_ns, iv->parent);

		if (rc || t->lanes[i].count)
			return rc;
	}
	int rc = lanes_end_thread(l, t);
	return rc ? rc : lanes_begin_thread(l, t, iv);
}

static int lanes_add_lane(struct lanes *l, struct lane_thread *t, struct lane **lane)
{
	if (grow(&t->lanes, t->count, &t->room, sizeof *t->lanes))
		return CPIDECODE_ENOMEM;
	*lane = &t->lanes[t->count];
	**lane = (struct lane){.last = INT64_MIN, .index = (unsigned)t->count++};
	return l->writer->begin_lane(l->ctx, t, *lane);
}

/* The lane where iv's parent is innermost, else the first free one, else a new one. */
static int lanes_choose(struct lanes *l, struct lane_thread *t, const struct interval *iv,
	int64_t end, struct lane **chosen)
{
	struct lane *free_lane = NULL;
	bool nested = false;

	for (size_t i = 0; i < t->count && !nested; i++) {
		struct lane *lane = &t->lanes[i];
		int rc = lane_pop(l, t, lane, iv->start_ns, iv->parent);

		if (rc)
			return rc;
		if (lane->count) {
			const struct open_slice *top = &lane->open[lane->count - 1];

			nested = iv->parent >= 0 && top->place == iv->parent &&
				 top->start <= iv->start_ns && end <= top->end &&
				 lane->last <= iv->start_ns;
			if (nested)
				*chosen = lane;
		} else if (!free_lane && lane->last <= iv->start_ns) {
			free_lane = lane;
		}
	}
	if (nested)
		return 0;
	int rc = 0;
	*chosen = free_lane;
	if (!free_lane)
		rc = lanes_add_lane(l, t, chosen);
	if (!rc && (iv->parent >= 0 || (*chosen)->index))
		l->overlaps++;
	return rc;
}

int lanes_add(struct lanes *l, const struct interval *iv)
{
	struct lane_thread *t;
	struct lane *lane;
	int rc = lanes_find_thread(l, iv, &t);

	if (rc)
		return rc;
	int64_t end = lanes_find_end(l, iv);
	rc = lanes_choose(l, t, iv, end, &lane);
	if (!rc)
		rc = grow(&lane->open, lane->count, &lane->room, sizeof *lane->open);
	if (rc)
		return rc;
	lane->open[lane->count++] = (struct open_slice){iv->start_ns, end, iv->place};
	lane->last = iv->start_ns;
	if (t->until < end)
		t->until = end;
	return l->writer->begin_slice(l->ctx, t, lane, iv, end);
}

int lanes_end(struct lanes *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->nthreads; i++) {
		int failed = lanes_drop_thread(l, l->threads[i]);

		rc = rc ? rc : failed;
	}
	free(l->threads);
	hash_index_free(&l->index);
	return rc;
}
