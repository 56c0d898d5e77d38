/* The arithmetic of why: rounded terms, and a rest that makes them add up. */
#include <math.h>

#include "why.h"

/* Bounded, so that sums of a few cannot overflow, whatever the trace holds. */
#define LARGEST (INT64_MAX / 16)

static int64_t why_round_bounded(double x)
{
	if (x >= (double)LARGEST)
		return LARGEST;
	return x <= -(double)LARGEST ? -LARGEST : llrint(x);
}

static int64_t why_mean_time(const struct why_sums *s)
{
	exact_sum most = EXACT_MAX / WHY_PER_NS / EXACT_PER_NS;
	exact_sum time = (s->time < most ? s->time : most) * WHY_PER_NS;
	exact_sum mean = s->count ? exact_divide(time, (exact_sum)s->count * EXACT_PER_NS) : 0;

	return mean < LARGEST ? (int64_t)mean : LARGEST;
}

/* The measured means of one side. */
struct answer_side {
	double time, off; /* ns per interval */
	double instructions, cycles;
	double cpi, tick; /* cycles per instruction, ns per cycle */
};

static struct answer_side side_of(const struct why_sums *s, bool nominal)
{
	double n = (double)s->count;
	double counted = (double)s->tell_counts;
	struct answer_side side = {.time = (double)s->time / EXACT_PER_NS / n,
		.off = (double)s->off_ns / (double)s->tell_off,
		.instructions = (double)s->instructions / counted,
		.cycles = (double)s->cycles / counted,
		.cpi = (double)s->cycles / (double)s->instructions};
	double on = nominal ? (double)s->nominal / EXACT_PER_NS / counted : side.time - side.off;

	side.tick = on / side.cycles;
	return side;
}

static void why_set_term(struct why_answer *a, enum why_term term, double ns)
{
	a->is_known[term] = true;
	a->term[term] = why_round_bounded(ns * WHY_PER_NS);
}

/*
 * Time on a processor is instructions times CPI times the time of a cycle. Each factor's change is
 * weighted with the mean of the two sides' other factors; so the order of the factors does not
 * matter, and the three add up.
 */
static void why_split_difference(
	struct why_answer *a, const struct answer_side *m, const struct answer_side *t)
{
	double tick = (m->tick + t->tick) / 2;

	why_set_term(a, WHY_INSTRUCTIONS,
		(t->instructions - m->instructions) * (m->cpi + t->cpi) / 2 * tick);
	why_set_term(
		a, WHY_CPI, (t->cpi - m->cpi) * (m->instructions + t->instructions) / 2 * tick);
	if (!a->nominal)
		why_set_term(a, WHY_FREQUENCY, (t->tick - m->tick) * (m->cycles + t->cycles) / 2);
}

static void show_values(
	struct why_answer *a, unsigned side, const struct answer_side *s, bool counts)
{
	if (a->is_known[WHY_OFF_CPU])
		a->value[side][WHY_OFF_CPU] = s->off;
	if (!counts)
		return;
	a->value[side][WHY_INSTRUCTIONS] = s->instructions;
	a->value[side][WHY_CPI] = s->cpi;
	if (a->is_known[WHY_FREQUENCY])
		a->value[side][WHY_FREQUENCY] = 1 / s->tick;
}

/* Whether so many of a side's intervals are enough for a mean. */
static bool why_is_known(const struct why_sums *s, uint64_t tell)
{
	return s->count && tell >= s->count - s->count / WHY_UNKNOWN_AT_MOST;
}

void why_answer(const struct why_sums sums[WHY_SIDES], struct why_answer *a)
{
	bool off = true, counts = true, nominal = true, cycles = true;
	bool all = true; /* the same intervals measured all */
	bool user_only = false;

	*a = (struct why_answer){0};
	for (unsigned i = 0; i < WHY_SIDES; i++) {
		const struct why_sums *s = &sums[i];

		a->mean[i] = why_mean_time(s);
		off &= why_is_known(s, s->tell_off);
		counts &= why_is_known(s, s->tell_counts) && s->instructions;
		all &= s->tell_off == s->count && s->tell_counts == s->count;
		nominal &= s->tell_nominal == s->tell_counts;
		cycles &= s->cycles != 0;
		user_only |= s->user_only != 0;
		for (unsigned term = 0; term < WHY_TERMS; term++)
			a->value[i][term] = NAN;
	}
	a->difference = a->mean[WHY_TAIL] - a->mean[WHY_MIDDLE];
	/* User-mode cycles, or time that may include waiting, give no cycle length. */
	bool measured = off && all && !user_only;
	a->nominal = counts && cycles && !measured && nominal;
	struct answer_side middle = side_of(&sums[WHY_MIDDLE], a->nominal);
	struct answer_side tail = side_of(&sums[WHY_TAIL], a->nominal);
	if (off)
		why_set_term(a, WHY_OFF_CPU, tail.off - middle.off);
	if (counts && cycles && (measured || a->nominal))
		why_split_difference(a, &middle, &tail);
	show_values(a, WHY_MIDDLE, &middle, counts);
	show_values(a, WHY_TAIL, &tail, counts);
	a->is_known[WHY_UNATTRIBUTED] = true;
	a->term[WHY_UNATTRIBUTED] = a->difference;
	for (unsigned term = 0; term < WHY_UNATTRIBUTED; term++)
		a->term[WHY_UNATTRIBUTED] -= a->term[term];
}
