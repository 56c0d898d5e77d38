#include "figures.h"

#include <math.h>

#include "../../../formats/cpi_hooks.h"

static bool figures_is_divisible(uint64_t a, uint64_t b)
{
	return a != NOT_MEASURED && b != NOT_MEASURED && b != 0;
}

/* a * factor / b in units of 1/CPI_FRACTION, rounded; at most UINT64_MAX. */
static uint64_t figures_divide(uint64_t a, unsigned factor, uint64_t b)
{
	unsigned __int128 units;

	/* Usual counts fit into 64 bits: factor is at most 100, below 2^7, and twice CPI_FRACTION
	 * below 2^15. */
	if (!(a >> 41) && !(b >> 62))
		return (a * factor * (2 * CPI_FRACTION) + b) / (b * 2);
	units = ((unsigned __int128)a * factor * (2 * CPI_FRACTION) + b) /
		((unsigned __int128)b * 2);
	return units > UINT64_MAX ? UINT64_MAX : (uint64_t)units;
}

static void figures_set_fixed(uint64_t a, unsigned factor, uint64_t b, uint32_t word[2])
{
	uint64_t units;

	word[0] = word[1] = 0;
	if (!figures_is_divisible(a, b))
		return;
	units = figures_divide(a, factor, b);
	if (units / CPI_FRACTION > UINT32_MAX) {
		word[0] = UINT32_MAX;
		word[1] = CPI_FRACTION - 1;
		return;
	}
	word[0] = (uint32_t)(units / CPI_FRACTION);
	word[1] = (uint32_t)(units % CPI_FRACTION);
}

void figure_cpi_words(uint64_t cycles, uint64_t instructions, uint32_t word[2])
{
	figures_set_fixed(cycles, 1, instructions, word);
}

void figure_share_words(uint64_t part, uint64_t whole, uint32_t word[2])
{
	figures_set_fixed(part, 100, whole, word);
}

/* By cycles if they are known, so that readers compute the same share from the hook's own numbers;
 * otherwise by time. */
static void busy_share(const struct counter_interval_cpu *c, uint64_t *part, uint64_t *whole)
{
	bool cycles = figures_is_divisible(c->busy, c->cycles);

	*part = cycles ? c->busy : c->busy_part;
	*whole = cycles ? c->cycles : c->busy_whole;
	if (figures_is_divisible(*part, *whole) && *part > *whole)
		*part = *whole;
}

double figure_busy(const struct counter_interval_cpu *c)
{
	uint64_t part, whole;

	busy_share(c, &part, &whole);
	return figures_is_divisible(part, whole) ? 100.0 * ((double)part / (double)whole) : NAN;
}

void figure_busy_words(const struct counter_interval_cpu *c, uint32_t word[2])
{
	uint64_t part, whole;

	busy_share(c, &part, &whole);
	figure_share_words(part, whole, word);
}

void figure_sums(const struct counter_interval *i, struct counter_interval_cpu *sum)
{
	*sum = (struct counter_interval_cpu){0};
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++) {
		const struct counter_interval_cpu *c = &i->cpu[cpu];

		if (!c->online)
			continue;
		sum->online = true;
		counters_add(&sum->instructions, c->instructions);
		counters_add(&sum->cycles, c->cycles);
		counters_add(&sum->busy, c->busy);
		counters_add(&sum->busy_part, c->busy_part);
		counters_add(&sum->busy_whole, c->busy_whole);
	}
	/* The terms lack the counts of a processor that went offline. */
	if (!sum->online || i->flags & CPI_QUALITY_CPUS_CHANGED)
		sum->instructions = sum->cycles = sum->busy = sum->busy_part = sum->busy_whole =
			NOT_MEASURED;
}

bool figure_busy_known(const struct counter_interval_cpu *sum)
{
	return figures_is_divisible(sum->busy_part, sum->busy_whole) || sum->busy != NOT_MEASURED;
}
