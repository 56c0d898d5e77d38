/*
 * From the end of the trace to its beginning: by end, later ones first; of those that end
 * together by start, and then as they stand in the trace. So an interval comes after all that
 * can hold it, and the one that does is that which starts last of those that start before it
 * does. Those that start after the end at hand hold nothing any more.
 */
#include "flame_backward.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../model/grow.h"
#include "../sink/escape.h"

enum {
	MAX_TOGETHER = 1 << 16, /* of one end */
	MAX_SOURCES = 1 << 10,	/* each may hold a block */
	FEW_STACKED = 1 << 18,
	STEPS = 32, /* for an interval on the average, among those that overlap */
};

/* An interval that may have others in it. */
struct holder {
	uint64_t start;
	uint64_t weight, nested; /* nested: of those right inside it */
	uint32_t frame;
	bool early; /* it began before tick 0, and start is modulo 2^64 */
};

/* A thread's, by start, the last one on top. */
struct stack {
	struct holder *at;
	size_t count, cap;
	uint32_t machine, tid;
};

/* What a number of an owner stands for. */
struct owner {
	uint32_t machine, stack, frame; /* frame: 0: none yet */
	uint32_t name;
};

/* A writer's numbers, in the tree. */
struct numbers {
	uint32_t *names;
	struct owner *owners;
};

struct source {
	const uint8_t *p, *begin; /* of its segment: what is left of it */
	const struct flame_segment *segments;
	size_t left; /* segments before */
	uint8_t *block;
	uint64_t end; /* of the last record */
};

struct ended {
	struct flame_record record;
	const struct flame_segment *segment;
	uint64_t start;
	uint32_t place; /* among those of one end, as they came */
	bool early;
};

struct backward {
	struct flame_log *log;
	struct flame_tree *tree;
	struct numbers *numbers;
	struct stack *stacks;
	size_t nstacks, stacks_cap;
	uint32_t *stack_table; /* open hash: number + 1 */
	size_t places;
	struct flame_segment *segments;
	size_t nsegments;
	struct source *sources, **heap;
	size_t nsources, count;
	struct ended *ended; /* together */
	size_t nended, ended_cap;
	size_t stacked, sweep_at;
	uint64_t steps, added;
	uint32_t machine;
};

/* Does the one start later than the other? */
static bool starts_after(bool early, uint64_t start, bool other_early, uint64_t other)
{
	return early != other_early ? other_early : start > other;
}

static uint32_t spelled_name(struct backward *b, const struct flame_name *name, struct out *text)
{
	text->len = 0;
	if (b->log->r->format == FORMAT_FOLDED)
		escape_frame(text, name->at, name->len);
	else
		out_bytes(text, name->at, name->len);
	return text->error ? 0 : flame_names_add(&b->tree->names, text->buf, text->len);
}

/*
 * In lines of stacks a name may have to be spelled in another way, and two that become the
 * same are one. The first writer's names become the tree's.
 */
static int number_names(struct backward *b, unsigned i)
{
	struct flame_names *names = &b->log->writers[i].names;
	uint32_t n = names->count;
	uint32_t *to = calloc((size_t)n + 1, sizeof *to);
	struct out text;
	b->numbers[i].names = to;
	if (!to)
		return CPIDECODE_ENOMEM;
	if (i == 0) {
		b->tree->names = *names;
		*names = (struct flame_names){0};
		names = &b->tree->names;
		if (b->log->r->format != FORMAT_FOLDED) {
			for (uint32_t k = 1; k < n; k++)
				to[k] = k;
			return 0;
		}
	}
	out_memory(&text);
	int rc = 0;
	for (uint32_t k = 1; k < n && !rc; k++) {
		struct flame_name name = names->at[k];
		to[k] = spelled_name(b, &name, &text);
		rc = to[k] ? 0 : CPIDECODE_ENOMEM;
	}
	out_discard(&text);
	return rc;
}

static bool more_stacks(struct backward *b)
{
	size_t places = b->places ? 2 * b->places : 64;
	uint32_t *table = calloc(places, sizeof *table);
	if (!table)
		return false;
	for (uint32_t i = 0; i < b->nstacks; i++) {
		uint64_t key = (uint64_t)b->stacks[i].machine << 32 | b->stacks[i].tid;
		size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
		while (table[at & (places - 1)])
			at++;
		table[at & (places - 1)] = i + 1;
	}
	free(b->stack_table);
	b->stack_table = table;
	b->places = places;
	return true;
}

static int find_stack(struct backward *b, uint32_t machine, uint32_t tid, uint32_t *number)
{
	if (b->nstacks >= b->places / 2 && !more_stacks(b))
		return CPIDECODE_ENOMEM;
	uint64_t key = (uint64_t)machine << 32 | tid;
	size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	for (;; at++) {
		uint32_t *place = &b->stack_table[at & (b->places - 1)];
		if (*place) {
			const struct stack *s = &b->stacks[*place - 1];
			*number = *place - 1;
			if (s->machine == machine && s->tid == tid)
				return 0;
			continue;
		}
		if (grow(&b->stacks, b->nstacks, &b->stacks_cap, sizeof *b->stacks))
			return CPIDECODE_ENOMEM;
		b->stacks[b->nstacks] = (struct stack){.machine = machine, .tid = tid};
		*number = (uint32_t)b->nstacks++;
		*place = *number + 1;
		return 0;
	}
}

static int number_owners(struct backward *b, unsigned i)
{
	const struct flame_writer *w = &b->log->writers[i];
	struct numbers *n = &b->numbers[i];
	n->owners = calloc(w->nowners + 1, sizeof *n->owners);
	if (!n->owners)
		return CPIDECODE_ENOMEM;
	for (size_t k = 0; k < w->nowners; k++) {
		const struct flame_owner *from = &w->owners[k];
		struct owner *to = &n->owners[k];
		to->machine = from->machine;
		to->name = n->names[from->name];
		int rc = find_stack(b, from->machine, from->tid, &to->stack);
		if (rc)
			return rc;
	}
	return 0;
}

static int by_ring(const void *x, const void *y)
{
	const struct flame_segment *a = x, *b = y;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->ring != b->ring)
		return a->ring < b->ring ? -1 : 1;
	if (a->slice != b->slice)
		return a->slice < b->slice ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int gather_segments(struct backward *b)
{
	size_t n = 0;
	for (unsigned i = 0; i < b->log->count; i++)
		n += b->log->writers[i].nsegments;
	b->segments = malloc((n + 1) * sizeof *b->segments);
	if (!b->segments)
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < b->log->count; i++) {
		const struct flame_writer *w = &b->log->writers[i];
		if (w->nsegments)
			memcpy(b->segments + b->nsegments, w->segments,
				w->nsegments * sizeof *w->segments);
		b->nsegments += w->nsegments;
	}
	qsort(b->segments, b->nsegments, sizeof *b->segments, by_ring);
	for (size_t i = 0; i < n; i++)
		b->nsources += !i || b->segments[i].ring != b->segments[i - 1].ring ||
			       b->segments[i].file != b->segments[i - 1].file;
	if (b->nsources > MAX_SOURCES)
		return 1;
	b->sources = calloc(b->nsources + 1, sizeof *b->sources);
	b->heap = calloc(b->nsources + 1, sizeof(struct source *));
	return b->sources && b->heap ? 0 : CPIDECODE_ENOMEM;
}

static void make_sources(struct backward *b)
{
	struct source *s = b->sources;
	for (size_t i = 0, end; i < b->nsegments; i = end, s++) {
		for (end = i + 1; end < b->nsegments; end++)
			if (b->segments[end].ring != b->segments[i].ring ||
				b->segments[end].file != b->segments[i].file)
				break;
		*s = (struct source){.segments = b->segments + i, .left = end - i};
	}
}

static int load(struct backward *b, struct source *s, const struct flame_segment *segment)
{
	if (!s->block && !(s->block = malloc(FLAME_BLOCK)))
		return CPIDECODE_ENOMEM;
	int fd = b->log->writers[segment->writer].fd;
	for (uint32_t done = 0; done < segment->bytes;) {
		ssize_t n = pread(fd, s->block + done, segment->bytes - done,
			(off_t)(segment->offset + done));
		if (n < 0 && errno != EINTR)
			return CPIDECODE_ESPOOL;
		if (n == 0) {
			errno = EIO;
			return CPIDECODE_ESPOOL;
		}
		done += n > 0 ? (uint32_t)n : 0;
	}
	s->begin = s->block;
	return 0;
}

/* To the record before, in whichever segment. 1, 0: there is none, or a negative code. */
static int step_back(struct backward *b, struct source *s)
{
	while (s->p == s->begin) {
		if (!s->left)
			return 0;
		const struct flame_segment *segment = &s->segments[--s->left];
		s->begin = segment->at;
		int rc = segment->at ? 0 : load(b, s, segment);
		if (rc)
			return rc;
		s->p = s->begin + segment->bytes;
	}
	return 1;
}

static void sift_down(struct backward *b)
{
	struct source **heap = b->heap, *s = heap[0];
	size_t i = 0;
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= b->count)
			break;
		if (child + 1 < b->count && heap[child + 1]->end > heap[child]->end)
			child++;
		if (heap[child]->end <= s->end)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = s;
}

static void sift_up(struct backward *b, size_t i)
{
	struct source **heap = b->heap, *s = heap[i];
	for (; i && heap[(i - 1) / 2]->end < s->end; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = s;
}

/* A record's end is its first word. */
static uint64_t last_end(const struct source *s)
{
	struct flame_record r;
	flame_log_back(s->p, &r);
	return r.end;
}

static int start_machine(struct backward *b, uint32_t machine)
{
	b->machine = machine;
	b->count = 0;
	for (size_t i = 0; i < b->nsources; i++) {
		struct source *s = &b->sources[i];
		if (trace_file(b->log->r->trace, s->segments->file)->machine != machine)
			continue;
		int rc = step_back(b, s);
		if (rc < 0)
			return rc;
		if (!rc)
			continue;
		s->end = last_end(s);
		b->heap[b->count] = s;
		sift_up(b, b->count++);
	}
	return 0;
}

/* The one that ends last. 0, a negative code, or 1: one of its ring ends later. */
static int take_top(struct backward *b)
{
	struct source *s = b->heap[0];
	if (b->nended == MAX_TOGETHER)
		return 1;
	if (grow(&b->ended, b->nended, &b->ended_cap, sizeof *b->ended))
		return CPIDECODE_ENOMEM;
	struct ended *e = &b->ended[b->nended];
	s->p = flame_log_back(s->p, &e->record);
	e->segment = &s->segments[s->left];
	e->start = e->record.end - e->record.elapsed;
	e->early = e->record.elapsed > e->record.end;
	e->place = (uint32_t)b->nended++;
	int rc = step_back(b, s);
	if (rc < 0)
		return rc;
	if (rc) {
		uint64_t end = last_end(s);
		if (end > s->end)
			return 1;
		s->end = end;
	} else {
		b->heap[0] = b->heap[--b->count];
	}
	if (b->count)
		sift_down(b);
	return 0;
}

/* The first one holds the others. */
static int by_start(const void *x, const void *y)
{
	const struct ended *a = x, *b = y;
	if (a->early != b->early)
		return a->early ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->segment->ring != b->segment->ring)
		return a->segment->ring < b->segment->ring ? -1 : 1;
	return (a->place < b->place) - (a->place > b->place);
}

/* Files with rings of the same number would have to be told apart by their positions. */
static bool is_unclear(const struct ended *e, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (e[i].start == e[i - 1].start && e[i].segment->ring == e[i - 1].segment->ring &&
			e[i].segment->file != e[i - 1].segment->file)
			return true;
	return false;
}

/* Counters of different moments: what is nested can add up to more than the whole. */
static void close_top(struct backward *b, struct stack *s)
{
	const struct holder *h = &s->at[--s->count];
	b->stacked--;
	b->tree->flame.frames[h->frame].self += h->weight > h->nested ? h->weight - h->nested : 0;
}

static void close_after(struct backward *b, struct stack *s, uint64_t end)
{
	while (s->count &&
		starts_after(s->at[s->count - 1].early, s->at[s->count - 1].start, false, end))
		close_top(b, s);
}

/* Threads that were not heard of for long may hold what is of no more use. */
static void sweep(struct backward *b, uint64_t end)
{
	for (size_t i = 0; i < b->nstacks; i++) {
		struct stack *s = &b->stacks[i];
		if (s->machine == b->machine)
			close_after(b, s, end);
		if (!s->count) {
			free(s->at);
			s->at = NULL;
			s->cap = 0;
		}
	}
	b->sweep_at = 2 * b->stacked > FEW_STACKED ? 2 * b->stacked : FEW_STACKED;
}

static void close_machine(struct backward *b)
{
	for (size_t i = 0; i < b->nstacks; i++) {
		struct stack *s = &b->stacks[i];
		while (s->machine == b->machine && s->count)
			close_top(b, s);
	}
}

static uint32_t frame_of(struct backward *b, const struct ended *e, const struct holder *outer)
{
	const struct numbers *n = &b->numbers[e->segment->writer];
	struct owner *owner = &n->owners[e->record.owner];
	uint32_t parent = outer ? outer->frame : owner->frame;
	if (!parent)
		parent = owner->frame = flame_tree_add(b->tree, 0, FLAME_TASK, owner->name);
	return parent ? flame_tree_add(b->tree, parent, FLAME_INTERVAL, n->names[e->record.name])
		      : 0;
}

static int count_interval(struct backward *b, struct ended *e, uint32_t frame)
{
	if (b->tree->measures)
		e->record.part.elapsed_ns = trace_duration_ns(
			trace_file(b->log->r->trace, e->segment->file), e->record.elapsed);
	return flame_tree_count(b->tree, frame, &e->record.part);
}

static int add_interval(struct backward *b, struct ended *e)
{
	const struct owner *owner = &b->numbers[e->segment->writer].owners[e->record.owner];
	struct stack *s = &b->stacks[owner->stack];
	close_after(b, s, e->record.end);
	if (grow(&s->at, s->count, &s->cap, sizeof *s->at))
		return CPIDECODE_ENOMEM;
	size_t place = s->count;
	while (place &&
		starts_after(s->at[place - 1].early, s->at[place - 1].start, e->early, e->start))
		place--;
	struct holder *own = &s->at[place], *outer = place ? own - 1 : NULL;
	uint32_t frame = frame_of(b, e, outer);
	if (!frame)
		return CPIDECODE_ENOMEM;
	if (outer)
		outer->nested += e->record.weight;
	b->steps += s->count - place;
	memmove(own + 1, own, (s->count++ - place) * sizeof *own);
	*own = (struct holder){e->start, e->record.weight, 0, frame, e->early};
	if (count_interval(b, e, frame))
		return CPIDECODE_ENOMEM;
	b->added++;
	if (++b->stacked >= b->sweep_at)
		sweep(b, e->record.end);
	return b->steps > STEPS * (b->added + 1024) ? 1 : 0;
}

static int add_machine(struct backward *b, uint32_t machine)
{
	int rc = start_machine(b, machine);
	while (!rc && b->count) {
		uint64_t end = b->heap[0]->end;
		b->nended = 0;
		do
			rc = take_top(b);
		while (!rc && b->count && b->heap[0]->end == end);
		if (!rc && b->nended > 1) {
			qsort(b->ended, b->nended, sizeof *b->ended, by_start);
			rc = is_unclear(b->ended, b->nended);
		}
		for (size_t i = 0; i < b->nended && !rc; i++)
			rc = add_interval(b, &b->ended[i]);
	}
	if (!rc)
		close_machine(b);
	return rc;
}

static int add_all(struct backward *b)
{
	b->numbers = calloc(b->log->count, sizeof *b->numbers);
	int rc = b->numbers ? 0 : CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < b->log->count && !rc; i++) {
		rc = number_names(b, i);
		if (!rc)
			rc = number_owners(b, i);
	}
	if (!rc)
		rc = gather_segments(b);
	if (rc)
		return rc;
	make_sources(b);
	for (size_t i = 0; i < trace_nfiles(b->log->r->trace) && !rc; i++) {
		uint32_t machine = trace_file(b->log->r->trace, i)->machine;
		bool done = false;
		for (size_t k = 0; k < i; k++)
			done |= trace_file(b->log->r->trace, k)->machine == machine;
		if (!done)
			rc = add_machine(b, machine);
	}
	return rc;
}

int flame_backward(struct flame_log *log, struct flame_tree *tree)
{
	struct backward b = {.log = log, .tree = tree, .sweep_at = FEW_STACKED};
	int rc = add_all(&b), error = errno;
	for (unsigned i = 0; b.numbers && i < log->count; i++) {
		free(b.numbers[i].names);
		free(b.numbers[i].owners);
	}
	for (size_t i = 0; i < b.nstacks; i++)
		free(b.stacks[i].at);
	for (size_t i = 0; b.sources && i < b.nsources; i++)
		free(b.sources[i].block);
	free(b.numbers);
	free(b.stacks);
	free(b.stack_table);
	free(b.segments);
	free(b.sources);
	free(b.heap);
	free(b.ended);
	errno = error;
	return rc;
}
