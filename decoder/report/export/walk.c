#include "walk.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../formats/base/text.h"
#include "../../../formats/cpi_hooks.h"
#include "../../../formats/interval_hooks.h"
#include "../../model/stats/tally/tally.h"
#include "../values/columns.h"
#include "../values/interval_columns.h"

#define FIGURE(member) #member, offsetof(struct interval, member)

const struct export_figure export_counts[EXPORT_COUNTS] = {
	{FIGURE(instructions), false},
	{FIGURE(cycles), false},
	{FIGURE(busy_cycles), false},
	{FIGURE(thread_instructions), false},
	{FIGURE(thread_cycles), false},
	{FIGURE(on_cpu_ns), true},
	{FIGURE(own_inside_ns), true},
	{FIGURE(own_nested_ns), true},
	{FIGURE(off_cpu_ns), true},
	{FIGURE(ctx_switches), false},
	{FIGURE(migrations), false},
	{FIGURE(faults), false},
	{FIGURE(unexplained_ns), true},
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

static struct export_attribute attribute_of_number(const char *name, uint64_t number)
{
	return (struct export_attribute){.name = name, .number = number};
}

static struct export_attribute attribute_of_text(const char *name, const char *text, size_t length)
{
	return (struct export_attribute){.name = name, .text = text, .length = length};
}

static bool export_began_elsewhere(const struct interval *iv)
{
	return iv->start_cpu < TF_GUEST_RING && (iv->start_cpu != iv->ring || iv->flags & IV_OPEN);
}

unsigned export_find_attributes(
	const struct interval *iv, struct out *to, struct export_attribute at[EXPORT_ATTRIBUTES])
{
	unsigned n = 0;

	to->len = 0;
	report_flags(to, iv->flags);
	const size_t flags = to->len;
	if (iv->method != NOT_MEASURED)
		report_methods(to, tally_method(iv->method));
	if (iv->mm)
		at[n++] = attribute_of_number("minor", iv->mm);
	if (iv->types)
		at[n++] = attribute_of_number("types", iv->types);
	if (iv->num_cpus)
		at[n++] = attribute_of_number("num_cpus", iv->num_cpus);
	if (flags)
		at[n++] = attribute_of_text("flags", to->buf, flags);
	if (iv->time_source < INTERVAL_TIME_SOURCES) {
		const char *source = interval_time_source_words[iv->time_source];

		at[n++] = attribute_of_text("time_source", source, strlen(source));
	}
	if (export_began_elsewhere(iv))
		at[n++] = attribute_of_number("start_cpu", iv->start_cpu);
	if (iv->major != CPI_MAJOR)
		at[n++] = attribute_of_number("major", iv->major);
	if (to->len > flags)
		at[n++] = attribute_of_text("method", to->buf + flags, to->len - flags);
	if (iv->task && iv->task->container)
		at[n++] = attribute_of_text(
			"container", iv->task->container, strlen(iv->task->container));
	return n;
}

/* Whether it is a column's, or reads like one that had to be renamed. */
static bool export_takes_name(struct trace_text text, const char *prefix)
{
	for (const struct column *c = interval_columns; c->name || c->heading; c++)
		if (c->name && text_is(text.at, text.length, c->name))
			return true;
	return text_is(text.at, text.length, EXPORT_COMPENSATED) ||
	       (text.length >= strlen(prefix) && memcmp(text.at, prefix, strlen(prefix)) == 0);
}

uint8_t *export_names_new(const struct report *r)
{
	return calloc(VALUE_KINDS * trace_texts_limit(r->trace) + 1, 1);
}

struct trace_text export_name_value(const struct report *r, enum value_kind kind, uint32_t name,
	uint8_t *taken, struct out *room)
{
	enum { UNKNOWN, TAKEN, FREE };
	const char *prefix = kind == VALUE_EVENT ? VALUE_EVENT_PREFIX : "arg_";
	const struct trace_text text = trace_text_at(r->trace, name);
	const size_t at = kind * trace_texts_limit(r->trace) + name;
	uint8_t is = taken ? taken[at] : UNKNOWN;

	if (is == UNKNOWN)
		is = export_takes_name(text, prefix) ? TAKEN : FREE;
	if (taken)
		taken[at] = is;
	if (is == FREE)
		return text;
	room->len = 0;
	out_str(room, prefix);
	out_bytes(room, text.at, text.length);
	return (struct trace_text){.at = room->buf, .length = (uint32_t)room->len};
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
	/* The reader left, and the walk with it: these are not all. */
	if (r->out->error)
		return;
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
