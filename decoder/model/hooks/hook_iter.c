/*
 * The merge. Within a file a heap of rings by keys (ring_cursor.h); between files, whose
 * ticks cannot be compared, the least by CLOCK_REALTIME. A hook's time, task and
 * schema, which are not in its record, are found when its turn comes, through small caches.
 */
#include "hook_iter.h"

#include "../trace/clock/cursor.h"
#include "../../base/heap.h"

struct hook_source {
	const struct file *file;
	struct ring_cursor *cursors; /* parallel to the file's rings */
	/* Pointers alone: an element with the key beside it would be loaded by wider loads than the
	 * store of its key, which misses store forwarding. */
	struct ring_cursor **heap;
	size_t count;
	int64_t time_ns; /* CLOCK_REALTIME of the top's key if files are merged by it; else 0 */
	struct tick_range stamps, keys;
	struct clock_cursor clock;
};

enum { TASK_CACHE = 256, SCHEMA_CACHE = 4096 };

struct task_cached {
	bool valid;
	uint32_t machine, tid;
	uint64_t from, to;
	const struct task *task;
};

struct schema_cached {
	const struct schema_set *set;
	uint64_t code; /* major and minor */
	const struct schema_hook *hook;
};

struct hook_iter {
	const struct trace *t;
	struct hook_source *sources;
	size_t nsources;
	struct hook_source *current; /* the source of the last hook returned */
	struct hook_source *rival;   /* the first of the other sources; NULL: they are exhausted */
	bool placed;		     /* the cursors have their parts */
	bool started;		     /* and are at their first hooks */
	int error;		     /* sticky */
	int64_t from_ns, to_ns;
	bool by_time;	   /* merge files by CLOCK_REALTIME: their ticks are not comparable */
	bool checks_times; /* check each hook's time: a range of ticks is no range of time */
	unsigned spared;   /* enum hook_spared */
	struct ring_cursor *lone; /* the only source with hooks: nothing to merge */
	struct reading reading;
	uint64_t total;
	struct task_cached tasks[TASK_CACHE];
	struct schema_cached schemas[SCHEMA_CACHE];
};

static int open_source(struct hook_source *s, const struct file *f)
{
	size_t n = f->pub.nrings;

	s->file = f;
	clock_cursor_init(&s->clock, &f->clock);
	if (!n)
		return 0;
	s->cursors = calloc(n, sizeof *s->cursors);
	s->heap = calloc(n, sizeof *s->heap);
	if (!s->cursors || !s->heap)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < n; i++)
		ring_cursor_init(&s->cursors[i], f, i);
	return 0;
}

int hook_iter_open(const struct trace *t, struct hook_iter **result)
{
	struct hook_iter *it = calloc(1, sizeof *it);

	*result = NULL;
	if (!it)
		return CPIDECODE_ENOMEM;
	it->t = t;
	it->by_time = !trace_one_machine(t);
	it->sources = calloc(t->nfiles ? t->nfiles : 1, sizeof *it->sources);
	int rc = it->sources ? 0 : CPIDECODE_ENOMEM;
	for (size_t i = 0; i < t->nfiles && !rc; i++) {
		rc = open_source(&it->sources[it->nsources++], t->files[i]);
		for (size_t j = 0; j < t->files[i]->pub.nrings; j++)
			it->total += t->files[i]->rings[j].stored;
	}
	if (rc) {
		hook_iter_close(it);
		return rc;
	}
	hook_iter_range(it, INT64_MIN, INT64_MAX);
	hook_iter_slice(it, NULL);
	*result = it;
	return 0;
}

void hook_iter_close(struct hook_iter *it)
{
	if (!it)
		return;
	for (size_t i = 0; i < it->nsources; i++) {
		struct hook_source *s = &it->sources[i];

		for (size_t j = 0; s->cursors && j < s->file->pub.nrings; j++)
			ring_cursor_free(&s->cursors[j]);
		free(s->cursors);
		free(s->heap);
	}
	io_buffer_free(&it->reading.scratch);
	free(it->reading.damage);
	free(it->sources);
	free(it);
}

struct tick_range ticks_between(const struct clock *c, int64_t from_ns, int64_t to_ns)
{
	struct tick_range r = ALL_TICKS;
	bool all = from_ns == INT64_MIN && to_ns == INT64_MAX;

	if (!all && !clock_range(c, from_ns, to_ns, &r.first, &r.last))
		return (struct tick_range){1, 0};
	return r;
}

void hook_iter_range(struct hook_iter *it, int64_t from_ns, int64_t to_ns)
{
	it->from_ns = from_ns;
	it->to_ns = to_ns;
	it->checks_times = false;
	for (size_t i = 0; i < it->nsources; i++) {
		struct hook_source *s = &it->sources[i];

		s->stamps = ticks_between(&s->file->clock, from_ns, to_ns);
		it->checks_times |= !clock_is_monotone(&s->file->clock);
	}
}

void hook_iter_slice(struct hook_iter *it, const struct tick_range *slices)
{
	for (size_t i = 0; i < it->nsources; i++)
		it->sources[i].keys = slices ? slices[it->sources[i].file->pub.machine] : ALL_TICKS;
}

static void begin_part(struct hook_iter *it)
{
	it->placed = true;
	it->started = false;
	it->current = it->rival = NULL;
	it->lone = NULL;
	it->reading.loaded = 0;
	for (size_t i = 0; i < it->nsources; i++) {
		struct hook_source *s = &it->sources[i];

		for (size_t j = 0; j < s->file->pub.nrings; j++)
			ring_cursor_rest(&s->cursors[j]);
		s->count = 0;
	}
}

static struct tick_range tick_range_intersect(struct tick_range a, struct tick_range b)
{
	return (struct tick_range){.first = a.first > b.first ? a.first : b.first,
		.last = a.last < b.last ? a.last : b.last};
}

static void hook_iter_add_cursor(
	struct hook_iter *it, struct hook_source *s, size_t ring, struct ring_part part)
{
	struct ring_cursor *c = &s->cursors[ring];

	part.stamps = s->stamps;
	part.keys = tick_range_intersect(part.keys, s->keys);
	ring_part_narrow(s->file, ring, &part);
	if (!ring_cursor_start(c, &part))
		return;
	if (c->p)
		it->reading.loaded += c->section->raw;
	s->heap[s->count++] = c;
}

void hook_iter_part(struct hook_iter *it, const struct tick_range *keys)
{
	begin_part(it);
	for (size_t i = 0; i < it->nsources; i++) {
		struct hook_source *s = &it->sources[i];

		if (s->stamps.first > s->stamps.last)
			continue;
		for (size_t j = 0; j < s->file->pub.nrings; j++) {
			struct ring_part part = {.keys = keys[i]};

			file_sections_in(s->file, j, s->stamps.first, s->stamps.last, &part.begin,
				&part.end);
			hook_iter_add_cursor(it, s, j, part);
		}
	}
}

void hook_iter_sections(struct hook_iter *it, size_t file, size_t ring, size_t begin, size_t end)
{
	struct hook_source *s = &it->sources[file];
	struct ring_cursor *before = it->lone;

	begin_part(it);
	if (before && before != &s->cursors[ring])
		ring_cursor_lend(before, &s->cursors[ring]);
	hook_iter_add_cursor(
		it, s, ring, (struct ring_part){.keys = ALL_TICKS, .begin = begin, .end = end});
	if (!s->count || it->error)
		return;
	it->started = true;
	it->current = s;
	it->lone = s->heap[0];
	if (!it->checks_times)
		ring_cursor_alone(it->lone);
}

struct ring_cursor *hook_iter_lone(struct hook_iter *it)
{
	return it->lone;
}

void hook_iter_spare(struct hook_iter *it, unsigned spared)
{
	it->spared = spared;
}

static bool hook_iter_is_before(const void *ctx, const void *x, const void *y)
{
	const struct ring_cursor *const *a = x, *const *b = y;

	(void)ctx;
	return (*a)->key != (*b)->key ? (*a)->key < (*b)->key : (*a)->hook.ring < (*b)->hook.ring;
}

static void hook_iter_sift_down(struct hook_source *s, size_t i)
{
	struct ring_cursor *c = s->heap[i];

	heap_sift_down(
		s->heap, s->count, i, &c, sizeof(struct ring_cursor *), hook_iter_is_before, NULL);
}

static void set_time(const struct hook_iter *it, struct hook_source *s)
{
	if (s->count && it->by_time)
		s->time_ns = clock_cursor_time(&s->clock, s->heap[0]->key);
}

static int start_source(struct hook_iter *it, struct hook_source *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++) {
		int rc = ring_cursor_next(s->heap[i], &it->reading);

		if (rc < 0)
			return rc;
		if (rc)
			s->heap[n++] = s->heap[i];
	}
	s->count = n;
	for (size_t i = n / 2; i-- > 0;)
		hook_iter_sift_down(s, i);
	set_time(it, s);
	return 0;
}

/* Steps past the last hook returned. */
static int hook_iter_advance_source(struct hook_iter *it, struct hook_source *s)
{
	struct ring_cursor *top = s->heap[0];
	bool taken = ring_cursor_try_next(top);
	int rc = taken ? 1 : ring_cursor_next(top, &it->reading);

	if (rc < 0)
		return rc;
	if (!rc)
		s->heap[0] = s->heap[--s->count];
	if (s->count > 1)
		hook_iter_sift_down(s, 0);
	set_time(it, s);
	return 0;
}

static bool source_before(const struct hook_source *a, const struct hook_source *b)
{
	const struct ring_cursor *x = a->heap[0], *y = b->heap[0];

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (x->key != y->key)
		return x->key < y->key;
	if (x->hook.ring != y->hook.ring)
		return x->hook.ring < y->hook.ring;
	if (x->hook.position != y->hook.position)
		return x->hook.position < y->hook.position;
	return a->file->pub.index < b->file->pub.index;
}

/* The second source in order. */
static struct hook_source *first_source(struct hook_iter *it, const struct hook_source *but)
{
	struct hook_source *first = NULL;

	for (size_t i = 0; i < it->nsources; i++) {
		struct hook_source *s = &it->sources[i];

		if (s != but && s->count && (!first || source_before(s, first)))
			first = s;
	}
	return first;
}

/* Stays with a source while it comes first: the others do not move meanwhile. */
static void choose_source(struct hook_iter *it)
{
	struct hook_source *s = it->current;

	if (s && s->count && (!it->rival || source_before(s, it->rival)))
		return;
	it->current = s ? it->rival : first_source(it, NULL);
	it->rival = first_source(it, it->current);
}

static int hook_iter_start_sources(struct hook_iter *it)
{
	it->started = true;
	int rc = 0;
	for (size_t i = 0; i < it->nsources && !rc; i++)
		rc = start_source(it, &it->sources[i]);
	return rc;
}

static __attribute__((noinline)) const struct task *hook_iter_find_task(
	struct hook_iter *it, const struct hook *h)
{
	struct task_cached *c = &it->tasks[h->tid % TASK_CACHE];

	if (!c->valid || c->tid != h->tid || c->machine != h->machine || h->ticks < c->from ||
		h->ticks > c->to) {
		c->valid = true;
		c->tid = h->tid;
		c->machine = h->machine;
		c->task = tasks_find(
			&it->t->machines[h->machine]->tasks, h->tid, h->ticks, &c->from, &c->to);
	}
	return c->task;
}

static const struct schema_hook *find_schema(
	struct hook_iter *it, const struct schema_set *set, const struct hook *h)
{
	/* CPI hooks differ in bits 0-7 and 28-31. */
	uint32_t place = (h->minor ^ h->minor >> 20 ^ h->major) % SCHEMA_CACHE;
	struct schema_cached *c = &it->schemas[place];
	/* One word for both: a combined load of two stores would miss store forwarding. */
	uint64_t code = (uint64_t)h->major << 32 | h->minor;

	if (c->set != set || c->code != code) {
		c->set = set;
		c->code = code;
		c->hook = schema_set_find(set, h->major, h->minor);
	}
	return c->hook;
}

/* Reads everything from a time on. */
static int hook_iter_start_from(struct hook_iter *it, int64_t time_ns)
{
	struct tick_range *keys = calloc(it->nsources ? it->nsources : 1, sizeof *keys);

	if (!keys)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < it->nsources; i++)
		keys[i] = ticks_between(&it->sources[i].file->clock, time_ns, INT64_MAX);
	hook_iter_part(it, keys);
	free(keys);
	return 0;
}

int hook_iter_seek(struct hook_iter *it, int64_t time_ns)
{
	if (!it->error)
		it->error = hook_iter_start_from(it, time_ns);
	return it->error;
}

/* 1: it->current is the source of the next hook of the range of ticks. Not for lone sources. */
static __attribute__((noinline)) int hook_iter_step_merge(struct hook_iter *it)
{
	int rc = it->error;

	if (!rc && !it->placed)
		rc = hook_iter_start_from(it, INT64_MIN);
	if (rc)
		return it->error = rc;
	if (!it->started)
		rc = hook_iter_start_sources(it);
	else if (it->current)
		rc = hook_iter_advance_source(it, it->current);
	if (rc)
		return it->error = rc;
	choose_source(it);
	return it->current != NULL;
}

/* The next hook of the range of ticks: 1 and its cursor, 0 or a code. */
static inline int next_cursor(struct hook_iter *it, struct ring_cursor **c)
{
	int rc;

	if (it->lone) {
		*c = it->lone;
		if (ring_cursor_try_next(*c))
			return 1;
		rc = it->error ? it->error : ring_cursor_next(*c, &it->reading);
		if (rc < 0)
			it->error = rc;
		return rc;
	}
	rc = hook_iter_step_merge(it);
	if (rc > 0)
		*c = it->current->heap[0];
	return rc;
}

/* If the clock goes back, the range of ticks holds more than that of time. */
static bool too_much(struct hook_iter *it, struct ring_cursor *c)
{
	if (c->hook.time_ns >= it->from_ns && c->hook.time_ns <= it->to_ns)
		return false;
	c->counts.hooks--;
	return true;
}

int hook_iter_next(struct hook_iter *it, const struct hook **result)
{
	struct ring_cursor *c;

	do {
		int rc = next_cursor(it, &c);

		if (rc <= 0)
			return rc;
		if (it->checks_times || !(it->spared & HOOK_SPARE_TIME))
			c->hook.time_ns = clock_cursor_time(&it->current->clock, c->hook.ticks);
	} while (it->checks_times && too_much(it, c));
	if (!(it->spared & HOOK_SPARE_TASK))
		c->hook.task = hook_iter_find_task(it, &c->hook);
	c->hook.schema = find_schema(it, c->file->set, &c->hook);
	*result = &c->hook;
	return 1;
}

void hook_iter_counts(const struct hook_iter *it, struct hook_counts *total)
{
	*total = (struct hook_counts){0};
	for (size_t i = 0; i < it->nsources; i++) {
		const struct hook_source *s = &it->sources[i];

		for (size_t j = 0; j < s->file->pub.nrings; j++)
			hook_counts_add(total, &s->cursors[j].counts);
	}
}

bool hook_iter_ring_counts(
	const struct hook_iter *it, size_t file, size_t i, struct hook_counts *counts)
{
	*counts = (struct hook_counts){0};
	if (file >= it->nsources || i >= it->sources[file].file->pub.nrings)
		return false;
	*counts = it->sources[file].cursors[i].counts;
	return true;
}

const struct hook_damage *hook_iter_damage(struct hook_iter *it, size_t *n)
{
	*n = hook_damage_keep(it->reading.damage, it->reading.ndamage);
	it->reading.ndamage = *n;
	return it->reading.damage;
}

void hook_iter_progress(const struct hook_iter *it, uint64_t *done, uint64_t *total)
{
	*done = it->reading.done;
	*total = it->total;
}
