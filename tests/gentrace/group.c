/* One CpiGetAndTrace, or CpuUtilGetAndTrace: its counts, made up, and its hooks, computed from
 * them. */
#include "gentrace.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/cpi_hooks.h"
#include "../../formats/cpuutil_hooks.h"
#include "../../formats/interval_hooks.h"

struct counts {
	uint64_t instructions, cycles, busy;
};

struct group {
	unsigned cpus, parts;
	bool utilisation;
	struct counts *cpu;
	uint32_t *words; /* of all hooks */
	uint32_t label_words[2];
};

struct group *group_open(const struct options *o)
{
	struct group *g = need_memory(calloc(1, sizeof *g));

	g->cpus = o->cpus;
	g->parts = o->parts;
	g->utilisation = o->utilisation;
	g->cpu = need_memory(calloc(g->cpus, sizeof *g->cpu));
	size_t words = g->utilisation
			       ? CPUUTIL_SUMMARY_WORDS(g->cpus) + CPUUTIL_PER_CPU_WORDS(g->cpus)
			       : CPI_GROUP_DATA_WORDS(g->cpus);
	g->words = need_memory(calloc(words, sizeof *g->words));
	return g;
}

void group_close(struct group *g)
{
	free(g->cpu);
	free(g->words);
	free(g);
}

static uint32_t *put64(uint32_t *w, uint64_t v)
{
	*w++ = (uint32_t)(v >> 32);
	*w++ = (uint32_t)v;
	return w;
}

/* times * a / b with four decimals, rounded half up; 0 when there is no b. */
static uint32_t *put_ratio(uint32_t *w, uint64_t a, uint64_t b, unsigned times)
{
	unsigned __int128 scaled = (unsigned __int128)a * times * CPI_FRACTION;
	uint64_t v = 0;

	if (b)
		v = scaled >> 63 ? (uint64_t)((scaled + b / 2) / b)
				 : ((uint64_t)scaled + b / 2) / b;
	*w++ = (uint32_t)(v / CPI_FRACTION);
	*w++ = (uint32_t)(v % CPI_FRACTION);
	return w;
}

/* Busy for a fifth of the time at least; 0.5 to 2.5 cycles an instruction. */
static struct counts some_counts(uint64_t *state, uint64_t elapsed)
{
	uint64_t r = random_next(state);
	uint64_t busy = elapsed / 5 + (elapsed * 4 / 5) / 1024 * (r & 1023);
	uint64_t hundredths = 50 + (r >> 10) % 201;

	return (struct counts){busy / hundredths * 100 + 1, elapsed, busy};
}

static struct counts all_counts(struct group *g, uint64_t *state, uint64_t elapsed)
{
	struct counts sum = {0};

	for (unsigned i = 0; i < g->cpus; i++) {
		g->cpu[i] = some_counts(state, elapsed);
		sum.instructions += g->cpu[i].instructions;
		sum.cycles += g->cpu[i].cycles;
		sum.busy += g->cpu[i].busy;
	}
	return sum;
}

static uint32_t *put_scaled(uint32_t *w, const struct counts *c)
{
	w = put_ratio(w, c->busy, c->instructions, 1);
	return put_ratio(w, c->busy, c->cycles, 100);
}

static uint32_t *summary(const struct group *g, uint32_t *w, uint64_t elapsed,
	const struct counts *sum, const struct counts *thread)
{
	bool with_thread = g->parts & PART_THREAD;

	*w++ = CPI_HOOK_RAW | CPI_HOOK_BUSY | (with_thread ? CPI_HOOK_THREAD : 0);
	*w++ = g->cpus;
	w = put64(w, elapsed);
	for (unsigned i = 0; i < g->cpus; i++)
		w = put_ratio(w, g->cpu[i].cycles, g->cpu[i].instructions, 1);
	w = put_ratio(w, sum->cycles, sum->instructions, 1);
	for (unsigned i = 0; i < g->cpus; i++)
		w = put_scaled(w, &g->cpu[i]);
	w = put_scaled(w, sum);
	if (with_thread)
		w = put_ratio(w, thread->cycles, thread->instructions, 1);
	return w;
}

static uint32_t *one_count(uint32_t *w, const struct counts *c)
{
	w = put64(w, c->instructions);
	w = put64(w, c->cycles);
	w = put_ratio(w, c->cycles, c->instructions, 1);
	w = put64(w, c->busy);
	return put_scaled(w, c);
}

static uint32_t *system_wide(uint32_t *w, uint64_t elapsed, const struct counts *sum)
{
	*w++ = CPI_HOOK_RAW | CPI_HOOK_BUSY;
	return one_count(put64(w, elapsed), sum);
}

static uint32_t *per_cpu(const struct group *g, uint32_t *w, uint64_t elapsed)
{
	*w++ = CPI_HOOK_RAW | CPI_HOOK_BUSY;
	*w++ = g->cpus;
	w = put64(w, elapsed);
	for (unsigned i = 0; i < g->cpus; i++)
		w = one_count(w, &g->cpu[i]);
	return w;
}

static uint32_t *of_thread(uint32_t *w, uint32_t tid, uint64_t elapsed, const struct counts *thread)
{
	*w++ = tid;
	w = put64(w, elapsed);
	w = put64(w, thread->instructions);
	w = put64(w, thread->cycles);
	return put_ratio(w, thread->cycles, thread->instructions, 1);
}

static void add_hook(struct unit *u, uint32_t minor, const uint32_t *from, const uint32_t *to)
{
	u->hook[u->nhooks++] =
		(struct hook){.minor = minor, .words = from, .nwords = (unsigned)(to - from)};
}

static void add_label(struct group *g, uint32_t minor, const char *label, struct unit *u)
{
	if (!(g->parts & PART_LABEL))
		return;
	add_hook(u, minor, g->label_words, g->label_words + 2);
	u->hook[u->nhooks - 1].string = label;
	u->hook[u->nhooks - 1].length = (unsigned)strlen(label);
}

/* CPU utilisation: a tenth of what is not idle is in interrupts; the clock is the nominal one.
 */
enum { UTIL_TYPES = CPUUTIL_HOOK_BUSY | CPUUTIL_HOOK_INTR | CPUUTIL_HOOK_PERF };

static uint32_t *util_head(const struct group *g, uint32_t *w, uint64_t elapsed)
{
	*w++ = UTIL_TYPES;
	*w++ = 1;
	*w++ = g->cpus;
	return put64(w, elapsed);
}

static uint32_t *put_percent(uint32_t *w, uint64_t part, const struct counts *c)
{
	return put_ratio(w, part, c->cycles, 100);
}

static uint32_t *util_summary(
	const struct group *g, uint32_t *w, uint64_t elapsed, const struct counts *sum)
{
	w = util_head(g, w, elapsed);
	for (unsigned i = 0; i <= g->cpus; i++) {
		const struct counts *c = i < g->cpus ? &g->cpu[i] : sum;

		w = put_percent(w, c->busy - c->busy / 10, c);
		w = put_percent(w, c->cycles - c->busy, c);
	}
	for (unsigned i = 0; i <= g->cpus; i++) {
		const struct counts *c = i < g->cpus ? &g->cpu[i] : sum;

		w = put_percent(w, c->busy / 10, c);
	}
	for (unsigned i = 0; i <= g->cpus; i++)
		w = put_ratio(w, 100, 1, 1);
	return w;
}

static uint32_t *util_per_cpu(const struct group *g, uint32_t *w, uint64_t elapsed)
{
	w = util_head(g, w, elapsed);
	for (unsigned i = 0; i < g->cpus; i++) {
		const struct counts *c = &g->cpu[i];

		w = put64(w, c->cycles);
		w = put64(w, c->busy - c->busy / 10);
		w = put64(w, c->cycles - c->busy);
		w = put64(w, c->busy / 10);
		w = put64(w, c->busy);
		w = put64(w, c->busy);
	}
	return w;
}

static void make_utilisation(struct group *g, uint32_t mm, uint64_t elapsed,
	const struct counts *sum, const char *label, struct unit *u)
{
	uint32_t *from = g->words, *to = from;

	add_label(g, CPUUTIL_MINOR_LABEL_START | mm, label, u);
	if (g->parts & PART_SUMMARY) {
		to = util_summary(g, from, elapsed, sum);
		add_hook(u, CPUUTIL_MINOR_SUMMARY | mm, from, to);
	}
	if (g->parts & PART_CPUS) {
		to = util_per_cpu(g, from = to, elapsed);
		add_hook(u, CPUUTIL_MINOR_PER_CPU | mm, from, to);
	}
	add_label(g, CPUUTIL_MINOR_LABEL_END | mm, label, u);
}

/* No switch; an empty interval takes 50 ticks, its start and end 150. */
static uint32_t *time_of(uint32_t *w, uint64_t elapsed)
{
	*w++ = INTERVAL_TIME_PAGE;
	*w++ = INTERVAL_KNOWN_SWITCHES | INTERVAL_KNOWN_OWN_COST;
	w = put64(w, elapsed);
	w = put64(w, 0);
	*w++ = 50;
	*w++ = 150;
	return w;
}

static void make_cpi(struct group *g, uint32_t mm, uint32_t tid, uint64_t elapsed,
	const struct counts *sum, const struct counts *thread, const char *label, struct unit *u)
{
	uint32_t *from = g->words, *to = from;

	add_label(g, CPI_MINOR_LABEL_START | mm, label, u);
	if (g->parts & PART_SUMMARY) {
		to = summary(g, from, elapsed, sum, thread);
		add_hook(u, CPI_MINOR_SUMMARY | mm, from, to);
	}
	if (g->parts & PART_SYSTEM) {
		to = system_wide(from = to, elapsed, sum);
		add_hook(u, CPI_MINOR_SYSTEM | mm, from, to);
	}
	if (g->parts & PART_CPUS) {
		to = per_cpu(g, from = to, elapsed);
		add_hook(u, CPI_MINOR_PER_CPU | mm, from, to);
	}
	if (g->parts & PART_THREAD) {
		to = of_thread(from = to, tid, elapsed, thread);
		add_hook(u, CPI_MINOR_THREAD | mm, from, to);
	}
	add_label(g, CPI_MINOR_LABEL_END | mm, label, u);
	if (g->parts & PART_TIME) {
		to = time_of(from = to, elapsed);
		add_hook(u, INTERVAL_MINOR_TIME | mm, from, to);
		u->hook[u->nhooks - 1].major = INTERVAL_MAJOR;
	}
}

void group_make(struct group *g, uint64_t *state, uint32_t mm, uint32_t tid, uint64_t elapsed,
	const char *label, struct unit *u)
{
	struct counts sum = all_counts(g, state, elapsed);
	struct counts thread = some_counts(state, elapsed);

	/* A thread's cycles are those it ran. */
	thread.cycles = thread.busy;
	put64(g->label_words, elapsed);
	if (g->utilisation)
		make_utilisation(g, mm, elapsed, &sum, label, u);
	else
		make_cpi(g, mm, tid, elapsed, &sum, &thread, label, u);
	for (unsigned i = 0; i < u->nhooks; i++)
		if (u->hook[i].major != INTERVAL_MAJOR)
			u->hook[i].major = g->utilisation ? CPUUTIL_MAJOR : CPI_MAJOR;
}
