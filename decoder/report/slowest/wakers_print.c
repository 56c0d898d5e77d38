/* Who ended the waits of one of the slowest intervals, from the kernel's records of wake-ups. */
#include <math.h>
#include <string.h>

#include "slowest.h"

enum { SLOWEST_WAKERS_TEXT = 8 };

struct slowest_waker {
	struct waker of;
	const char *who; /* of a line that is no single waker's; NULL: the waker's own */
	const char *name;
	struct cell tid, pid, interrupt;
};

static void slowest_spell_waker(struct out *o, const void *row)
{
	const struct slowest_waker *w = row;

	if (w->who)
		out_str(o, w->who);
	else if (w->of.is_interrupt || !w->of.tid)
		out_str(o, w->of.is_interrupt ? "an interrupt" : "idle");
	else
		slowest_spell_thread(o, w->name, w->of.tid, w->of.pid);
}

#define AT(member) COLUMN_AT(struct slowest_waker, member)
static const struct column waker_columns[] = {
	{"tid", AT(tid)},
	{"pid", AT(pid)},
	{"name", AT(name)},
	{"interrupt", AT(interrupt)},
	{"waits", "waits", AT(of.waits), .place = 1},
	{"waited_ns", "waited", AT(of.waited_ns), .decimals = 1, .unit = UNIT_DURATION},
	{"to_run_ns", "then to run", AT(of.to_run_ns), .decimals = 1, .unit = UNIT_DURATION},
	{.heading = "who woke it", .text = slowest_spell_waker, .left = true, .place = PLACE_LAST},
	{.name = NULL},
};

static void slowest_add_waker(struct document *d, const struct waker *w, const char *who)
{
	const bool is_thread = !who && !w->is_interrupt;

	document_add_row(d,
		&(struct slowest_waker){.of = *w,
			.who = who,
			.name = w->has_name ? w->name : NULL,
			.tid = cell_u64(w->tid, is_thread),
			.pid = cell_u64(w->pid, is_thread),
			.interrupt = {.kind = who ? CELL_NONE : CELL_BOOL, .u = w->is_interrupt}});
}

void slowest_write_wakers(struct document *d, const struct ran *ran)
{
	const struct wakers *w = &ran->wakers;
	const bool is_known = ran->why == RAN_COVERED;
	const size_t most = d->j || w->count < SLOWEST_WAKERS_TEXT ? w->count : SLOWEST_WAKERS_TEXT;
	struct waker rest = w->others, unknown = w->unknown;

	if (!w->is_recorded || (!d->j && !is_known))
		return;
	unknown.to_run_ns = NAN;
	for (size_t i = most; i < w->count; i++) {
		rest.waits += w->at[i].waits;
		rest.waited_ns += w->at[i].waited_ns;
		rest.to_run_ns += w->at[i].to_run_ns;
	}
	for (document_begin_list(d, "wakers", waker_columns, 0); document_pass(d);) {
		for (size_t i = 0; i < most; i++)
			slowest_add_waker(d, &w->at[i], NULL);
		if (rest.waits)
			slowest_add_waker(d, &rest, "(others)");
		if (!d->j && unknown.waits)
			slowest_add_waker(d, &unknown, "n/a (not recorded)");
	}
	if (!d->j)
		return;
	json_member_count(d->j, "waits_without_waker", is_known, unknown.waits);
	json_member_fixed(d->j, "without_waker_ns", is_known ? unknown.waited_ns : NAN, 1);
}

#undef AT
