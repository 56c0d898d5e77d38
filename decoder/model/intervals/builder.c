/*
 * Builds intervals from hooks. The hooks of a group are adjacent, also where the rings of a file
 * are merged, so each file has at most one open group.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/trace_file.h"
#include "../../../include/cpidecode.h"
#include "../../base/copy.h"
#include "../trace/clock/clock.h"
#include "../trace/overwritten.h"
#include "begin_hook.h"
#include "elapsed.h"
#include "group/group.h"
#include "group/shape.h"
#include "intervals.h"
#include "own_cost.h"
#include "../hooks/pass.h"
#include "../hooks/ring_cursor.h"

const struct interval interval_blank = {
	.parent = -1,
	.raw_cpi = NAN,
	.scaled_cpi = NAN,
	.busy_pct = NAN,
	.thread_cpi = NAN,
	.instructions = NOT_MEASURED,
	.cycles = NOT_MEASURED,
	.busy_cycles = NOT_MEASURED,
	.thread_instructions = NOT_MEASURED,
	.thread_cycles = NOT_MEASURED,
	.on_cpu_ns = NOT_MEASURED,
	.off_cpu_ns = NOT_MEASURED,
	.ctx_switches = NOT_MEASURED,
	.migrations = NOT_MEASURED,
	.faults = NOT_MEASURED,
	.unexplained_ns = NOT_MEASURED,
	.time_source = NOT_MEASURED,
	.start_cpu = NOT_MEASURED,
	.own_inside = NOT_MEASURED,
	.own_pair = NOT_MEASURED,
	.own_nested = NOT_MEASURED,
	.own_inside_ns = NOT_MEASURED,
	.own_nested_ns = NOT_MEASURED,
	.idle_pct = NAN,
	.intr_pct = NAN,
	.actual_perf_pct = NAN,
	.method = NOT_MEASURED,
};

/* The members that hooks may measure are adjacent. */
#define FIRST_MEASURED offsetof(struct interval, raw_cpi)
#define MEASURED_BYTES                                                                             \
	(offsetof(struct interval, own_nested_ns) + sizeof(uint64_t) - FIRST_MEASURED)

struct interval_builder {
	const struct trace *t;
	struct overwritten overwritten;
	struct begins begins;
	unsigned wants;
	struct group **groups; /* by file; NULL: none yet */
	struct group *out;     /* the group returned last; NULL: none yet */
	size_t flush_file;
	uint64_t strays; /* time hooks without a group, not counted as malformed yet */
	bool has_others; /* some hook belongs to no interval */
	bool had_begins; /* see interval_builder_had_begins */
	struct group_plans plans;
	struct group_shapes shapes; /* by these plans */
	struct interval blank;	    /* a template: a compile-time constant would be stored field by
				       field, which is slower */
	struct group_reader reader;
};

int interval_builder_new(const struct trace *t, unsigned wants, struct interval_builder **result)
{
	struct interval_builder *b = calloc(1, sizeof *b);

	*result = NULL;
	if (!b)
		return CPIDECODE_ENOMEM;
	b->t = t;
	if (overwritten_find(&b->overwritten, t)) {
		free(b);
		return CPIDECODE_ENOMEM;
	}
	/* Which rings a thread may have written to depends on whether it was moved. */
	if (b->overwritten.nrings)
		wants |= WANT_QUALITY;
	b->wants = wants;
	b->plans.wants = wants;
	b->plans.builtin = t->builtin;
	b->shapes.plans = &b->plans;
	b->reader.trace = t;
	b->reader.had_values = t->texts->had_values;
	b->reader.values_limit = t->texts->values_limit;
	b->blank = interval_blank;
	b->groups = calloc(t->nfiles ? t->nfiles : 1, sizeof *b->groups);
	if (!b->groups) {
		interval_builder_free(b);
		return CPIDECODE_ENOMEM;
	}
	*result = b;
	return 0;
}

void interval_builder_free(struct interval_builder *b)
{
	if (!b)
		return;
	for (size_t i = 0; b->groups && i < b->t->nfiles; i++)
		group_free(b->groups[i]);
	group_free(b->out);
	free(b->groups);
	group_plans_free(&b->plans);
	group_shapes_free(&b->shapes);
	hash_index_free(&b->reader.names);
	overwritten_free(&b->overwritten);
	begins_free(&b->begins);
	free(b);
}

bool interval_builder_had_begins(struct interval_builder *b)
{
	const bool had = b->had_begins;

	b->had_begins = false;
	return had;
}

int interval_builder_tell(struct interval_builder *b, struct findings *found)
{
	unnamed_add(&found->unnamed, b->reader.unnamed);
	found->has_other_hooks |= b->has_others;
	return begins_move(&found->begins, &b->begins);
}

static void open_group(struct interval_builder *b, struct group *g, const struct hook *h)
{
	const struct trace_file *f = &b->t->files[h->file]->pub;
	struct interval *iv = &g->iv;

	g->open = true;
	g->file = f;
	g->known = 0;
	g->has_types = false;
	g->identity = (struct group_identity){.mm = (uint8_t)(h->minor & CPI_MINOR_MM)};
	g->num_cpus_word = 0;
	g->num_utils = 0;
	/* The rest is set when the group is closed, or is as interval_blank says. */
	copy_blocks((char *)iv + FIRST_MEASURED, (const char *)&b->blank + FIRST_MEASURED,
		MEASURED_BYTES);
	iv->types = 0;
	iv->has_label = iv->label_stays = false;
	iv->label_len = 0;
	iv->num_cpus = 0;
	iv->num_values = iv->values_bytes = 0;
	iv->end_ns = h->time_ns;
	iv->end_ticks = h->ticks;
	iv->ring = h->ring;
	iv->tid = h->tid;
	iv->file = h->file;
	iv->machine = h->machine;
	iv->position = h->position;
	iv->mm = g->identity.mm;
	/* Hooks of the interval major alone are of a CPI group, too. */
	iv->major = h->major == INTERVAL_MAJOR ? CPI_MAJOR : h->major;
	iv->flags = f->header.flags & TF_FLAG_SCRIPTED ? IV_SCRIPTED : 0;
	iv->task = h->task;
}

/* A processor without cycles among others with cycles was offline: its 0 % busy is unmeasured. */
static void settle_cpus(struct interval_cpu *cpus, uint32_t n)
{
	bool counted = false;

	for (uint32_t i = 0; i < n; i++) {
		figures_forget_busy(cpus[i].cycles, &cpus[i].busy_cycles);
		figures_forget_share(cpus[i].raw_cpi, cpus[i].scaled_cpi, &cpus[i].busy_pct);
		counted |= cpus[i].cycles != NOT_MEASURED;
	}
	for (uint32_t i = 0; counted && i < n; i++) {
		if (cpus[i].cycles == NOT_MEASURED && cpus[i].busy_pct == 0)
			cpus[i].busy_pct = NAN;
	}
}

/* A thread that was not switched, or not moved, began where it ended. */
static void settle_start_cpu(struct interval *iv)
{
	if (iv->start_cpu == NOT_MEASURED && (iv->ctx_switches == 0 || iv->migrations == 0))
		iv->start_cpu = iv->ring;
}

/* Returns the group by swapping it with the one returned before. */
static int close_group(struct interval_builder *b, size_t file, const struct interval **result)
{
	struct group *g = b->groups[file];

	if (!g || !g->open)
		return 0;
	struct interval *iv = &g->iv;
	const struct trace_file *f = &b->t->files[file]->pub;
	g->open = false;
	if (iv->major == CPUUTIL_MAJOR && group_settle_util(g))
		return CPIDECODE_ENOMEM;
	if (iv->major == SCOPE_MAJOR)
		group_settle_scope(g, b->wants & (WANT_OWN_COST | WANT_FLAGS));
	iv->elapsed = g->identity.elapsed;
	iv->start_ticks = iv->elapsed < iv->end_ticks ? iv->end_ticks - iv->elapsed : 0;
	iv->start_ns = b->wants & WANT_START
			       ? clock_time_before(f->clock, iv->end_ticks, iv->elapsed)
			       : iv->end_ns;
	figures_forget_busy(iv->cycles, &iv->busy_cycles);
	figures_forget_share(iv->raw_cpi, iv->scaled_cpi, &iv->busy_pct);
	settle_cpus(g->cpus, iv->num_cpus);
	if (!(b->wants & WANT_UNTIMED)) {
		elapsed_set_ns(iv, f);
		figures_settle_times(
			iv->elapsed_ns, iv->ctx_switches, &iv->on_cpu_ns, &iv->off_cpu_ns);
	}
	settle_start_cpu(iv);
	own_cost_flag(iv);
	if (overwritten_after(&b->overwritten, iv->machine, iv->ring,
		    iv->ctx_switches == 0 || iv->migrations == 0, iv->start_ticks))
		iv->flags |= IV_CHILDREN_LOST;
	iv->cpus = iv->num_cpus && b->wants & WANT_CPUS ? g->cpus : NULL;
	iv->utils = iv->major == CPUUTIL_MAJOR && iv->cpus ? g->utils : NULL;
	iv->label = iv->has_label ? g->label : NULL;
	if (!(b->wants & (WANT_VALUES | WANT_EVENTS)))
		iv->num_values = iv->values_bytes = 0;
	iv->values = iv->num_values ? g->values : NULL;
	iv->value_texts = iv->values_bytes ? g->value_texts : "";
	b->groups[file] = b->out;
	b->out = g;
	*result = iv;
	return 1;
}

static struct group_identity interval_identify_hook(
	const struct group_plan *plan, enum group_part part, const struct hook *h)
{
	uint64_t elapsed = 0;
	bool has_elapsed = plan->elapsed_words != UINT32_MAX
				   ? group_elapsed_at(plan, h->words, h->nwords, &elapsed)
				   : group_elapsed_by_cursor(plan, h, &elapsed);

	return group_identify(part, h->minor, has_elapsed, elapsed);
}

static bool same_group(
	const struct group *g, const struct hook *h, const struct group_identity *next)
{
	return g->iv.end_ticks == h->ticks && g->iv.tid == h->tid && g->iv.ring == h->ring &&
	       group_goes_on(&g->identity, next);
}

/* The file's open group, or a new one for this hook. */
static struct group *group_for(struct interval_builder *b, const struct hook *h)
{
	struct group **at = &b->groups[h->file];

	if (!*at) {
		*at = calloc(1, sizeof **at);
		if (*at) {
			(*at)->reader = &b->reader;
			(*at)->iv = b->blank;
		}
	}
	if (*at && !(*at)->open)
		open_group(b, *at, h);
	return *at;
}

/* Adds the hook to the group. Returns whether it has figures that the caller wants. */
static bool interval_extend_group(
	struct group *g, const struct group_plan *plan, const struct group_identity *next)
{
	group_go_on(&g->identity, next);
	group_raise_flags((enum group_part)next->part, &g->iv.flags, &g->iv.types);
	return group_plan_is_asked(plan, g->iv.has_label);
}

int interval_feed(struct interval_builder *b, const struct hook *h, const struct interval **iv)
{
	enum group_part part = group_part(h->major, h->minor);
	struct group *g = b->groups[h->file];
	int closed = 0;

	*iv = NULL;
	if (part == PART_NONE && begin_is_hook(h->major, h->minor)) {
		int rc = begin_decode(&b->begins, b->t, h);

		b->had_begins = true;
		if (rc)
			return rc;
	} else if (part == PART_NONE) {
		b->has_others = true;
	}
	if (group_is_companion(h->major, part))
		return 0;
	if (part == PART_NONE)
		return close_group(b, h->file, iv);
	const struct group_plan *plan = group_plans_find(&b->plans, h->schema, part);
	if (!plan)
		return CPIDECODE_ENOMEM;
	struct group_identity next = interval_identify_hook(plan, part, h);
	bool goes_on = g && g->open && same_group(g, h, &next);
	if (!goes_on && part == PART_TIME) {
		b->strays++;
		return close_group(b, h->file, iv);
	}
	if (!goes_on)
		closed = close_group(b, h->file, iv);
	g = closed < 0 ? NULL : group_for(b, h);
	if (!g)
		return CPIDECODE_ENOMEM;
	int rc = interval_extend_group(g, plan, &next) ? group_decode(g, plan, h) : 0;
	return rc ? rc : closed;
}

/* Leaves the strays of a slice to the findings of reading. */
static void count_strays(struct interval_builder *b, struct ring_cursor *c)
{
	if (c)
		c->counts.malformed += b->strays;
	b->strays = 0;
}

/* interval_feed for all hooks of a group, of which h is the first. */
static int interval_feed_shape(struct interval_builder *b, const struct hook *h,
	const struct shape_found *found, const struct interval **iv)
{
	int closed = close_group(b, h->file, iv);
	struct group *g = closed < 0 ? NULL : group_for(b, h);

	if (!g)
		return CPIDECODE_ENOMEM;
	g->identity.elapsed = found->elapsed;
	g->identity.has_elapsed = true;
	g->identity.part = found->shape->records[found->shape->count - 1].part;
	g->iv.flags |= found->shape->flags;
	g->iv.types |= found->shape->types;
	int rc = group_decode_shape(g, found, b->wants & WANT_FLAGS);
	return rc ? rc : closed;
}

/* Whether h and the hooks after it, which c reads next, are a group with a shape. */
static bool interval_find_shape(struct interval_builder *b, const struct hook *h,
	const struct ring_cursor *c, struct shape_found *found)
{
	const struct group *before = b->groups[h->file];

	return group_part(h->major, h->minor) != PART_NONE &&
	       /* They may continue the group. */
	       !(before && before->open && before->iv.end_ticks == h->ticks) &&
	       group_shapes_find(&b->shapes, c->file->set, c->p - h->size, c->stop, found);
}

int interval_read(struct interval_builder *b, struct pass_slice *s, const struct interval **iv)
{
	struct ring_cursor *lone = pass_lone(s);
	struct shape_found found;
	const struct hook *h;
	int rc;

	while ((rc = pass_next(s, &h)) > 0) {
		if (lone && interval_find_shape(b, h, lone, &found)) {
			ring_cursor_pass(
				lone, (size_t)(found.end - lone->p), found.shape->count - 1);
			rc = interval_feed_shape(b, h, &found, iv);
		} else {
			rc = interval_feed(b, h, iv);
		}
		if (rc)
			return rc;
	}
	if (rc)
		return rc;
	count_strays(b, lone);
	begins_end_slice(&b->begins);
	return interval_flush(b, iv);
}

int interval_flush(struct interval_builder *b, const struct interval **iv)
{
	*iv = NULL;
	while (b->flush_file < b->t->nfiles) {
		int rc = close_group(b, b->flush_file++, iv);

		if (rc)
			return rc;
	}
	b->flush_file = 0;
	return 0;
}
