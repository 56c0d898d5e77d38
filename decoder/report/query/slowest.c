/*
 * Finds the slowest intervals: by a heap; then, in a pass over all, the intervals nearest to the
 * medians of their labels; then, in order, the families of both.
 */
#include "slowest.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../../model/intervals/elapsed.h"
#include "../../model/intervals/interval_stream.h"
#include "top.h"
#include "../tallies.h"

/* The interval of a group that is nearest to its median. */
struct median {
	struct top_entry hook; /* rank: how far it is, in ns */
	bool is_found;
};

struct slowest_search {
	struct report *r;
	struct top top;
	struct tally tally;
	uint64_t *p50;		/* of each group, ns */
	atomic_uchar *wanted;	/* groups with one of the slowest */
	struct median *medians; /* of each group; those of thread 0 first, then of thread 1, ... */
	unsigned threads;
	struct kin_walk walk;
	struct meanwhile_walk meanwhile;
};

static const struct tally_group *slowest_group(
	const struct slowest_search *s, const struct interval *iv)
{
	return tally_find(&s->tally, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
}

static bool slowest_is_nearer(const struct top_entry *a, const struct top_entry *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->machine != b->machine)
		return a->machine < b->machine;
	if (a->start != b->start)
		return a->start < b->start;
	if (a->ring != b->ring)
		return a->ring < b->ring;
	return a->position != b->position ? a->position < b->position : a->file < b->file;
}

static void slowest_update_median(struct median *m, const struct top_entry *entry)
{
	if (!m->is_found || slowest_is_nearer(entry, &m->hook))
		*m = (struct median){*entry, true};
}

static int slowest_take_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	struct slowest_search *s = ctx;
	const struct tally_group *g = slowest_group(s, iv);
	const uint64_t ns = elapsed_whole_ns(iv);
	size_t place;

	/* A pass over a trace that changed meanwhile may find others. */
	if (!g)
		return 0;
	const uint64_t p50 = s->p50[g->place];
	const struct top_entry entry = {.rank = ns > p50 ? ns - p50 : p50 - ns,
		.start = iv->start_ticks,
		.position = iv->position,
		.machine = iv->machine,
		.ring = iv->ring,
		.file = iv->file};

	if (top_has(&s->top, iv, &place))
		atomic_store_explicit(&s->wanted[g->place], 1, memory_order_relaxed);
	slowest_update_median(&s->medians[thread * s->tally.count + g->place], &entry);
	return 0;
}

/* Finds the medians; those of thread 0 are then of all. */
static int slowest_find_medians(struct slowest_search *s)
{
	const size_t groups = s->tally.count;

	s->threads = tallies_threads(s->r, groups * sizeof *s->medians);
	s->p50 = calloc(groups + 1, sizeof *s->p50);
	s->wanted = calloc(groups + 1, sizeof *s->wanted);
	s->medians = calloc(s->threads * groups + 1, sizeof *s->medians);
	if (!s->p50 || !s->wanted || !s->medians)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < groups; i++)
		s->p50[s->tally.groups[i]->place] =
			histogram_percentile(&s->tally.groups[i]->time, 50);
	int rc = tallies_each(s->r, s->threads, 0, NULL, slowest_take_interval, s);
	for (unsigned thread = 1; thread < s->threads && !rc; thread++)
		for (size_t i = 0; i < groups; i++) {
			const struct median *m = &s->medians[thread * groups + i];

			if (m->is_found)
				slowest_update_median(&s->medians[i], &m->hook);
		}
	return rc;
}

/* The intervals whose families are asked for, each once. */
static int slowest_list_kins(struct slowest_search *s)
{
	const size_t groups = s->tally.count;
	size_t count = s->top.count;

	for (size_t i = 0; i < groups; i++)
		count += s->wanted[i];
	s->walk.kins = calloc(count + 1, sizeof *s->walk.kins);
	if (!s->walk.kins)
		return CPIDECODE_ENOMEM;
	count = 0;
	for (size_t i = 0; i < s->top.count; i++) {
		const struct top_entry *hook = &s->top.at[i];

		s->walk.kins[count++] = (struct kin){
			.file = hook->file, .ring = hook->ring, .position = hook->position};
	}
	kin_sort(s->walk.kins, count);
	for (size_t i = 0; i < groups; i++) {
		const struct top_entry *hook = &s->medians[i].hook;

		if (s->wanted[i] && s->medians[i].is_found &&
			!kin_find(
				s->walk.kins, s->top.count, hook->file, hook->ring, hook->position))
			s->walk.kins[count++] = (struct kin){
				.file = hook->file, .ring = hook->ring, .position = hook->position};
	}
	kin_sort(s->walk.kins, count);
	s->walk.count = count;
	return 0;
}

static const struct kin *slowest_find_kin(
	const struct slowest_search *s, const struct top_entry *hook)
{
	const struct kin *kin =
		kin_find(s->walk.kins, s->walk.count, hook->file, hook->ring, hook->position);

	return kin && kin->is_found ? kin : NULL;
}

static int slowest_begin_meanwhile(struct slowest_search *s)
{
	const struct kin **kins = calloc(s->top.count + 1, sizeof *kins);
	size_t count = 0;

	if (!kins)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < s->top.count; i++) {
		kins[count] = slowest_find_kin(s, &s->top.at[i]);
		count += kins[count] != NULL;
	}
	int rc = meanwhile_begin(&s->meanwhile, kins, count);
	free(kins);
	return rc;
}

/* Reads all intervals in order: those around and inside of a row need not be selected. */
static int slowest_walk(struct slowest_search *s)
{
	const struct report *r = s->r;
	struct interval_stream_options how = {.from_ns = INT64_MIN,
		.progress = r->progress,
		.progress_ctx = r->ctx,
		.threads = r->threads,
		.wants = WANT_START | WANT_QUALITY | WANT_THREAD | WANT_VALUES |
			 (r->compensate ? WANT_OWN_COST : 0),
		.by_machine = true,
		.nested_cost = r->compensate,
		.compensate = r->compensate,
		/* They may contain one, or overlap it. */
		.open = true};
	struct findings found = {0};
	struct interval_stream *stream;
	const struct interval *iv;
	int rc = interval_stream_open(r->trace, &how, &stream, &found);

	findings_free(&found);
	if (rc)
		return rc;
	while ((rc = interval_stream_next(stream, &iv)) > 0)
		if ((rc = kin_add(&s->walk, iv)))
			break;
	if (!rc)
		rc = kin_end(&s->walk);
	/* What overlaps them began before they were found. */
	if (!rc)
		rc = slowest_begin_meanwhile(s);
	if (!rc)
		rc = interval_stream_rewind(stream);
	while (!rc && (rc = interval_stream_next(stream, &iv)) > 0)
		rc = meanwhile_add(&s->meanwhile, iv);
	int error = errno;
	interval_stream_close(stream);
	meanwhile_end(&s->meanwhile);
	errno = error;
	return rc;
}

static void slowest_print_all(struct slowest_search *s)
{
	bool is_first = true;

	for (size_t i = 0; i < s->top.count && !s->r->out->error; i++) {
		const struct top_entry *hook = &s->top.at[i], *middle;
		struct slowest one = {.place = i + 1, .kin = slowest_find_kin(s, hook)};

		if (!one.kin)
			continue;
		one.meanwhile = meanwhile_find(&s->meanwhile, &one.kin->iv);
		one.group = slowest_group(s, &one.kin->iv);
		if (!one.group)
			continue;
		middle = &s->medians[one.group->place].hook;
		one.median = kin_find(
			s->walk.kins, s->walk.count, middle->file, middle->ring, middle->position);
		if (!one.median)
			continue;
		slowest_print(s->r, &one, is_first);
		is_first = false;
	}
	if (is_first && s->r->format == FORMAT_TEXT)
		out_str(s->r->out, "no intervals\n");
}

static void slowest_free(struct slowest_search *s)
{
	meanwhile_free(&s->meanwhile);
	kin_free(&s->walk);
	free(s->walk.kins);
	free(s->p50);
	free(s->wanted);
	free(s->medians);
	tally_free(&s->tally);
	top_free(&s->top);
}

int report_slowest(struct report *r)
{
	struct slowest_search s = {
		.r = r, .walk = {.trace = r->trace}, .meanwhile = {.trace = r->trace}};
	int rc = top_find(&s.top, r, r->top ? r->top : SLOWEST_DEFAULT);

	if (!rc)
		rc = tallies_read(r, &s.tally);
	if (!rc)
		rc = slowest_find_medians(&s);
	if (!rc)
		rc = slowest_list_kins(&s);
	if (!rc)
		rc = slowest_walk(&s);
	if (!rc) {
		if (r->format == FORMAT_TEXT)
			report_head_lines(r);
		slowest_print_all(&s);
	}
	slowest_free(&s);
	return rc;
}
