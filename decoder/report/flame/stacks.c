#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/grow.h"
#include "../../base/varint.h"
#include "../../sink/out.h"

/* More than any trace has: sums of such counts cannot overflow. */
#define MOST_INTERVALS (UINT64_C(1) << 40)

enum { IS_TASK = 1, IS_PROCESS = 2, HAS_MEASURES = 4, IS_CONTAINER = 8, FLAGS = 15 };

/* Only whether all measured ones have counts matters; how many differs by the way they were added.
 */
static void flame_stacks_put_ratio(struct buffer *o, const struct ratio *r)
{
	partial_put_ratio(o, r);
	varint_put(o, !r->measured ? 0 : r->counted == r->measured ? 2 : 1);
}

static void flame_stacks_get_ratio(struct varint_in *in, struct ratio *r)
{
	partial_get_ratio(in, r, MOST_INTERVALS);
	const uint64_t state = varint_get_max(in, 2);
	r->measured = state > 0;
	r->counted = state > 1;
}

static void flame_stacks_put_frame(
	struct buffer *o, const struct flame_tree *t, uint32_t frame, uint32_t depth)
{
	const struct flame_node *node = flame_tree_node(t, frame);
	const struct flame_name name = flame_names_get(&t->names, node->name);
	const bool is_measured = t->measured && node->state.form != FLAME_EMPTY;
	struct flame_sums sums;

	varint_put(o, depth);
	varint_put_string(o, name.at, name.len);
	varint_put(o, (node->is_task ? IS_TASK : 0u) | (node->is_process ? IS_PROCESS : 0u) |
			      (node->is_container ? IS_CONTAINER : 0u) |
			      (is_measured ? HAS_MEASURES : 0u));
	varint_put(o, node->self);
	varint_put(o, node->count);
	if (!is_measured)
		return;
	flame_measures_get(&t->measures, frame, node->state, &sums);
	varint_put(o, node->state.kind);
	varint_put(o, sums.elapsed);
	flame_stacks_put_ratio(o, &sums.cpi);
}

/* In preorder, without recursion; frames in which nothing counts are left out. */
static void flame_stacks_put_frames(
	struct buffer *o, const struct flame_tree *t, const struct flame_stack *frames)
{
	uint32_t depth = 1;

	for (uint32_t i = frames[0].first_child; i;) {
		flame_stacks_put_frame(o, t, i, depth);
		if (frames[i].first_child) {
			i = frames[i].first_child;
			depth++;
			continue;
		}
		while (i && !frames[i].next) {
			i = flame_tree_node(t, i)->parent;
			depth--;
		}
		i = i ? frames[i].next : 0;
	}
	varint_put(o, 0);
}

int flame_stacks_put(struct partial *p, const struct flame_tree *t, const struct flame_about *about)
{
	struct buffer o = {0};
	struct pages frames = {0};
	int rc = flame_lines(t, &frames);

	if (!rc) {
		varint_put(&o, t->measured);
		varint_put_string(&o, about->host, about->host ? strlen(about->host) : 0);
		varint_put_signed(&o, about->start);
		varint_put_signed(&o, about->end);
		flame_stacks_put_frames(&o, t, frames.at);
		rc = o.failed ? CPIDECODE_ENOMEM : partial_add_answer(p, PARTIAL_STACKS, o.p, o.n);
	}
	pages_free(&frames);
	free(o.p);
	return rc;
}

/* Frames from the root to the last one, and their paths. */
struct flame_open {
	uint32_t frame;
	uint64_t path;
};

struct flame_stacks_reader {
	struct varint_in in;
	struct flame_tree *tree;
	struct flame_open *open;
	size_t cap;
	/* How containers are shown, and the one of the processes to come; NULL: unknown, or frames.
	 */
	bool is_shown, shows_containers;
	const char *hidden;
	const uint8_t *container;
	uint32_t container_length;
	struct out text; /* of a process and its container */
};

static int flame_stacks_get_measures(
	struct flame_stacks_reader *r, uint32_t frame, struct flame_node *node)
{
	struct flame_sums sums = {0};
	const enum flame_cpi kind = (enum flame_cpi)varint_get_max(&r->in, FLAME_OFF_CPU);

	sums.elapsed = varint_get(&r->in);
	flame_stacks_get_ratio(&r->in, &sums.cpi);
	if (r->in.why || !r->tree->measured)
		return 0;
	return flame_measures_merge(&r->tree->measures, frame, &node->state, kind, &sums);
}

/* A container is no frame: the rest is on the root. */
static int flame_stacks_enter_container(
	struct flame_stacks_reader *r, uint64_t depth, const uint8_t *name, uint32_t length)
{
	r->container = name;
	r->container_length = length;
	if (array_grow(&r->open, depth, &r->cap, sizeof *r->open))
		return CPIDECODE_ENOMEM;
	r->open[depth] = r->open[0];
	return 0;
}

static bool flame_stacks_names_container(const struct flame_stacks_reader *r)
{
	return r->shows_containers && r->container &&
	       !(r->hidden && strlen(r->hidden) == r->container_length &&
		       memcmp(r->hidden, r->container, r->container_length) == 0);
}

/* The number of the frame's name. 0: out of memory. */
static uint32_t flame_stacks_name_frame(
	struct flame_stacks_reader *r, const uint8_t *name, uint32_t length, bool is_process)
{
	struct flame_names *names = &r->tree->names;

	if (!is_process || !flame_stacks_names_container(r))
		return flame_names_add(names, (const char *)name, length);
	r->text.len = 0;
	out_bytes(&r->text, (const char *)name, length);
	out_str(&r->text, " (");
	out_bytes(&r->text, (const char *)r->container, r->container_length);
	out_char(&r->text, ')');
	return r->text.error ? 0 : flame_names_add(names, r->text.buf, r->text.len);
}

/* A frame at that depth, on the last one of the depth before. */
static int flame_stacks_get_frame(struct flame_stacks_reader *r, uint64_t depth)
{
	uint32_t length;
	const uint8_t *bytes = varint_get_string(&r->in, &length);
	const unsigned flags = (unsigned)varint_get_max(&r->in, FLAGS);
	const uint64_t self = varint_get_max(&r->in, UINT64_MAX);
	const uint64_t count = varint_get_max(&r->in, MOST_INTERVALS);

	if (flags & IS_CONTAINER &&
		(depth != 1 || self || count || flags & (IS_PROCESS | HAS_MEASURES)))
		varint_fail(&r->in, "an invalid container");
	if (r->in.why)
		return 0;
	if (depth == 1)
		r->container = NULL;
	if (flags & IS_CONTAINER && r->is_shown)
		return flame_stacks_enter_container(r, depth, bytes, length);
	if (array_grow(&r->open, depth, &r->cap, sizeof *r->open))
		return CPIDECODE_ENOMEM;
	const struct flame_open *on = &r->open[depth - 1];
	const uint32_t name = flame_stacks_name_frame(r, bytes, length, flags & IS_PROCESS);
	if (!name)
		return CPIDECODE_ENOMEM;
	const uint64_t path = flame_tree_path(r->tree, on->path, name);
	const uint32_t frame = flame_tree_add(r->tree, on->frame, name, path);
	if (!frame)
		return CPIDECODE_ENOMEM;
	struct flame_node *node = flame_tree_node(r->tree, frame);
	node->self += self;
	node->count += count;
	node->is_task |= flags & IS_TASK ? 1 : 0;
	node->is_process |= flags & IS_PROCESS ? 1 : 0;
	node->is_container |= flags & IS_CONTAINER ? 1 : 0;
	r->open[depth] = (struct flame_open){frame, path};
	return flags & HAS_MEASURES ? flame_stacks_get_measures(r, frame, node) : 0;
}

static int flame_stacks_get_frames(struct flame_stacks_reader *r)
{
	uint64_t depth, before = 0;
	int rc = array_grow(&r->open, 0, &r->cap, sizeof *r->open);

	if (rc)
		return rc;
	r->open[0] = (struct flame_open){0, 0};
	while (!rc && (depth = varint_get_max(&r->in, before + 1)) && !r->in.why) {
		rc = flame_stacks_get_frame(r, depth);
		before = depth;
	}
	return rc;
}

static int flame_stacks_get_about(struct varint_in *in, bool is_first, struct flame_about *about)
{
	uint32_t length;
	const uint8_t *host = varint_get_string(in, &length);
	const int64_t start = varint_get_signed(in), end = varint_get_signed(in);

	if (in->why)
		return 0;
	if (is_first) {
		about->host = length ? strndup((const char *)host, length) : NULL;
		about->start = start;
		about->end = end;
		return length && !about->host ? CPIDECODE_ENOMEM : 0;
	}
	if (about->host &&
		(strlen(about->host) != length || memcmp(about->host, host, length) != 0)) {
		free((char *)about->host);
		about->host = NULL;
	}
	about->start = start < about->start ? start : about->start;
	about->end = end > about->end ? end : about->end;
	return 0;
}

int flame_stacks_get(
	struct flame_tree *t, const struct partial *p, bool is_shown, struct flame_about *about)
{
	struct flame_stacks_reader r = {.tree = t, .is_shown = is_shown};
	int rc = 0;

	r.shows_containers = is_shown && partial_shows_containers(p, &r.hidden);

	*about = (struct flame_about){.start = INT64_MAX, .end = INT64_MIN};
	if (!p->answers.count)
		return 0;
	struct varint_in all = {p->answers.bytes.p, p->answers.bytes.p + p->answers.bytes.n, NULL};
	out_memory(&r.text);
	for (size_t i = 0; i < p->answers.count && !rc && !all.why && !r.in.why; i++) {
		uint32_t length;
		const uint8_t *bytes = varint_get_string(&all, &length);

		r.in = (struct varint_in){bytes, bytes ? bytes + length : NULL, NULL};
		if (varint_get_max(&r.in, 1) != t->measured)
			varint_fail(&r.in, "stacks of a picture and of lines");
		rc = flame_stacks_get_about(&r.in, i == 0, about);
		if (!rc && !r.in.why)
			rc = flame_stacks_get_frames(&r);
		if (!r.in.why && r.in.p < r.in.end)
			varint_fail(&r.in, "something follows its stacks");
	}
	free(r.open);
	out_discard(&r.text);
	return rc ? rc : all.why || r.in.why ? CPIDECODE_EINVAL : 0;
}

/* Whether they are a picture's. */
static bool flame_stacks_are_measured(const struct partial *p)
{
	uint32_t length;
	struct varint_in all = {p->answers.bytes.p, p->answers.bytes.p + p->answers.bytes.n, NULL};
	const uint8_t *bytes = varint_get_string(&all, &length);

	return bytes && length && bytes[0] == 1;
}

int flame_stacks_settle(struct partial *p)
{
	struct flame_tree tree = {0};
	struct flame_about about = {0};
	int rc = flame_tree_begin(&tree, flame_stacks_are_measured(p));

	if (!rc)
		rc = flame_stacks_get(&tree, p, false, &about);
	if (!rc) {
		partial_clear_answers(p);
		rc = flame_stacks_put(p, &tree, &about);
	}
	free((char *)about.host);
	flame_tree_free(&tree);
	return rc;
}
