#include "tallies.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../model/pass.h"

/* One a thread. */
struct worker {
	struct tally tally;
	struct interval_builder *builder;
};

struct reader {
	struct report *r;
	unsigned wants; /* enum interval_want */
	struct worker *workers;
};

static int take(struct reader *reader, struct tally *t, const struct interval *iv)
{
	return filter_interval(reader->r->filter, iv) ? tally_add(t, iv) : 0;
}

static int read_slice(void *ctx, struct pass_slice *slice)
{
	struct reader *reader = ctx;
	struct worker *w = &reader->workers[pass_thread(slice)];
	const struct interval *iv;
	const struct hook *h;
	int rc = 0;
	if (!w->builder)
		rc = interval_builder_new(reader->r->trace, reader->wants, &w->builder);
	if (rc)
		return rc;
	while ((rc = pass_next(slice, &h)) > 0) {
		rc = interval_feed(w->builder, h, &iv);
		if (rc > 0)
			rc = take(reader, &w->tally, iv);
		if (rc)
			break;
	}
	while (!rc && (rc = interval_flush(w->builder, &iv)) > 0)
		rc = take(reader, &w->tally, iv);
	return rc;
}

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct report *r = ((struct reader *)ctx)->r;
	return !r->progress || r->progress(r->ctx, done, total);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static unsigned wants_of(const struct report *r, const struct tally *t)
{
	unsigned wants = WANT_SYSTEM | WANT_THREAD | WANT_QUALITY;
	if (t->wanted & TALLY_WANT_CPUS)
		wants |= WANT_CPUS;
	/* Only then it matters when an interval began. */
	return r->filter->to != INT64_MAX ? wants | WANT_START : wants;
}

int tallies_read(struct report *r, struct tally *t)
{
	struct reader reader = {.r = r, .wants = wants_of(r, t)};
	/* An interval ends with its hooks, so one that a part of lies before `to` may have its
	 * hooks after it; but not before `from`. */
	struct pass pass = {.trace = r->trace,
		.from_ns = later(r->filter->from, r->slice.from),
		.to_ns = r->slice.to,
		.threads = r->threads,
		.read = read_slice,
		.progress = show_progress,
		.ctx = &reader};
	unsigned n = pass_threads(&pass);
	reader.workers = calloc(n, sizeof *reader.workers);
	if (!reader.workers)
		return CPIDECODE_ENOMEM;
	for (unsigned i = 0; i < n; i++)
		reader.workers[i].tally.wanted = t->wanted;
	int rc = pass_run(&pass, r->found);
	for (unsigned i = 0; i < n; i++) {
		struct worker *w = &reader.workers[i];
		if (!rc)
			rc = tally_merge(t, &w->tally);
		tally_free(&w->tally);
		interval_builder_free(w->builder);
	}
	free(reader.workers);
	if (!rc && t->cpus_left_out)
		report_note(r,
			"%" PRIu64 " interval%s with processors beyond %d: those are left out",
			t->cpus_left_out, t->cpus_left_out == 1 ? "" : "s", TALLY_CPUS);
	return rc ? rc : tally_settle(t);
}

void tallies_csv_name(struct csv *c, const struct tally_group *g)
{
	if (g->has_label)
		csv_string(c, g->label, g->label_len);
	else
		csv_empty(c);
	csv_u64(c, g->mm);
}

void tallies_json_name(struct json *j, const struct tally_group *g)
{
	json_key(j, "label");
	if (g->has_label)
		json_string(j, g->label, g->label_len);
	else
		json_null(j);
	json_key(j, "minor");
	json_u64(j, g->mm);
}

void tallies_flagged_line(const struct report *r, const struct tally *t)
{
	uint64_t taken = 0, flagged = 0, by_flag[TALLY_FLAGS] = {0};
	const char *between = ": ";
	for (size_t i = 0; i < t->count; i++) {
		const struct tally_group *g = t->groups[i];
		taken += g->time.count;
		flagged += g->flagged;
		for (unsigned f = 0; f < TALLY_FLAGS; f++)
			by_flag[f] += g->by_flag[f];
	}
	if (!flagged)
		return;
	out_printf(r->out, "# %" PRIu64 " of %" PRIu64 " intervals flagged", flagged, taken);
	for (unsigned f = 0; f < TALLY_FLAGS; f++) {
		if (!by_flag[f])
			continue;
		out_str(r->out, between);
		report_flags(r->out, IV_MULTIPLEXED << f);
		out_printf(r->out, " %" PRIu64, by_flag[f]);
		between = ", ";
	}
	out_char(r->out, '\n');
}
