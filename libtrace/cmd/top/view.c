#include "view.h"

#include <string.h>
#include <time.h>

#include "../../../decoder/sink/escapes.h"
#include "../../../decoder/sink/units.h"
#include "../../../formats/base/time_ns.h"
#include "../../../formats/trace_file.h"
#include "../print_stream.h"

double top_share(uint64_t hooks, uint64_t missed)
{
	return hooks ? (double)(hooks - missed) / (double)hooks : NAN;
}

/* --------------------------------------------------------------------- figures */

struct view_rates {
	double hooks, lost; /* a second */
	uint64_t bytes;
};

static struct view_rates view_find_rates(
	uint64_t hooks, uint64_t bytes, uint64_t lost, double seconds)
{
	const bool known = seconds > 0;

	return (struct view_rates){.hooks = known ? (double)hooks / seconds : NAN,
		.lost = known ? (double)lost / seconds : NAN,
		.bytes = known ? (uint64_t)((double)bytes / seconds) : 0};
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
	escape_label(o, label->name, label->length, label->mm);
}

/* --------------------------------------------------------------------- summary */

static void view_put_lag(struct out *o, const struct top *t)
{
	const struct top_ring *sum = &t->rings.sum;

	out_str(o, t->rings.drained ? "drain running, " : "no drain runs: ");
	units_size(o, sum->lag_bytes);
	out_str(o, t->rings.drained ? " behind, the furthest ring by " : " wait in the rings");
	if (t->rings.drained)
		units_duration(o, sum->lag_s * TIME_SECOND_NS);
	out_char(o, '\n');
}

void top_view_summary(struct out *o, const struct top *t)
{
	const struct top_ring *sum = &t->rings.sum;
	const struct view_rates rates =
		view_find_rates(sum->hooks, sum->bytes, sum->lost, t->round_s);

	units_rate(o, rates.hooks);
	out_str(o, " hooks/s, seen ");
	units_part(o, top_share(sum->hooks, sum->missed));
	out_str(o, ", ");
	units_size(o, rates.bytes);
	out_str(o, "/s, lost ");
	units_rate(o, rates.lost);
	out_str(o, "/s, fullest ring ");
	units_part(o, sum->full);
	out_str(o, "\nsince the start ");
	out_u64(o, sum->all_hooks);
	out_str(o, " hooks, seen ");
	units_part(o, top_share(sum->all_hooks, sum->all_missed));
	out_str(o, ", ");
	units_size(o, sum->all_bytes);
	out_str(o, ", lost ");
	out_u64(o, sum->all_lost);
	out_str(o, " in ");
	units_duration(o, t->all_s * TIME_SECOND_NS);
	out_char(o, '\n');
	if (t->session.geometry.mode == SHM_MODE_CONTINUOUS)
		view_put_lag(o, t);
	view_put_time(o, t->time_ns);
	out_char(o, ' ');
	escape_text(o, t->session.location.dir, strlen(t->session.location.dir));
	out_printf(o, ", %s, tracing is %s, the last ", cmd_mode_name(t->session.geometry.mode),
		cmd_state_name(t->state));
	units_duration(o, t->round_s * TIME_SECOND_NS);
	if (t->labels.left_out) {
		out_str(o, "; intervals left out: ");
		out_u64(o, t->labels.left_out);
	}
	if (t->watch.damaged)
		out_printf(o, "; damaged rings: %u", t->watch.damaged);
	out_char(o, '\n');
}

/* ----------------------------------------------------------------------- rings */

enum { VIEW_HAS_DRAIN = 1 << 0, VIEW_HAS_LAST = 1 << 1, VIEW_HAS_TOTAL = 1 << 2 };

struct view_ring {
	struct top_ring of;
	const char *kind;
	uint32_t number;
	struct view_rates rates;
	double seen, lag_ns;
};

static struct view_ring view_make_ring(const struct top *t, const struct top_ring *r)
{
	const bool guest = r->id >= TF_GUEST_RING;

	return (struct view_ring){.of = *r,
		.kind = guest ? "guest" : "cpu",
		.number = guest ? r->id - TF_GUEST_RING : r->id,
		.rates = view_find_rates(r->hooks, r->bytes, r->lost, t->round_s),
		.seen = top_share(r->hooks, r->missed),
		.lag_ns = r->lag_s * TIME_SECOND_NS};
}

static void view_spell_ring(struct out *o, const void *row)
{
	const struct view_ring *r = row;

	out_printf(o, "%s %u", r->kind, r->number);
}

#define AT(member) COLUMN_AT(struct view_ring, member)
static const struct column ring_columns[] = {
	{NULL, "ring", .text = view_spell_ring, .left = true},
	{"kind", AT(kind)},
	{"number", AT(number)},
	{"hooks", AT(of.hooks)},
	{NULL, "hooks/s", AT(rates.hooks), .unit = UNIT_RATE},
	{"missed", AT(of.missed)},
	{"bytes", AT(of.bytes)},
	{NULL, "bytes/s", AT(rates.bytes), .unit = UNIT_SIZE},
	{NULL, "seen", AT(seen), .unit = UNIT_PART},
	{"lost", AT(of.lost)},
	{NULL, "lost/s", AT(rates.lost), .unit = UNIT_RATE},
	{"lost_in_all", "lost in all", AT(of.lost_ever)},
	{"full", "full", AT(of.full), .decimals = 4, .unit = UNIT_PART},
	{"lag_bytes", "undrained", AT(of.lag_bytes), .in = IN_TEXT | IN_JSON | IN_NESTED,
		.unit = UNIT_SIZE, .when = VIEW_HAS_DRAIN},
	{"lag_s", AT(of.lag_s), .in = IN_JSON | IN_NESTED, .decimals = 6, .when = VIEW_HAS_DRAIN},
	{NULL, "for", AT(lag_ns), .unit = UNIT_DURATION, .when = VIEW_HAS_DRAIN},
	{.name = NULL},
};
#undef AT

void top_view_rings(struct document *d, const struct top *t)
{
	const bool drained = t->session.geometry.mode == SHM_MODE_CONTINUOUS;

	for (document_begin_list(d, "rings", ring_columns, drained ? VIEW_HAS_DRAIN : 0);
		document_pass(d);)
		for (uint32_t i = 0; i < t->rings.count; i++) {
			const struct view_ring row = view_make_ring(t, &t->rings.ring[i]);

			if (!top_ring_is_quiet(&row.of))
				document_add_row(d, &row);
		}
}

void top_view_lag(struct json *j, const struct top *t)
{
	const struct view_ring sum = view_make_ring(t, &t->rings.sum);

	column_write_members(j, ring_columns, IN_NESTED, VIEW_HAS_DRAIN, &sum);
}

/* -------------------------------------------------------------------- programs */

struct view_program {
	struct top_program of;
	struct cell name, pid;
	struct view_rates rates;
};

#define AT(member) COLUMN_AT(struct view_program, member)
static const struct column program_columns[] = {
	{"name", "program", AT(name), .left = true},
	{"pid", "process", AT(pid)},
	{"hooks", AT(of.last.hooks)},
	{NULL, "hooks/s", AT(rates.hooks), .unit = UNIT_RATE},
	{"bytes", AT(of.last.bytes)},
	{NULL, "bytes/s", AT(rates.bytes), .unit = UNIT_SIZE},
	{"lost", AT(of.last.lost)},
	{NULL, "lost/s", AT(rates.lost), .unit = UNIT_RATE, .place = 1},
	{"total_hooks", "hooks in all", AT(of.total.hooks)},
	{"total_bytes", AT(of.total.bytes)},
	{"total_lost", "lost in all", AT(of.total.lost), .place = 1},
	{.name = NULL},
};
#undef AT

void top_view_programs(struct document *d, const struct top *t)
{
	for (document_begin_list(d, "programs", program_columns, 0); document_pass(d);)
		for (size_t i = 0; i < t->shown_programs; i++) {
			const struct top_program *p = &t->programs.row[t->program[i]];
			const struct top_count *last = &p->last;

			document_add_row(
				d, &(struct view_program){.of = *p,
					   .name = cell_string(p->name, strlen(p->name), p->pid),
					   .pid = cell_u64(p->pid, p->pid),
					   .rates = view_find_rates(last->hooks, last->bytes,
						   last->lost, t->round_s)});
		}
}

/* ---------------------------------------------------------------------- labels */

struct view_label {
	struct top_summary of; /* of text, and first: of an object of JSON */
	struct top_summary last, total;
	const struct top_label *label;
	struct cell name, mm;
};

static void view_spell_label(struct out *o, const void *row)
{
	view_put_label(o, ((const struct view_label *)row)->label);
}

enum { VIEW_FIGURE = IN_TEXT | IN_NESTED };
#define VIEW_NS .in = VIEW_FIGURE, .decimals = 3, .unit = UNIT_DURATION
#define AT(member) COLUMN_AT(struct view_label, member)
#define VIEW_NEST(member)                                                                          \
	.source = COLUMN_NEST, .of = label_columns, .offset = offsetof(struct view_label, member)
static const struct column label_columns[] = {
	{"label", AT(name)},
	{"mm", AT(mm)},
	{"last", VIEW_NEST(last)},
	{"total", VIEW_NEST(total)},
	{"count", "count", AT(of.count), .in = VIEW_FIGURE},
	{"per_s", "rate/s", AT(of.per_second), .in = VIEW_FIGURE, .decimals = 3, .unit = UNIT_RATE},
	{"mean_ns", "mean", AT(of.mean_ns), VIEW_NS},
	{"p50_ns", "p50", AT(of.p50_ns), VIEW_NS},
	{"p99_ns", "p99", AT(of.p99_ns), VIEW_NS},
	{"max_ns", "max", AT(of.max_ns), VIEW_NS},
	{"cpi", AT(of.cpi), .in = IN_NESTED, .decimals = 4},
	{NULL, "CPI", AT(of.cpi), .decimals = 2},
	{"on_cpu_ns", "on CPU", AT(of.on_cpu_ns), VIEW_NS},
	{"off_cpu_ns", "off CPU", AT(of.off_cpu_ns), VIEW_NS},
	{NULL, "label", .text = view_spell_label, .left = true, .when = VIEW_HAS_LAST},
	{NULL, "label, since the start", .text = view_spell_label, .left = true,
		.when = VIEW_HAS_TOTAL},
	{.name = NULL},
};
#undef AT

void top_view_labels(struct document *d, const struct top *t, bool since_start)
{
	const unsigned has = since_start ? VIEW_HAS_TOTAL : VIEW_HAS_LAST;

	for (document_begin_list(d, "labels", label_columns, has); document_pass(d);)
		for (size_t i = 0; i < t->rows; i++) {
			const struct top_row *row = &t->row[i];
			const struct top_label *label = &t->labels.row[row->label];

			document_add_row(
				d, &(struct view_label){.of = since_start ? row->total : row->last,
					   .last = row->last,
					   .total = row->total,
					   .label = label,
					   .name = cell_string(
						   label->name, label->length, label->name),
					   .mm = cell_u64(label->mm, !label->name)});
		}
}

/* ------------------------------------------------------------------- histogram */

/* The bounds of a histogram's lines, in ns: 1, 2, 5, 10, ... Line i has [bound i, bound i + 1). */
enum { VIEW_BOUNDS = 64 };
static unsigned view_bounds(
	const struct top *t, const struct top_label *label, double bounds[VIEW_BOUNDS])
{
	static const double steps[] = {1, 2, 5};
	const struct top_histogram *h = &label->total.elapsed;
	double min = (double)h->min * t->ns_per_tick, max = (double)h->max * t->ns_per_tick;
	double power = 1;
	unsigned n = 1;

	bounds[0] = 0;
	if (h->count == 0)
		return 0;
	for (unsigned k = 0; n < VIEW_BOUNDS && bounds[n - 1] <= max; k++) {
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

static uint64_t view_count_between(
	const struct top *t, const struct top_figures *f, double from_ns, double to_ns)
{
	double from = ceil(from_ns / t->ns_per_tick), to = ceil(to_ns / t->ns_per_tick);

	return top_histogram_between(&f->elapsed, from < 0x1p64 ? (uint64_t)from : UINT64_MAX,
		to < 0x1p64 ? (uint64_t)to : UINT64_MAX);
}

struct view_bucket {
	double from, to; /* ns */
	uint64_t count, total, most;
};

static void view_spell_bar(struct out *o, const void *row)
{
	enum { WIDTH = 40 };
	const struct view_bucket *b = row;
	uint64_t length = b->most ? (uint64_t)ceil((double)b->total / (double)b->most * WIDTH) : 0;

	out_repeat(o, '#', length < WIDTH ? length : WIDTH);
}

#define AT(member) COLUMN_AT(struct view_bucket, member)
static const struct column bucket_columns[] = {
	{"from_ns", "from", AT(from), .unit = UNIT_DURATION},
	{"to_ns", "to", AT(to), .unit = UNIT_DURATION},
	{"count", "count", AT(count)},
	{"total", "in all", AT(total)},
	{NULL, "", .text = view_spell_bar, .left = true},
	{.name = NULL},
};
#undef AT

void top_view_buckets(struct document *d, const struct top *t, const struct top_label *label)
{
	double bounds[VIEW_BOUNDS];
	unsigned lines = label ? view_bounds(t, label, bounds) : 0;
	struct view_bucket row[VIEW_BOUNDS];
	uint64_t most = 0;

	for (unsigned i = 0; i < lines; i++) {
		row[i] = (struct view_bucket){.from = bounds[i],
			.to = bounds[i + 1],
			.count = view_count_between(t, &label->last, bounds[i], bounds[i + 1]),
			.total = view_count_between(t, &label->total, bounds[i], bounds[i + 1])};
		most = row[i].total > most ? row[i].total : most;
	}
	for (document_begin_list(d, "buckets", bucket_columns, 0); document_pass(d);)
		for (unsigned i = 0; i < lines; i++) {
			row[i].most = most;
			document_add_row(d, &row[i]);
		}
}

void top_view_histogram(
	struct document *d, const struct top *t, const char *name, const struct top_label *label)
{
	const bool any = label && label->total.elapsed.count;

	out_str(d->o, "elapsed times of ");
	if (label)
		view_put_label(d->o, label);
	else
		escape_text(d->o, name, strlen(name));
	out_str(d->o, any ? "\n" : ": there are none yet\n");
	if (any)
		top_view_buckets(d, t, label);
}

void top_view_batch(struct out *o, const struct top *t)
{
	struct document d = {.o = o, .keeps_heading = true};

	top_view_summary(o, t);
	out_char(o, '\n');
	top_view_rings(&d, t);
	out_char(o, '\n');
	top_view_programs(&d, t);
	out_char(o, '\n');
	if (t->options.counts)
		return;
	top_view_labels(&d, t, false);
	out_char(o, '\n');
	top_view_labels(&d, t, true);
	out_char(o, '\n');
	if (!t->options.label)
		return;
	top_view_histogram(&d, t, t->options.label, top_labels_find(&t->labels, t->options.label));
	out_char(o, '\n');
}
