/*
 * The intervals as a profile of callgrind's format, for kcachegrind and callgrind_annotate: labels
 * are functions, nesting is calls. A function's own cost is that of its intervals without those
 * nested in them, as in the folded stacks; each thread is a function that calls its outermost
 * intervals.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/hash.h"
#include "../../base/grow.h"
#include "../../model/intervals/elapsed.h"
#include "../../sink/escapes.h"
#include "../flame/names.h"
#include "export.h"
#include "parents.h"

enum callgrind_cost {
	COST_NS,
	COST_THREAD_CYCLES,
	COST_THREAD_INSTRUCTIONS,
	COSTS,
};

static const char *const cost_names[COSTS] = {"ns", "thread_cycles", "thread_instructions"};

/* Calls of one function by another; of a function itself, its own cost and no calls. */
struct callgrind_arc {
	uint32_t caller, callee; /* of flame_names */
	uint64_t calls, cost[COSTS];
};

struct callgrind_frame {
	uint32_t function, caller;
	uint64_t cost[COSTS], nested[COSTS];
};

struct callgrind_export {
	struct report *r;
	struct flame_names names;
	struct callgrind_arc *arcs;
	size_t narcs, room;
	struct hash_index by_pair;
	struct out text;
	bool measured[COSTS]; /* of all intervals */
	struct report_children_lost lost;
};

/* The open slices' frames, innermost last. */
struct callgrind_lane {
	struct callgrind_frame *frames;
	size_t room;
};

static uint64_t callgrind_hash(uint32_t caller, uint32_t callee)
{
	return hash_add_u64(hash_u64(caller), callee);
}

static int callgrind_find_arc(
	struct callgrind_export *e, uint32_t caller, uint32_t callee, struct callgrind_arc **arc)
{
	uint64_t hash = callgrind_hash(caller, callee);
	size_t i;

	for (uint32_t at; (at = hash_index_next(&e->by_pair, &hash));) {
		*arc = &e->arcs[at - 1];
		if ((*arc)->caller == caller && (*arc)->callee == callee)
			return 0;
	}
	if (array_grow(&e->arcs, e->narcs, &e->room, sizeof **arc) ||
		!hash_index_grow(&e->by_pair, e->narcs + 1, &i))
		return CPIDECODE_ENOMEM;
	*arc = &e->arcs[e->narcs++];
	**arc = (struct callgrind_arc){.caller = caller, .callee = callee};
	for (; i < e->narcs; i++)
		hash_index_add(&e->by_pair, callgrind_hash(e->arcs[i].caller, e->arcs[i].callee),
			(uint32_t)i);
	return 0;
}

static int callgrind_begin_thread(void *ctx, struct lane_thread *t)
{
	struct callgrind_export *e = ctx;
	uint32_t *function = t->own = malloc(sizeof *function);
	char room[EXPORT_THREAD_ROOM];

	if (!function)
		return CPIDECODE_ENOMEM;
	e->text.len = 0;
	out_str(&e->text, "thread ");
	out_str(&e->text, export_thread_name(t, room));
	if (e->text.error)
		return CPIDECODE_ENOMEM;
	*function = flame_names_add(&e->names, e->text.buf, e->text.len);
	return *function ? 0 : CPIDECODE_ENOMEM;
}

static int callgrind_begin_lane(void *ctx, struct lane_thread *t, struct lane *l)
{
	(void)ctx;
	(void)t;
	l->own = calloc(1, sizeof(struct callgrind_lane));
	return l->own ? 0 : CPIDECODE_ENOMEM;
}

static int callgrind_begin_slice(
	void *ctx, struct lane_thread *t, struct lane *l, const struct interval *iv, int64_t end)
{
	struct callgrind_export *e = ctx;
	struct callgrind_lane *lane = l->own;
	const uint32_t *thread = t->own;
	char room[REPORT_NAME_ROOM];
	size_t length, at, depth = l->count - 1;

	if (array_grow(&lane->frames, depth, &lane->room, sizeof *lane->frames))
		return CPIDECODE_ENOMEM;
	struct callgrind_frame *frame = &lane->frames[depth];
	*frame = (struct callgrind_frame){.caller = *thread,
		.cost = {e->r->compensate ? elapsed_whole_ns(iv)
					  : (uint64_t)end - (uint64_t)iv->start_ns,
			iv->thread_cycles, iv->thread_instructions}};
	const char *name = report_name(iv, room, &length);
	frame->function = flame_names_add(&e->names, name, length);
	if (!frame->function)
		return CPIDECODE_ENOMEM;
	const struct lane *of = parents_find(t, l, iv->parent, &at);
	if (!of)
		return 0;
	struct callgrind_frame *parent = &((struct callgrind_lane *)of->own)->frames[at];
	frame->caller = parent->function;
	for (unsigned i = 0; i < COSTS; i++)
		parent->nested[i] += frame->cost[i];
	return 0;
}

static int callgrind_end_slice(void *ctx, struct lane_thread *t, struct lane *l, int64_t end)
{
	struct callgrind_export *e = ctx;
	const struct callgrind_lane *lane = l->own;
	struct callgrind_arc *arc;

	(void)t;
	(void)end;
	/* None, where memory ran out at its begin. */
	if (l->count > lane->room || !lane->frames[l->count - 1].function)
		return 0;
	const struct callgrind_frame *f = &lane->frames[l->count - 1];
	int rc = callgrind_find_arc(e, f->caller, f->function, &arc);
	if (rc)
		return rc;
	arc->calls++;
	for (unsigned i = 0; i < COSTS; i++)
		arc->cost[i] += f->cost[i];
	rc = callgrind_find_arc(e, f->function, 0, &arc);
	if (rc)
		return rc;
	for (unsigned i = 0; i < COSTS; i++)
		if (f->cost[i] > f->nested[i])
			arc->cost[i] += f->cost[i] - f->nested[i];
	return 0;
}

static void callgrind_free_lane(void *ctx, struct lane *l)
{
	struct callgrind_lane *lane = l->own;

	(void)ctx;
	if (lane)
		free(lane->frames);
}

/* A cost that some interval lacks would be wrong in every sum: it is left out. */
static int callgrind_find_costs(struct callgrind_export *e, struct interval_stream *s)
{
	const struct interval *iv;
	int rc = interval_stream_rewind(s);

	for (unsigned i = 0; i < COSTS; i++)
		e->measured[i] = true;
	while (rc >= 0 && (rc = interval_stream_next(s, &iv)) > 0) {
		e->measured[COST_THREAD_CYCLES] &= iv->thread_cycles != NOT_MEASURED;
		e->measured[COST_THREAD_INSTRUCTIONS] &= iv->thread_instructions != NOT_MEASURED;
		report_count_children_lost(&e->lost, iv);
	}
	return rc < 0 ? rc : 0;
}

/* By caller; its own cost (callee 0) first. */
static int callgrind_compare(const void *x, const void *y)
{
	const struct callgrind_arc *a = x, *b = y;

	return compare_u64_pair(a->caller, b->caller, a->callee, b->callee);
}

static void callgrind_put_costs(const struct callgrind_export *e, const uint64_t cost[COSTS])
{
	struct out *o = e->r->out;

	for (unsigned i = 0; i < COSTS; i++)
		if (e->measured[i]) {
			out_char(o, ' ');
			out_u64(o, cost[i]);
		}
	out_char(o, '\n');
}

/* Only the first mention has the name. */
static void callgrind_put_function(
	struct callgrind_export *e, const char *what, uint32_t function, bool *mentioned)
{
	struct out *o = e->r->out;

	out_printf(o, "%s=(%" PRIu32 ")", what, function);
	if (!mentioned[function]) {
		struct flame_name name = flame_names_get(&e->names, function);

		out_char(o, ' ');
		escape_frame(o, name.at, name.len);
		mentioned[function] = true;
	}
	out_char(o, '\n');
}

static int callgrind_write(struct callgrind_export *e)
{
	bool *mentioned = calloc((size_t)e->names.used + 1, sizeof *mentioned);
	struct out *o = e->r->out;
	uint64_t total[COSTS] = {0};

	if (!mentioned)
		return CPIDECODE_ENOMEM;
	if (e->narcs)
		qsort(e->arcs, e->narcs, sizeof *e->arcs, callgrind_compare);
	for (size_t i = 0; i < e->narcs; i++)
		for (unsigned k = 0; k < COSTS && !e->arcs[i].callee; k++)
			total[k] += e->arcs[i].cost[k];
	out_str(o, "# callgrind format\nversion: 1\ncreator: cpidecode\npositions: line\nevents:");
	for (unsigned i = 0; i < COSTS; i++)
		if (e->measured[i])
			out_printf(o, " %s", cost_names[i]);
	out_str(o, "\nsummary:");
	callgrind_put_costs(e, total);
	/* A file is not optional to callgrind_annotate: this one is the unknown one. */
	out_str(o, "\nfl=(1) ???\n");
	for (size_t i = 0; i < e->narcs; i++) {
		const struct callgrind_arc *arc = &e->arcs[i];

		if (!i || arc->caller != arc[-1].caller) {
			if (i)
				out_char(o, '\n');
			callgrind_put_function(e, "fn", arc->caller, mentioned);
		}
		if (arc->callee) {
			callgrind_put_function(e, "cfn", arc->callee, mentioned);
			out_printf(o, "calls=%" PRIu64 " 0\n", arc->calls);
		}
		out_char(o, '0');
		callgrind_put_costs(e, arc->cost);
	}
	free(mentioned);
	return 0;
}

int export_callgrind(struct report *r, struct interval_stream *s)
{
	static const struct lane_writer writer = {.begin_thread = callgrind_begin_thread,
		.begin_lane = callgrind_begin_lane,
		.begin_slice = callgrind_begin_slice,
		.end_slice = callgrind_end_slice,
		.free_lane = callgrind_free_lane};
	struct callgrind_export e = {.r = r};
	struct lanes lanes;
	int rc = callgrind_find_costs(&e, s);

	if (rc)
		return rc;
	out_memory(&e.text);
	lanes_init(&lanes, &writer, &e);
	rc = export_lanes(r, s, &lanes);
	if (!rc)
		rc = callgrind_write(&e);
	flame_names_free(&e.names);
	free(e.arcs);
	hash_index_free(&e.by_pair);
	out_discard(&e.text);
	if (rc)
		return rc;
	report_note(r,
		"callgrind's format holds sums by label: times, arguments and losses are left out%s",
		e.measured[COST_THREAD_CYCLES] && e.measured[COST_THREAD_INSTRUCTIONS]
			? ""
			: ", and counts that some intervals lack");
	report_note_counted_lost(r, &e.lost, REPORT_SELF_BOUNDS);
	return 0;
}
