#include "select.h"

#include "../../model/intervals/intervals.h"

bool select_takes_all(const struct report *r)
{
	return !r->where && filter_takes_all(r->filter);
}

unsigned select_wants(const struct report *r)
{
	/* Start times matter only with `to`. */
	return (r->filter->to != INT64_MAX ? WANT_START : 0) | (r->where ? r->where->wants : 0);
}

bool select_asks_time(const struct report *r)
{
	return r->filter->from != INT64_MIN || r->filter->to != INT64_MAX ||
	       (r->where && r->where->asks_time);
}

bool select_asks_task(const struct report *r)
{
	return r->filter->by_pid || (r->where && r->where->asks_task);
}

bool select_interval(const struct report *r, const struct interval *iv)
{
	return filter_interval(r->filter, iv) &&
	       (!r->where || r->where->nests || where_holds(r->where, r->trace, iv));
}

void select_stream(struct interval_stream_options *how, const struct report *r)
{
	how->progress = r->progress;
	how->progress_ctx = r->ctx;
	/* Nested intervals must be complete if the query asks for them or their cost is
	 * subtracted. */
	const bool is_complete = r->compensate || select_nests(r);

	how->from_ns = is_complete ? INT64_MIN : r->filter->from;
	if (!r->is_span) {
		how->noted = r->starts;
	} else if (!is_complete) {
		how->known = r->starts;
		how->known_to_ns = r->filter->to;
	}
	how->threads = r->threads;
	how->filter_wants = select_wants(r);
	how->nested_cost = true;
	how->open = true;
	how->compensate = r->compensate;
}
