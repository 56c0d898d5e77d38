#include "ratio.h"

void ratio_add(struct ratio *r, uint64_t above, uint64_t below, double value, uint64_t elapsed)
{
	const double counted = figure_ratio(above, below);

	if (isnan(counted) && isnan(value))
		return;
	r->measured++;
	if (!isnan(counted)) {
		r->counted++;
		exact_add(&r->above, above);
		exact_add(&r->below, below);
		if (isnan(value))
			value = counted;
	}
	uint64_t units = exact_round(value * RATIO_ONE);
	if (elapsed) {
		exact_add(&r->weighted, (exact_sum)units * elapsed);
		exact_add(&r->weight, elapsed);
	} else {
		exact_add(&r->instant, units);
		r->instants++;
	}
}

void ratio_merge(struct ratio *r, const struct ratio *from)
{
	if (!from->measured)
		return;
	exact_add(&r->above, from->above);
	exact_add(&r->below, from->below);
	exact_add(&r->weighted, from->weighted);
	exact_add(&r->weight, from->weight);
	exact_add(&r->instant, from->instant);
	r->instants += from->instants;
	r->counted += from->counted;
	r->measured += from->measured;
}

double ratio_value(const struct ratio *r)
{
	if (!r->measured)
		return NAN;
	if (r->counted == r->measured)
		return (double)r->above / (double)r->below;
	/* Intervals of zero length count only if all are of zero length. */
	if (r->weight)
		return (double)r->weighted / ((double)r->weight * RATIO_ONE);
	return (double)r->instant / ((double)r->instants * RATIO_ONE);
}

double ratio_cpi(const struct ratio *r)
{
	double cpi = ratio_value(r);

	return cpi > 0 ? cpi : NAN;
}

void ratios_merge(struct ratios *r, const struct ratios *from)
{
	ratio_merge(&r->raw, &from->raw);
	ratio_merge(&r->scaled, &from->scaled);
	ratio_merge(&r->thread, &from->thread);
	ratio_merge(&r->busy, &from->busy);
}

void ratios_add(struct ratios *r, const struct interval *iv)
{
	ratio_add(&r->raw, iv->cycles, iv->instructions, iv->raw_cpi, iv->elapsed);
	ratio_add(&r->scaled, iv->busy_cycles, iv->instructions, iv->scaled_cpi, iv->elapsed);
	ratio_add(&r->thread, iv->thread_cycles, iv->thread_instructions, iv->thread_cpi,
		iv->elapsed);
	/* The ratio as a fraction, from counts or from weights. */
	ratio_add(&r->busy, iv->busy_cycles, iv->cycles, iv->busy_pct / 100, iv->elapsed);
}

double ratios_busy(const struct ratios *r)
{
	return 100 * ratio_value(&r->busy);
}

const char *ratios_weighting(const struct ratios *r)
{
	const struct ratio *all[] = {&r->raw, &r->scaled, &r->thread};
	bool by_counts = false, by_elapsed = false;

	for (unsigned i = 0; i < 3; i++) {
		if (!all[i]->measured)
			continue;
		if (all[i]->counted == all[i]->measured)
			by_counts = true;
		else
			by_elapsed = true;
	}
	if (by_counts)
		return by_elapsed ? "mixed" : "counts";
	return by_elapsed ? "elapsed" : "none";
}
