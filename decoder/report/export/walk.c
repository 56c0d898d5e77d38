#include "walk.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "../../../formats/base/text.h"
#include "../values/columns.h"

#define FIGURE(member) #member, offsetof(struct interval, member)

const struct export_figure export_counts[EXPORT_COUNTS] = {
	{FIGURE(instructions), false},
	{FIGURE(cycles), false},
	{FIGURE(busy_cycles), false},
	{FIGURE(thread_instructions), false},
	{FIGURE(thread_cycles), false},
	{FIGURE(on_cpu_ns), true},
	{FIGURE(off_cpu_ns), true},
	{FIGURE(ctx_switches), false},
	{FIGURE(migrations), false},
	{FIGURE(faults), false},
	{FIGURE(unexplained_ns), true},
	{FIGURE(own_inside_ns), true},
	{FIGURE(own_nested_ns), true},
};

const struct export_figure export_reals[EXPORT_REALS] = {
	{FIGURE(raw_cpi), false},
	{FIGURE(scaled_cpi), false},
	{FIGURE(busy_pct), false},
	{FIGURE(thread_cpi), false},
	{FIGURE(idle_pct), false},
	{FIGURE(intr_pct), false},
	{FIGURE(actual_perf_pct), false},
};

const char *export_thread_name(const struct lane_thread *t, char room[EXPORT_THREAD_ROOM])
{
	const char *name = report_task_name(t->task);

	if (name)
		return name;
	snprintf(room, EXPORT_THREAD_ROOM, "tid %" PRIu32, t->tid);
	return room;
}

bool export_flags(const struct interval *iv, struct out *to)
{
	/* Its figures show its kinds of hooks. */
	uint32_t flags = iv->flags & ~(uint32_t)(IV_SUMMARY | IV_DETAILED | IV_QUALITY);

	to->len = 0;
	report_flags(to, flags);
	return to->len > 0;
}

/* Whether it is one of a figure's names, or reads like an event that had to be renamed. */
static bool export_takes_name(const char *name, size_t length)
{
	static const char cpu[] = "cpu";

	if (length == strlen(cpu) && memcmp(name, cpu, length) == 0)
		return true;
	for (unsigned i = 0; i < EXPORT_COUNTS; i++)
		if (strlen(export_counts[i].name) == length &&
			memcmp(export_counts[i].name, name, length) == 0)
			return true;
	for (unsigned i = 0; i < EXPORT_REALS; i++)
		if (strlen(export_reals[i].name) == length &&
			memcmp(export_reals[i].name, name, length) == 0)
			return true;
	return length >= strlen(VALUE_EVENT_PREFIX) &&
	       memcmp(name, VALUE_EVENT_PREFIX, strlen(VALUE_EVENT_PREFIX)) == 0;
}

void export_name_event(struct report *r, uint32_t event, struct out *to)
{
	struct trace_text text = trace_text_at(r->trace, event);

	to->len = 0;
	if (export_takes_name(text.at, text.length))
		out_str(to, VALUE_EVENT_PREFIX);
	out_bytes(to, text.at, text.length);
}

int export_lanes(struct report *r, struct interval_stream *s, struct lanes *l)
{
	const struct interval *iv;
	int rc = interval_stream_rewind(s);

	while (rc >= 0 && !r->out->error && (rc = interval_stream_next(s, &iv)) > 0)
		rc = lanes_add(l, iv);
	int ended = lanes_end(l);
	return rc < 0 ? rc : ended;
}

int export_find_base(struct report *r, struct interval_stream *s, int64_t *base)
{
	const struct interval *iv;
	int64_t last;
	int rc = interval_stream_rewind(s);

	if (!rc)
		rc = interval_stream_next(s, &iv);
	*base = 0;
	if (rc > 0)
		*base = iv->start_ns;
	else
		trace_span(r->trace, base, &last);
	return rc < 0 ? rc : 0;
}

void export_note_lanes(struct report *r, const struct lanes *l, const char *where)
{
	if (l->overlaps)
		report_note(r,
			"%" PRIu64
			" interval%s overlap%s others of the same thread without nesting in them: shown on further %s, along with the intervals nested inside",
			l->overlaps, text_plural(l->overlaps), l->overlaps == 1 ? "s" : "", where);
	if (l->set_back)
		report_note(r,
			"%" PRIu64
			" interval%s end%s before the start, because the clock was set back: shown with the measured length",
			l->set_back, text_plural(l->set_back), l->set_back == 1 ? "s" : "");
}
