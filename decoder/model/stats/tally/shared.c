#include "shared.h"

#include <pthread.h>
#include <stdlib.h>

#include "../../../../include/cpidecode.h"
#include "../../hooks/pass.h"

/* A shard of the groups, by name hash, so that threads seldom contend. */
enum { PARTS = 64 };

struct part {
	_Alignas(PASS_APART) pthread_mutex_t lock;
	struct tally tally;
};

struct own {
	_Alignas(PASS_APART) struct tally tally;
	bool full; /* handed over: its thread continues in the shared parts */
};

struct tally_shared {
	unsigned threads;
	size_t most;
	struct own *own;
	struct part *parts;
};

int tally_shared_new(unsigned threads, unsigned wanted, const struct trace *trace, size_t own,
	struct tally_shared **result)
{
	struct tally_shared *s = calloc(1, sizeof *s);

	*result = NULL;
	if (!s)
		return CPIDECODE_ENOMEM;
	s->threads = threads;
	s->most = own;
	s->own = pass_alloc(threads, sizeof *s->own);
	s->parts = pass_alloc(PARTS, sizeof *s->parts);
	for (unsigned i = 0; s->parts && i < PARTS; i++) {
		pthread_mutex_init(&s->parts[i].lock, NULL);
		s->parts[i].tally.wanted = wanted;
		s->parts[i].tally.trace = trace;
	}
	if (!s->own || !s->parts) {
		tally_shared_free(s);
		return CPIDECODE_ENOMEM;
	}
	for (unsigned i = 0; i < threads; i++) {
		s->own[i].tally.wanted = wanted;
		s->own[i].tally.trace = trace;
	}
	*result = s;
	return 0;
}

/* High bits: the low ones choose the slot within a tally. */
static struct part *part_of(const struct tally_shared *s, uint32_t hash)
{
	return &s->parts[hash / (UINT32_MAX / PARTS + 1)];
}

/* Moves the thread's groups to the shared parts. */
static int give_away(struct tally_shared *s, struct own *own)
{
	const struct tally before = own->tally;
	int rc = 0;

	for (size_t i = 0; i < own->tally.count && !rc; i++) {
		const struct tally_group *g = own->tally.groups[i];
		struct part *p = part_of(s, g->hash);

		pthread_mutex_lock(&p->lock);
		rc = tally_merge_group(&p->tally, g);
		pthread_mutex_unlock(&p->lock);
	}
	tally_free(&own->tally);
	tally_merge_facts(&own->tally, &before);
	own->full = true;
	return rc;
}

/* Long labels, which other threads may hold too, count by their bytes. */
static bool keeps_own(const struct tally_shared *s, const struct tally *own)
{
	return own->count <= s->most && own->memory.bytes / TALLY_SHARED_GROUP <= s->most;
}

int tally_shared_add(struct tally_shared *s, unsigned thread, const struct interval *iv)
{
	struct own *own = &s->own[thread];

	if (!own->full) {
		int rc = tally_add(&own->tally, iv);

		return rc || keeps_own(s, &own->tally) ? rc : give_away(s, own);
	}
	struct part *p = part_of(s, tally_hash(iv));
	pthread_mutex_lock(&p->lock);
	int rc = tally_add(&p->tally, iv);
	pthread_mutex_unlock(&p->lock);
	return rc;
}

static int collect_own(struct tally_shared *s, struct tally *t)
{
	int rc = 0;

	/* Uses the first one as it is: a single thread's groups are never copied. */
	*t = s->own[0].tally;
	s->own[0].tally = (struct tally){0};
	for (unsigned i = 1; i < s->threads && !rc; i++)
		rc = tally_merge(t, &s->own[i].tally);
	return rc;
}

static int collect_parts(struct tally_shared *s, struct tally *t)
{
	int rc = 0;

	t->wanted = s->parts[0].tally.wanted;
	for (unsigned i = 0; i < s->threads && !rc; i++) {
		rc = give_away(s, &s->own[i]);
		tally_merge_facts(t, &s->own[i].tally);
	}
	for (unsigned i = 0; i < PARTS && !rc; i++)
		rc = tally_absorb(t, &s->parts[i].tally);
	return rc;
}

int tally_shared_collect(struct tally_shared *s, struct tally *t)
{
	for (unsigned i = 0; i < s->threads; i++)
		if (s->own[i].full)
			return collect_parts(s, t);
	return collect_own(s, t);
}

void tally_shared_free(struct tally_shared *s)
{
	if (!s)
		return;
	for (unsigned i = 0; s->own && i < s->threads; i++)
		tally_free(&s->own[i].tally);
	for (unsigned i = 0; s->parts && i < PARTS; i++) {
		pthread_mutex_destroy(&s->parts[i].lock);
		tally_free(&s->parts[i].tally);
	}
	free(s->own);
	free(s->parts);
	free(s);
}
