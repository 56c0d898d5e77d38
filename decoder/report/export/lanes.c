#include "lanes.h"

#include "../../../formats/base/search.h"
#include "../../base/grow.h"
#include "../../base/heap.h"
#include "../../model/intervals/elapsed.h"

enum { THREADS_HELD = 1024, PLACES_HELD = 64 };

static int64_t lanes_find_end(struct lanes *l, const struct interval *iv)
{
	int64_t end;

	if (iv->end_ns >= iv->start_ns)
		return iv->end_ns;
	l->set_back++;
	return __builtin_add_overflow(iv->start_ns, elapsed_whole_ns(iv), &end) ? INT64_MAX : end;
}

static inline bool lanes_end_before(const void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return ((const struct lane_mark *)a)->at < ((const struct lane_mark *)b)->at;
}

static inline bool lanes_index_before(const void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return *(const unsigned *)a < *(const unsigned *)b;
}

static int lanes_push_index(unsigned **heap, size_t *count, size_t *room, unsigned index)
{
	if (array_grow(heap, *count, room, sizeof **heap))
		return CPIDECODE_ENOMEM;
	heap_sift_up(*heap, (*count)++, &index, sizeof index, lanes_index_before, NULL);
	return 0;
}

static unsigned lanes_pop_index(unsigned *heap, size_t *count)
{
	unsigned first = heap[0], moved = heap[--*count];

	if (*count)
		heap_sift_down(heap, *count, 0, &moved, sizeof moved, lanes_index_before, NULL);
	return first;
}

static int lanes_add_due(struct lane_thread *t, struct lane *lane)
{
	struct lane_order *o = &t->order;

	if (lane->is_due)
		return 0;
	lane->is_due = true;
	return lanes_push_index(&o->due, &o->ndue, &o->due_room, lane->index);
}

/* Finds the lanes in which a slice is over. */
static int lanes_find_due(struct lane_thread *t, int64_t now)
{
	struct lane_order *o = &t->order;
	int rc = 0;

	while (o->nends && o->ends[0].at <= now && !rc) {
		struct lane_mark moved = o->ends[o->nends - 1];

		rc = lanes_add_due(t, &t->lanes[o->ends[0].lane]);
		if (--o->nends)
			heap_sift_down(
				o->ends, o->nends, 0, &moved, sizeof moved, lanes_end_before, NULL);
	}
	return rc;
}

/* Whether a slice is still open. */
static bool lane_has_slice(const struct lane *lane, int64_t place)
{
	struct search s = {0, lane->count};

	while (s.low < s.high)
		search_narrow(&s, lane->open[search_middle(&s)].place < place);
	return s.low < lane->count && lane->open[s.low].place == place;
}

/* Drops the entries of slices that have ended, once they are most of them. */
static void lanes_drop_ended(struct lane_thread *t)
{
	struct lane_order *o = &t->order;
	size_t kept = 0;

	if (o->nplaces < PLACES_HELD || o->nplaces < 2 * o->open)
		return;
	for (size_t i = 0; i < o->nplaces; i++)
		if (lane_has_slice(&t->lanes[o->places[i].lane], o->places[i].at))
			o->places[kept++] = o->places[i];
	o->nplaces = kept;
}

/* The lane of the slice at that place; NULL: it has ended, or was of none. */
static struct lane *lanes_find_slice(struct lane_thread *t, int64_t place)
{
	const struct lane_order *o = &t->order;
	struct search s = {0, o->nplaces};

	while (s.low < s.high)
		search_narrow(&s, o->places[search_middle(&s)].at < place);
	if (s.low == o->nplaces || o->places[s.low].at != place)
		return NULL;
	return &t->lanes[o->places[s.low].lane];
}

static int lanes_open_slice(struct lanes *l, struct lane_thread *t, struct lane *lane,
	int64_t start, int64_t end, int64_t place)
{
	struct lane_order *o = &t->order;
	const struct lane_mark ends = {end, lane->index};
	const size_t size = l->writer->slice_size;

	lanes_drop_ended(t);
	if ((size && array_grow(&lane->slices, lane->count, &lane->slices_room, size)) ||
		array_grow(&lane->open, lane->count, &lane->room, sizeof *lane->open) ||
		array_grow(&o->ends, o->nends, &o->ends_room, sizeof *o->ends) ||
		array_grow(&o->places, o->nplaces, &o->places_room, sizeof *o->places))
		return CPIDECODE_ENOMEM;
	if (size)
		memset((char *)lane->slices + lane->count * size, 0, size);
	lane->open[lane->count++] = (struct open_slice){start, end, place};
	lane->last = start;
	heap_sift_up(o->ends, o->nends++, &ends, sizeof ends, lanes_end_before, NULL);
	o->places[o->nplaces++] = (struct lane_mark){place, lane->index};
	o->open++;
	return 0;
}

/* Ends the slices that are over at `now`, but not the one at `keep`. */
static int lane_pop(
	struct lanes *l, struct lane_thread *t, struct lane *lane, int64_t now, int64_t keep)
{
	const bool was_open = lane->count;
	int rc = 0;

	while (lane->count && !rc) {
		const struct open_slice *top = &lane->open[lane->count - 1];

		if (top->end > now || (keep >= 0 && top->place == keep))
			break;
		lane->last = top->end;
		rc = l->writer->end_slice(l->ctx, t, lane, top->end);
		lane->count--;
		t->order.open--;
	}
	if (was_open && !lane->count && !rc)
		rc = lanes_push_index(
			&t->order.free, &t->order.nfree, &t->order.free_room, lane->index);
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
		free(t->lanes[i].slices);
		free(t->lanes[i].open);
	}
	t->count = 0;
	t->order.nends = t->order.ndue = t->order.nfree = t->order.nplaces = t->order.open = 0;
	if (l->writer->free_thread)
		l->writer->free_thread(l->ctx, t);
	free(t->own);
	t->own = NULL;
	return rc;
}

static int lanes_drop_thread(struct lanes *l, struct lane_thread *t)
{
	int rc = lanes_end_thread(l, t);

	free(t->order.ends);
	free(t->order.due);
	free(t->order.free);
	free(t->order.places);
	free(t->lanes);
	free(t);
	return rc;
}

static uint64_t lanes_hash(uint32_t machine, uint32_t tid)
{
	return hash_u64((uint64_t)machine << 32 | tid);
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
	return l->writer->begin_thread ? l->writer->begin_thread(l->ctx, t) : 0;
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
	if (array_grow(&l->threads, l->nthreads, &l->room, sizeof *l->threads))
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

	for (uint32_t found; (found = hash_index_next(&l->index, &hash));) {
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
	if (array_grow(&t->lanes, t->count, &t->room, sizeof *t->lanes))
		return CPIDECODE_ENOMEM;
	*lane = &t->lanes[t->count];
	**lane = (struct lane){.last = INT64_MIN, .index = (unsigned)t->count++};
	return l->writer->begin_lane ? l->writer->begin_lane(l->ctx, t, *lane) : 0;
}

/* Whether the interval nests in the lane's innermost slice, its parent. */
static bool lane_takes(const struct lane *lane, const struct interval *iv, int64_t end)
{
	const struct open_slice *top = lane->count ? &lane->open[lane->count - 1] : NULL;

	return top && top->place == iv->parent && top->start <= iv->start_ns && end <= top->end &&
	       lane->last <= iv->start_ns;
}

/* Ends finished intervals in the first due lane. *kept: the lane, if it stays due by the parent in
 * it. */
static int lanes_pop_due(
	struct lanes *l, struct lane_thread *t, const struct interval *iv, struct lane **kept)
{
	struct lane *lane = &t->lanes[lanes_pop_index(t->order.due, &t->order.ndue)];

	lane->is_due = false;
	int rc = lane_pop(l, t, lane, iv->start_ns, iv->parent);
	if (lane->count && lane->open[lane->count - 1].end <= iv->start_ns)
		*kept = lane;
	return rc;
}

static int lanes_return_kept(struct lane_thread *t, struct lane *kept, int rc)
{
	return rc || !kept ? rc : lanes_add_due(t, kept);
}

/* The lane where iv's parent is innermost, else the first free one, else a new one. */
static int lanes_choose(struct lanes *l, struct lane_thread *t, const struct interval *iv,
	int64_t end, struct lane **chosen)
{
	struct lane_order *o = &t->order;
	struct lane *parent = iv->parent >= 0 ? lanes_find_slice(t, iv->parent) : NULL;
	struct lane *kept = NULL;
	int rc = lanes_find_due(t, iv->start_ns);

	/* In order of the lanes, up to the parent's if the interval fits there. */
	while (!rc && o->ndue && (!parent || o->due[0] <= parent->index))
		rc = lanes_pop_due(l, t, iv, &kept);
	*chosen = parent;
	if (rc || (parent && lane_takes(parent, iv, end)))
		return lanes_return_kept(t, kept, rc);
	while (!rc && o->ndue)
		rc = lanes_pop_due(l, t, iv, &kept);
	rc = lanes_return_kept(t, kept, rc);
	if (rc)
		return rc;
	if (o->nfree)
		*chosen = &t->lanes[lanes_pop_index(o->free, &o->nfree)];
	else
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
		rc = lanes_open_slice(l, t, lane, iv->start_ns, end, iv->place);
	if (rc)
		return rc;
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
