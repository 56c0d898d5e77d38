#include "measures.h"

#include <math.h>

#include "../../../include/cpidecode.h"
#include "../../model/intervals/elapsed.h"

uint64_t flame_weight(enum report_weight weight, const struct interval *iv)
{
	switch (weight) {
	case WEIGHT_NS:
		return elapsed_whole_ns(iv);
	case WEIGHT_INSTRUCTIONS:
		return iv->instructions;
	case WEIGHT_THREAD_CYCLES:
		return iv->thread_cycles;
	default:
		return iv->elapsed;
	}
}

static bool is_measured(uint64_t above, uint64_t below, double value)
{
	return !isnan(value) || (above != NOT_MEASURED && below != NOT_MEASURED && below != 0);
}

struct flame_part flame_part_of(const struct interval *iv)
{
	struct flame_part part = {
		FLAME_CPI_NONE, NOT_MEASURED, NOT_MEASURED, NAN, iv->elapsed, iv->elapsed_ns};

	if (is_measured(iv->thread_cycles, iv->thread_instructions, iv->thread_cpi)) {
		part.kind = FLAME_CPI_THREAD;
		part.above = iv->thread_cycles;
		part.below = iv->thread_instructions;
		part.value = iv->thread_cpi;
	} else if (is_measured(iv->busy_cycles, iv->instructions, iv->scaled_cpi)) {
		part.kind = FLAME_CPI_SCALED;
		part.above = iv->busy_cycles;
		part.below = iv->instructions;
		part.value = iv->scaled_cpi;
	} else if (is_measured(iv->cycles, iv->instructions, iv->raw_cpi)) {
		part.kind = FLAME_CPI_RAW;
		part.above = iv->cycles;
		part.below = iv->instructions;
		part.value = iv->raw_cpi;
	} else if (iv->off_cpu_ns != NOT_MEASURED && iv->on_cpu_ns != NOT_MEASURED &&
		   iv->on_cpu_ns + iv->off_cpu_ns) {
		part.kind = FLAME_OFF_CPU;
		part.above = iv->off_cpu_ns;
		part.below = iv->on_cpu_ns + iv->off_cpu_ns;
	}
	return part;
}

static bool has_counts(const struct flame_part *part)
{
	return part->above != NOT_MEASURED && part->below != NOT_MEASURED && part->below != 0;
}

/* A frame's kind is the first one, in the enum's order, of any of its intervals; others are
 * dropped. */
static void add_part(
	struct flame_sums *sums, struct flame_state *state, const struct flame_part *part)
{
	exact_add(&sums->elapsed, exact_time(part->elapsed_ns));
	if (part->kind == FLAME_CPI_NONE ||
		(state->kind != FLAME_CPI_NONE && state->kind < part->kind))
		return;
	if (state->kind != part->kind)
		sums->cpi = (struct ratio){0};
	state->kind = (uint8_t)part->kind;
	ratio_add(&sums->cpi, part->above, part->below, part->value, part->elapsed);
}

static struct flame_sums *sums_of(const struct flame_measures *m, const struct flame_measure *own)
{
	return (struct flame_sums *)m->sums.at + own->time;
}

static struct flame_sums sums_of_compact(const struct flame_measure *own, struct flame_state state)
{
	struct flame_sums sums = {.elapsed = own->time};

	if (state.form == FLAME_COUNTS) {
		ratio_add(&sums.cpi, own->above, own->below, NAN, own->elapsed);
	} else if (state.form == FLAME_RATIOS) {
		/* Any number of intervals serves: it only matters that there are no counts. */
		sums.cpi.measured = 1;
		sums.cpi.weighted = own->weighted;
		sums.cpi.weight = own->elapsed;
	}
	return sums;
}

/* Converts a compact form to sums. */
static int flame_widen_measure(
	struct flame_measures *m, struct flame_measure *own, struct flame_state *state)
{
	const struct flame_sums sums = sums_of_compact(own, *state);

	if (pages_room(&m->sums, m->nsums, sizeof sums))
		return CPIDECODE_ENOMEM;
	own->time = m->nsums++;
	*sums_of(m, own) = sums;
	state->form = FLAME_SUMS;
	return 0;
}

/* Adds a ratio without counts to an empty or a RATIOS form: the hot path. */
static bool add_ratio(
	struct flame_measure *own, struct flame_state *state, const struct flame_part *part)
{
	bool same = state->form == FLAME_RATIOS && state->kind == part->kind;

	if (part->kind == FLAME_CPI_NONE || has_counts(part) || !part->elapsed ||
		!(same || state->form == FLAME_EMPTY))
		return false;
	exact_sum time = exact_time(part->elapsed_ns);
	uint64_t elapsed, weighted;
	if (time > UINT64_MAX - own->time ||
		__builtin_mul_overflow(
			exact_round(part->value * RATIO_ONE), part->elapsed, &weighted) ||
		__builtin_add_overflow(own->weighted, weighted, &weighted) ||
		__builtin_add_overflow(own->elapsed, part->elapsed, &elapsed))
		return false;
	own->time += (uint64_t)time;
	own->elapsed = elapsed;
	own->weighted = weighted;
	*state = (struct flame_state){(uint8_t)part->kind, FLAME_RATIOS};
	return true;
}

/* Adds to the other compact forms; false if it does not fit. */
static bool add_small(
	struct flame_measure *own, struct flame_state *state, const struct flame_part *part)
{
	exact_sum time = exact_time(part->elapsed_ns);
	bool first = state->form == FLAME_EMPTY;

	if (time > UINT64_MAX - own->time)
		return false;
	if (part->kind == FLAME_CPI_NONE) {
		if (!first && state->form != FLAME_TIME)
			return false;
		state->form = FLAME_TIME;
	} else if (first && has_counts(part) && isnan(part->value) &&
		   (part->above | part->below) <= UINT32_MAX) {
		/* With a ratio in addition to its counts it needs FLAME_SUMS. */
		own->elapsed = part->elapsed;
		own->above = (uint32_t)part->above;
		own->below = (uint32_t)part->below;
		*state = (struct flame_state){(uint8_t)part->kind, FLAME_COUNTS};
	} else {
		return false;
	}
	own->time += (uint64_t)time;
	return true;
}

int flame_measures_add(struct flame_measures *m, uint32_t frame, struct flame_state *state,
	const struct flame_part *part)
{
	struct flame_measure *own = flame_measure(m, frame);

	if (add_ratio(own, state, part) ||
		(state->form != FLAME_SUMS && add_small(own, state, part)))
		return 0;
	int rc = state->form == FLAME_SUMS ? 0 : flame_widen_measure(m, own, state);
	if (!rc)
		add_part(sums_of(m, own), state, part);
	return rc;
}

void flame_measures_get(const struct flame_measures *m, uint32_t frame, struct flame_state state,
	struct flame_sums *sums)
{
	const struct flame_measure *own = flame_measure(m, frame);

	*sums = state.form == FLAME_SUMS ? *sums_of(m, own) : sums_of_compact(own, state);
}

int flame_measures_merge(struct flame_measures *m, uint32_t frame, struct flame_state *state,
	enum flame_cpi kind, const struct flame_sums *from)
{
	struct flame_measure *own = flame_measure(m, frame);
	int rc = state->form == FLAME_SUMS ? 0 : flame_widen_measure(m, own, state);

	if (rc)
		return rc;
	struct flame_sums *sums = sums_of(m, own);
	exact_add(&sums->elapsed, from->elapsed);
	if (kind == FLAME_CPI_NONE || (state->kind != FLAME_CPI_NONE && state->kind < kind))
		return 0;
	if (state->kind != kind)
		sums->cpi = (struct ratio){0};
	state->kind = (uint8_t)kind;
	ratio_merge(&sums->cpi, &from->cpi);
	return 0;
}

double flame_measures_cpi(const struct flame_measures *m, uint32_t frame, struct flame_state state)
{
	if (state.form == FLAME_EMPTY)
		return NAN;
	const struct flame_measure *own = flame_measure(m, frame);
	switch (state.form) {
	case FLAME_COUNTS:
		/* A CPI of 0 was not measured; a thread may well be always on a processor. */
		return own->above || state.kind == FLAME_OFF_CPU
			       ? (double)own->above / (double)own->below
			       : NAN;
	case FLAME_RATIOS:
		return own->weighted ? (double)own->weighted / ((double)own->elapsed * RATIO_ONE)
				     : NAN;
	case FLAME_SUMS:
		if (state.kind == FLAME_OFF_CPU)
			return ratio_value(&sums_of(m, own)->cpi);
		return state.kind ? ratio_cpi(&sums_of(m, own)->cpi) : NAN;
	default:
		return NAN;
	}
}

double flame_measures_ns(const struct flame_measures *m, uint32_t frame, struct flame_state state)
{
	if (state.form == FLAME_EMPTY)
		return 0;
	const struct flame_measure *own = flame_measure(m, frame);
	exact_sum time = state.form == FLAME_SUMS ? sums_of(m, own)->elapsed : own->time;
	return (double)time / EXACT_PER_NS;
}

void flame_measures_free(struct flame_measures *m)
{
	pages_free(&m->at);
	pages_free(&m->sums);
	*m = (struct flame_measures){0};
}
