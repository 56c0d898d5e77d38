/* Text and notes shared by several reports. */
#include "../../formats/base/text.h"
#include "../../formats/cpi_hooks.h"
#include "../../formats/cpuutil_hooks.h"
#include "../model/hooks/pass.h"
#include "../model/intervals/begin_hook.h"
#include "../model/intervals/elapsed.h"
#include "../sink/escapes.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct pass report_pass(
	const struct report *r, int (*read)(void *ctx, struct pass_slice *s), void *ctx)
{
	return (struct pass){.trace = r->trace,
		.from_ns = r->filter->from,
		.to_ns = r->filter->to,
		.threads = r->threads,
		.read = read,
		.ctx = ctx,
		.progress = r->progress,
		.progress_ctx = r->ctx};
}

void report_note(const struct report *r, const char *format, ...)
{
	char line[1024];
	struct out safe;
	va_list ap;

	if (!r->note)
		return;
	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	/* Escaped: a note may hold a file's name, which may hold any bytes. */
	out_memory(&safe);
	escape_text(&safe, line, strlen(line));
	out_char(&safe, '\0');
	r->note(r->ctx, safe.error ? "no memory for a note" : safe.buf);
	out_discard(&safe);
}

enum { OPEN_NAMES = 8 };

static bool report_open_are_alike(const struct begun *a, const struct begun *b)
{
	if (a->label && b->label)
		return a->label_len == b->label_len &&
		       memcmp(a->label, b->label, a->label_len) == 0;
	return !a->label && !b->label && a->mm == b->mm && a->major == b->major;
}

/* The first ones that are open, each name once, with its number. */
static void report_put_open(struct out *o, const struct begins *b)
{
	const struct begun *name[OPEN_NAMES];
	uint64_t n[OPEN_NAMES] = {0}, others = 0;
	unsigned names = 0, k;

	for (size_t i = 0; i < b->count; i++) {
		for (k = 0; k < names && !report_open_are_alike(name[k], &b->at[i]); k++)
			;
		if (k == names && names < OPEN_NAMES)
			name[names++] = &b->at[i];
		if (k < names)
			n[k]++;
		else
			others++;
	}
	for (k = 0; k < names; k++) {
		out_str(o, k ? ", " : "");
		if (name[k]->label)
			out_bytes(o, name[k]->label,
				name[k]->label_len < 100 ? name[k]->label_len : 100);
		else
			out_printf(o, ESCAPE_MINOR, name[k]->mm);
		out_printf(o, " %" PRIu64, n[k]);
	}
	if (others)
		out_printf(o, ", others %" PRIu64, others);
}

/* Counts open intervals whose end may have been overwritten. */
static size_t report_count_no_end(const struct report *r, const struct begins *b)
{
	struct overwritten overwritten = {0};
	size_t n = 0;

	if (!overwritten_find(&overwritten, r->trace))
		for (size_t i = 0; i < b->count; i++)
			n += begin_may_have_ended(&b->at[i], &overwritten);
	overwritten_free(&overwritten);
	return n;
}

/* Notes the open intervals, by name, of the hooks that were read. */
static void report_note_open(const struct report *r)
{
	struct begins *b = &r->found->begins;
	struct out names;
	size_t no_end;

	begins_settle(b, r->trace);
	if (!b->count)
		return;
	out_memory(&names);
	report_put_open(&names, b);
	no_end = report_count_no_end(r, b);
	if (no_end)
		out_printf(&names, "; the end of %zu may have been overwritten", no_end);
	out_char(&names, '\0');
	report_note(r,
		"%zu interval%s open at the end of the trace, and left out (see --report intervals): %s",
		b->count, b->count == 1 ? " is" : "s are",
		names.error ? "no memory for names" : names.buf);
	out_discard(&names);
}

void report_end(struct report *r)
{
	report_note_open(r);
	findings_free(r->found);
}

void report_note_no_intervals(const struct report *r)
{
	uint64_t hooks = r->found ? r->found->total.hooks : 0;

	/* A filter or a slice may have excluded them. */
	if (hooks && !r->slices && !r->where && filter_takes_all(r->filter))
		report_note(r,
			"no intervals, but %" PRIu64
			" hook%s (of TraceHook, say): --report hooks shows %s",
			hooks, text_plural(hooks), hooks == 1 ? "it" : "them");
}

void report_note_children_lost(const struct report *r, uint64_t lost, uint64_t all, double share,
	const char *unit, const char *consequence)
{
	if (!lost)
		return;
	report_note(r,
		"%" PRIu64 " of %" PRIu64
		" interval%s (%.1f %% of the %s) began before the oldest hook left in the rings: intervals nested in %s may be missing%s",
		lost, all, text_plural(all), isnan(share) ? 0 : 100 * share, unit,
		lost == 1 ? "it" : "them", consequence);
}

void report_count_children_lost(struct report_children_lost *c, const struct interval *iv)
{
	const exact_sum time = elapsed_exact(iv);

	if (iv->flags & IV_OPEN)
		return;
	c->all++;
	exact_add(&c->time, time);
	if (!(iv->flags & IV_CHILDREN_LOST))
		return;
	c->lost++;
	exact_add(&c->lost_time, time);
}

void report_note_counted_lost(
	const struct report *r, const struct report_children_lost *c, const char *consequence)
{
	report_note_children_lost(
		r, c->lost, c->all, (double)c->lost_time / (double)c->time, "time", consequence);
}

static void report_head_host(const struct report *r)
{
	const char *name = r->of_host->name ? r->of_host->name : "n/a";

	out_str(r->out, "# host ");
	escape_text(r->out, name, strlen(name));
	out_char(r->out, '\n');
}

void report_head_lines(const struct report *r)
{
	if (r->of_host)
		report_head_host(r);
	if (r->ntraces > 1)
		out_printf(r->out, "# %zu traces\n", r->ntraces);
	if (r->absent)
		out_str(r->out, r->absent);
	if (r->scripted)
		out_str(r->out, "# " REPORT_SCRIPTED "\n");
	if (r->compensate)
		out_str(r->out, "# " REPORT_COMPENSATED "\n");
}

void report_note_compensated(const struct report *r, uint64_t with_cost, uint64_t of)
{
	if (!r->compensate)
		return;
	if (!with_cost)
		report_note(r,
			"--compensate: no interval has the library's own cost: nothing is subtracted");
	else
		report_note(r,
			"--compensate: the library's own cost is subtracted from times; %" PRIu64
			" of %" PRIu64 " interval%s %s it",
			with_cost, of, text_plural(of), with_cost == 1 ? "has" : "have");
}

void report_flags(struct out *o, uint32_t flags)
{
	char text[INTERVAL_FLAGS_BYTES];

	out_bytes(o, text, interval_flags_spell(flags, text));
}

void report_methods(struct out *o, uint32_t methods)
{
	const char *between = "";

	for (unsigned i = 0; i <= CPUUTIL_METHODS; i++) {
		if (!(methods & 1u << i))
			continue;
		out_str(o, between);
		out_str(o, cpuutil_method_words[i]);
		between = "+";
	}
}

void report_methods_text(struct out *o, uint32_t methods)
{
	if (methods)
		report_methods(o, methods);
	else
		out_str(o, "n/a");
}

const char *report_name(const struct interval *iv, char room[REPORT_NAME_ROOM], size_t *length)
{
	if (iv->has_label) {
		*length = iv->label_len;
		return iv->label;
	}
	*length = (size_t)snprintf(room, REPORT_NAME_ROOM, ESCAPE_MINOR, iv->mm);
	return room;
}

void report_code(struct out *o, uint8_t major, uint8_t mm)
{
	if (major != CPI_MAJOR)
		out_printf(o, "%02X:", major);
	out_printf(o, "%02X", mm);
}
