/*
 * The intervals as a profile of callgrind's format, for kcachegrind and callgrind_annotate: labels
 * are functions, nesting is calls. A function's own cost is that of its intervals without those
 * nested in them, as in the folded stacks; each thread is a function that calls its outermost
 * intervals.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/hash.h"
#include "../../base/grow.h"
#include "../../model/intervals/elapsed.h"
#include "../../sink/escapes.h"
#include "../flame/names.h"
#include "export.h"
#include "own_costs.h"

/* The costs written: from OWN_TIME to before this one. */
enum { CALLGRIND_COSTS = OWN_OFF_CPU };

static const char *const cost_names[CALLGRIND_COSTS] = {[OWN_TIME] = "ns",
	[OWN_THREAD_CYCLES] = "thread_cycles",
	[OWN_THREAD_INSTRUCTIONS] = "thread_instructions"};

/* Calls of one function by another; of a function itself, its own cost and no calls. */
struct callgrind_arc {
	uint32_t caller, callee; /* of flame_names */
	uint64_t cost[CALLGRIND_COSTS];
};

struct callgrind_export {
	struct report *r;
	struct flame_names names;
	struct callgrind_arc *arcs;
	size_t narcs, room;
	struct hash_index by_pair;
	struct out text;
	bool known[OWN_COSTS];
	uint64_t open;
	struct report_children_lost lost;
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

static int callgrind_begin_slice(
	void *ctx, struct lane_thread *t, struct lane *l, const struct interval *iv, int64_t end)
{
	struct callgrind_export *e = ctx;
	const uint64_t time =
		e->r->compensate ? elapsed_whole_ns(iv) : (uint64_t)end - (uint64_t)iv->start_ns;
	struct own_frame *frame = own_costs_begin(t, l, iv, time);
	char room[REPORT_NAME_ROOM];
	size_t length;

	if (iv->flags & IV_OPEN) {
		e->open++;
		frame->node = frame->under;
		return 0;
	}
	const char *name = report_name(iv, room, &length);
	frame->node = flame_names_add(&e->names, name, length);
	return frame->node ? 0 : CPIDECODE_ENOMEM;
}

static int callgrind_end_slice(void *ctx, struct lane_thread *t, struct lane *l, int64_t end)
{
	struct callgrind_export *e = ctx;
	const struct own_frame *f = own_costs_frame(l);
	struct callgrind_arc *arc;

	(void)t;
	(void)end;
	if (!f->node || !f->cost[OWN_COUNT])
		return 0;
	int rc = callgrind_find_arc(e, f->under, f->node, &arc);
	if (rc)
		return rc;
	for (unsigned i = OWN_COUNT; i < CALLGRIND_COSTS; i++)
		arc->cost[i] += f->cost[i];
	rc = callgrind_find_arc(e, f->node, 0, &arc);
	if (rc)
		return rc;
	for (unsigned i = OWN_TIME; i < CALLGRIND_COSTS; i++)
		arc->cost[i] += own_costs_rest(f, i);
	return 0;
}

/* By caller; its own cost (callee 0) first. */
static int callgrind_compare(const void *x, const void *y)
{
	const struct callgrind_arc *a = x, *b = y;

	return compare_u64_pair(a->caller, b->caller, a->callee, b->callee);
}

static void callgrind_put_costs(
	const struct callgrind_export *e, const uint64_t cost[CALLGRIND_COSTS])
{
	struct out *o = e->r->out;

	for (unsigned i = OWN_TIME; i < CALLGRIND_COSTS; i++)
		if (e->known[i]) {
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
		escape_name(o, name.at, name.len);
		mentioned[function] = true;
	}
	out_char(o, '\n');
}

static int callgrind_write(struct callgrind_export *e)
{
	bool *mentioned = calloc((size_t)e->names.used + 1, sizeof *mentioned);
	struct out *o = e->r->out;
	uint64_t total[CALLGRIND_COSTS] = {0};

	if (!mentioned)
		return CPIDECODE_ENOMEM;
	if (e->narcs)
		qsort(e->arcs, e->narcs, sizeof *e->arcs, callgrind_compare);
	for (size_t i = 0; i < e->narcs; i++)
		for (unsigned k = OWN_TIME; k < CALLGRIND_COSTS && !e->arcs[i].callee; k++)
			total[k] += e->arcs[i].cost[k];
	out_str(o, "# callgrind format\nversion: 1\ncreator: cpidecode\n");
	if (e->r->command) {
		out_str(o, "cmd: ");
		escape_name(o, e->r->command, strlen(e->r->command));
		out_char(o, '\n');
	}
	out_str(o, "positions: line\nevents:");
	for (unsigned i = OWN_TIME; i < CALLGRIND_COSTS; i++)
		if (e->known[i])
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
			out_printf(o, "calls=%" PRIu64 " 0\n", arc->cost[OWN_COUNT]);
		}
		out_char(o, '0');
		callgrind_put_costs(e, arc->cost);
	}
	free(mentioned);
	return 0;
}

int export_callgrind(struct report *r, struct interval_stream *s)
{
	static const struct lane_writer writer = {.slice_size = sizeof(struct own_frame),
		.begin_thread = callgrind_begin_thread,
		.begin_slice = callgrind_begin_slice,
		.end_slice = callgrind_end_slice};
	struct callgrind_export e = {.r = r};
	struct lanes lanes;
	int rc = own_costs_find(s, e.known, &e.lost);

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
		e.known[OWN_THREAD_CYCLES] && e.known[OWN_THREAD_INSTRUCTIONS]
			? ""
			: ", and counts that some intervals lack");
	own_costs_note_open(r, e.open);
	report_note_counted_lost(r, &e.lost, REPORT_SELF_BOUNDS);
	return 0;
}
