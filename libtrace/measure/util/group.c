#include "group.h"

#include "../../../formats/cpuutil_hooks.h"
#include "../../../include/perfutil.h"
#include "../cpi/figures.h"
#include "../cpi/frame.h"
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

static void put_percent(struct cursor *c, uint64_t part, uint64_t whole)
{
	uint32_t word[2];

	figure_share_words(part, whole, word);
	cursor_put_pair(c, word);
}

static void util_put_count(struct cursor *c, uint64_t count)
{
	cursor_put_word(c, count == NOT_MEASURED ? 0 : util_count(count));
}

static bool util_is_divisible(uint64_t part, uint64_t whole)
{
	return part != NOT_MEASURED && whole != NOT_MEASURED && whole != 0;
}

static uint32_t types_of(const struct counter_usage *sum)
{
	uint32_t types = 0;

	if (util_is_divisible(sum->busy, sum->elapsed))
		types |= CPUUTIL_HOOK_BUSY;
	if (util_is_divisible(sum->intr, sum->elapsed))
		types |= CPUUTIL_HOOK_INTR;
	if (util_is_divisible(sum->core, sum->reference))
		types |= CPUUTIL_HOOK_PERF;
	if (sum->switches != NOT_MEASURED)
		types |= CPUUTIL_HOOK_DISPATCHES;
	if (sum->interrupts != NOT_MEASURED)
		types |= CPUUTIL_HOOK_INTERRUPTS;
	return types;
}

/* The words of put_head. */
enum { HEAD_WORDS = CPUUTIL_DATA_FIRST };

static void put_head(
	struct cursor *c, const struct frame *f, const struct counter_interval *i, uint32_t types)
{
	cursor_put_word(c, types);
	cursor_put_word(c, (uint32_t)i->method);
	cursor_put_word(c, i->cpus);
	cursor_put_elapsed(c, f);
}

static uint32_t util_summary_types(uint32_t types)
{
	return types & ~(CPUUTIL_HOOK_DISPATCHES | CPUUTIL_HOOK_INTERRUPTS);
}

static uint32_t util_summary_words(const struct counter_interval *i, uint32_t types)
{
	return HEAD_WORDS + (i->cpus + 1) * ((types & CPUUTIL_HOOK_BUSY ? 4 : 0) +
						    (types & CPUUTIL_HOOK_INTR ? 2 : 0) +
						    (types & CPUUTIL_HOOK_PERF ? 2 : 0));
}

static void util_write_summary(struct frame *f, const struct counter_interval *i,
	const struct counter_usage *sum, uint32_t types)
{
	struct cursor c =
		frame_record(f, CPUUTIL_MAJOR, CPUUTIL_MINOR_SUMMARY, util_summary_words(i, types));

	put_head(&c, f, i, types);
	if (types & CPUUTIL_HOOK_BUSY) {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++) {
			put_percent(&c, i->cpu[cpu].usage.busy, i->cpu[cpu].usage.elapsed);
			put_percent(&c, i->cpu[cpu].usage.idle, i->cpu[cpu].usage.elapsed);
		}
		put_percent(&c, sum->busy, sum->elapsed);
		put_percent(&c, sum->idle, sum->elapsed);
	}
	if (types & CPUUTIL_HOOK_INTR) {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
			put_percent(&c, i->cpu[cpu].usage.intr, i->cpu[cpu].usage.elapsed);
		put_percent(&c, sum->intr, sum->elapsed);
	}
	if (types & CPUUTIL_HOOK_PERF) {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
			put_percent(&c, i->cpu[cpu].usage.core, i->cpu[cpu].usage.reference);
		put_percent(&c, sum->core, sum->reference);
	}
}

static void put_cpu(struct cursor *c, const struct counter_usage *cpu, uint32_t types)
{
	cursor_put_count(c, cpu->elapsed);
	if (types & CPUUTIL_HOOK_BUSY) {
		cursor_put_count(c, cpu->busy);
		cursor_put_count(c, cpu->idle);
	}
	if (types & CPUUTIL_HOOK_INTR)
		cursor_put_count(c, cpu->intr);
	if (types & CPUUTIL_HOOK_PERF) {
		cursor_put_count(c, cpu->core);
		cursor_put_count(c, cpu->reference);
	}
	if (types & CPUUTIL_HOOK_DISPATCHES)
		util_put_count(c, cpu->switches);
	if (types & CPUUTIL_HOOK_INTERRUPTS)
		util_put_count(c, cpu->interrupts);
}

static uint32_t util_detailed_words(const struct counter_interval *i, uint32_t types)
{
	return HEAD_WORDS + i->cpus * (2 + (types & CPUUTIL_HOOK_BUSY ? 4 : 0) +
					      (types & CPUUTIL_HOOK_INTR ? 2 : 0) +
					      (types & CPUUTIL_HOOK_PERF ? 4 : 0) +
					      (types & CPUUTIL_HOOK_DISPATCHES ? 1 : 0) +
					      (types & CPUUTIL_HOOK_INTERRUPTS ? 1 : 0));
}

static void util_write_detailed(struct frame *f, const struct counter_interval *i, uint32_t types)
{
	struct cursor c = frame_record(
		f, CPUUTIL_MAJOR, CPUUTIL_MINOR_PER_CPU, util_detailed_words(i, types));

	put_head(&c, f, i, types);
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
		put_cpu(&c, &i->cpu[cpu].usage, types);
}

int util_group_write(
	const struct util_spec *spec, const struct counter_interval *i, uint64_t *elapsed)
{
	struct counter_usage sum;
	struct frame f;
	uint32_t types;
	int rc;

	usage_sums(i, &sum);
	types = types_of(&sum);
	frame_open(&f, CPUUTIL_MAJOR, spec->mm, spec->label);
	if (spec->summary)
		frame_add(&f, util_summary_words(i, util_summary_types(types)));
	if (spec->detailed)
		frame_add(&f, util_detailed_words(i, types));
	rc = frame_begin(&f, spec->start_ticks, NULL);
	if (rc != HOOK_RESERVED)
		return rc;
	*elapsed = f.elapsed;
	frame_label(&f, CPUUTIL_MINOR_LABEL_START);
	if (spec->summary)
		util_write_summary(&f, i, &sum, util_summary_types(types));
	if (spec->detailed)
		util_write_detailed(&f, i, types);
	frame_label(&f, CPUUTIL_MINOR_LABEL_END);
	hook_commit(&f.w);
	return PU_SUCCESS;
}
