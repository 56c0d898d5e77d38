#include "json.h"

#include <string.h>

#include "../../../formats/trace_file.h"
#include "view.h"

static void top_json_rate(struct json *j, const char *key, uint64_t n, double seconds)
{
	json_member_fixed(j, key, seconds > 0 ? (double)n / seconds : NAN, 3);
}

static void top_json_totals(struct json *j, const struct top *t)
{
	const struct top_ring *sum = &t->rings.sum;

	json_member_u64(j, "hooks", sum->hooks);
	top_json_rate(j, "hooks_per_s", sum->hooks, t->round_s);
	json_member_u64(j, "missed", sum->missed);
	json_member_fixed(j, "seen_share", top_share(sum->hooks, sum->missed), 6);
	json_member_u64(j, "bytes", sum->bytes);
	top_json_rate(j, "bytes_per_s", sum->bytes, t->round_s);
	json_member_u64(j, "lost", sum->lost);
	json_member_fixed(j, "full", sum->full, 4);
	json_member_open(j, "total", '{');
	json_member_fixed(j, "seconds", t->all_s, 6);
	json_member_u64(j, "hooks", sum->all_hooks);
	json_member_u64(j, "missed", sum->all_missed);
	json_member_fixed(j, "seen_share", top_share(sum->all_hooks, sum->all_missed), 6);
	json_member_u64(j, "bytes", sum->all_bytes);
	json_member_u64(j, "lost", sum->all_lost);
	json_close(j, '}');
}

static void top_json_lag(struct json *j, const struct top *t, const struct top_ring *r)
{
	if (t->session.geometry.mode != SHM_MODE_CONTINUOUS)
		return;
	json_member_u64(j, "lag_bytes", r->lag_bytes);
	json_member_fixed(j, "lag_s", r->lag_s, 6);
}

static void top_json_drain(struct json *j, const struct top *t)
{
	json_key(j, "drain");
	if (t->session.geometry.mode != SHM_MODE_CONTINUOUS) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_member_bool(j, "running", t->rings.drained);
	top_json_lag(j, t, &t->rings.sum);
	json_close(j, '}');
}

static void top_json_rings(struct json *j, const struct top *t)
{
	json_member_open(j, "rings", '[');
	for (uint32_t i = 0; i < t->rings.count; i++) {
		const struct top_ring *r = &t->rings.ring[i];
		bool guest = r->id >= TF_GUEST_RING;

		if (top_ring_is_quiet(r))
			continue;
		json_open(j, '{');
		json_member_text(j, "kind", guest ? "guest" : "cpu");
		json_member_u64(j, "number", guest ? r->id - TF_GUEST_RING : r->id);
		json_member_u64(j, "hooks", r->hooks);
		json_member_u64(j, "missed", r->missed);
		json_member_u64(j, "bytes", r->bytes);
		json_member_u64(j, "lost", r->lost);
		json_member_u64(j, "lost_in_all", r->lost_ever);
		json_member_fixed(j, "full", r->full, 4);
		top_json_lag(j, t, r);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void top_json_programs(struct json *j, const struct top *t)
{
	json_member_open(j, "programs", '[');
	for (size_t i = 0; i < t->shown_programs; i++) {
		const struct top_program *p = &t->programs.row[t->program[i]];

		json_open(j, '{');
		json_member_text(j, "name", p->pid ? p->name : NULL);
		json_member_count(j, "pid", p->pid, p->pid);
		json_member_u64(j, "hooks", p->last.hooks);
		json_member_u64(j, "bytes", p->last.bytes);
		json_member_u64(j, "lost", p->last.lost);
		json_member_u64(j, "total_hooks", p->total.hooks);
		json_member_u64(j, "total_bytes", p->total.bytes);
		json_member_u64(j, "total_lost", p->total.lost);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void top_json_summary(struct json *j, const char *key, const struct top_summary *s)
{
	json_member_open(j, key, '{');
	json_member_u64(j, "count", s->count);
	json_member_fixed(j, "per_s", s->per_second, 3);
	json_member_fixed(j, "mean_ns", s->mean_ns, 3);
	json_member_fixed(j, "p50_ns", s->p50_ns, 3);
	json_member_fixed(j, "p99_ns", s->p99_ns, 3);
	json_member_fixed(j, "max_ns", s->max_ns, 3);
	json_member_fixed(j, "cpi", s->cpi, 4);
	json_member_fixed(j, "on_cpu_ns", s->on_cpu_ns, 3);
	json_member_fixed(j, "off_cpu_ns", s->off_cpu_ns, 3);
	json_close(j, '}');
}

static void top_json_labels(struct json *j, const struct top *t)
{
	json_member_open(j, "labels", '[');
	for (size_t i = 0; i < t->rows; i++) {
		const struct top_label *label = &t->labels.row[t->row[i].label];

		json_open(j, '{');
		json_key(j, "label");
		if (label->name)
			json_string(j, label->name, label->length);
		else
			json_null(j);
		json_member_count(j, "mm", !label->name, label->mm);
		top_json_summary(j, "last", &t->row[i].last);
		top_json_summary(j, "total", &t->row[i].total);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_member_u64(j, "intervals_left_out", t->labels.left_out);
}

static void top_json_histogram(struct json *j, const struct top *t)
{
	const struct top_label *label = top_labels_find(&t->labels, t->options.label);
	double bounds[TOP_BOUNDS];
	unsigned lines = label ? top_bounds(t, label, bounds) : 0;

	json_member_open(j, "histogram", '{');
	json_member_text(j, "label", t->options.label);
	json_member_open(j, "buckets", '[');
	for (unsigned i = 0; i < lines; i++) {
		json_open(j, '{');
		json_member_fixed(j, "from_ns", bounds[i], 0);
		json_member_fixed(j, "to_ns", bounds[i + 1], 0);
		json_member_u64(j, "count", top_between(t, &label->last, bounds[i], bounds[i + 1]));
		json_member_u64(
			j, "total", top_between(t, &label->total, bounds[i], bounds[i + 1]));
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

void top_put_json(struct json *j, const struct top *t)
{
	json_open(j, '{');
	json_member_fixed(j, "time", (double)t->time_ns / 1e9, 6);
	json_member_text(j, "session", t->session.location.dir);
	json_member_text(j, "mode", cmd_mode_name(t->session.geometry.mode));
	json_member_text(j, "state", cmd_state_name(t->state));
	json_member_u64(j, "generation", t->session.generation);
	json_member_fixed(j, "seconds", t->round_s, 6);
	top_json_totals(j, t);
	top_json_drain(j, t);
	json_member_u64(j, "damaged_rings", t->watch.damaged);
	top_json_rings(j, t);
	top_json_programs(j, t);
	if (!t->options.counts)
		top_json_labels(j, t);
	if (t->options.label)
		top_json_histogram(j, t);
	json_close(j, '}');
	json_end_line(j);
}
