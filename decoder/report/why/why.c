#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/interval_hooks.h"
#include "../../model/intervals/elapsed.h"
#include "metrics.h"

struct search {
	struct report *r;
	const struct why_kept *kept; /* NULL: of r->trace */
	struct tally tally;
	struct why_group *groups; /* parallel to the tally's groups; those of thread 0 first, then
				     of thread 1, ... */
	struct why_event *events; /* of the groups, in the same order */
	size_t num_events;	  /* of each thread */
	struct why_metrics metrics;
	unsigned threads;
};

static void why_add_interval(
	struct why_sums *s, const struct trace_file *f, const struct interval *iv)
{
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
	if (why_knows_rate(f)) {
		s->tell_nominal++;
		exact_add(&s->nominal, exact_time(trace_duration_ns(f, iv->thread_cycles)));
	}
}

static bool why_is_event(
	const struct search *s, const struct interval_value *v, const char *name, uint32_t length)
{
	struct trace_text text;

	if (v->kind != VALUE_EVENT)
		return false;
	text = why_kept_text(s->r, s->kept, v->name);
	return text.length == length && (!length || memcmp(text.at, name, length) == 0);
}

/* The thread's instructions by the interval's own counters, or by its events. */
static uint64_t why_find_instructions(const struct search *s, const struct interval *iv)
{
	static const char name[] = "instructions";

	if (iv->thread_instructions != NOT_MEASURED)
		return iv->thread_instructions;
	for (uint32_t i = 0; i < iv->num_values; i++)
		if (why_is_event(s, &iv->values[i], name, sizeof name - 1))
			return iv->values[i].type == INTERVAL_ARG_U64 ? iv->values[i].u
								      : NOT_MEASURED;
	return NOT_MEASURED;
}

/* The event of that value in the group; NULL: none. */
static struct why_event *why_find_event(
	const struct search *s, const struct why_group *g, const struct interval_value *v)
{
	for (uint32_t i = 0; i < tally_extra(g->group)->num_events; i++) {
		const struct tally_event *e = g->events[i].event;

		if (why_is_event(s, v, e->name, e->length))
			return &g->events[i];
	}
	return NULL;
}

static void why_add_events(
	const struct search *s, const struct why_group *g, unsigned side, const struct interval *iv)
{
	static const char instructions_name[] = "instructions";
	const uint64_t instructions = why_find_instructions(s, iv);
	unsigned left = INTERVAL_EVENTS_MAX;

	for (uint32_t i = 0; i < iv->num_values && left; i++) {
		const struct interval_value *v = &iv->values[i];
		struct why_event *e;

		left -= v->kind == VALUE_EVENT;
		if (v->kind != VALUE_EVENT || v->type != INTERVAL_ARG_U64)
			continue;
		e = why_find_event(s, g, v);
		if (!e)
			continue;
		e->known[side]++;
		exact_add(&e->sum[side], v->u);
		/* Instructions have no rate per instruction. */
		if (instructions == NOT_MEASURED ||
			why_is_event(s, v, instructions_name, sizeof instructions_name - 1))
			continue;
		e->counted[side]++;
		exact_add(&e->instructions[side], instructions);
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
	struct why_group *g = &s->groups[thread * s->tally.count + found->index];
	int rc = 0;
	for (unsigned side = 0; side < WHY_SIDES && !rc; side++)
		if (ns >= g->from[side] && ns <= g->to[side]) {
			why_add_interval(
				&g->sums[side], why_kept_file(s->r, s->kept, iv->file), iv);
			if (iv->num_values)
				why_add_events(s, g, side, iv);
			rc = why_metrics_add(&s->metrics, side, thread, iv);
		}
	return rc;
}

static int why_sum_kept(void *ctx, const struct interval *iv, uint32_t parent)
{
	(void)parent;
	return why_sum_interval(ctx, 0, iv);
}

static void why_merge_events(struct why_event *e, const struct why_event *from)
{
	for (unsigned side = 0; side < WHY_SIDES; side++) {
		e->known[side] += from->known[side];
		e->counted[side] += from->counted[side];
		exact_add(&e->sum[side], from->sum[side]);
		exact_add(&e->instructions[side], from->instructions[side]);
	}
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

/* Gives each group of each thread its events. */
static int why_make_events(struct search *s)
{
	const size_t n = s->tally.count;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		s->num_events += tally_extra(s->tally.groups[i])->num_events;
	s->events = calloc(s->num_events * s->threads + 1, sizeof *s->events);
	if (!s->events)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < n * s->threads; i++) {
		const struct tally_event *e = tally_extra(s->groups[i].group)->events;

		s->groups[i].events = &s->events[at];
		for (; e; e = e->next)
			s->events[at++].event = e;
	}
	return 0;
}

static int why_read_sides(struct search *s)
{
	size_t n = s->tally.count;

	s->threads = s->kept ? 1 : tallies_threads(s->r, n * sizeof *s->groups);
	s->groups = calloc(n * s->threads + 1, sizeof *s->groups);
	if (!s->groups)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < n * s->threads; i++) {
		s->groups[i].group = s->tally.groups[i % n];
		set_limits(&s->groups[i], s->r->tail);
	}
	int rc = why_make_events(s);
	if (!rc)
		rc = why_metrics_start(&s->metrics, s->r, s->threads);
	if (!rc && s->kept)
		rc = why_kept_each(s->kept, why_sum_kept, s);
	else if (!rc)
		rc = tallies_each(s->r, s->threads,
			WANT_THREAD | WANT_QUALITY | WANT_EVENTS | why_metrics_wants(&s->metrics),
			NULL, why_sum_interval, s);
	if (!rc)
		rc = why_metrics_end(&s->metrics);
	for (size_t i = n; i < n * s->threads && !rc; i++)
		for (unsigned side = 0; side < WHY_SIDES; side++)
			merge_sums(&s->groups[i % n].sums[side], &s->groups[i].sums[side]);
	for (size_t i = s->num_events; i < s->num_events * s->threads && !rc; i++)
		why_merge_events(&s->events[i % s->num_events], &s->events[i]);
	return rc;
}

/* Prints the groups that `chosen` has. */
static int why_print_chosen(
	struct search *s, const struct tally *chosen, const struct why_explanations *explanations)
{
	const struct tally *t = chosen->groups ? chosen : &s->tally;
	struct why_group *groups = calloc(t->count + 1, sizeof *groups);
	struct report *r = s->r;

	if (!groups)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < t->count; i++)
		groups[i] = s->groups[t->groups[i]->index];
	why_print(r, groups, t, explanations, &s->metrics);
	if (r->twin) {
		r->twin->tail = r->tail;
		why_print(r->twin, groups, t, explanations, &s->metrics);
	}
	free(groups);
	return 0;
}

/* With the tally. */
static int why_find(struct search *s)
{
	struct tally chosen = {.groups = NULL};
	struct why_explanations explanations = {0};
	struct report *r = s->r;

	if (!r->tail)
		r->tail = REPORT_TAIL;
	int rc = why_check_columns(r);
	if (!rc)
		rc = summary_choose(r, &s->tally, NULL, &chosen);
	if (!rc)
		rc = why_metrics_begin(&s->metrics, r, s->kept, &s->tally);
	if (!rc)
		rc = why_read_sides(s);
	if (!rc)
		rc = why_explain(r, s->kept, s->groups, &s->tally, &explanations);
	if (!rc)
		rc = why_print_chosen(s, &chosen, &explanations);
	free(chosen.groups);
	why_explanations_free(&explanations);
	why_metrics_free(&s->metrics);
	free(s->groups);
	free(s->events);
	return rc;
}

int report_why(struct report *r)
{
	struct search s = {.r = r, .tally.wanted = TALLY_WANT_TYPES | tallies_want_containers(r)};
	int rc = tallies_read(r, &s.tally);

	if (!rc)
		rc = why_find(&s);
	tally_free(&s.tally);
	return rc;
}

int report_why_partial(struct report *r, struct partial *p)
{
	p->tally.wanted =
		TALLY_WANT_TYPES | (p->tally.wanted & (TALLY_WANT_CONTAINERS | TALLY_WANT_OWNERS));
	int rc = tallies_read(r, &p->tally);
	return rc ? rc : why_kept_read(r, p, p->tally.seen);
}

int report_why_merged(struct report *r, const struct partial *p)
{
	struct why_kept kept = {.count = 0};
	/* Borrows the groups. */
	struct search s = {.r = r, .kept = &kept, .tally = p->tally};
	int rc = why_kept_open(&kept, p);

	s.tally.seen = kept.seen;
	if (!rc)
		rc = why_find(&s);
	if (rc == CPIDECODE_EINVAL && !r->is_misused)
		report_note(r, "the intervals of a partial result are damaged");
	why_kept_free(&kept);
	return rc;
}
