#include "sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/number.h"
#include "../../../formats/trace_file.h"
#include "../../../include/cpidecode.h"
#include "../losses.h"
#include "tree.h"
#include "words.h"

enum { FLAME_UNNAMED_BYTES = TF_CONTAINER_MAX + 32 };

/* A frame's sums of the runs of each side. */
struct flame_side_sums {
	uint64_t self[2];
	uint64_t count[2];
};

struct flame_side {
	unsigned runs;
	char *command; /* NULL: unknown, or several */
	uint64_t lost;
	bool scripted;
};

struct flame_sides {
	struct flame_tree tree;
	struct pages sums;  /* struct flame_side_sums, of each frame */
	struct pages paths; /* uint64_t, of each frame */
	struct flame_side side[2];
};

int flame_sides_new(struct flame_sides **s)
{
	*s = calloc(1, sizeof **s);
	return *s ? flame_tree_begin(&(*s)->tree, false) : CPIDECODE_ENOMEM;
}

static struct flame_side_sums *flame_sides_sums(const struct flame_sides *s, uint32_t frame)
{
	return (struct flame_side_sums *)s->sums.at + frame;
}

static uint64_t *flame_sides_path(const struct flame_sides *s, uint32_t frame)
{
	return (uint64_t *)s->paths.at + frame;
}

/* The frame of that name on another one, with room for its sums. 0: out of memory. */
static uint32_t flame_sides_find(struct flame_sides *s, uint32_t parent, struct flame_name name)
{
	uint32_t number = flame_names_add(&s->tree.names, name.at, name.len);

	if (!number || pages_room(&s->sums, s->tree.count, sizeof(struct flame_side_sums)) ||
		pages_room(&s->paths, s->tree.count, sizeof(uint64_t)))
		return 0;
	uint64_t path = flame_tree_path(&s->tree, *flame_sides_path(s, parent), number);
	uint32_t frame = flame_tree_add(&s->tree, parent, number, path);
	if (frame)
		*flame_sides_path(s, frame) = path;
	return frame;
}

/*
 * The name that a frame has in all runs. Ids differ between runs, so tasks without a name ("pid N",
 * "tid N", perhaps with a container: tasks.c) share a frame.
 */
static struct flame_name flame_sides_name(
	const struct flame_node *node, struct flame_name name, char text[FLAME_UNNAMED_BYTES])
{
	const uint32_t first = sizeof "pid " - 1;
	uint64_t id;

	if (!node->is_task || name.len <= first ||
		memcmp(name.at, node->is_process ? "pid " : "tid ", first) != 0)
		return name;
	const char *at = name.at + first, *end = name.at + name.len;
	if (!number_scan(&at, end, 10, UINT32_MAX, &id) || (at < end && *at != ' '))
		return name;
	const int length = snprintf(text, FLAME_UNNAMED_BYTES, "unnamed %s%.*s",
		node->is_process ? "process" : "thread", (int)(end - at), at);
	return length < FLAME_UNNAMED_BYTES ? (struct flame_name){text, (uint32_t)length} : name;
}

static int flame_sides_add_frames(
	struct flame_sides *s, unsigned side, const struct flame_tree *t, uint32_t *frames)
{
	frames[0] = 0;
	/* A parent comes before its children. */
	for (uint32_t i = 1; i < t->count; i++) {
		const struct flame_node *from = flame_tree_node(t, i);
		char text[FLAME_UNNAMED_BYTES];

		frames[i] = flame_sides_find(s, frames[from->parent],
			flame_sides_name(from, flame_names_get(&t->names, from->name), text));
		if (!frames[i])
			return CPIDECODE_ENOMEM;
		struct flame_node *to = flame_tree_node(&s->tree, frames[i]);
		struct flame_side_sums *sums = flame_sides_sums(s, frames[i]);
		to->is_task |= from->is_task;
		to->is_process |= from->is_process;
		sums->self[side] += from->self;
		sums->count[side] += from->count;
	}
	return 0;
}

/* The command of all runs of a side, if they have the same. */
static int flame_side_add_facts(struct flame_side *side, const struct report *r)
{
	if (!side->runs++) {
		side->command = r->command ? strdup(r->command) : NULL;
		if (r->command && !side->command)
			return CPIDECODE_ENOMEM;
	} else if (side->command && (!r->command || strcmp(side->command, r->command) != 0)) {
		free(side->command);
		side->command = NULL;
	}
	side->scripted |= r->scripted;
	for (size_t i = 0; i < trace_nfiles(r->trace); i++) {
		struct losses l = losses_of_file(trace_file(r->trace, i), r->found);

		side->lost += losses_lost(&l) + l.torn;
	}
	return 0;
}

int flame_sides_add(
	struct flame_sides *s, unsigned side, const struct report *r, const struct flame_tree *t)
{
	uint32_t *frames = malloc(t->count * sizeof *frames);
	int rc = frames ? flame_side_add_facts(&s->side[side], r) : CPIDECODE_ENOMEM;

	if (!rc && (pages_room(&s->sums, 0, sizeof(struct flame_side_sums)) ||
			   pages_room(&s->paths, 0, sizeof(uint64_t))))
		rc = CPIDECODE_ENOMEM;
	if (!rc)
		rc = flame_sides_add_frames(s, side, t, frames);
	free(frames);
	return rc;
}

/* The picture is of the second side; the first one's totals are parallel to it. */
static void flame_sides_choose(struct flame_sides *s, uint64_t *before, struct flame_change *c)
{
	for (uint32_t i = s->tree.count; i-- > 0;) {
		struct flame_node *node = flame_tree_node(&s->tree, i);
		const struct flame_side_sums *sums = flame_sides_sums(s, i);

		node->self = sums->self[1];
		node->count = sums->count[1];
		before[i] += sums->self[0];
		if (i)
			before[node->parent] += before[i];
		if (sums->count[0] && !sums->count[1]) {
			c->gone++;
			c->gone_self += sums->self[0];
		}
	}
}

int flame_sides_write(struct flame_sides *s, const struct report *r)
{
	struct flame_change change = {.runs = {s->side[0].runs, s->side[1].runs},
		.commands = {s->side[0].command, s->side[1].command}};
	uint64_t *before = calloc(s->tree.count, sizeof *before);
	struct flame f = {.change = &change,
		.lost = s->side[0].lost + s->side[1].lost,
		.scripted = s->side[0].scripted || s->side[1].scripted};
	struct out unit, weight;

	if (!before)
		return CPIDECODE_ENOMEM;
	flame_sides_choose(s, before, &change);
	s->tree.before = before;
	int rc = flame_picture(&s->tree, &f);
	if (!rc) {
		flame_spell_word(&unit, flame_unit(r));
		flame_spell_word(&weight, flame_weight_name(r));
		f.unit = unit.buf;
		f.weight = weight.buf;
		rc = unit.error || weight.error ? CPIDECODE_ENOMEM : 0;
		if (!rc && r->format == FORMAT_HTML)
			flame_change_page(r->out, &f);
		else if (!rc)
			flame_svg(r->out, &f);
		out_discard(&unit);
		out_discard(&weight);
		free(f.frames);
	}
	free(before);
	return rc;
}

void flame_sides_free(struct flame_sides *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < 2; i++)
		free(s->side[i].command);
	pages_free(&s->sums);
	pages_free(&s->paths);
	flame_tree_free(&s->tree);
	free(s);
}
