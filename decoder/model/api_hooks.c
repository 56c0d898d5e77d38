/* cpidecode.h: hooks in order. */
#include <stdlib.h>

#include "api_private.h"

struct cpidecode_hooks {
	struct hook_iter *it;
	cpidecode_hook hook;
};

int cpidecode_hooks_open(const cpidecode_trace *t, cpidecode_hooks **it)
{
	*it = calloc(1, sizeof **it);
	int rc = *it ? hook_iter_open(t->trace, &(*it)->it) : CPIDECODE_ENOMEM;
	if (rc) {
		free(*it);
		*it = NULL;
	}
	return rc;
}

int cpidecode_hooks_next(cpidecode_hooks *it, const cpidecode_hook **hook)
{
	const struct hook *h;
	*hook = NULL;
	int rc = hook_iter_next(it->it, &h);
	if (rc <= 0)
		return rc;
	it->hook = (cpidecode_hook){
		.ticks = h->ticks,
		.time_ns = h->time_ns,
		.ring = h->ring,
		.tid = h->tid,
		.pid = h->task ? h->task->pid : 0,
		.minor = h->minor,
		.major = h->major,
		.nstrings = h->nstrings,
		.nwords = h->nwords,
		.file = h->file,
		.position = h->position,
		.task = h->task ? h->task->name : NULL,
		.name = h->schema ? schema_hook_name(h->schema) : NULL,
		.words = h->words,
		.strings = h->strings,
	};
	*hook = &it->hook;
	return 1;
}

const char *cpidecode_hook_string(const cpidecode_hook *h, unsigned i, size_t *length)
{
	struct hook inner = {.strings = h->strings};
	uint32_t n = 0;
	*length = 0;
	if (i >= h->nstrings)
		return NULL;
	const char *s = hook_string(&inner, i, &n);
	*length = n;
	return s;
}

void cpidecode_hooks_counts(const cpidecode_hooks *it, cpidecode_counts *counts)
{
	struct hook_counts c;
	hook_iter_counts(it->it, &c);
	*counts = (cpidecode_counts){.hooks = c.hooks,
		.torn = c.torn,
		.malformed = c.malformed,
		.damaged = c.bad_sections};
}

void cpidecode_hooks_close(cpidecode_hooks *it)
{
	if (!it)
		return;
	hook_iter_close(it->it);
	free(it);
}
