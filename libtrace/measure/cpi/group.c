#include "group.h"

#include "../../../formats/cpi_hooks.h"
#include "../../../formats/interval_hooks.h"
#include "figures.h"

_Static_assert((int)COUNTER_INSTRUCTIONS == (int)CPI_QUANTITY_INSTRUCTIONS &&
		       (int)COUNTER_BUSY == (int)CPI_QUANTITY_BUSY &&
		       (int)COUNTER_THREAD_INSTRUCTIONS == (int)CPI_QUANTITY_THREAD_INSTRUCTIONS &&
		       (int)COUNTER_THREAD_CYCLES == (int)CPI_QUANTITY_THREAD_CYCLES &&
		       (int)COUNTER_QUANTITIES == (int)CPI_QUANTITIES,
	"quantities are written in their order");
_Static_assert(CPI_QUALITY_FLAGS == 0 && CPI_QUALITY_KNOWN == 1 && CPI_QUALITY_ELAPSED == 2 &&
		       CPI_QUALITY_QUANTITIES == 4 && CPI_QUALITY_FIRST == 5 &&
		       CPI_QUALITY_WORDS == 5,
	"as build_quality lays them out");

static void cpi_put_ratio(struct cursor *c, uint64_t cycles, uint64_t instructions)
{
	uint32_t word[2];

	figure_cpi_words(cycles, instructions, word);
	put_word(c, word[0]);
	put_word(c, word[1]);
}

static void put_busy(struct cursor *c, const struct counter_interval_cpu *counts)
{
	uint32_t word[2];

	figure_busy_words(counts, word);
	put_word(c, word[0]);
	put_word(c, word[1]);
}

static void cpi_build_summary(struct parts *g, struct cursor *c, const struct group_spec *spec,
	const struct counter_interval *i, const struct counter_interval_cpu *sum, uint32_t types)
{
	struct part *part = begin_part(g, CPI_MAJOR, CPI_MINOR_SUMMARY | spec->mm, c);

	put_word(c, types | (spec->thread ? CPI_HOOK_THREAD : 0));
	put_word(c, i->cpus);
	put_elapsed(c, part);
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
		cpi_put_ratio(c, i->cpu[cpu].cycles, i->cpu[cpu].instructions);
	cpi_put_ratio(c, sum->cycles, sum->instructions);
	if (types & CPI_HOOK_BUSY) {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++) {
			cpi_put_ratio(c, i->cpu[cpu].busy, i->cpu[cpu].instructions);
			put_busy(c, &i->cpu[cpu]);
		}
		cpi_put_ratio(c, sum->busy, sum->instructions);
		put_busy(c, sum);
	}
	if (spec->thread)
		cpi_put_ratio(c, i->thread_cycles, i->thread_instructions);
	end_part(part, c);
}

/* Instructions, cycles, CPI and, with busy, the same of the cycles not idle. */
static void put_counts(struct cursor *c, const struct counter_interval_cpu *counts, uint32_t types)
{
	parts_put_count(c, counts->instructions);
	parts_put_count(c, counts->cycles);
	cpi_put_ratio(c, counts->cycles, counts->instructions);
	if (types & CPI_HOOK_BUSY) {
		parts_put_count(c, counts->busy);
		cpi_put_ratio(c, counts->busy, counts->instructions);
		put_busy(c, counts);
	}
}

static void cpi_build_detailed(struct parts *g, struct cursor *c, const struct group_spec *spec,
	const struct counter_interval *i, const struct counter_interval_cpu *sum, uint32_t types)
{
	struct part *part = begin_part(g, CPI_MAJOR, CPI_MINOR_SYSTEM | spec->mm, c);

	put_word(c, types);
	put_elapsed(c, part);
	put_counts(c, sum, types);
	end_part(part, c);

	part = begin_part(g, CPI_MAJOR, CPI_MINOR_PER_CPU | spec->mm, c);
	put_word(c, types);
	put_word(c, i->cpus);
	put_elapsed(c, part);
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
		put_counts(c, &i->cpu[cpu], types);
	end_part(part, c);

	if (!spec->thread)
		return;
	part = begin_part(g, CPI_MAJOR, CPI_MINOR_THREAD | spec->mm, c);
	put_word(c, spec->tid);
	put_elapsed(c, part);
	parts_put_count(c, i->thread_instructions);
	parts_put_count(c, i->thread_cycles);
	cpi_put_ratio(c, i->thread_cycles, i->thread_instructions);
	end_part(part, c);
}

static uint32_t known_bit(uint64_t figure, uint32_t bit)
{
	return figure != CPI_NONE ? bit : 0;
}

static uint32_t known_of(const struct counter_interval *i)
{
	const struct counter_life *life = &i->life;

	if (!i->thread_known)
		return 0;
	return known_bit(life->on_cpu_ns, CPI_KNOWN_ON_CPU) |
	       known_bit(life->switches, CPI_KNOWN_SWITCHES) |
	       known_bit(life->migrations, CPI_KNOWN_MIGRATIONS) |
	       known_bit(life->faults, CPI_KNOWN_FAULTS);
}

static void put_life(struct cursor *c, const struct counter_life *life, uint32_t known)
{
	if (known & CPI_KNOWN_ON_CPU)
		parts_put_count(c, life->on_cpu_ns);
	if (known & CPI_KNOWN_SWITCHES)
		parts_put_count(c, life->switches);
	if (known & CPI_KNOWN_MIGRATIONS)
		parts_put_count(c, life->migrations);
	if (known & CPI_KNOWN_FAULTS)
		parts_put_count(c, life->faults);
}

static void build_quality(struct parts *g, struct cursor *c, const struct group_spec *spec,
	const struct counter_interval *i)
{
	struct part *part = begin_part(g, CPI_MAJOR, CPI_MINOR_QUALITY | spec->mm, c);
	uint32_t known = known_of(i);

	put_word(c, i->flags);
	put_word(c, known);
	put_elapsed(c, part);
	put_word(c, COUNTER_QUANTITIES);
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		put_word(c, i->quality[q].source);
		parts_put_count(c, i->quality[q].enabled);
		parts_put_count(c, i->quality[q].running);
	}
	put_life(c, &i->life, known);
	end_part(part, c);
}

/* What the quality hook says is not said twice, nor that a thread without a switch ran all the
 * time. */
static void build_time(struct parts *g, struct cursor *c, const struct group_spec *spec,
	const struct counter_interval *i)
{
	struct part *part = begin_part(g, INTERVAL_MAJOR, INTERVAL_MINOR_TIME | spec->mm, c);
	uint32_t known = known_bit(i->unexplained_ns, INTERVAL_KNOWN_UNEXPLAINED);

	if (!spec->quality)
		known |= known_bit(i->life.switches, INTERVAL_KNOWN_SWITCHES);
	if (!spec->quality && !i->stayed)
		known |= known_bit(i->life.on_cpu_ns, INTERVAL_KNOWN_ON_CPU);
	put_word(c, (uint32_t)i->life_source);
	put_word(c, known);
	put_elapsed(c, part);
	if (known & INTERVAL_KNOWN_ON_CPU)
		parts_put_count(c, i->life.on_cpu_ns);
	if (known & INTERVAL_KNOWN_SWITCHES)
		parts_put_count(c, i->life.switches);
	if (known & INTERVAL_KNOWN_UNEXPLAINED)
		parts_put_count(c, i->unexplained_ns);
	end_part(part, c);
}

size_t group_room(uint32_t cpus)
{
	return 4 * CPI_GROUP_DATA_WORDS((size_t)cpus);
}

void group_build(struct parts *g, const struct group_spec *spec,
	const struct counter_interval *interval, uint8_t *words)
{
	struct counter_interval_cpu sum;
	struct cursor c = {words};
	uint32_t types = CPI_HOOK_RAW;

	g->count = 0;
	if (spec->scaled && figure_busy_known(interval))
		types |= CPI_HOOK_BUSY;
	figure_sums(interval, &sum);
	if (spec->summary)
		cpi_build_summary(g, &c, spec, interval, &sum, types);
	if (spec->detailed)
		cpi_build_detailed(g, &c, spec, interval, &sum, types);
	if (spec->quality)
		build_quality(g, &c, spec, interval);
	if (interval->thread_known && interval->life_source != INTERVAL_TIME_NONE)
		build_time(g, &c, spec, interval);
}

int group_write(const struct parts *g, const struct group_spec *spec, uint64_t *elapsed)
{
	const struct parts_frame frame = {
		.major = CPI_MAJOR,
		.label_start = CPI_MINOR_LABEL_START | spec->mm,
		.label_end = CPI_MINOR_LABEL_END | spec->mm,
		.label = spec->label,
		.start_ticks = spec->start_ticks,
	};

	return parts_write(g, &frame, elapsed);
}
