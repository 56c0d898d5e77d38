/* A group's events: a list by name, of a bounded number. */
#include <string.h>
#include <xxhash.h>

#include "../../../../formats/base/compare.h"
#include "../../../../formats/interval_hooks.h"
#include "../../../../include/cpidecode.h"
#include "tally.h"

static uint32_t tally_hash_event(const char *name, uint32_t length)
{
	return (uint32_t)XXH3_64bits(name, length);
}

int tally_compare_events(const char *a, uint32_t a_length, const char *b, uint32_t b_length)
{
	uint32_t n = a_length < b_length ? a_length : b_length;
	int c = n ? memcmp(a, b, n) : 0;

	return c ? c : compare_u64(a_length, b_length);
}

static struct tally_event *tally_find_event_by_hash(
	const struct tally_group *g, const char *name, uint32_t length, uint32_t hash)
{
	struct tally_event *e = tally_extra(g)->events;

	while (e && (e->hash != hash || e->length != length ||
			    (length && memcmp(e->name, name, length) != 0)))
		e = e->next;
	return e;
}

const struct tally_event *tally_find_event(
	const struct tally_group *g, const char *name, uint32_t length)
{
	return tally_find_event_by_hash(g, name, length, tally_hash_event(name, length));
}

/* Drops an event of a group that has too many. The tally keeps its memory. */
static void tally_drop_last_event(struct tally *t, struct tally_extra *extra)
{
	struct tally_event **last = &extra->events;

	while ((*last)->next)
		last = &(*last)->next;
	*last = NULL;
	extra->num_events--;
	t->events_left_out = true;
}

/* *e: NULL if the event is among those that are left out. 0 or CPIDECODE_ENOMEM. */
static int tally_need_event(struct tally *t, struct tally_group *g, const char *name,
	uint32_t length, uint32_t hash, struct tally_event **e)
{
	struct tally_extra *extra = tally_need_extra(t, g);

	*e = extra ? tally_find_event_by_hash(g, name, length, hash) : NULL;
	if (*e || !extra)
		return extra ? 0 : CPIDECODE_ENOMEM;
	struct tally_event **at = &extra->events;
	while (*at && tally_compare_events((*at)->name, (*at)->length, name, length) < 0)
		at = &(*at)->next;
	if (!*at && extra->num_events == TALLY_EVENTS) {
		t->events_left_out = true;
		return 0;
	}
	struct tally_event *new = arena_alloc(&t->memory, sizeof *new + length);
	if (!new)
		return CPIDECODE_ENOMEM;
	*new = (struct tally_event){.next = *at, .hash = hash, .length = length};
	if (length)
		memcpy(new->name, name, length);
	*at = *e = new;
	if (++extra->num_events > TALLY_EVENTS)
		tally_drop_last_event(t, extra);
	return 0;
}

/* The trace's texts have a lock, and a name is needed for every interval. */
static const struct trace_text *tally_event_name(struct tally *t, uint32_t index)
{
	struct tally_recent_event *recent = &t->recent_events[index % TALLY_RECENT_EVENTS];

	if (!recent->is_set || recent->index != index) {
		recent->text = trace_text_at(t->trace, index);
		recent->text.hash = tally_hash_event(recent->text.at, recent->text.length);
		recent->index = index;
		recent->is_set = true;
	}
	return &recent->text;
}

int tally_add_events(struct tally *t, struct tally_group *g, const struct interval *iv)
{
	unsigned left = t->trace ? INTERVAL_EVENTS_MAX : 0;

	/* More are against the format; the bound is one of time. */
	for (uint32_t i = 0; i < iv->num_values && left; i++) {
		const struct interval_value *v = &iv->values[i];
		struct tally_event *e;

		if (v->kind != VALUE_EVENT)
			continue;
		const struct trace_text *name = tally_event_name(t, v->name);
		int rc = tally_need_event(t, g, name->at, name->length, name->hash, &e);
		if (rc)
			return rc;
		left--;
		if (!e || v->type != INTERVAL_ARG_U64)
			continue;
		exact_add(&e->sum, v->u);
		e->known++;
		e->scaled += v->is_scaled;
	}
	return 0;
}

int tally_merge_event(struct tally *t, struct tally_group *g, const struct tally_event *from,
	const char *name, uint32_t length)
{
	struct tally_event *e;
	int rc = tally_need_event(t, g, name, length, tally_hash_event(name, length), &e);

	if (rc || !e)
		return rc;
	exact_add(&e->sum, from->sum);
	e->known += from->known;
	e->scaled += from->scaled;
	return 0;
}

int tally_merge_events(struct tally *t, struct tally_group *g, const struct tally_group *from)
{
	int rc = 0;

	for (const struct tally_event *e = tally_extra(from)->events; e && !rc; e = e->next)
		rc = tally_merge_event(t, g, e, e->name, e->length);
	return rc;
}
