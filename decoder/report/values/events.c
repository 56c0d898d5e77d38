#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/grow.h"
#include "columns.h"

int event_names_add(struct event_names *n, const char *name, uint32_t length)
{
	const size_t before = n->memory.count;
	const char *text = intern_bytes(&n->memory, name, length);

	if (!text || array_grow(&n->at, n->count, &n->room, sizeof *n->at))
		return CPIDECODE_ENOMEM;
	if (n->memory.count > before)
		n->at[n->count++] = (struct event_name){text, length};
	return 0;
}

int event_names_gather(struct event_names *n, const struct tally *t)
{
	int rc = 0;

	for (size_t i = 0; i < t->count && !rc; i++)
		for (const struct tally_event *e = tally_extra(t->groups[i])->events; e && !rc;
			e = e->next)
			rc = event_names_add(n, e->name, e->length);
	return rc;
}

static int event_compare_names(const void *a, const void *b)
{
	const struct event_name *x = a, *y = b;

	return tally_compare_events(x->text, x->length, y->text, y->length);
}

void event_names_sort(struct event_names *n)
{
	if (n->count)
		qsort(n->at, n->count, sizeof *n->at, event_compare_names);
}

void event_names_find(
	const struct event_names *n, const struct tally_group *g, const struct tally_event **found)
{
	const struct tally_event *e = tally_extra(g)->events;

	for (size_t i = 0; i < n->count; i++) {
		bool is_this = e && !tally_compare_events(
					    e->name, e->length, n->at[i].text, n->at[i].length);

		found[i] = is_this ? e : NULL;
		if (is_this)
			e = e->next;
	}
}

static bool event_name_is(const struct event_name *name, const char *text)
{
	return strlen(text) == name->length && memcmp(text, name->text, name->length) == 0;
}

bool event_needs_prefix(const struct event_name *name, const char *const *taken, size_t ntaken)
{
	const size_t length = strlen(VALUE_EVENT_PREFIX);

	for (size_t i = 0; i < ntaken; i++)
		if (event_name_is(name, taken[i]))
			return true;
	return !name->length ||
	       (name->length >= length && memcmp(name->text, VALUE_EVENT_PREFIX, length) == 0);
}

int event_names_spell(
	struct event_names *n, const char *const *taken, size_t ntaken, struct value_name *spelled)
{
	const size_t prefix = strlen(VALUE_EVENT_PREFIX);

	for (size_t i = 0; i < n->count; i++) {
		const struct event_name *name = &n->at[i];

		spelled[i] = (struct value_name){
			.kind = VALUE_EVENT, .length = name->length, .text = name->text};
		if (!event_needs_prefix(name, taken, ntaken))
			continue;
		char *text = arena_alloc(&n->memory, prefix + name->length);
		if (!text)
			return CPIDECODE_ENOMEM;
		memcpy(text, VALUE_EVENT_PREFIX, prefix);
		memcpy(text + prefix, name->text, name->length);
		spelled[i].text = text;
		spelled[i].length += (uint32_t)prefix;
	}
	return n->count ? value_names_tell_apart(spelled, n->count, &n->memory) : 0;
}

void event_names_free(struct event_names *n)
{
	free(n->at);
	intern_free(&n->memory);
}

struct cell event_cell(const struct tally_event *found, uint64_t intervals, enum event_figure f)
{
	const struct cell none = {.kind = CELL_NONE};

	switch (f) {
	case EVENT_KNOWN:
		return cell_real(100 * (double)(found ? found->known : 0) / (double)intervals, 2);
	case EVENT_TOTAL:
		if (!found || !found->known)
			return none;
		return found->sum <= UINT64_MAX ? cell_u64((uint64_t)found->sum, true)
						: cell_real((double)found->sum, 0);
	case EVENT_MEAN:
		return found ? cell_real(tally_event_mean(found), 4) : none;
	default:
		return found && found->known ? cell_u64(found->scaled, true) : none;
	}
}

static const char *const event_suffixes[EVENT_FIGURES] = {[EVENT_TOTAL] = "_total",
	[EVENT_MEAN] = "_mean",
	[EVENT_KNOWN] = "_known_pct",
	[EVENT_SCALED] = "_scaled"};

/* The column's name: the event's, and the suffix. */
static int event_name_column(
	struct event_columns *c, struct column *column, const struct value_name *name, unsigned f)
{
	const size_t suffix = strlen(event_suffixes[f]);
	char *text = arena_alloc(&c->memory, name->length + suffix);

	if (!text)
		return CPIDECODE_ENOMEM;
	memcpy(text, name->text, name->length);
	memcpy(text + name->length, event_suffixes[f], suffix);
	column->name = text;
	column->name_length = name->length + (uint32_t)suffix;
	return 0;
}

int event_columns_make(struct event_columns *c, const struct event_names *names, event_get_fn get)
{
	const size_t n = names->count < VALUE_COLUMNS_MAX ? names->count : VALUE_COLUMNS_MAX;
	struct value_name *spelled = calloc(n + 1, sizeof *spelled);
	int rc = spelled ? 0 : CPIDECODE_ENOMEM;

	c->columns = calloc(EVENT_FIGURES * n + 1, sizeof *c->columns);
	c->of = calloc(EVENT_FIGURES * n + 1, sizeof *c->of);
	if (!c->columns || !c->of)
		rc = CPIDECODE_ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		spelled[i].text = names->at[i].text;
		spelled[i].length = names->at[i].length;
	}
	if (!rc && n)
		rc = value_names_tell_apart(spelled, n, &c->memory);
	for (size_t i = 0; i < EVENT_FIGURES * n && !rc; i++) {
		c->of[i] = (struct event_column){i / EVENT_FIGURES, i % EVENT_FIGURES};
		c->columns[i] =
			(struct column){.source = COLUMN_GET_OF, .get_of = get, .of = &c->of[i]};
		rc = event_name_column(
			c, &c->columns[i], &spelled[i / EVENT_FIGURES], i % EVENT_FIGURES);
	}
	c->count = n;
	free(spelled);
	return rc;
}

void event_columns_free(struct event_columns *c)
{
	free(c->columns);
	free(c->of);
	intern_free(&c->memory);
}
