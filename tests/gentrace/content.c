/*
 * The content of a trace: threads that mostly stay on their processor, and open and close
 * intervals within intervals, or write hooks.
 */
#include "gentrace.h"

#include <stdlib.h>
#include <string.h>

/* An eighth of the labels are outermost. */
enum { ROOTS = 8, NESTED = 4 };
enum { HOOK_MAJOR = 0x10, HOOK_MINORS = 16, THREADS_OF_PROCESS = 4, FIRST_TID = 1000 };

struct thread {
	uint64_t last; /* when it last began or ended one */
	unsigned cpu, depth;
	uint64_t start[MAX_DEPTH], nested[MAX_DEPTH];
	uint32_t label[MAX_DEPTH];
	char name[16];
};

struct content {
	struct options o;
	uint64_t random, now, gap, units, bytes;
	uint64_t open; /* intervals */
	struct thread *threads;
	struct group *group;
	char (*labels)[LABEL_SIZE];
	uint32_t *words;
	const char *stack[MAX_DEPTH];
};

uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

/* Below n, which is below 2^32. */
static uint64_t random_below(struct content *c, uint64_t n)
{
	return (random_next(&c->random) >> 32) * n >> 32;
}

uint32_t thread_tid(const struct options *o, unsigned thread)
{
	(void)o;
	return FIRST_TID + thread;
}

uint32_t thread_pid(const struct options *o, unsigned thread)
{
	return thread_tid(o, thread - thread % THREADS_OF_PROCESS);
}

void thread_name(unsigned thread, char name[16])
{
	static const char *const roles[] = {"listener", "worker", "writer", "cache"};

	snprintf(name, 16, "%s-%u", roles[thread % THREADS_OF_PROCESS],
		thread / THREADS_OF_PROCESS % (MAX_THREADS / THREADS_OF_PROCESS));
}

static void make_labels(struct content *c)
{
	static const char *const verbs[] = {"parse", "read", "resolve", "encode", "compress",
		"send", "lock", "look up", "merge", "sort", "flush", "verify", "render", "commit",
		"wait for", "copy"};
	static const char *const nouns[] = {"request", "header", "block", "index", "row", "page",
		"journal", "frame", "token", "socket", "query", "plan", "cache", "reply", "batch",
		"key"};

	c->labels = need_memory(calloc(c->o.labels, LABEL_SIZE));
	for (unsigned i = 0; i < c->o.labels; i++) {
		const char *verb = verbs[i % 16], *noun = nouns[i / 16 % 16];

		if (i < 256)
			snprintf(c->labels[i], LABEL_SIZE, "%s %s", verb, noun);
		else
			snprintf(c->labels[i], LABEL_SIZE, "%s %s %u", verb, noun, i / 256);
	}
}

struct content *content_open(const struct options *o)
{
	struct content *c = need_memory(calloc(1, sizeof *c));

	c->o = *o;
	c->random = o->seed;
	c->now = GEN_START + GEN_HZ / 1000;
	c->gap = o->gap * (GEN_HZ / 100000000) / 10;
	if (!c->gap)
		c->gap = 1;
	c->group = group_open(o);
	c->words = need_memory(calloc(o->words + 1, sizeof *c->words));
	c->threads = need_memory(calloc(o->threads, sizeof *c->threads));
	for (unsigned i = 0; i < o->threads; i++) {
		c->threads[i].cpu = i % o->cpus;
		c->threads[i].last = GEN_START;
		thread_name(i, c->threads[i].name);
	}
	make_labels(c);
	return c;
}

void content_close(struct content *c)
{
	group_close(c->group);
	free(c->labels);
	free(c->words);
	free(c->threads);
	free(c);
}

/* A number below n, low ones more often. */
static uint32_t skewed(struct content *c, uint32_t n)
{
	uint64_t r = random_next(&c->random) >> 43; /* 21 bits */

	return (uint32_t)((r * r * r >> 42) * n >> 21);
}

/*
 * As in programs, few labels are outermost, and each has few that are nested in it, so that
 * the stacks are few, too; unless asked otherwise.
 */
static uint32_t some_label(struct content *c, const struct thread *t)
{
	if (c->o.even)
		return (uint32_t)random_below(c, c->o.labels);
	if (!t->depth)
		return skewed(c, (c->o.labels + ROOTS - 1) / ROOTS);
	return (t->label[t->depth - 1] * NESTED + 1 + skewed(c, NESTED)) % c->o.labels;
}

/* A third of the words are random, the others count up or hardly change. */
static void make_hook(struct content *c, struct unit *u, unsigned thread)
{
	struct hook *h = &u->hook[0];

	for (unsigned i = 0; i < c->o.words; i++) {
		uint64_t r = i % 3 ? 0 : random_next(&c->random);

		c->words[i] = i % 3 == 0   ? (uint32_t)r
			      : i % 3 == 1 ? (uint32_t)(c->units >> i % 32)
					   : 0x00007F00u + thread;
	}
	*h = (struct hook){.major = HOOK_MAJOR,
		.minor = (uint32_t)random_below(c, HOOK_MINORS),
		.words = c->words,
		.nwords = c->o.words};
	u->nhooks = 1;
	u->depth = 0;
	u->tid = thread_tid(&c->o, thread);
}

/* Begins intervals between the thread's last beginning or end and now. */
static void begin_some(struct content *c, struct thread *t)
{
	while (t->depth < c->o.depth && (!t->depth || random_next(&c->random) >> 63)) {
		uint64_t room = c->now - t->last;
		uint64_t step =
			room < 4 ? 0
				 : random_below(c, room / 4 < UINT32_MAX ? room / 4 : UINT32_MAX);

		t->last += step;
		t->start[t->depth] = t->last;
		t->nested[t->depth] = 0;
		t->label[t->depth] = some_label(c, t);
		t->depth++;
		c->open++;
	}
}

static void end_one(struct content *c, struct thread *t, struct unit *u, unsigned thread)
{
	unsigned depth = --t->depth;
	uint64_t elapsed = c->now - t->start[depth];

	for (unsigned i = 0; i <= depth; i++)
		c->stack[i] = c->labels[t->label[i]];
	u->tid = thread_tid(&c->o, thread);
	u->stack = c->stack;
	u->depth = depth + 1;
	u->task = t->name;
	u->process = c->threads[thread - thread % THREADS_OF_PROCESS].name;
	u->self = elapsed - t->nested[depth];
	if (depth)
		t->nested[depth - 1] += elapsed;
	u->nhooks = 0;
	group_make(c->group, &c->random, t->label[depth] & 0xFF, u->tid, elapsed,
		c->labels[t->label[depth]], u);
	t->last = c->now;
	c->open--;
}

static uint64_t bytes_of(const struct unit *u)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < u->nhooks; i++)
		bytes += 24 + 4 * (uint64_t)u->hook[i].nwords +
			 (u->hook[i].string ? 4 + u->hook[i].length : 0);
	return bytes;
}

/* No more is begun: what is open ends, so that every interval's parents are there. */
static bool ending(const struct content *c)
{
	if (c->o.count)
		return c->units + c->open >= c->o.count;
	return c->bytes >= c->o.bytes;
}

static bool content_is_complete(const struct content *c)
{
	if (c->o.count)
		return c->units >= c->o.count;
	return c->bytes >= c->o.bytes && !c->open;
}

bool content_next(struct content *c, struct unit *u)
{
	unsigned thread = (unsigned)random_below(c, c->o.threads);
	bool hook = c->o.kind == KIND_HOOKS, last = ending(c);

	if (content_is_complete(c))
		return false;
	c->now += 1 + random_below(c, 2 * c->gap);
	if (c->o.kind == KIND_MIXED)
		hook = random_next(&c->random) >> 63 && !last;
	if (!hook && last)
		while (c->open && !c->threads[thread].depth)
			thread = (thread + 1) % c->o.threads;
	struct thread *t = &c->threads[thread];

	if (!random_below(c, 256))
		t->cpu = (unsigned)random_below(c, c->o.cpus);
	u->cpu = t->cpu;
	u->stamp = c->now;
	if (hook) {
		make_hook(c, u, thread);
	} else {
		/* With nothing open, the last one has to begin, too. */
		if (!last || !c->open)
			begin_some(c, t);
		end_one(c, t, u, thread);
	}
	c->units++;
	c->bytes += bytes_of(u);
	return true;
}
