/* The containers that a group's intervals were in: a list by name, of a bounded number. */
#include <string.h>

#include "../../../include/cpidecode.h"
#include "tally.h"

struct tally_container {
	struct tally_container *next; /* by the names' bytes, the owner's first */
	const char *name;	      /* a text of the trace; NULL: the owner's */
};

static int tally_compare_containers(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* Of a group with too many. */
static void tally_drop_last_container(struct tally_extra *extra)
{
	struct tally_container **last = &extra->containers;

	while ((*last)->next)
		last = &(*last)->next;
	*last = NULL;
	extra->num_containers--;
	extra->containers_left_out = true;
}

int tally_add_container(struct tally *t, struct tally_extra *extra, const char *name)
{
	struct tally_container **at, *new;
	int order = 1;

	for (at = &extra->containers; *at; at = &(*at)->next) {
		order = (*at)->name == name ? 0 : tally_compare_containers((*at)->name, name);
		if (order >= 0)
			break;
	}
	if (*at && order == 0)
		return 0;
	if (!*at && extra->num_containers == TALLY_CONTAINERS) {
		extra->containers_left_out = true;
		return 0;
	}
	new = arena_alloc(&t->memory, sizeof *new);
	if (!new)
		return CPIDECODE_ENOMEM;
	*new = (struct tally_container){.next = *at, .name = name};
	*at = new;
	if (++extra->num_containers > TALLY_CONTAINERS)
		tally_drop_last_container(extra);
	return 0;
}

int tally_each_container(
	const struct tally_extra *extra, int (*add)(void *ctx, const char *name), void *ctx)
{
	int rc = 0;

	for (const struct tally_container *c = extra->containers; c && !rc; c = c->next)
		rc = add(ctx, c->name);
	return rc;
}

/* The names may be those of a partial result that is freed. */
static int tally_copy_container(struct tally *t, struct tally_extra *extra, const char *name)
{
	const char *copy = name ? intern_bytes(&t->memory, name, (uint32_t)strlen(name) + 1) : NULL;

	return name && !copy ? CPIDECODE_ENOMEM : tally_add_container(t, extra, copy);
}

int tally_merge_containers(
	struct tally *t, struct tally_extra *extra, const struct tally_extra *from)
{
	int rc = 0;

	for (const struct tally_container *c = from->containers; c && !rc; c = c->next)
		rc = tally_copy_container(t, extra, c->name);
	extra->containers_left_out |= from->containers_left_out;
	return rc;
}

/* Appends as strcat does; to: NULL counts only. Returns the bytes. */
static size_t tally_join(const struct tally_extra *extra, char *to)
{
	size_t n = 0;

	for (const struct tally_container *c = extra->containers; c; c = c->next) {
		const char *parts[] = {n ? ", " : "", c->name ? c->name : "-",
			!c->next && extra->containers_left_out ? ", ..." : ""};

		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
			size_t length = strlen(parts[i]);

			if (to && length)
				memcpy(to + n, parts[i], length);
			n += length;
		}
	}
	return n;
}

int tally_spell_containers(struct tally *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct tally_extra *extra = t->groups[i]->extra;
		size_t n;
		char *text;

		if (!extra || !extra->containers ||
			(extra->num_containers == 1 && !extra->containers->name))
			continue;
		n = tally_join(extra, NULL);
		text = arena_alloc(&t->memory, n + 1);
		if (!text)
			return CPIDECODE_ENOMEM;
		tally_join(extra, text);
		text[n] = 0;
		extra->container = text;
	}
	return 0;
}
