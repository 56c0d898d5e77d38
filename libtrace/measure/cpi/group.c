#include "group.h"

#include "../../../formats/cpi_hooks.h"
#include "../../../formats/interval_hooks.h"
#include "../../../include/perfutil.h"
#include "../../session/attach.h"
#include "figures.h"
#include "frame.h"

_Static_assert((int)COUNTER_INSTRUCTIONS == (int)CPI_QUANTITY_INSTRUCTIONS &&
		       (int)COUNTER_BUSY == (int)CPI_QUANTITY_BUSY &&
		       (int)COUNTER_THREAD_INSTRUCTIONS == (int)CPI_QUANTITY_THREAD_INSTRUCTIONS &&
		       (int)COUNTER_THREAD_CYCLES == (int)CPI_QUANTITY_THREAD_CYCLES &&
		       (int)COUNTER_QUANTITIES == (int)CPI_QUANTITIES,
	"quantities are written in their order");
_Static_assert(CPI_QUALITY_FLAGS == 0 && CPI_QUALITY_KNOWN == 1 && CPI_QUALITY_ELAPSED == 2 &&
		       CPI_QUALITY_QUANTITIES == 4 && CPI_QUALITY_FIRST == 5 &&
		       CPI_QUALITY_WORDS == 5 && CPI_QUALITY_LIFE_WORDS == 2,
	"as write_quality lays them out");

/* The group that is being written. */
struct group {
	struct frame f;
	const struct group_spec *spec;
	const struct counter_interval *i;
	const struct counter_interval_cpu *sum; /* if anything was counted, or with detailed */
	uint32_t types;
	uint32_t known;	     /* of the quality hook */
	uint32_t known_time; /* of the time hook */
};

static void put_cpi(struct cursor *c, uint64_t cycles, uint64_t instructions)
{
	uint32_t word[2];

	figure_cpi_words(cycles, instructions, word);
	cursor_put_pair(c, word);
}

static void put_busy(struct cursor *c, const struct counter_interval_cpu *counts)
{
	uint32_t word[2];

	figure_busy_words(counts, word);
	cursor_put_pair(c, word);
}

/* ------------------------------------------------------------------------ data hooks */

static uint32_t summary_words(const struct group *g)
{
	return CPI_SUMMARY_RAW + (g->i->cpus + 1) * (g->types & CPI_HOOK_BUSY ? 6 : 2) +
	       (g->spec->thread ? 2 : 0);
}

/* Without instructions and busy there is no ratio of a processor. */
static void write_summary(struct group *g)
{
	const struct counter_interval *i = g->i;
	struct cursor c = frame_record(&g->f, CPI_MAJOR, CPI_MINOR_SUMMARY, summary_words(g));

	cursor_put_word(&c, g->types | (g->spec->thread ? CPI_HOOK_THREAD : 0));
	cursor_put_word(&c, i->cpus);
	cursor_put_elapsed(&c, &g->f);
	if (!i->counted) {
		cursor_put_zeros(&c, i->cpus + 1);
	} else {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
			put_cpi(&c, i->cpu[cpu].cycles, i->cpu[cpu].instructions);
		put_cpi(&c, g->sum->cycles, g->sum->instructions);
	}
	if (g->types & CPI_HOOK_BUSY) {
		for (uint32_t cpu = 0; cpu < i->cpus; cpu++) {
			put_cpi(&c, i->cpu[cpu].busy, i->cpu[cpu].instructions);
			put_busy(&c, &i->cpu[cpu]);
		}
		put_cpi(&c, g->sum->busy, g->sum->instructions);
		put_busy(&c, g->sum);
	}
	if (g->spec->thread)
		put_cpi(&c, i->thread_cycles, i->thread_instructions);
}

/* Of put_counts. */
static uint32_t counts_words(const struct group *g)
{
	return g->types & CPI_HOOK_BUSY ? 12 : 6;
}

/* Instructions, cycles, CPI and, with busy, the same of the cycles not idle. */
static void put_counts(struct cursor *c, const struct counter_interval_cpu *counts, uint32_t types)
{
	cursor_put_count(c, counts->instructions);
	cursor_put_count(c, counts->cycles);
	put_cpi(c, counts->cycles, counts->instructions);
	if (types & CPI_HOOK_BUSY) {
		cursor_put_count(c, counts->busy);
		put_cpi(c, counts->busy, counts->instructions);
		put_busy(c, counts);
	}
}

enum { SYSTEM_HEAD_WORDS = 3, PER_CPU_HEAD_WORDS = 4, THREAD_WORDS = 9 };

static void add_detailed(struct group *g)
{
	frame_add(&g->f, SYSTEM_HEAD_WORDS + counts_words(g));
	frame_add(&g->f, PER_CPU_HEAD_WORDS + g->i->cpus * counts_words(g));
	if (g->spec->thread)
		frame_add(&g->f, THREAD_WORDS);
}

static void write_detailed(struct group *g)
{
	const struct counter_interval *i = g->i;
	struct cursor c = frame_record(
		&g->f, CPI_MAJOR, CPI_MINOR_SYSTEM, SYSTEM_HEAD_WORDS + counts_words(g));

	cursor_put_word(&c, g->types);
	cursor_put_elapsed(&c, &g->f);
	put_counts(&c, g->sum, g->types);

	c = frame_record(&g->f, CPI_MAJOR, CPI_MINOR_PER_CPU,
		PER_CPU_HEAD_WORDS + i->cpus * counts_words(g));
	cursor_put_word(&c, g->types);
	cursor_put_word(&c, i->cpus);
	cursor_put_elapsed(&c, &g->f);
	for (uint32_t cpu = 0; cpu < i->cpus; cpu++)
		put_counts(&c, &i->cpu[cpu], g->types);

	if (!g->spec->thread)
		return;
	c = frame_record(&g->f, CPI_MAJOR, CPI_MINOR_THREAD, THREAD_WORDS);
	cursor_put_word(&c, g->spec->tid);
	cursor_put_elapsed(&c, &g->f);
	cursor_put_count(&c, i->thread_instructions);
	cursor_put_count(&c, i->thread_cycles);
	put_cpi(&c, i->thread_cycles, i->thread_instructions);
}

/* ------------------------------------------------------------ what the thread did */

static uint32_t known_bit(uint64_t figure, uint32_t bit)
{
	return figure != CPI_NONE ? bit : 0;
}

static uint32_t quality_known(const struct counter_interval *i)
{
	const struct counter_life *life = &i->life;

	if (!i->thread_known)
		return 0;
	return known_bit(life->on_cpu_ns, CPI_KNOWN_ON_CPU) |
	       known_bit(life->switches, CPI_KNOWN_SWITCHES) |
	       known_bit(life->migrations, CPI_KNOWN_MIGRATIONS) |
	       known_bit(life->faults, CPI_KNOWN_FAULTS);
}

/* What the quality hook says is not said twice, nor that a thread without a switch ran all the
 * time. */
static uint32_t time_known(const struct group *g)
{
	const struct counter_interval *i = g->i;
	uint32_t known = known_bit(i->unexplained_ns, INTERVAL_KNOWN_UNEXPLAINED);

	if (!g->spec->quality)
		known |= known_bit(i->life.switches, INTERVAL_KNOWN_SWITCHES);
	if (!g->spec->quality && !i->stayed)
		known |= known_bit(i->life.on_cpu_ns, INTERVAL_KNOWN_ON_CPU);
	return known;
}

/* Two words of each figure. */
static uint32_t group_known_words(uint32_t known)
{
	return 2 * ((known & 1) + (known >> 1 & 1) + (known >> 2 & 1) + (known >> 3 & 1));
}

static uint32_t quality_words(const struct group *g)
{
	return CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * COUNTER_QUANTITIES +
	       group_known_words(g->known);
}

static uint32_t time_words(const struct group *g)
{
	return INTERVAL_TIME_WORD_FIRST + group_known_words(g->known_time);
}

static void write_quality(struct group *g)
{
	const struct counter_interval *i = g->i;
	struct cursor c = frame_record(&g->f, CPI_MAJOR, CPI_MINOR_QUALITY, quality_words(g));

	cursor_put_word(&c, i->flags);
	cursor_put_word(&c, g->known);
	cursor_put_elapsed(&c, &g->f);
	cursor_put_word(&c, COUNTER_QUANTITIES);
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		cursor_put_word(&c, i->quality[q].source);
		cursor_put_count(&c, i->quality[q].enabled);
		cursor_put_count(&c, i->quality[q].running);
	}
	if (g->known & CPI_KNOWN_ON_CPU)
		cursor_put_count(&c, i->life.on_cpu_ns);
	if (g->known & CPI_KNOWN_SWITCHES)
		cursor_put_count(&c, i->life.switches);
	if (g->known & CPI_KNOWN_MIGRATIONS)
		cursor_put_count(&c, i->life.migrations);
	if (g->known & CPI_KNOWN_FAULTS)
		cursor_put_count(&c, i->life.faults);
}

static void write_time(struct group *g)
{
	const struct counter_interval *i = g->i;
	struct cursor c = frame_record(&g->f, INTERVAL_MAJOR, INTERVAL_MINOR_TIME, time_words(g));

	cursor_put_word(&c, (uint32_t)i->life_source);
	cursor_put_word(&c, g->known_time);
	cursor_put_elapsed(&c, &g->f);
	if (g->known_time & INTERVAL_KNOWN_ON_CPU)
		cursor_put_count(&c, i->life.on_cpu_ns);
	if (g->known_time & INTERVAL_KNOWN_SWITCHES)
		cursor_put_count(&c, i->life.switches);
	if (g->known_time & INTERVAL_KNOWN_UNEXPLAINED)
		cursor_put_count(&c, i->unexplained_ns);
}

/* ------------------------------------------------------------------------- arguments */

static uint32_t args_words(const struct args *args)
{
	return INTERVAL_ARGS_WORD_FIRST + INTERVAL_ARG_WORDS * args->count;
}

static void write_args(struct group *g, struct args_shape *shape, bool is_stale)
{
	const struct args *args = g->spec->args;
	struct cursor c = frame_record_texts(&g->f, INTERVAL_MAJOR, INTERVAL_MINOR_ARGS,
		args_words(args), shape->texts, shape->string_bytes);

	if (is_stale)
		args_forget_names(args, shape);
	cursor_put_word(&c, args->count);
	cursor_put_word(&c, shape->texts);
	cursor_put_elapsed(&c, &g->f);
	args_write_strings(args_write_words(c.at, args, shape), args, shape);
}

/* ------------------------------------------------------------------------- the group */

static void group_prepare(struct group *g)
{
	const struct group_spec *spec = g->spec;

	g->types = CPI_HOOK_RAW;
	if (spec->scaled && g->i->counted && figure_busy_known(g->sum))
		g->types |= CPI_HOOK_BUSY;
	if (spec->summary)
		frame_add(&g->f, summary_words(g));
	if (spec->detailed)
		add_detailed(g);
	g->known = 0;
	if (spec->quality) {
		g->known = quality_known(g->i);
		frame_add(&g->f, quality_words(g));
	}
}

int group_write(const struct group_spec *spec, const struct counter_interval *i,
	const struct hook_time *at, uint64_t *elapsed)
{
	const bool time = i->thread_known && i->life_source != INTERVAL_TIME_NONE;
	const struct ring_map *map = NULL;
	struct counter_interval_cpu sum;
	struct args_shape shape;
	struct group g;
	int rc;

	if (i->counted || spec->detailed)
		figure_sums(i, &sum);
	g.spec = spec;
	g.i = i;
	g.sum = &sum;
	frame_open(&g.f, CPI_MAJOR, spec->mm, spec->label);
	group_prepare(&g);
	if (time) {
		g.known_time = time_known(&g);
		frame_add(&g.f, time_words(&g));
	}
	if (spec->events || spec->args) {
		attach_ready(CPI_MAJOR); /* names are of the rings that are written to */
		map = ring_self.map;
	}
	if (spec->events)
		events_add(spec->events, &g.f);
	if (spec->args) {
		args_find_shape(spec->args, &shape);
		frame_add_texts(&g.f, args_words(spec->args), shape.string_bytes);
	}
	rc = frame_begin(&g.f, spec->start_ticks, at);
	if (rc != HOOK_RESERVED)
		return rc;
	*elapsed = g.f.elapsed;
	frame_label(&g.f, CPI_MINOR_LABEL_START);
	if (spec->summary)
		write_summary(&g);
	if (spec->detailed)
		write_detailed(&g);
	if (spec->quality)
		write_quality(&g);
	frame_label(&g.f, CPI_MINOR_LABEL_END);
	if (time)
		write_time(&g);
	/* Stale if a signal handler attached the thread to other rings. */
	if (spec->events)
		events_write(spec->events, &g.f, ring_self.map != map);
	if (spec->args)
		write_args(&g, &shape, ring_self.map != map);
	hook_commit(&g.f.w);
	return PU_SUCCESS;
}
