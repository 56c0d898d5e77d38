#include "json.h"

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

static void top_json_drain(struct json *j, const struct top *t)
{
	json_key(j, "drain");
	if (t->session.geometry.mode != SHM_MODE_CONTINUOUS) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_member_bool(j, "running", t->rings.drained);
	top_view_lag(j, t);
	json_close(j, '}');
}

static void top_json_histogram(struct document *d, const struct top *t)
{
	json_member_open(d->j, "histogram", '{');
	json_member_text(d->j, "label", t->options.label);
	top_view_buckets(d, t, top_labels_find(&t->labels, t->options.label));
	json_close(d->j, '}');
}

void top_put_json(struct json *j, const struct top *t)
{
	struct document d = {.j = j};

	json_open(j, '{');
	json_member_fixed(j, "time", time_seconds(t->time_ns), 6);
	json_member_text(j, "session", t->session.location.dir);
	json_member_text(j, "mode", cmd_mode_name(t->session.geometry.mode));
	json_member_text(j, "state", cmd_state_name(t->state));
	json_member_u64(j, "generation", t->session.generation);
	json_member_fixed(j, "seconds", t->round_s, 6);
	top_json_totals(j, t);
	top_json_drain(j, t);
	json_member_u64(j, "damaged_rings", t->watch.damaged);
	top_view_rings(&d, t);
	top_view_programs(&d, t);
	if (!t->options.counts) {
		top_view_labels(&d, t, false);
		json_member_u64(j, "intervals_left_out", t->labels.left_out);
	}
	if (t->options.label)
		top_json_histogram(&d, t);
	json_close(j, '}');
	json_end_line(j);
}
