/*
 * From the end of the trace to its beginning: by end, later ones first; of those that end
 * together by start, and then as they stand in the trace. So an interval comes after all that
 * can hold it, and the one that does is that which starts last of those that start before it
 * does. Those that start after the end at hand hold nothing any more.
 */
#include "backward.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/trace/clock.h"
#include "../../base/grow.h"
#include "../../../formats/base/hash_index.h"
#include "../../sink/escape.h"
#include "sources.h"

enum {
	FEW_STACKED = 1 << 18,
	STEPS = 32, /* for an interval on the average, among those that overlap */
	MAX_WAITING = 256,
	KNOWN = 256,
};

/* An interval that may have others in it. */
struct holder {
	uint64_t start;
	uint64_t weight, nested; /* nested: of those right inside it */
	uint64_t path;
	uint32_t frame; /* or WAITING and its place there */
	bool early;	/* it began before tick 0, and start is modulo 2^64 */
};

/* A thread's, by start, the last one on top. */
struct stack {
	struct holder *at;
	size_t count, cap;
	uint32_t machine, tid;
	unsigned waiting; /* of the holders */
};

/* What a number of an owner stands for. */
struct owner {
	uint32_t machine, stack;
	uint32_t name, frame; /* frame: 0: none yet */
	uint64_t path;
};

/*
 * One whose frame is found together with those of others, as finding it means waiting for
 * memory. Where that is, its path tells: its parent may be waiting, too.
 */
struct waiting {
	struct owner *owner;
	struct stack *stack;
	uint32_t parent; /* a frame, or WAITING and its place */
	uint32_t name, frame;
	uint64_t path; /* of its name alone, at first */
	uint64_t self;
};

#define WAITING (UINT32_C(1) << 31)
_Static_assert(FLAME_MOST <= WAITING, "no frame's number is one of those");

struct known_name {
	uint32_t name;
	uint64_t hash;
};

/* A writer's numbers, in the tree. */
struct numbers {
	uint32_t base; /* of names: how much more they are there */
	struct owner *owners;
};

struct backward {
	struct flame_log *log;
	struct flame_tree *tree;
	struct numbers *numbers;
	const struct clock **clocks; /* of files */
	uint32_t *spelled;	     /* of each name in another way; 0, or none: as it is */
	struct known_name known[KNOWN];
	struct stack *stacks;
	size_t nstacks, stacks_cap;
	struct hash_index stack_index;
	struct flame_sources sources;
	struct waiting waiting[MAX_WAITING];
	size_t stacked, sweep_at;
	uint64_t steps, added;
	uint32_t machine;
};

/* Does the one start later than the other? */
static bool starts_after(bool early, uint64_t start, bool other_early, uint64_t other)
{
	return early != other_early ? other_early : start > other;
}

/* As it is spelled in lines of stacks. */
static void spell(struct flame_name name, struct out *text)
{
	text->len = 0;
	escape_frame(text, name.at, name.len);
}

static bool is_same(struct flame_name name, const struct out *text)
{
	return text->len == name.len && (!name.len || memcmp(text->buf, name.at, name.len) == 0);
}

/* In lines of stacks: of those that are spelled in another way, the numbers of their spelling. */
static int spell_names(struct backward *b)
{
	struct flame_names *names = &b->tree->names;
	struct out text;
	int rc = 0;

	out_memory(&text);
	for (uint32_t k = 1, end = names->used; k < end && !rc; k = flame_names_next(names, k)) {
		struct flame_name name = flame_names_get(names, k);

		spell(name, &text);
		if (!text.error && is_same(name, &text))
			continue;
		uint32_t number = text.error ? 0 : flame_names_append(names, text.buf, text.len);
		if (!b->spelled)
			b->spelled = calloc(end, sizeof *b->spelled);
		if (number && b->spelled)
			b->spelled[k] = number;
		else
			rc = CPIDECODE_ENOMEM;
	}
	out_discard(&text);
	return rc;
}

/* All writers' names become the tree's. */
static int number_names(struct backward *b)
{
	int rc = 0;

	for (unsigned i = 0; i < b->log->count && !rc; i++)
		rc = flame_names_take(
			&b->tree->names, &b->log->writers[i].names, &b->numbers[i].base);
	/* Their table makes room for that of the frames, which are no fewer, mostly. */
	flame_names_close(&b->tree->names);
	if (!rc && b->log->r->format == FORMAT_FOLDED)
		rc = spell_names(b);
	return rc ? rc : flame_tree_expect(b->tree, b->tree->names.count);
}

/* A writer's name, in the tree. */
static uint32_t backward_find_name(const struct backward *b, unsigned writer, uint32_t own)
{
	uint32_t name = own + b->numbers[writer].base;

	return b->spelled && b->spelled[name] ? b->spelled[name] : name;
}

/* The hash of a name; where there are few, it is known. */
static uint64_t backward_hash_name(struct backward *b, uint32_t name)
{
	struct known_name *known = &b->known[name % KNOWN];

	if (known->name != name)
		*known = (struct known_name){name, flame_names_hash(&b->tree->names, name)};
	return known->hash;
}

static uint64_t hash_stack(uint32_t machine, uint32_t tid)
{
	return ((uint64_t)machine << 32 | tid) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static bool more_stacks(struct backward *b)
{
	if (!hash_index_reset(&b->stack_index, 2 * b->nstacks + 1))
		return false;
	for (uint32_t i = 0; i < b->nstacks; i++)
		hash_index_add(
			&b->stack_index, hash_stack(b->stacks[i].machine, b->stacks[i].tid), i);
	return true;
}

static int find_stack(struct backward *b, uint32_t machine, uint32_t tid, uint32_t *number)
{
	if (b->nstacks >= b->stack_index.slots / 2 && !more_stacks(b))
		return CPIDECODE_ENOMEM;
	for (uint64_t at = hash_stack(machine, tid);; at++) {
		uint32_t *slot = hash_index_at(&b->stack_index, at);

		*number = *slot ? *slot - 1 : (uint32_t)b->nstacks;
		if (!*slot) {
			if (grow(&b->stacks, b->nstacks, &b->stacks_cap, sizeof *b->stacks))
				return CPIDECODE_ENOMEM;
			b->stacks[b->nstacks++] = (struct stack){.machine = machine, .tid = tid};
			*slot = *number + 1;
			return 0;
		}
		if (b->stacks[*number].machine == machine && b->stacks[*number].tid == tid)
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
		to->name = backward_find_name(b, i, from->name);
		int rc = find_stack(b, from->machine, from->tid, &to->stack);
		if (rc)
			return rc;
	}
	return 0;
}

/* Counters of different moments: what is nested can add up to more than the whole. */
static void close_top(struct backward *b, struct stack *s)
{
	const struct holder *h = &s->at[--s->count];
	uint64_t self = h->weight > h->nested ? h->weight - h->nested : 0;

	b->stacked--;
	if (h->frame & WAITING) {
		b->waiting[h->frame & ~WAITING].self = self;
		s->waiting--;
	} else {
		flame_tree_node(b->tree, h->frame)->self += self;
	}
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

static uint32_t known_frame(const struct backward *b, uint32_t frame)
{
	return frame & WAITING ? b->waiting[frame & ~WAITING].frame : frame;
}

/* The holders of a thread are told of their frames. */
static void tell_holders(struct backward *b, struct stack *s)
{
	for (size_t i = s->count; s->waiting; i--) {
		struct holder *h = &s->at[i - 1];

		if (h->frame & WAITING) {
			h->frame = known_frame(b, h->frame);
			s->waiting--;
		}
	}
}

/* Whose they are: without what nobody can guess, the processor reads ahead. */
static void backward_prepare_batch(struct backward *b, struct flame_ended *e, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct numbers *numbers = &b->numbers[e[i].segment->writer];
		struct waiting *w = &b->waiting[i];

		w->owner = &numbers->owners[e[i].record.owner];
		w->stack = &b->stacks[w->owner->stack];
		w->name = backward_find_name(b, e[i].segment->writer, e[i].record.name);
		w->path = backward_hash_name(b, w->name);
		w->self = 0;
		if (b->tree->measured)
			e[i].record.part.elapsed_ns = clock_duration_ns(
				b->clocks[e[i].segment->file], e[i].record.elapsed);
	}
}

/* The task's frame is known at once: there are few. */
static int backward_find_task(struct backward *b, struct owner *owner)
{
	if (owner->frame)
		return 0;
	owner->path = flame_tree_path(b->tree, 0, backward_hash_name(b, owner->name));
	owner->frame = flame_tree_add(b->tree, 0, owner->name, owner->path);
	return owner->frame ? 0 : CPIDECODE_ENOMEM;
}

/* Finds what holds it, and what it holds no more. */
static int nest(struct backward *b, const struct flame_ended *e, unsigned number)
{
	struct waiting *w = &b->waiting[number];
	struct stack *s = w->stack;

	close_after(b, s, e->end);
	if (grow(&s->at, s->count, &s->cap, sizeof *s->at))
		return CPIDECODE_ENOMEM;
	size_t place = s->count;
	while (place &&
		starts_after(s->at[place - 1].early, s->at[place - 1].start, e->early, e->start))
		place--;
	struct holder *own = &s->at[place];
	uint64_t parent;
	if (place) {
		own[-1].nested += e->record.weight;
		w->parent = own[-1].frame;
		parent = own[-1].path;
	} else {
		if (backward_find_task(b, w->owner))
			return CPIDECODE_ENOMEM;
		w->parent = w->owner->frame;
		parent = w->owner->path;
	}
	w->path = flame_tree_path(b->tree, parent, w->path);
	flame_tree_ask(b->tree, w->path);
	if (place < s->count)
		memmove(own + 1, own, (s->count - place) * sizeof *own);
	b->steps += s->count++ - place;
	*own = (struct holder){e->start, e->record.weight, 0, w->path, WAITING | number, e->early};
	s->waiting++;
	b->added++;
	if (++b->stacked >= b->sweep_at)
		sweep(b, e->end);
	return b->steps > STEPS * (b->added + 1024) ? 1 : 0;
}

static int find_frames(struct backward *b, const struct flame_ended *e, unsigned n)
{
	int rc = 0;

	for (unsigned i = 0; i < n; i++)
		flame_tree_ask_frame(b->tree, b->waiting[i].path);
	for (unsigned i = 0; i < n; i++) {
		struct waiting *w = &b->waiting[i];
		uint32_t parent = known_frame(b, w->parent);

		w->frame = flame_tree_add(b->tree, parent, w->name, w->path);
		if (!w->frame)
			return CPIDECODE_ENOMEM;
		if (b->tree->measured)
			flame_measures_ask(&b->tree->measures, w->frame);
	}
	for (unsigned i = 0; i < n && !rc; i++) {
		const struct waiting *w = &b->waiting[i];

		rc = flame_tree_count(b->tree, w->frame, w->self, &e[i].record.part);
		tell_holders(b, w->stack);
	}
	return rc;
}

static int add_machine(struct backward *b, uint32_t machine)
{
	b->machine = machine;
	int rc = flame_sources_start(&b->sources, machine);
	while (!rc && !(rc = flame_sources_next(&b->sources)) && b->sources.nended) {
		struct flame_ended *e = b->sources.ended, *end = e + b->sources.nended;

		for (unsigned n; e < end && !rc; e += n) {
			n = end - e < MAX_WAITING ? (unsigned)(end - e) : MAX_WAITING;
			backward_prepare_batch(b, e, n);
			for (unsigned i = 0; i < n && !rc; i++)
				rc = nest(b, &e[i], i);
			if (!rc)
				rc = find_frames(b, e, n);
		}
	}
	if (!rc)
		close_machine(b);
	return rc;
}

static int add_all(struct backward *b)
{
	b->numbers = calloc(b->log->count, sizeof *b->numbers);
	int rc = b->numbers ? 0 : CPIDECODE_ENOMEM;
	size_t nfiles = trace_nfiles(b->log->r->trace);
	b->clocks = calloc(nfiles + 1, sizeof *b->clocks);
	if (!b->clocks)
		rc = CPIDECODE_ENOMEM;
	for (size_t i = 0; i < nfiles && !rc; i++)
		b->clocks[i] = trace_file(b->log->r->trace, i)->clock;
	for (unsigned i = 0; i < b->log->count && !rc; i++)
		rc = blocks_join(&b->tree->blocks, &b->log->writers[i].blocks);
	if (!rc)
		rc = number_names(b);
	for (unsigned i = 0; i < b->log->count && !rc; i++)
		rc = number_owners(b, i);
	if (!rc)
		rc = flame_sources_open(&b->sources);
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
	struct backward b = {.log = log,
		.tree = tree,
		.sources = {.log = log, .blocks = &tree->blocks},
		.sweep_at = FEW_STACKED};
	int rc = add_all(&b), error = errno;

	for (unsigned i = 0; b.numbers && i < log->count; i++)
		free(b.numbers[i].owners);
	free(b.spelled);
	free(b.clocks);
	for (size_t i = 0; i < b.nstacks; i++)
		free(b.stacks[i].at);
	flame_sources_close(&b.sources);
	free(b.numbers);
	free(b.stacks);
	hash_index_free(&b.stack_index);
	errno = error;
	return rc;
}
