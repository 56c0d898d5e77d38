/* The figures that only groups of CPU utilisation have, and those derived from them. */
#include <math.h>
#include <stdlib.h>

#include "../../../../formats/base/array.h"
#include "../../../../include/cpidecode.h"
#include "group.h"

/* A summary has four decimals, and was computed from the counts of the adjacent hook. */
#define SAME_PERCENT 0.01

int group_need_util(struct group *g, uint32_t cpu)
{
	if (!array_reserve(&g->utils, &g->utils_room, (size_t)cpu + 1, sizeof *g->utils))
		return CPIDECODE_ENOMEM;
	while (g->num_utils <= cpu)
		g->utils[g->num_utils++] = (struct interval_util){NAN, NAN, NAN, NOT_MEASURED,
			NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED};
	return 0;
}

/* The ratio above / below; both are NOT_MEASURED or 0 if unknown. */
static double util_percent(double above, double below)
{
	return below > 0 ? 100 * above / below : NAN;
}

/* Keeps the summary's figures; computes missing ones from counts. */
static void util_settle_share(struct interval *iv, double *to, uint64_t above, uint64_t below)
{
	if (above == NOT_MEASURED || below == NOT_MEASURED)
		return;
	double counted = util_percent((double)above, (double)below);
	if (isnan(*to))
		*to = counted;
	else if (fabs(*to - counted) > SAME_PERCENT)
		iv->flags |= IV_INCONSISTENT;
}

/* Sums over the processors that measured both. */
struct sums {
	double above, below;
};

static void group_add_ratio(struct sums *s, uint64_t above, uint64_t below)
{
	if (above == NOT_MEASURED || below == NOT_MEASURED)
		return;
	s->above += (double)above;
	s->below += (double)below;
}

static void settle_system(double *to, const struct sums *s)
{
	if (isnan(*to))
		*to = util_percent(s->above, s->below);
}

int group_settle_util(struct group *g)
{
	struct interval *iv = &g->iv;
	int rc = g->num_utils ? group_need_cpu(g, g->num_utils - 1) : 0;

	if (!rc && iv->num_cpus)
		rc = group_need_util(g, iv->num_cpus - 1);
	if (rc)
		return rc;
	struct sums busy = {0}, idle = {0}, intr = {0}, perf = {0};
	for (uint32_t i = 0; i < iv->num_cpus; i++) {
		struct interval_util *u = &g->utils[i];
		double *cpu_busy = &g->cpus[i].busy_pct;

		figures_forget_offline(cpu_busy, &u->idle_pct, &u->intr_pct);
		util_settle_share(iv, cpu_busy, u->busy_time, u->elapsed);
		util_settle_share(iv, &u->idle_pct, u->idle_time, u->elapsed);
		util_settle_share(iv, &u->intr_pct, u->intr_time, u->elapsed);
		util_settle_share(iv, &u->actual_perf_pct, u->unhalted_cycles, u->reference_cycles);
		group_add_ratio(&busy, u->busy_time, u->elapsed);
		group_add_ratio(&idle, u->idle_time, u->elapsed);
		group_add_ratio(&intr, u->intr_time, u->elapsed);
		group_add_ratio(&perf, u->unhalted_cycles, u->reference_cycles);
	}
	figures_forget_offline(&iv->busy_pct, &iv->idle_pct, &iv->intr_pct);
	settle_system(&iv->busy_pct, &busy);
	settle_system(&iv->idle_pct, &idle);
	settle_system(&iv->intr_pct, &intr);
	settle_system(&iv->actual_perf_pct, &perf);
	return 0;
}
