#include "cost.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/text.h"
#include "../../sink/units.h"

static bool same_cost(const struct info_cost *a, const struct info_cost *b)
{
	return a->has_pid == b->has_pid && a->pid == b->pid && a->inside == b->inside &&
	       a->pair == b->pair;
}

static void info_costs_add_cost(struct info_costs *c, const struct info_cost *cost)
{
	for (unsigned i = 0; i < c->n; i++) {
		if (same_cost(&c->list[i], cost)) {
			c->list[i].intervals += cost->intervals;
			return;
		}
	}
	if (c->n < INFO_COSTS)
		c->list[c->n++] = *cost;
	else
		c->more = true;
}

static void info_costs_widen(struct info_costs *c, const struct info_costs *by)
{
	if (!c->intervals || by->inside_min < c->inside_min)
		c->inside_min = by->inside_min;
	if (!c->intervals || by->inside_max > c->inside_max)
		c->inside_max = by->inside_max;
	if (!c->intervals || by->pair_min < c->pair_min)
		c->pair_min = by->pair_min;
	if (!c->intervals || by->pair_max > c->pair_max)
		c->pair_max = by->pair_max;
	c->intervals += by->intervals;
}

void info_costs_add(struct info_costs *c, const struct interval *iv)
{
	if (iv->own_inside == NOT_MEASURED || iv->own_pair == NOT_MEASURED)
		return;
	const struct info_cost cost = {.has_pid = iv->task,
		.pid = iv->task ? iv->task->pid : 0,
		.inside = iv->own_inside,
		.pair = iv->own_pair,
		.intervals = 1};
	const struct info_costs one = {.intervals = 1,
		.inside_min = cost.inside,
		.inside_max = cost.inside,
		.pair_min = cost.pair,
		.pair_max = cost.pair};
	info_costs_widen(c, &one);
	info_costs_add_cost(c, &cost);
}

void info_costs_merge(struct info_costs *c, const struct info_costs *from)
{
	if (!from->intervals)
		return;
	info_costs_widen(c, from);
	for (unsigned i = 0; i < from->n; i++)
		info_costs_add_cost(c, &from->list[i]);
	c->more |= from->more;
}

static int info_compare_costs(const void *x, const void *y)
{
	const struct info_cost *a = x, *b = y;
	int c = a->has_pid - b->has_pid;

	if (!c)
		c = compare_u64_pair(a->pid, b->pid, a->inside, b->inside);
	return c ? c : compare_u64(a->pair, b->pair);
}

void info_costs_settle(struct info_costs *c)
{
	if (c->n)
		qsort(c->list, c->n, sizeof *c->list, info_compare_costs);
	if (c->more)
		c->n = 0;
}

static void info_cost_write_range(
	struct out *o, const struct trace_file *f, uint64_t min, uint64_t max, const char *behind)
{
	units_duration(o, trace_duration_ns(f, min));
	if (max > min) {
		out_str(o, " to ");
		units_duration(o, trace_duration_ns(f, max));
	}
	out_str(o, behind);
}

static void info_cost_write_line(struct out *o, const struct trace_file *f,
	const struct info_costs *of, const char *whose, uint64_t intervals)
{
	info_cost_write_range(o, f, of->inside_min, of->inside_max, " inside an interval, ");
	info_cost_write_range(o, f, of->pair_min, of->pair_max, " for a pair of start and end");
	out_printf(o, "; %s, %" PRIu64 " interval%s\n", whose, intervals, text_plural(intervals));
}

static void info_costs_text(
	struct document *d, const struct info_costs *c, const struct trace_file *f)
{
	char whose[32];

	if (c->more)
		info_cost_write_line(document_begin_line(d, "own cost"), f, c, "several processes",
			c->intervals);
	for (unsigned i = 0; i < c->n; i++) {
		const struct info_cost *own = &c->list[i];
		const struct info_costs one = {.inside_min = own->inside,
			.inside_max = own->inside,
			.pair_min = own->pair,
			.pair_max = own->pair};

		if (own->has_pid)
			snprintf(whose, sizeof whose, "pid %" PRIu32, own->pid);
		else
			snprintf(whose, sizeof whose, "pid unknown");
		info_cost_write_line(
			document_begin_line(d, "own cost"), f, &one, whose, own->intervals);
	}
}

struct info_cost_row {
	struct cell pid;
	double inside, pair; /* ns */
	uint64_t intervals;
};

#define AT(member) COLUMN_AT(struct info_cost_row, member)
static const struct column cost_columns[] = {
	{"pid", AT(pid)},
	{"inside_ns", AT(inside), .decimals = 1},
	{"pair_ns", AT(pair), .decimals = 1},
	{"intervals", AT(intervals)},
	{.name = NULL},
};

void info_write_costs(struct document *d, const struct info_costs *c, const struct trace_file *f)
{
	struct json *j = d->j;

	if (!j) {
		info_costs_text(d, c, f);
		return;
	}
	json_key(j, "own_cost");
	if (!c->intervals) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_member_u64(j, "intervals", c->intervals);
	json_member_fixed(j, "inside_ns_min", trace_duration_ns(f, c->inside_min), 1);
	json_member_fixed(j, "inside_ns_max", trace_duration_ns(f, c->inside_max), 1);
	json_member_fixed(j, "pair_ns_min", trace_duration_ns(f, c->pair_min), 1);
	json_member_fixed(j, "pair_ns_max", trace_duration_ns(f, c->pair_max), 1);
	for (document_begin_list(d, "processes", cost_columns, 0); document_pass(d);)
		for (unsigned i = 0; i < c->n; i++) {
			const struct info_cost *own = &c->list[i];

			document_add_row(
				d, &(struct info_cost_row){cell_u64(own->pid, own->has_pid),
					   trace_duration_ns(f, own->inside),
					   trace_duration_ns(f, own->pair), own->intervals});
		}
	json_close(j, '}');
}

#undef AT
