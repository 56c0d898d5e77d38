/* Builds the tree of frames from sorted intervals: the root, a process, a thread, outer and inner
 * intervals. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../../base/grow.h"
#include "../../model/intervals/thread_stacks.h"
#include "../../sink/units.h"
#include "../query/lineage.h"
#include "../query/select.h"
#include "../report.h"
#include "collect.h"
#include "metric.h"
#include "sides.h"
#include "stacks.h"
#include "tree.h"
#include "words.h"
#include "write.h"

enum { BATCH = 64 }; /* frames looked up together */

/* A frame that the batch has not looked up yet: FRAME_WAITING | its index in the batch. */
#define FRAME_WAITING (UINT32_C(1) << 31)
_Static_assert(FLAME_MOST <= FRAME_WAITING, "no frame's number is one of those");

/* An interval that may contain later ones. */
struct open_interval {
	uint64_t end;
	uint64_t weight, nested; /* nested: sum of its children's weights */
	uint64_t path;
	uint32_t frame; /* or FRAME_WAITING */
	bool counts;
	bool lost; /* children, maybe */
};

/*
 * An interval whose frame is not looked up yet. Looking up frames in batches overlaps their cache
 * misses. That is possible because a path's hash, and so its slot, depends on names alone: the
 * parent's frame may still be waiting, too.
 */
struct waiting {
	struct flame_part part;
	uint32_t name;
	uint32_t parent; /* a frame, or FRAME_WAITING */
	uint32_t frame;
	uint32_t open; /* number of its open interval; 0: closed */
	uint64_t path;
	uint64_t self;
	bool counts;
};

struct flame_builder {
	const struct report *r;
	struct flame_tree tree;
	struct flame_collection collection;
	/* Open intervals, numbered from 1. Each thread has a stack of their numbers, the innermost
	 * last. */
	struct open_interval *open;
	size_t nopen, open_cap;
	uint32_t unused; /* number of the first free one; its path is that of the next; 0: none */
	struct thread_stacks threads;
	struct lineage lineage; /* of --where, where it asks other intervals */
	struct interval_query query;
	exact_sum self;		  /* of all that count */
	uint64_t children_lost;	  /* of these, those that are IV_CHILDREN_LOST, */
	exact_sum self_with_lost; /* and theirs */
	struct waiting waiting[BATCH];
};

/* The number of a free open interval; 0: out of memory. */
static uint32_t builder_open_interval(struct flame_builder *b)
{
	uint32_t number = b->unused;

	if (number) {
		b->unused = (uint32_t)b->open[number - 1].path;
		return number;
	}
	if (b->nopen == FRAME_WAITING ||
		array_grow(&b->open, b->nopen, &b->open_cap, sizeof *b->open))
		return 0;
	return (uint32_t)++b->nopen;
}

/* Call once all children were added. */
static void builder_close_interval(struct flame_builder *b, uint32_t number)
{
	struct open_interval *o = &b->open[number - 1];
	/* Counters are read at different moments: children can add up to more than their parent. */
	uint64_t self = o->counts && o->weight > o->nested ? o->weight - o->nested : 0;

	exact_add(&b->self, self);
	if (o->counts && o->lost) {
		b->children_lost++;
		exact_add(&b->self_with_lost, self);
	}
	if (o->frame & FRAME_WAITING) {
		struct waiting *w = &b->waiting[o->frame & ~FRAME_WAITING];

		w->self = self;
		w->open = 0;
	} else {
		flame_tree_node(&b->tree, o->frame)->self += self;
	}
	o->path = b->unused;
	b->unused = number;
}

static void builder_drop_thread(void *ctx, struct thread_stack *t)
{
	const uint32_t *stack = t->at;

	while (t->count)
		builder_close_interval(ctx, stack[--t->count]);
}

static uint32_t builder_add_task(
	struct flame_builder *b, uint32_t parent, uint32_t name, uint64_t *path)
{
	*path = flame_tree_path(&b->tree, *path, name);
	uint32_t frame = flame_tree_add(&b->tree, parent, name, *path);
	if (frame)
		flame_tree_node(&b->tree, frame)->is_task = true;
	return frame;
}

/* Finds the frames of the process and the thread at once: there are few. */
static uint32_t builder_find_task(
	struct flame_builder *b, const struct flame_record *r, uint64_t *path)
{
	const struct flame_task task = flame_collection_task(&b->collection, r);
	uint32_t below = 0;

	*path = 0;
	if (task.container) {
		below = builder_add_task(b, 0, task.container, path);
		if (!below)
			return 0;
		flame_tree_node(&b->tree, below)->is_container = true;
	}
	if (task.host && !(below = builder_add_task(b, below, task.host, path)))
		return 0;
	if (task.process) {
		below = builder_add_task(b, below, task.process, path);
		if (!below)
			return 0;
		flame_tree_node(&b->tree, below)->is_process = true;
	}
	return builder_add_task(b, below, task.thread, path);
}

/* The weight less the library's own cost inside, and the cost of the pair: neither is the parent's
 * own time. */
static uint64_t builder_find_weight(const struct flame_record *r, uint64_t *own_pair)
{
	uint64_t weight = flame_record_weight(r), inside = flame_record_own(r, own_pair);

	if (weight == NOT_MEASURED)
		return weight;
	return weight > inside ? weight - inside : 0;
}

/*
 * Finds the interval's parent. Closes intervals that end before it does: a later one that such an
 * interval contains is also contained in this one, which starts later and so is its parent.
 */
static int builder_nest_interval(struct flame_builder *b, const struct flame_record *r, unsigned i)
{
	struct waiting *w = &b->waiting[i];
	struct thread_stack *t = thread_stacks_find(
		&b->threads, r->sort.group / 2, r->tid, r->sort.group & 1 ? r->sort.key : 0);
	uint32_t own = builder_open_interval(b);
	uint64_t parent, own_pair, weight = builder_find_weight(r, &own_pair);

	if (!t || !own || array_grow(&t->at, t->count, &t->cap, sizeof own))
		return CPIDECODE_ENOMEM;
	uint32_t *stack = t->at;
	while (t->count && b->open[stack[t->count - 1] - 1].end < r->end)
		builder_close_interval(b, stack[--t->count]);
	if (t->count) {
		struct open_interval *outer = &b->open[stack[t->count - 1] - 1];

		if (weight != NOT_MEASURED)
			outer->nested += weight + own_pair;
		w->parent = outer->frame;
		parent = outer->path;
		if (outer->end == r->end)
			builder_close_interval(b, stack[--t->count]);
	} else {
		w->parent = builder_find_task(b, r, &parent);
		if (!w->parent)
			return CPIDECODE_ENOMEM;
	}
	if (!t->count)
		t->until = r->end;
	stack[t->count++] = own;
	w->path = flame_tree_path(&b->tree, parent, w->name);
	w->open = own;
	b->open[own - 1] = (struct open_interval){.end = r->end,
		.weight = weight,
		.path = w->path,
		.frame = FRAME_WAITING | i,
		.counts = w->counts,
		.lost = (r->flags & IV_CHILDREN_LOST) != 0};
	flame_tree_ask(&b->tree, w->path);
	return 0;
}

static int builder_find_frames(struct flame_builder *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		flame_tree_ask_frame(&b->tree, b->waiting[i].path);
	for (unsigned i = 0; i < n; i++) {
		struct waiting *w = &b->waiting[i];
		uint32_t parent = w->parent & FRAME_WAITING
					  ? b->waiting[w->parent & ~FRAME_WAITING].frame
					  : w->parent;

		w->frame = flame_tree_add(&b->tree, parent, w->name, w->path);
		if (!w->frame)
			return CPIDECODE_ENOMEM;
		if (w->open)
			b->open[w->open - 1].frame = w->frame;
		if (b->tree.measured)
			flame_measures_ask(&b->tree.measures, w->frame);
	}
	int rc = 0;
	for (unsigned i = 0; i < n && !rc; i++)
		if (b->waiting[i].counts)
			rc = flame_tree_count(&b->tree, b->waiting[i].frame, b->waiting[i].self,
				&b->waiting[i].part);
	return rc;
}

static struct nest_key builder_nest_key(const struct flame_record *r)
{
	return (struct nest_key){.era = r->sort.group,
		.tid = r->tid,
		.start = r->sort.key,
		.end = r->end,
		.place = -1};
}

/* The walk of a query before the one that builds the tree. */
static int builder_gather_query(struct flame_builder *b)
{
	const struct interval_query *q = &b->query;
	const struct flame_record *r;
	int rc;

	if (!q->gathers)
		return 0;
	while ((rc = flame_collection_next(&b->collection, &r)) > 0) {
		struct nest_key key = builder_nest_key(r);

		rc = q->gather(q->ctx, &key, r->file, flame_record_selection(r));
		if (rc)
			return rc;
	}
	q->end(q->ctx);
	return rc ? rc : flame_collection_rewind(&b->collection);
}

/* *counts: whether the interval's own weight does. */
static int builder_select(struct flame_builder *b, const struct flame_record *r, bool *counts)
{
	const struct interval_query *q = b->collection.query;
	const struct nest_key key = builder_nest_key(r);
	bool selected;

	*counts = r->sort.spare & FLAME_COUNTED;
	if (!q)
		return 0;
	int rc = q->select(q->ctx, &key, r->file, flame_record_selection(r), &selected);
	*counts &= selected;
	b->collection.counted += *counts;
	b->collection.left_out += selected && r->flags & FLAME_LEFT_OUT;
	return rc;
}

/* *n: how many were added, 0 at the end. */
static int builder_add_batch(struct flame_builder *b, unsigned *n)
{
	const struct flame_record *r;
	int rc = 1;

	for (*n = 0; *n < BATCH && (rc = flame_collection_next(&b->collection, &r)) > 0; ++*n) {
		struct waiting *w = &b->waiting[*n];

		w->name = flame_collection_name(&b->collection, r, r->name);
		rc = builder_select(b, r, &w->counts);
		if (rc)
			break;
		w->self = 0;
		if (w->counts && b->tree.measured)
			w->part = flame_collection_part(&b->collection, r);
		rc = builder_nest_interval(b, r, *n);
		if (rc)
			break;
	}
	return rc < 0 ? rc : builder_find_frames(b, *n);
}

static int builder_add_intervals(struct flame_builder *b)
{
	int rc = flame_collect(&b->collection);
	unsigned n;

	if (!rc && b->collection.query) {
		b->collection.counted = b->collection.left_out = 0;
		rc = builder_gather_query(b);
	}
	if (!rc)
		rc = flame_tree_begin(&b->tree, b->r->format == FORMAT_SVG);
	/* There are rarely fewer frames than names. */
	if (!rc)
		rc = flame_tree_expect(&b->tree, b->tree.names.count);
	while (!rc && !(rc = builder_add_batch(b, &n)) && n)
		;
	/* Freeing the stacks closes their intervals. After a failure some have no frame. */
	if (rc)
		b->threads.drop = NULL;
	thread_stacks_free(&b->threads);
	free(b->open);
	flame_collection_free(&b->collection);
	return rc;
}

static int flame_refuse_event(struct report *r)
{
	report_note(r,
		"--weight: \"%s\": expected cycles, ns, instructions or thread_cycles, or an event of the trace's intervals, or a metric (--metric)",
		r->weight_event);
	r->is_misused = true;
	return CPIDECODE_EINVAL;
}

/* Where the stacks go: into one of both, or (neither) the graph is written. */
struct flame_target {
	struct flame_sides *sides;
	unsigned side;
	struct partial *partial;
};

static int flame_finish(struct flame_builder *b, const struct flame_target *to)
{
	const struct report *r = b->r;
	struct flame_about about = {
		.host = r->host, .start = b->collection.start, .end = b->collection.end};

	if (!b->collection.counted) {
		about.start = INT64_MAX;
		about.end = INT64_MIN;
	}
	if (to->sides)
		return flame_sides_add(to->sides, to->side, r, &b->tree);
	if (to->partial)
		return flame_stacks_put(to->partial, &b->tree, &about);
	return r->format == FORMAT_SVG ? flame_write_picture(r, &b->tree, &about)
				       : flame_write_lines(r, &b->tree);
}

static int flame_run(struct report *r, const struct flame_target *to)
{
	struct flame_builder *b = calloc(1, sizeof *b);

	if (!b)
		return CPIDECODE_ENOMEM;
	b->r = r;
	b->threads.drop = builder_drop_thread;
	b->threads.ctx = b;
	b->collection.r = r;
	b->collection.names = &b->tree.names;
	b->collection.names_containers = to->partial;
	b->collection.query = lineage_query(&b->lineage, r, &b->query);
	struct flame_metric metric = {0};
	int rc = flame_metric_find(&metric, r);
	b->collection.metric = metric.weight;
	if (!rc)
		rc = builder_add_intervals(b);
	uint64_t left_out = b->collection.left_out;
	/* A selection without an interval tells nothing about events. */
	if (!rc && r->weight == WEIGHT_EVENT && !metric.weight && !b->collection.names_event &&
		(left_out || (select_takes_all(r) && !r->slices)))
		rc = flame_refuse_event(r);
	if (!rc)
		rc = flame_finish(b, to);
	if (!rc)
		report_note_compensated(r, b->collection.with_cost, b->collection.counted);
	if (!rc && !b->collection.counted && !left_out)
		report_note_no_intervals(r);
	if (!rc && left_out)
		report_note(r, "%" PRIu64 " interval%s left out: %s were not measured in %s",
			left_out, text_plural(left_out), flame_unit(r),
			left_out == 1 ? "it" : "them");
	if (!rc)
		report_note_children_lost(r, b->children_lost, b->collection.counted,
			(double)b->self_with_lost / (double)b->self, flame_unit(r),
			", so their values are an upper bound");
	lineage_free(&b->lineage);
	flame_tree_free(&b->tree);
	flame_metric_free(&metric);
	free(b);
	return rc;
}

int report_flame(struct report *r)
{
	return flame_run(r, &(struct flame_target){0});
}

int report_flame_side(struct report *r, struct flame_sides *sides, unsigned side)
{
	return flame_run(r, &(struct flame_target){.sides = sides, .side = side});
}

int report_flame_partial(struct report *r, struct partial *p)
{
	return flame_run(r, &(struct flame_target){.partial = p});
}
