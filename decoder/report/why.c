#include "why.h"

#include <stdlib.h>

#include "../../formats/trace_file.h"
#include "../model/intervals/elapsed.h"

struct search {
	struct report *r;
	struct tally tally;
	struct why_group *groups; /* parallel to the tally's groups; those of thread 0 first, then
				     of thread 1, ... */
	unsigned threads;
};

/* The clock's rate is the nominal one if the clock counts cycles. */
static bool knows_rate(const struct trace_file *f)
{
	return f->header.clock == TF_CLOCK_TSC && !f->header.damaged;
}

static void why_add_interval(struct why_sums *s, const struct report *r, const struct interval *iv)
{
	const struct trace_file *f = trace_file(r->trace, iv->file);

	s->count++;
	exact_add(&s->time, elapsed_exact(iv));
	if (iv->off_cpu_ns != NOT_MEASURED) {
		s->tell_off++;
		exact_add(&s->off_ns, iv->off_cpu_ns);
	}
	if (iv->thread_instructions == NOT_MEASURED || iv->thread_cycles == NOT_MEASURED)
		return;
	s->tell_counts++;
	s->user_only += (iv->flags & IV_USER_ONLY) != 0;
	exact_add(&s->instructions, iv->thread_instructions);
	exact_add(&s->cycles, iv->thread_cycles);
	if (knows_rate(f)) {
		s->tell_nominal++;
		exact_add(&s->nominal, exact_time(trace_duration_ns(f, iv->thread_cycles)));
	}
}

static int why_sum_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	struct search *s = ctx;
	const struct tally_group *found =
		tally_find(&s->tally, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
	uint64_t ns = elapsed_whole_ns(iv);

	if (!found) /* the trace grew meanwhile */
		return 0;
	struct why_group *g = &s->groups[thread * s->tally.count + found->place];
	for (unsigned side = 0; side < WHY_SIDES; side++)
		if (ns >= g->from[side] && ns <= g->to[side])
			why_add_interval(&g->sums[side], s->r, iv);
	return 0;
}

static void merge_sums(struct why_sums *s, const struct why_sums *from)
{
	s->count += from->count;
	s->tell_off += from->tell_off;
	s->tell_counts += from->tell_counts;
	s->tell_nominal += from->tell_nominal;
	s->user_only += from->user_only;
	exact_add(&s->time, from->time);
	exact_add(&s->off_ns, from->off_ns);
	exact_add(&s->instructions, from->instructions);
	exact_add(&s->cycles, from->cycles);
	exact_add(&s->nominal, from->nominal);
}

/* Whole buckets: the result must not depend on a percentile's position in its bucket. */
static void set_limits(struct why_group *g, unsigned tail)
{
	const struct histogram *h = &g->group->time;
	uint64_t from = histogram_rank(h->count, WHY_MIDDLE_FROM);
	uint64_t to = histogram_rank(h->count, WHY_MIDDLE_TO);
	uint64_t slow = histogram_rank_permille(h->count, tail);

	g->from[WHY_MIDDLE] = histogram_bin_at_rank(h, from).low;
	g->to[WHY_MIDDLE] = histogram_bin_at_rank(h, to).high;
	g->from[WHY_TAIL] = histogram_bin_at_rank(h, slow).low;
	g->to[WHY_TAIL] = h->max;
}

static int why_read_sides(struct search *s)
{
	size_t n = s->tally.count;

	s->threads = tallies_threads(s->r, n * sizeof *s->groups);
	s->groups = calloc(n * s->threads + 1, sizeof *s->groups);
	if (!s->groups)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < n * s->threads; i++) {
		s->groups[i].group = s->tally.groups[i % n];
		set_limits(&s->groups[i], s->r->tail);
	}
	int rc = tallies_each(
		s->r, s->threads, WANT_THREAD | WANT_QUALITY, NULL, why_sum_interval, s);
	for (size_t i = n; i < n * s->threads && !rc; i++)
		for (unsigned side = 0; side < WHY_SIDES; side++)
			merge_sums(&s->groups[i % n].sums[side], &s->groups[i].sums[side]);
	return rc;
}

int report_why(struct report *r)
{
	struct search s = {.r = r, .tally.wanted = TALLY_WANT_TYPES};

	if (!r->tail)
		r->tail = REPORT_TAIL;
	int rc = tallies_read(r, &s.tally);
	if (!rc)
		rc = why_read_sides(&s);
	if (!rc)
		why_print(r, s.groups, &s.tally);
	free(s.groups);
	tally_free(&s.tally);
	return rc;
}
