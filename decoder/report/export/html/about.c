#include "about.h"

#include <inttypes.h>
#include <string.h>

#include "../../info/doctor.h"
#include "../../losses.h"
#include "../../open.h"
#include "formulas.h"
#include "times.h"

static void overview_widen(struct overview *o)
{
	for (size_t i = 0; i < OVERVIEW_BUCKETS; i++) {
		uint64_t count = 0, longest = 0;

		for (size_t k = 2 * i; k < 2 * i + 2 && k < OVERVIEW_BUCKETS; k++) {
			count += o->count[k];
			if (longest < o->longest[k])
				longest = o->longest[k];
		}
		o->count[i] = count;
		o->longest[i] = longest;
	}
	o->width *= 2;
}

void overview_add(struct overview *o, uint64_t start, uint64_t duration)
{
	while (start / o->width >= OVERVIEW_BUCKETS)
		overview_widen(o);
	size_t i = start / o->width;

	o->count[i]++;
	if (o->longest[i] < duration)
		o->longest[i] = duration;
}

static void about_write_overview(const struct overview *o, struct json *j)
{
	size_t used = OVERVIEW_BUCKETS;

	while (used && !o->count[used - 1])
		used--;
	json_member_open(j, "overview", '{');
	json_member_u64(j, "width", o->width);
	json_member_open(j, "count", '[');
	for (size_t i = 0; i < used; i++)
		json_u64(j, o->count[i]);
	json_close(j, ']');
	json_member_open(j, "longest", '[');
	for (size_t i = 0; i < used; i++)
		json_u64(j, o->longest[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void about_write_loss(
	struct json *j, const struct trace_file *f, const char *what, uint64_t n)
{
	if (!n)
		return;
	json_open(j, '{');
	json_member_text(j, "file", f->path);
	json_member_text(j, "what", what);
	json_member_u64(j, "count", n);
	json_close(j, '}');
}

static void about_write_file_losses(
	const struct report *r, const struct trace_file *f, struct json *j)
{
	const struct losses l = losses_of_file(f, r->found);
	const struct {
		const char *what;
		uint64_t n;
	} lines[] = {{"hooks lost: ring full", l.full}, {"hooks lost: too big", l.big},
		{"hooks lost: sections held", l.held}, {"hooks lost: no guest ring", l.no_guest},
		{"hooks lost: cause unknown", l.unexplained},
		{"hooks lost: no task slot", l.no_slot}, {"hooks lost: no memory", l.no_memory},
		{"hooks lost: not attached", l.unattached}, {"hooks lost: unwritten", l.unwritten},
		{"torn records (never committed)", l.torn},
		{"hooks overwritten by newer ones", l.overwritten},
		{"bytes of damaged file skipped", f->damaged_bytes},
		{"sections that contradict themselves",
			f->ncontradictions + f->contradictions_untold},
		{"end of the file missing: its writer did not close it",
			!f->has_end && !f->import}};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		about_write_loss(j, f, lines[i].what, lines[i].n);
}

void about_write_losses(const struct report *r, struct json *j)
{
	for (size_t i = 0; i < trace_nfiles(r->trace); i++)
		about_write_file_losses(r, trace_file(r->trace, i), j);
}

/* Since the first start; may be negative. */
static int64_t about_since_base(const struct about *a, const struct trace_file *f, uint64_t ticks)
{
	return (int64_t)((uint64_t)trace_time(f, ticks) - (uint64_t)a->base);
}

static void about_write_gap(
	struct json *j, const struct trace_ring *ring, const char *why, int64_t from, int64_t to)
{
	json_open(j, '{');
	if (!(ring->ring & TF_GUEST_RING))
		json_member_u64(j, "cpu", ring->ring);
	json_member_text(j, "why", why);
	json_member_i64(j, "from", from);
	json_member_i64(j, "to", to);
	json_close(j, '}');
}

/*
 * Where a ring is known to have lost hooks: before its oldest one, and after its newest one, if it
 * was full. Of other losses no time is known.
 */
static void about_write_gaps(const struct about *a, const struct trace_file *f, struct json *j)
{
	for (size_t i = 0; i < f->nrings && f->has_hooks; i++) {
		const struct trace_ring *ring = &f->rings[i];

		if (!ring->hooks)
			continue;
		/* The timeline begins with the first start, which is before the first hook. */
		const int64_t first = about_since_base(a, f, f->first);
		const int64_t begin = first < 0 ? first : 0;

		if (ring->overwritten && about_since_base(a, f, ring->first) > begin)
			about_write_gap(
				j, ring, "overwritten", begin, about_since_base(a, f, ring->first));
		if (ring->loss_full && ring->last < f->last)
			about_write_gap(j, ring, "ring full", about_since_base(a, f, ring->last),
				about_since_base(a, f, f->last));
	}
}

int about_write(struct report *r, const struct about *a, struct json *j)
{
	size_t files = trace_nfiles(r->trace);

	json_open(j, '{');
	json_member_u64(j, "version", 1);
	json_member_text(j, "host", r->host);
	json_member_text(j, "command", r->command);
	json_key(j, "base"); /* a string: a double lacks its last digits */
	json_format(j, "%" PRId64, a->base);
	json_member_i64(j, "first_hook", report_start(r->trace) - a->base);
	json_member_u64(j, "until", a->until);
	json_member_u64(j, "intervals", a->intervals);
	json_member_u64(j, "open", a->open);
	json_member_u64(j, "open_no_end", a->open_no_end);
	json_member_u64(j, "children_lost", a->children_lost);
	json_member_u64(j, "marks", a->markers);
	if (a->has_no_markers)
		json_member_bool(j, "marks_left_out", true);
	if (a->is_without_runs)
		json_member_bool(j, "switches_left_out", true);
	if (a->has_cut_times)
		json_member_u64(j, "times_of", TIMES_MOST);
	if (a->cells->values_left_out)
		json_member_u64(j, "values_left_out", a->cells->values_left_out);
	json_member_u64(j, "names", a->names);
	json_member_u64(j, "lanes", a->lanes);
	json_member_u64(j, "rows", a->rows);
	json_member_bool(j, "scripted", r->scripted);
	json_member_open(j, "files", '[');
	for (size_t i = 0; i < files; i++) {
		const struct trace_file *f = trace_file(r->trace, i);

		json_open(j, '{');
		json_member_text(j, "path", f->path);
		json_member_text(j, "host", trace_meta_value(f, "host"));
		info_write_doctor(&(struct document){.o = j->o, .j = j}, f);
		json_key(j, "clock_error_ns");
		json_double(j, trace_time_error(f));
		json_close(j, '}');
	}
	json_close(j, ']');
	json_member_open(j, "losses", '[');
	about_write_losses(r, j);
	json_close(j, ']');
	json_member_open(j, "gaps", '[');
	for (size_t i = 0; i < files; i++)
		about_write_gaps(a, trace_file(r->trace, i), j);
	json_close(j, ']');
	json_key(j, "columns");
	cells_write_names(a->cells, j);
	json_key(j, "numeric");
	cells_write_numeric(a->cells, j, false);
	json_key(j, "rings");
	ids_write_rings(&a->cells->ids, j);
	json_key(j, "metrics");
	int rc = formulas_write(r, a->cells, j);
	about_write_overview(a->overview, j);
	if (r->is_span) {
		/* Strings, as base. */
		json_member_open(j, "span", '[');
		json_format(j, "%" PRId64, r->filter->from);
		json_format(j, "%" PRId64, r->filter->to);
		json_close(j, ']');
	}
	if (a->tiled)
		tiled_about(a->tiled, a->cells, j);
	json_close(j, '}');
	return rc;
}
