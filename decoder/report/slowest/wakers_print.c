/* Who ended the waits of one of the slowest intervals, from the kernel's records of wake-ups. */
#include <math.h>
#include <string.h>

#include "../../sink/escape.h"
#include "../../sink/json.h"
#include "../../sink/table.h"
#include "../../sink/units.h"
#include "slowest.h"

enum { SLOWEST_WAKERS_TEXT = 8 };

/* -------------------------------------------------------------------------------- text */

static void slowest_spell_waker(struct out *o, const struct waker *w)
{
	if (w->is_interrupt || !w->tid) {
		out_str(o, w->is_interrupt ? "an interrupt" : "idle");
		return;
	}
	if (w->has_name)
		escape_text(o, w->name, strlen(w->name));
	else
		out_str(o, "unknown name");
	out_printf(o, " (thread %u, process %u)", w->tid, w->pid);
}

/* name: of a line that is no single waker's; NULL: the waker's own. */
static void slowest_write_waker(struct table *t, const struct waker *w, const char *name)
{
	struct out *o;

	table_text(t, "  ");
	units_duration(table_right(t), w->waited_ns);
	o = table_right(t);
	if (isnan(w->to_run_ns))
		out_str(o, "n/a");
	else
		units_duration(o, w->to_run_ns);
	out_u64(table_right(t), w->waits);
	o = table_left(t);
	if (name)
		out_str(o, name);
	else
		slowest_spell_waker(o, w);
	table_end_row(t);
}

void slowest_write_wakers(struct report *r, const struct ran *ran)
{
	const struct wakers *w = &ran->wakers;
	struct waker rest = w->others, unknown = w->unknown;
	struct table t;

	if (!w->is_recorded || ran->why != RAN_COVERED || !(w->count || unknown.waits))
		return;
	unknown.to_run_ns = NAN;
	for (size_t i = SLOWEST_WAKERS_TEXT; i < w->count; i++) {
		rest.waits += w->at[i].waits;
		rest.waited_ns += w->at[i].waited_ns;
		rest.to_run_ns += w->at[i].to_run_ns;
	}
	for (table_begin(&t, r->out); table_pass_fit(&t, r->width, TABLE_LAST);) {
		table_printf(&t, "  \t>waited\t>then to run\t>waits\twho woke it\n");
		for (size_t i = 0; i < w->count && i < SLOWEST_WAKERS_TEXT; i++)
			slowest_write_waker(&t, &w->at[i], NULL);
		if (rest.waits)
			slowest_write_waker(&t, &rest, "(others)");
		if (unknown.waits)
			slowest_write_waker(&t, &unknown, "n/a (not recorded)");
	}
	table_free(&t);
}

/* -------------------------------------------------------------------------------- JSON */

static void slowest_write_waker_member(struct json *j, const struct waker *w, bool is_rest)
{
	json_open(j, '{');
	json_key(j, "tid");
	if (is_rest || w->is_interrupt)
		json_null(j);
	else
		json_u64(j, w->tid);
	json_key(j, "pid");
	if (is_rest || w->is_interrupt)
		json_null(j);
	else
		json_u64(j, w->pid);
	json_member_text(j, "name", w->has_name ? w->name : NULL);
	json_key(j, "interrupt");
	if (is_rest)
		json_null(j);
	else
		json_bool(j, w->is_interrupt);
	json_member_u64(j, "waits", w->waits);
	json_member_fixed(j, "waited_ns", w->waited_ns, 1);
	json_member_fixed(j, "to_run_ns", w->to_run_ns, 1);
	json_close(j, '}');
}

void slowest_write_wakers_members(struct json *j, const struct ran *ran)
{
	const struct wakers *w = &ran->wakers;
	const bool is_known = ran->why == RAN_COVERED;

	if (!w->is_recorded)
		return;
	json_member_open(j, "wakers", '[');
	for (size_t i = 0; i < w->count; i++)
		slowest_write_waker_member(j, &w->at[i], false);
	if (w->others.waits)
		slowest_write_waker_member(j, &w->others, true);
	json_close(j, ']');
	json_key(j, "waits_without_waker");
	if (is_known)
		json_u64(j, w->unknown.waits);
	else
		json_null(j);
	json_member_fixed(j, "without_waker_ns", is_known ? w->unknown.waited_ns : NAN, 1);
}
