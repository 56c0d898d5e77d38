/* The containers that a group's intervals were in: a list by name, of a bounded number. */
#include <string.h>

#include "../../../../include/cpidecode.h"
#include "tally.h"

struct tally_container {
	struct tally_container *next; /* by the names' bytes; NULL comes first */
	const char *name;
};

static int tally_compare_containers(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return a == b ? 0 : strcmp(a, b);
}

const char *tally_owner(const struct tally *t)
{
	return t->trace && t->wanted & TALLY_WANT_OWNERS ? trace_owner_cgroup(t->trace, 0)
							 : t->owner;
}

static int tally_copy_name(struct tally *t, const char *name, const char **copy)
{
	*copy = name ? intern_bytes(&t->memory, name, (uint32_t)strlen(name) + 1) : NULL;
	return name && !*copy ? CPIDECODE_ENOMEM : 0;
}

int tally_set_owner(struct tally *t, const char *owner, const char *known)
{
	int rc = tally_copy_name(t, owner, &t->owner);

	return rc ? rc : tally_copy_name(t, known, &t->known_owner);
}

static const char *tally_known_owner(const struct tally *t)
{
	return t->trace && t->wanted & TALLY_WANT_OWNERS ? trace_known_owner(t->trace)
							 : t->known_owner;
}

/* Drops the last container of a group with too many, but never the owner's. */
static void tally_drop_container(const struct tally *t, struct tally_extra *extra)
{
	struct tally_container **last = &extra->containers, **before = last;
	const char *owner = tally_known_owner(t);

	while ((*last)->next) {
		before = last;
		last = &(*last)->next;
	}
	if (owner && tally_compare_containers((*last)->name, owner) == 0)
		*before = *last;
	else
		*last = NULL;
	extra->num_containers--;
	extra->containers_left_out = true;
}

int tally_add_container(struct tally *t, struct tally_extra *extra, const char *name)
{
	struct tally_container **at, *new;
	int order = 1;

	for (at = &extra->containers; *at; at = &(*at)->next) {
		order = tally_compare_containers((*at)->name, name);
		if (order >= 0)
			break;
	}
	if (*at && order == 0)
		return 0;
	new = arena_alloc(&t->memory, sizeof *new);
	if (!new)
		return CPIDECODE_ENOMEM;
	*new = (struct tally_container){.next = *at, .name = name};
	*at = new;
	if (++extra->num_containers > TALLY_CONTAINERS_KEPT)
		tally_drop_container(t, extra);
	return 0;
}

const char *tally_container_of(const struct tally *t, const struct interval *iv)
{
	const struct task *task = iv->task;

	if (task && !task->container && task->is_at_home && t->wanted & TALLY_WANT_OWNERS)
		return trace_owner_cgroup(t->trace, iv->machine);
	return task ? task->container : NULL;
}

int tally_list_owner(struct tally *t, struct tally_extra *extra, uint64_t intervals)
{
	return extra->containers || !intervals ? 0 : tally_add_container(t, extra, tally_owner(t));
}

bool tally_is_of_owner(const struct tally *t, const char *name)
{
	return tally_compare_containers(name, tally_owner(t)) == 0;
}

int tally_each_container(const struct tally_extra *extra, uint32_t most,
	int (*add)(void *ctx, const char *name), void *ctx)
{
	int rc = 0;

	for (const struct tally_container *c = extra->containers; c && most-- && !rc; c = c->next)
		rc = add(ctx, c->name);
	return rc;
}

bool tally_is_in(const struct tally *t, const struct tally_extra *extra, const char *name)
{
	if (extra->num_containers > 1)
		return false;
	return tally_compare_containers(
		       extra->containers ? extra->containers->name : tally_owner(t), name) == 0;
}

/* The names may be those of a partial result that is freed. */
static int tally_copy_container(struct tally *t, struct tally_extra *extra, const char *name)
{
	const char *copy;
	int rc = tally_copy_name(t, name, &copy);

	return rc ? rc : tally_add_container(t, extra, copy);
}

int tally_merge_containers(struct tally *t, struct tally_extra *extra,
	const struct tally_extra *more, const char *owner)
{
	int rc = more->containers ? 0 : tally_copy_container(t, extra, owner);

	for (const struct tally_container *c = more->containers; c && !rc; c = c->next)
		rc = tally_copy_container(t, extra, c->name);
	if (!rc)
		extra->containers_left_out |= more->containers_left_out;
	return rc;
}

/* The containers that a group shows, each once. */
struct tally_shown {
	const char *name[TALLY_CONTAINERS]; /* NULL: the owner's */
	unsigned count;
	bool more;
};

static void tally_show(struct tally_shown *shown, const char *name)
{
	if (shown->count == TALLY_CONTAINERS)
		shown->more = true;
	else
		shown->name[shown->count++] = name;
}

static struct tally_shown tally_choose_shown(
	const struct tally *t, const struct tally_extra *extra, const char *hidden)
{
	const struct tally_container owner = {.name = tally_owner(t)};
	const struct tally_container *first = extra->containers ? extra->containers : &owner;
	struct tally_shown shown = {.more = extra->containers_left_out};
	bool has_owner = false;

	for (const struct tally_container *c = first; c; c = c->next)
		has_owner |= !c->name || (hidden && strcmp(c->name, hidden) == 0);
	if (has_owner)
		tally_show(&shown, NULL);
	for (const struct tally_container *c = first; c; c = c->next)
		if (c->name && !(hidden && strcmp(c->name, hidden) == 0))
			tally_show(&shown, c->name);
	return shown;
}

/* Appends as strcat does; to: NULL counts only. Returns the bytes. */
static size_t tally_join(const struct tally_shown *shown, char *to)
{
	size_t n = 0;

	for (unsigned i = 0; i < shown->count; i++) {
		const char *parts[] = {n ? ", " : "", shown->name[i] ? shown->name[i] : "-",
			i + 1 == shown->count && shown->more ? ", ..." : ""};

		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
			size_t length = strlen(parts[k]);

			if (to && length)
				memcpy(to + n, parts[k], length);
			n += length;
		}
	}
	return n;
}

int tally_spell_containers(struct tally *t, const char *hidden)
{
	for (size_t i = 0; i < t->count; i++) {
		struct tally_extra *extra = t->groups[i]->extra;
		const struct tally_shown shown = tally_choose_shown(t, extra, hidden);

		extra->container = NULL;
		if (shown.count == 1 && !shown.name[0])
			continue;
		size_t n = tally_join(&shown, NULL);
		char *text = arena_alloc(&t->memory, n + 1);
		if (!text)
			return CPIDECODE_ENOMEM;
		tally_join(&shown, text);
		text[n] = 0;
		extra->container = text;
	}
	return 0;
}
