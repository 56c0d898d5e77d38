#include "view.h"

#include <string.h>
#include <time.h>

#include "../../../decoder/sink/escapes.h"
#include "../../../decoder/sink/table.h"
#include "../../../decoder/sink/units.h"
#include "../../../formats/base/time_ns.h"
#include "../../../formats/trace_file.h"
#include "../print_stream.h"

double top_share(uint64_t hooks, uint64_t missed)
{
	return hooks ? (double)(hooks - missed) / (double)hooks : NAN;
}

/* --------------------------------------------------------------------- figures */

static void view_put_rate(struct out *o, uint64_t n, double seconds)
{
	double rate = seconds > 0 ? (double)n / seconds : NAN;

	units_fixed(o, rate, rate < 99.95 ? 1 : 0);
}

static void view_put_percent(struct out *o, double share)
{
	/* Never "100.0 %" of an incomplete value. */
	if (share < 1 && share > 0.9994)
		share = 0.9994;
	units_fixed(o, 100 * share, 1);
	out_str(o, isnan(share) ? "" : " %");
}

static void view_put_time(struct out *o, uint64_t ns)
{
	time_t seconds = (time_t)(ns / TIME_SECOND_NS);
	char text[16] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof text, "%H:%M:%S", &tm);
	out_str(o, text);
}

static void view_put_label(struct out *o, const struct top_label *label)
{
	if (label->name)
		escape_text(o, label->name, label->length);
	else
		out_printf(o, "minor 0x%02X", label->mm);
}

/* --------------------------------------------------------------------- summary */

static void view_put_lag(struct out *o, const struct top *t)
{
	const struct top_ring *sum = &t->rings.sum;

	out_str(o, t->rings.drained ? "drain running, " : "no drain runs: ");
	units_size(o, sum->lag_bytes);
	out_str(o, t->rings.drained ? " behind, the furthest ring by " : " wait in the rings");
	if (t->rings.drained)
		units_duration(o, sum->lag_s * 1e9);
	out_char(o, '\n');
}

void top_view_summary(struct out *o, const struct top *t)
{
	const struct top_ring *sum = &t->rings.sum;

	view_put_rate(o, sum->hooks, t->round_s);
	out_str(o, " hooks/s, seen ");
	view_put_percent(o, top_share(sum->hooks, sum->missed));
	out_str(o, ", ");
	units_size(o, t->round_s > 0 ? (uint64_t)((double)sum->bytes / t->round_s) : 0);
	out_str(o, "/s, lost ");
	view_put_rate(o, sum->lost, t->round_s);
	out_str(o, "/s, fullest ring ");
	view_put_percent(o, sum->full);
	out_str(o, "\nsince the start ");
	out_u64(o, sum->all_hooks);
	out_str(o, " hooks, seen ");
	view_put_percent(o, top_share(sum->all_hooks, sum->all_missed));
	out_str(o, ", ");
	units_size(o, sum->all_bytes);
	out_str(o, ", lost ");
	out_u64(o, sum->all_lost);
	out_str(o, " in ");
	units_duration(o, t->all_s * 1e9);
	out_char(o, '\n');
	if (t->session.geometry.mode == SHM_MODE_CONTINUOUS)
		view_put_lag(o, t);
	view_put_time(o, t->time_ns);
	out_char(o, ' ');
	escape_text(o, t->session.location.dir, strlen(t->session.location.dir));
	out_printf(o, ", %s, tracing is %s, the last ", cmd_mode_name(t->session.geometry.mode),
		cmd_state_name(t->state));
	units_duration(o, t->round_s * 1e9);
	if (t->labels.left_out) {
		out_str(o, "; intervals left out: ");
		out_u64(o, t->labels.left_out);
	}
	if (t->watch.damaged)
		out_printf(o, "; damaged rings: %u", t->watch.damaged);
	out_char(o, '\n');
}

/* ----------------------------------------------------------------------- rings */

static void view_put_ring(
	struct table *t, const struct top_ring *r, double seconds, bool continuous)
{
	out_printf(table_left(t), r->id < TF_GUEST_RING ? "cpu %u" : "guest %u",
		r->id < TF_GUEST_RING ? r->id : r->id - TF_GUEST_RING);
	view_put_rate(table_right(t), r->hooks, seconds);
	units_size(table_right(t), seconds > 0 ? (uint64_t)((double)r->bytes / seconds) : 0);
	view_put_percent(table_right(t), top_share(r->hooks, r->missed));
	view_put_rate(table_right(t), r->lost, seconds);
	out_u64(table_right(t), r->lost_ever);
	view_put_percent(table_right(t), r->full);
	if (continuous) {
		units_size(table_right(t), r->lag_bytes);
		units_duration(table_right(t), r->lag_s * 1e9);
	}
	table_end_row(t);
}

void top_view_rings(struct out *o, const struct top *t)
{
	bool continuous = t->session.geometry.mode == SHM_MODE_CONTINUOUS;
	struct table table;

	for (table_begin(&table, o); table_pass(&table);) {
		table_printf(
			&table, "ring\t>hooks/s\t>bytes/s\t>seen\t>lost/s\t>lost in all\t>full");
		if (continuous) {
			table_printf(&table, ">undrained\t>for");
		}
		table_end_row(&table);
		for (uint32_t i = 0; i < t->rings.count; i++)
			if (!top_ring_is_quiet(&t->rings.ring[i]))
				view_put_ring(&table, &t->rings.ring[i], t->round_s, continuous);
	}
	table_free(&table);
}

/* -------------------------------------------------------------------- programs */

void top_view_programs(struct out *o, const struct top *t)
{
	struct table table;

	for (table_begin(&table, o); table_pass(&table);) {
		table_printf(&table,
			"program\t>process\t>hooks/s\t>bytes/s\t>hooks in all\t>lost/s\t>lost in all\n");
		for (size_t i = 0; i < t->shown_programs; i++) {
			const struct top_program *p = &t->programs.row[t->program[i]];

			if (p->pid)
				escape_text(table_left(&table), p->name, strlen(p->name));
			else
				table_text(&table, "n/a");
			if (p->pid)
				out_u64(table_right(&table), p->pid);
			else
				table_heading(&table, "n/a");
			view_put_rate(table_right(&table), p->last.hooks, t->round_s);
			units_size(table_right(&table),
				t->round_s > 0 ? (uint64_t)((double)p->last.bytes / t->round_s)
					       : 0);
			out_u64(table_right(&table), p->total.hooks);
			view_put_rate(table_right(&table), p->last.lost, t->round_s);
			out_u64(table_right(&table), p->total.lost);
			table_end_row(&table);
		}
	}
	table_free(&table);
}

/* ---------------------------------------------------------------------- labels */

static void view_put_summary(struct table *t, const struct top_summary *s)
{
	out_u64(table_right(t), s->count);
	units_fixed(table_right(t), s->per_second, s->per_second < 99.95 ? 1 : 0);
	units_duration(table_right(t), s->mean_ns);
	units_duration(table_right(t), s->p50_ns);
	units_duration(table_right(t), s->p99_ns);
	units_duration(table_right(t), s->max_ns);
	units_fixed(table_right(t), s->cpi, 2);
	units_duration(table_right(t), s->on_cpu_ns);
	units_duration(table_right(t), s->off_cpu_ns);
}

void top_view_labels(struct out *o, const struct top *t, bool since_start)
{
	struct table table;

	for (table_begin(&table, o); table_pass(&table);) {
		table_printf(&table,
			">count\t>rate/s\t>mean\t>p50\t>p99\t>max\t>CPI\t>on CPU\t>off CPU\tlabel%s\n",
			since_start ? ", since the start" : "");
		for (size_t i = 0; i < t->rows; i++) {
			view_put_summary(&table, since_start ? &t->row[i].total : &t->row[i].last);
			view_put_label(table_left(&table), &t->labels.row[t->row[i].label]);
			table_end_row(&table);
		}
	}
	table_free(&table);
}

/* ------------------------------------------------------------------- histogram */

unsigned top_bounds(const struct top *t, const struct top_label *label, double bounds[TOP_BOUNDS])
{
	static const double steps[] = {1, 2, 5};
	const struct top_histogram *h = &label->total.elapsed;
	double min = (double)h->min * t->ns_per_tick, max = (double)h->max * t->ns_per_tick;
	double power = 1;
	unsigned n = 1;

	bounds[0] = 0;
	if (h->count == 0)
		return 0;
	for (unsigned k = 0; n < TOP_BOUNDS && bounds[n - 1] <= max; k++) {
		double bound = steps[k % 3] * power;

		if (bound <= min)
			bounds[0] = bound;
		else
			bounds[n++] = bound;
		if (k % 3 == 2)
			power *= 10;
	}
	return n - 1;
}

uint64_t top_between(const struct top *t, const struct top_figures *f, double from_ns, double to_ns)
{
	double from = ceil(from_ns / t->ns_per_tick), to = ceil(to_ns / t->ns_per_tick);

	return top_histogram_between(&f->elapsed, from < 0x1p64 ? (uint64_t)from : UINT64_MAX,
		to < 0x1p64 ? (uint64_t)to : UINT64_MAX);
}

static void view_put_bar(struct out *o, uint64_t n, uint64_t most)
{
	enum { WIDTH = 40 };
	uint64_t length = most ? (uint64_t)ceil((double)n / (double)most * WIDTH) : 0;

	out_repeat(o, '#', length < WIDTH ? length : WIDTH);
}

void top_view_histogram(
	struct out *o, const struct top *t, const char *name, const struct top_label *label)
{
	double bounds[TOP_BOUNDS];
	unsigned lines = label ? top_bounds(t, label, bounds) : 0;
	uint64_t most = 0;
	struct table table;

	out_str(o, "elapsed times of ");
	if (label)
		view_put_label(o, label);
	else
		escape_text(o, name, strlen(name));
	out_str(o, lines ? "\n" : ": there are none yet\n");
	if (lines == 0)
		return;
	for (unsigned i = 0; i < lines; i++) {
		uint64_t n = top_between(t, &label->total, bounds[i], bounds[i + 1]);

		most = n > most ? n : most;
	}
	for (table_begin(&table, o); table_pass(&table);) {
		table_printf(&table, ">from\t>to\t>count\t>in all\t\n");
		for (unsigned i = 0; i < lines; i++) {
			uint64_t n = top_between(t, &label->total, bounds[i], bounds[i + 1]);

			units_duration(table_right(&table), bounds[i]);
			units_duration(table_right(&table), bounds[i + 1]);
			out_u64(table_right(&table),
				top_between(t, &label->last, bounds[i], bounds[i + 1]));
			out_u64(table_right(&table), n);
			view_put_bar(table_left(&table), n, most);
			table_end_row(&table);
		}
	}
	table_free(&table);
}

void top_view_batch(struct out *o, const struct top *t)
{
	top_view_summary(o, t);
	out_char(o, '\n');
	top_view_rings(o, t);
	out_char(o, '\n');
	top_view_programs(o, t);
	out_char(o, '\n');
	if (t->options.counts)
		return;
	top_view_labels(o, t, false);
	out_char(o, '\n');
	top_view_labels(o, t, true);
	out_char(o, '\n');
	if (!t->options.label)
		return;
	top_view_histogram(o, t, t->options.label, top_labels_find(&t->labels, t->options.label));
	out_char(o, '\n');
}
