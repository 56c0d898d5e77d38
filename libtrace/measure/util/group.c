#include "group.h"

#include "../../../formats/cpuutil_hooks.h"
#include "../../../include/perfutil.h"
#include "../cpi/figures.h"
#include "figures.h"

_Static_assert(CPUUTIL_TRACE_MAJOR_CODE == CPUUTIL_MAJOR, "one major");
_Static_assert(CPUUTIL_DATA_TYPES == 0 && CPUUTIL_DATA_METHOD == 1 && CPUUTIL_DATA_CPUS == 2 &&
		       CPUUTIL_DATA_ELAPSED == 3 && CPUUTIL_DATA_FIRST == 5,
	"as put_head lays them out");
_Static_assert((int)CPUUTIL_METHOD_NONE == AI_METHOD_NONE &&
		       (int)CPUUTIL_METHOD_REFERENCE == AI_METHOD_REFERENCE &&
		       (int)CPUUTIL_METHOD_MPERF == AI_METHOD_MPERF &&
		       (int)CPUUTIL_METHOD_CYCLES == AI_METHOD_CYCLES &&
		       (int)CPUUTIL_METHOD_IDLE_FINE == AI_METHOD_IDLE_FINE &&
		       (int)CPUUTIL_METHOD_IDLE_TICK == AI_METHOD_IDLE_TICK &&
		       (int)CPUUTIL_METHOD_SCRIPT == AI_METHOD_SCRIPT,
	"methods have one number");
_Static_assert((int)PARTS_MAX >= (int)CPUUTIL_GROUP_DATA_HOOKS, "they fit");

static void put_percent(struct cursor *c, uint64_t part, uint64_t whole)
{
	uint32_t word[2];

	figure_share_words(part, whole, word);
	put_word(c, word[0]);
	put_word(c, word[1]);
}

static void util_put_count(struct cursor *c, uint64_t count)
{
	put_word(c, count == CPI_NONE ? 0 : util_count(count));
}

static bool util_is_divisible(uint64_t part, uint64_t whole)
{
	return part != CPI_NONE && whole != CPI_NONE && whole != 0;
}

static uint32_t types_of(const struct usage_interval_cpu *sum)
{
	uint32_t types = 0;

	if (util_is_divisible(sum->busy, sum->elapsed))
		types |= CPUUTIL_HOOK_BUSY;
	if (util_is_divisible(sum->intr, sum->elapsed))
		types |= CPUUTIL_HOOK_INTR;
	if (util_is_divisible(sum->core, sum->reference))
		types |= CPUUTIL_HOOK_PERF;
	if (sum->switches != CPI_NONE)
		types |= CPUUTIL_HOOK_DISPATCHES;
	if (sum->interrupts != CPI_NONE)
		types |= CPUUTIL_HOOK_INTERRUPTS;
	return types;
}

static void put_head(
	struct cursor *c, struct part *part, const struct usage_interval *i, uint32_t types)
{
	put_word(c, types);
	put_word(c, (uint32_t)i->method);
	put_word(c, i->cpus);
	put_elapsed(c, part);
}

static void util_build_summary(struct parts *g, struct cursor *c, const struct util_spec *spec,
	const struct usage_interval *i, const struct usage_interval_cpu *sum)
{
	const uint32_t types = types_of(sum) & ~(CPUUTIL_HOOK_DISPATCHES | CPUUTIL_HOOK_INTERRUPTS);
	struct part *part = begin_part(g, CPUUTIL_MAJOR, CPUUTIL_MINOR_SUMMARY | spec->mm, c);

	put_head(c, part, i, types);
	if (types & CPUUTIL_HOOK_BUSY) {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++) {
			put_percent(c, i->cpu[cpu].busy, i->cpu[cpu].elapsed);
			put_percent(c, i->cpu[cpu].idle, i->cpu[cpu].elapsed);
		}
		put_percent(c, sum->busy, sum->elapsed);
		put_percent(c, sum->idle, sum->elapsed);
	}
	if (types & CPUUTIL_HOOK_INTR) {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
			put_percent(c, i->cpu[cpu].intr, i->cpu[cpu].elapsed);
		put_percent(c, sum->intr, sum->elapsed);
	}
	if (types & CPUUTIL_HOOK_PERF) {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
			put_percent(c, i->cpu[cpu].core, i->cpu[cpu].reference);
		put_percent(c, sum->core, sum->reference);
	}
	end_part(part, c);
}

static void put_cpu(struct cursor *c, const struct usage_interval_cpu *cpu, uint32_t types)
{
	parts_put_count(c, cpu->elapsed);
	if (types & CPUUTIL_HOOK_BUSY) {
		parts_put_count(c, cpu->busy);
		parts_put_count(c, cpu->idle);
	}
	if (types & CPUUTIL_HOOK_INTR)
		parts_put_count(c, cpu->intr);
	if (types & CPUUTIL_HOOK_PERF) {
		parts_put_count(c, cpu->core);
		parts_put_count(c, cpu->reference);
	}
	if (types & CPUUTIL_HOOK_DISPATCHES)
		util_put_count(c, cpu->switches);
	if (types & CPUUTIL_HOOK_INTERRUPTS)
		util_put_count(c, cpu->interrupts);
}

static void util_build_detailed(struct parts *g, struct cursor *c, const struct util_spec *spec,
	const struct usage_interval *i, const struct usage_interval_cpu *sum)
{
	const uint32_t types = types_of(sum);
	struct part *part = begin_part(g, CPUUTIL_MAJOR, CPUUTIL_MINOR_PER_CPU | spec->mm, c);

	put_head(c, part, i, types);
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
		put_cpu(c, &i->cpu[cpu], types);
	end_part(part, c);
}

size_t util_group_room(uint32_t cpus)
{
	return 4 * CPUUTIL_GROUP_DATA_WORDS((size_t)cpus);
}

void util_group_build(struct parts *g, const struct util_spec *spec, const struct usage_interval *i,
	uint8_t *words)
{
	struct usage_interval_cpu sum;
	struct cursor c = {words};

	g->count = 0;
	usage_sums(i, &sum);
	if (spec->summary)
		util_build_summary(g, &c, spec, i, &sum);
	if (spec->detailed)
		util_build_detailed(g, &c, spec, i, &sum);
}

int util_group_write(const struct parts *g, const struct util_spec *spec, uint64_t *elapsed)
{
	const struct parts_frame frame = {
		.major = CPUUTIL_MAJOR,
		.label_start = CPUUTIL_MINOR_LABEL_START | spec->mm,
		.label_end = CPUUTIL_MINOR_LABEL_END | spec->mm,
		.label = spec->label,
		.start_ticks = spec->start_ticks,
	};

	return parts_write(g, &frame, elapsed);
}
