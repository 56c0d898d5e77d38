#include <math.h>

#include "ratio.h"

void ratio_add(struct ratio *r, uint64_t above, uint64_t below, double value, uint64_t elapsed)
{
	bool counts = above != NOT_MEASURED && below != NOT_MEASURED && below != 0;
	if (!counts && isnan(value))
		return;
	r->measured++;
	if (counts) {
		r->counted++;
		r->above += (double)above;
		r->below += (double)below;
		if (isnan(value))
			value = (double)above / (double)below;
	}
	/* An interval of no length still says something if all of them are like that. */
	double weight = elapsed ? (double)elapsed : 1e-9;
	r->weighted += weight * value;
	r->weight += weight;
}

double ratio_value(const struct ratio *r)
{
	if (!r->measured)
		return NAN;
	return r->counted == r->measured ? r->above / r->below : r->weighted / r->weight;
}

void ratios_add(struct ratios *r, const struct interval *iv)
{
	ratio_add(&r->raw, iv->cycles, iv->instructions, iv->raw_cpi, iv->elapsed);
	ratio_add(&r->scaled, iv->busy_cycles, iv->instructions, iv->scaled_cpi, iv->elapsed);
	ratio_add(&r->thread, iv->thread_cycles, iv->thread_instructions, iv->thread_cpi,
		iv->elapsed);
	/* As a fraction in both of its forms. */
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
