/*
 * The merge. Within a file a heap of rings by ticks; between files, whose ticks cannot
 * be compared, the least by CLOCK_REALTIME. What a hook needs beyond its record (time,
 * task, schema) is looked up once it is its turn, through small caches.
 */
#include "grow.h"
#include "ring_cursor.h"

/* One ring in a file's heap. The key is beside the cursor's pointer: no chasing. */
struct entry {
	uint64_t ticks;
	uint32_t ring;
	struct ring_cursor *cursor;
};

struct source {
	const struct file *file;
	struct ring_cursor *cursors; /* beside the file's rings */
	struct entry *heap;
	size_t count;
	int64_t time_ns; /* of the heap's top */
};

enum { TASK_CACHE = 256, SCHEMA_CACHE = 256 };

struct task_cached {
	bool valid;
	uint32_t machine, tid;
	uint64_t from, to;
	const struct task *task;
};

struct schema_cached {
	const struct schema_set *set;
	uint32_t minor;
	uint8_t major;
	const struct schema_hook *hook;
};

struct hook_iter {
	const struct trace *t;
	struct source *sources;
	size_t nsources;
	struct source *current; /* whose top was handed out last */
	bool started;
	int error; /* stays */
	int64_t from_ns, to_ns;
	struct reading reading;
	uint64_t total;
	struct task_cached tasks[TASK_CACHE];
	struct schema_cached schemas[SCHEMA_CACHE];
};

static int open_source(struct source *s, const struct file *f)
{
	size_t n = f->pub.nrings;
	s->file = f;
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
	it->from_ns = INT64_MIN;
	it->to_ns = INT64_MAX;
	int rc = 0;
	it->sources = calloc(t->nfiles ? t->nfiles : 1, sizeof *it->sources);
	if (!it->sources)
		rc = CPIDECODE_ENOMEM;
	for (size_t i = 0; i < t->nfiles && !rc; i++) {
		rc = open_source(&it->sources[it->nsources++], t->files[i]);
		for (size_t j = 0; j < t->files[i]->pub.nrings; j++)
			it->total += t->files[i]->rings[j].stored;
	}
	if (rc) {
		hook_iter_close(it);
		return rc;
	}
	*result = it;
	return 0;
}

void hook_iter_close(struct hook_iter *it)
{
	if (!it)
		return;
	for (size_t i = 0; i < it->nsources; i++) {
		struct source *s = &it->sources[i];
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

void hook_iter_range(struct hook_iter *it, int64_t from_ns, int64_t to_ns)
{
	it->from_ns = from_ns;
	it->to_ns = to_ns;
}

static bool entry_before(const struct entry *a, const struct entry *b)
{
	return a->ticks != b->ticks ? a->ticks < b->ticks : a->ring < b->ring;
}

static void sift_down(struct source *s, size_t i)
{
	struct entry e = s->heap[i];
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= s->count)
			break;
		if (child + 1 < s->count && entry_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!entry_before(&s->heap[child], &e))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = e;
}

static void set_time(struct source *s)
{
	if (s->count)
		s->time_ns = clock_time(&s->file->clock, s->heap[0].ticks);
}

static void set_range(const struct hook_iter *it, const struct source *s, struct ring_cursor *c)
{
	if (!clock_range(&s->file->clock, it->from_ns, it->to_ns, &c->from, &c->to)) {
		c->from = UINT64_MAX;
		c->to = 0;
	}
}

/* Where CLOCK_REALTIME was stepped back, the range of ticks holds others too. */
static bool in_range(const struct hook_iter *it, const struct source *s)
{
	return s->time_ns >= it->from_ns && s->time_ns <= it->to_ns;
}

static int start_source(struct hook_iter *it, struct source *s)
{
	struct ring_cursor range = {.to = UINT64_MAX};
	set_range(it, s, &range);
	for (size_t i = 0; i < s->file->pub.nrings; i++) {
		struct ring_cursor *c = &s->cursors[i];
		c->from = range.from;
		c->to = range.to;
		int rc = ring_cursor_next(c, &it->reading);
		if (rc < 0)
			return rc;
		if (rc)
			s->heap[s->count++] = (struct entry){
				.ticks = c->hook.ticks, .ring = c->hook.ring, .cursor = c};
	}
	for (size_t i = s->count / 2; i-- > 0;)
		sift_down(s, i);
	set_time(s);
	return 0;
}

/* Past the hook that was handed out last. */
static int advance(struct hook_iter *it, struct source *s)
{
	struct entry *top = &s->heap[0];
	int rc = ring_cursor_next(top->cursor, &it->reading);
	if (rc < 0)
		return rc;
	if (rc)
		top->ticks = top->cursor->hook.ticks;
	else
		*top = s->heap[--s->count];
	if (s->count)
		sift_down(s, 0);
	set_time(s);
	return 0;
}

static bool source_before(const struct source *a, const struct source *b)
{
	const struct entry *x = &a->heap[0], *y = &b->heap[0];
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (x->ticks != y->ticks)
		return x->ticks < y->ticks;
	if (x->ring != y->ring)
		return x->ring < y->ring;
	return x->cursor->hook.position < y->cursor->hook.position;
}

static struct source *first_source(struct hook_iter *it)
{
	struct source *first = NULL;
	for (size_t i = 0; i < it->nsources; i++) {
		struct source *s = &it->sources[i];
		if (s->count && (!first || source_before(s, first)))
			first = s;
	}
	return first;
}

static const struct task *find_task(struct hook_iter *it, const struct hook *h)
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
	uint32_t hash = (h->minor ^ (uint32_t)h->major << 24) * 0x9e3779b1u;
	struct schema_cached *c = &it->schemas[hash >> 24];
	if (c->set != set || c->minor != h->minor || c->major != h->major) {
		c->set = set;
		c->minor = h->minor;
		c->major = h->major;
		c->hook = schema_set_find(set, h->major, h->minor);
	}
	return c->hook;
}

int hook_iter_next(struct hook_iter *it, const struct hook **result)
{
	int rc = it->error;
	if (rc)
		return rc;
	do {
		if (!it->started) {
			it->started = true;
			for (size_t i = 0; i < it->nsources && !rc; i++)
				rc = start_source(it, &it->sources[i]);
		} else if (it->current) {
			rc = advance(it, it->current);
		}
		it->error = rc;
		it->current = rc ? NULL : first_source(it);
		if (!it->current)
			return rc;
	} while (!in_range(it, it->current));
	struct source *s = it->current;
	struct hook *h = &s->heap[0].cursor->hook;
	h->time_ns = s->time_ns;
	h->task = find_task(it, h);
	h->schema = find_schema(it, s->file->set, h);
	*result = h;
	return 1;
}

static void add_counts(struct hook_counts *to, const struct hook_counts *c)
{
	to->hooks += c->hooks;
	to->pads += c->pads;
	to->torn += c->torn;
	to->reserved += c->reserved;
	to->malformed += c->malformed;
	to->promised += c->promised;
	to->torn_promised += c->torn_promised;
	to->bad_sections += c->bad_sections;
	to->bad_bytes += c->bad_bytes;
}

void hook_iter_counts(const struct hook_iter *it, struct hook_counts *total)
{
	*total = (struct hook_counts){0};
	for (size_t i = 0; i < it->nsources; i++) {
		const struct source *s = &it->sources[i];
		for (size_t j = 0; j < s->file->pub.nrings; j++)
			add_counts(total, &s->cursors[j].counts);
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

const struct hook_damage *hook_iter_damage(const struct hook_iter *it, size_t *n)
{
	*n = it->reading.ndamage;
	return it->reading.damage;
}

void hook_iter_progress(const struct hook_iter *it, uint64_t *done, uint64_t *total)
{
	*done = it->reading.done;
	*total = it->total;
}
