/*
 * Countersets that follow from intervals: CPI from groups of CPI hooks, Processor Information from
 * those of CPU utilisation. A group's hook of the processors is a sample, its stamp the sample's
 * moment, and the difference of two adjacent samples equals the later group. A sample of zeros, at
 * the first group's start, precedes the first.
 *
 * Ratios have their bases among the counters: both are sums over the groups. Timers have the
 * clock for their base, but groups may overlap, or have gaps between them: so a timer advances,
 * over the time since the sample before, in the proportion that its group says.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/time_ns.h"
#include "../../../formats/cpi_group.h"
#include "../columns.h"
#include "fields.h"

/* A group's addition to the base of actual performance, which has 32 bits: four decimals are left.
 */
enum { PERFORMANCE_WEIGHT = 10000 };

enum { FIGURES = 6 };

/* CPI's figures. */
enum { INSTRUCTIONS, CYCLES, BUSY_CYCLES };
/* CPU utilisation's figures of a group, then the sums derived from them; other sums stay 0. */
enum { ELAPSED, BUSY, IDLE, INTR, UNHALTED, REFERENCE };
enum { SUM_IDLE, SUM_INTR, SUM_PERFORMANCE, SUM_WEIGHT };

struct figures {
	uint64_t v[FIGURES];
	unsigned known; /* a bit each */
};

struct derived_cpu {
	struct figures now; /* of the group */
	uint64_t sum[FIGURES];
};

struct derived {
	struct replay_set *set;
	bool utilisation;
	struct derived_cpu *cpu;
	uint32_t cpus;
	size_t room;
	struct figures total; /* of the group: of the system */
	uint64_t total_sum[FIGURES];
	bool has_total; /* a hook had the system's figures, and one of the processors may follow */
	uint32_t tid, file, mm;
	uint64_t ticks;
	struct sample_time from, to; /* of the group: start and stamp */
	bool ready, begun;
	struct sample_time last;
};

void replay_free_derived(struct derived *d)
{
	if (!d)
		return;
	free(d->cpu);
	free(d);
}

static uint32_t add_derived(
	struct replay *r, const struct counterset_definition *like, bool utilisation)
{
	struct replay_set *s = replay_find(r, &like->guid);

	if (s)
		replay_forget(r, s); /* it was announced, but nothing was recorded */
	else
		s = replay_add(r);
	if (!s)
		return ERROR_SUCCESS; /* more countersets than any program has */
	s->derived = calloc(1, sizeof *s->derived);
	if (!s->derived)
		return ERROR_OUTOFMEMORY;
	s->derived->set = s;
	s->derived->utilisation = utilisation;
	s->definition = *like;
	s->whole = true;
	return ERROR_SUCCESS;
}

uint32_t replay_add_derived(struct replay *r, bool cpi, bool utilisation)
{
	uint32_t status = utilisation ? add_derived(r, &processor_definition, true) : ERROR_SUCCESS;

	return status || !cpi ? status : add_derived(r, &cpi_definition, false);
}

/* ------------------------------------------------------------------------------- hooks */

static bool need_cpu(struct derived *d, uint32_t cpu)
{
	size_t before = d->room;

	if (!array_reserve(&d->cpu, &d->room, (size_t)cpu + 1, sizeof *d->cpu))
		return false;
	if (d->room > before)
		memset(d->cpu + before, 0, (d->room - before) * sizeof *d->cpu);
	if (cpu >= d->cpus)
		d->cpus = cpu + 1;
	return true;
}

/* Which figure a field is, of a processor or of the system. */
static const struct {
	bool known, per_cpu;
	uint8_t figure;
} figure_of[FIELDS] = {
	[FIELD_CPU_ELAPSED] = {true, true, ELAPSED},
	[FIELD_CPU_BUSY_TIME] = {true, true, BUSY},
	[FIELD_CPU_IDLE_TIME] = {true, true, IDLE},
	[FIELD_CPU_INTR_TIME] = {true, true, INTR},
	[FIELD_CPU_UNHALTED] = {true, true, UNHALTED},
	[FIELD_CPU_REFERENCE] = {true, true, REFERENCE},
	[FIELD_INSTRUCTIONS] = {true, false, INSTRUCTIONS},
	[FIELD_CYCLES] = {true, false, CYCLES},
	[FIELD_BUSY_CYCLES] = {true, false, BUSY_CYCLES},
	[FIELD_CPU_INSTRUCTIONS] = {true, true, INSTRUCTIONS},
	[FIELD_CPU_CYCLES] = {true, true, CYCLES},
	[FIELD_CPU_BUSY_CYCLES] = {true, true, BUSY_CYCLES},
};

/* Numbers that no interval has would only make sums overflow. */
#define MOST (UINT64_C(1) << 53)

static void derived_set_figure(struct figures *f, unsigned which, const struct replay_value *v)
{
	if (!v->measured || v->u > MOST)
		return;
	f->v[which] = v->u;
	f->known |= 1u << which;
}

/* false: no memory. */
static bool read_hook(struct derived *d, cpidecode_hooks *it, uint64_t *elapsed)
{
	struct replay_reader reader = {.it = it};
	struct replay_value v;

	while (replay_field_next(&reader, &v)) {
		unsigned which = figure_of[v.field].figure;

		if (v.field == FIELD_ELAPSED)
			*elapsed = v.u;
		if (!figure_of[v.field].known)
			continue;
		if (!figure_of[v.field].per_cpu) {
			derived_set_figure(&d->total, which, &v);
			continue;
		}
		if (v.turn >= COUNTERSET_INSTANCES - 2)
			continue;
		if (!need_cpu(d, v.turn))
			return false;
		derived_set_figure(&d->cpu[v.turn].now, which, &v);
	}
	return true;
}

static void begin_group(struct derived *d, const struct replay *r)
{
	const cpidecode_hook *h = r->at.hook;

	for (uint32_t i = 0; i < d->cpus; i++)
		d->cpu[i].now = (struct figures){0};
	d->total = (struct figures){0};
	d->tid = h->tid;
	d->file = h->file;
	d->mm = h->minor & CPI_MINOR_MM;
	d->ticks = cpidecode_hooks_group_ticks(r->at.it);
}

static bool is_of_group(const struct derived *d, const struct replay *r)
{
	const cpidecode_hook *h = r->at.hook;

	return h->tid == d->tid && h->file == d->file &&
	       cpidecode_hooks_group_ticks(r->at.it) == d->ticks &&
	       (h->minor & CPI_MINOR_MM) == d->mm && group_part(h->major, h->minor) == PART_PER_CPU;
}

static struct sample_time replay_time_of(const struct replay *r, const cpidecode_hook *h)
{
	cpidecode_file_info info;

	if (cpidecode_file(r->trace, h->file, &info))
		info.ticks_per_second = 0;
	return (struct sample_time){.ticks = (int64_t)h->ticks,
		.frequency = (int64_t)info.ticks_per_second,
		.time_100ns = h->time_ns / 100 + TIME_1601_TO_1970_100NS};
}

static uint32_t derived_read_group(struct replay *r, struct derived *d)
{
	const cpidecode_hook *h = r->at.hook;
	uint64_t elapsed = 0;
	double before;

	if (!read_hook(d, r->at.it, &elapsed))
		return ERROR_OUTOFMEMORY;
	if (elapsed > h->ticks)
		elapsed = h->ticks;
	d->from = d->to = replay_time_of(r, h);
	before = d->to.frequency > 0 ? 1e7 * (double)elapsed / (double)d->to.frequency : 0;
	d->from.ticks = (int64_t)(h->ticks - elapsed);
	d->from.time_100ns -= before < 1e18 ? llround(before) : 0;
	return ERROR_SUCCESS;
}

static bool derived_has_figures(const struct derived *d)
{
	unsigned known = d->total.known;

	for (uint32_t i = 0; i < d->cpus; i++)
		known |= d->cpu[i].now.known;
	return known != 0;
}

static uint32_t derived_read_hook(struct replay *r, struct derived *d)
{
	const cpidecode_hook *h = r->at.hook;
	enum group_part part = group_part(h->major, h->minor);
	bool per_cpu = part == (d->utilisation ? PART_UTIL_PER_CPU : PART_PER_CPU);
	uint32_t status;

	if (!per_cpu && (d->utilisation || part != PART_SYSTEM))
		return ERROR_SUCCESS;
	if (!d->has_total)
		begin_group(d, r);
	status = derived_read_group(r, d);
	d->has_total = !per_cpu;
	d->ready = per_cpu && derived_has_figures(d);
	return status;
}

/* A group whose processors are not in the present hook ends before it. */
static void derived_end_group(struct replay *r, struct derived *d)
{
	if (!d->has_total || is_of_group(d, r))
		return;
	d->has_total = false;
	d->ready = r->at.again = true;
}

uint32_t replay_read_interval(struct replay *r)
{
	uint32_t status = ERROR_SUCCESS;

	for (uint32_t i = 0; i < r->sets; i++)
		if (r->set[i]->derived && r->set[i]->asked)
			derived_end_group(r, r->set[i]->derived);
	for (uint32_t i = 0; i < r->sets && !r->at.again && !status; i++)
		if (r->set[i]->derived && r->set[i]->asked)
			status = derived_read_hook(r, r->set[i]->derived);
	return status;
}

void replay_end_intervals(struct replay *r)
{
	for (uint32_t i = 0; i < r->sets; i++) {
		struct derived *d = r->set[i]->derived;

		if (d && d->has_total) {
			d->has_total = false;
			d->ready = true;
		}
	}
}

/* -------------------------------------------------------------------------------- sums */

static bool figures_know(const struct figures *f, unsigned bits)
{
	return (f->known & bits) == bits;
}

#define BIT(figure) (1u << (figure))

/* A missing system figure is the sum over the processors; for utilisation, over those that
 * have an elapsed time. */
static void derived_sum_cpus(struct derived *d)
{
	struct figures all = {0};

	for (uint32_t i = 0; i < d->cpus; i++) {
		const struct figures *f = &d->cpu[i].now;

		if (d->utilisation && !figures_know(f, BIT(ELAPSED)))
			continue;
		all.known |= f->known;
		for (int k = 0; k < FIGURES; k++)
			all.v[k] += f->v[k];
	}
	for (int k = 0; k < FIGURES; k++)
		if (!figures_know(&d->total, BIT(k)) && figures_know(&all, BIT(k))) {
			d->total.v[k] = all.v[k];
			d->total.known |= BIT(k);
		}
}

/* More than fits a number is nonsense, and nothing. */
static uint64_t figures_share(uint64_t of, uint64_t above, uint64_t below)
{
	double part = below ? (double)of * ((double)above / (double)below) : 0;

	return part < 0x1p63 ? (uint64_t)llround(part) : 0;
}

static void advance_utilisation(uint64_t sum[FIGURES], const struct figures *f, uint64_t passed)
{
	if (figures_know(f, BIT(ELAPSED) | BIT(IDLE)))
		sum[SUM_IDLE] += figures_share(passed, f->v[IDLE], f->v[ELAPSED]);
	if (figures_know(f, BIT(ELAPSED) | BIT(INTR)))
		sum[SUM_INTR] += figures_share(passed, f->v[INTR], f->v[ELAPSED]);
	if (figures_know(f, BIT(UNHALTED) | BIT(REFERENCE)) && f->v[REFERENCE]) {
		sum[SUM_PERFORMANCE] +=
			figures_share(100 * PERFORMANCE_WEIGHT, f->v[UNHALTED], f->v[REFERENCE]);
		sum[SUM_WEIGHT] += PERFORMANCE_WEIGHT;
	}
}

static void derived_advance_sums(
	struct derived *d, uint64_t sum[FIGURES], const struct figures *f, uint64_t passed)
{
	if (d->utilisation) {
		advance_utilisation(sum, f, passed);
		return;
	}
	for (int k = 0; k <= BUSY_CYCLES; k++)
		sum[k] += f->v[k];
}

/* -------------------------------------------------------------------------------- rows */

static void derived_put_value(struct replay_set *s, uint32_t id, uint64_t value)
{
	int column = counterset_column(&s->definition, id);

	if (column >= 0)
		rows_set(&s->rows, (uint32_t)column, value);
}

static void put_utilisation(struct replay_set *s, const uint64_t *sum, const struct figures *f)
{
	if (figures_know(f, BIT(ELAPSED) | BIT(IDLE))) {
		derived_put_value(s, PROCESSOR_TIME, sum[SUM_IDLE]);
		derived_put_value(s, PROCESSOR_IDLE, sum[SUM_IDLE]);
	}
	if (figures_know(f, BIT(ELAPSED) | BIT(INTR)))
		derived_put_value(s, PROCESSOR_INTERRUPT_TIME, sum[SUM_INTR]);
	if (figures_know(f, BIT(UNHALTED) | BIT(REFERENCE))) {
		derived_put_value(s, PROCESSOR_PERFORMANCE, sum[SUM_PERFORMANCE]);
		derived_put_value(s, PROCESSOR_PERFORMANCE_BASE, (uint32_t)sum[SUM_WEIGHT]);
	}
}

static void derived_put_cpi(struct replay_set *s, const uint64_t *sum, const struct figures *f)
{
	bool instructions = figures_know(f, BIT(INSTRUCTIONS)),
	     cycles = figures_know(f, BIT(CYCLES)), busy = figures_know(f, BIT(BUSY_CYCLES));

	if (instructions) {
		derived_put_value(s, CPI_COLUMN_BASE, sum[INSTRUCTIONS]);
		derived_put_value(s, CPI_COLUMN_INSTRUCTIONS, sum[INSTRUCTIONS]);
	}
	if (cycles)
		derived_put_value(s, CPI_COLUMN_CYCLES, sum[CYCLES]);
	if (busy)
		derived_put_value(s, CPI_COLUMN_BUSY_CYCLES, sum[BUSY_CYCLES]);
	if (instructions && cycles)
		derived_put_value(s, CPI_COLUMN_CPI, sum[CYCLES]);
	if (instructions && busy)
		derived_put_value(s, CPI_COLUMN_SCALED, sum[BUSY_CYCLES]);
	if (busy && cycles) {
		derived_put_value(s, CPI_COLUMN_BUSY, sum[BUSY_CYCLES]);
		derived_put_value(s, CPI_COLUMN_BUSY_BASE, sum[CYCLES]);
	}
}

static bool derived_put_row(struct derived *d, const char *name, uint32_t id, const uint64_t *sum,
	const struct figures *f)
{
	struct replay_set *s = d->set;

	if (!rows_add(&s->rows, name, strlen(name), id))
		return false;
	if (d->utilisation)
		put_utilisation(s, sum, f);
	else
		derived_put_cpi(s, sum, f);
	return true;
}

/* A trace records no nodes: there is one. A processor of which nothing was measured was offline.
 */
static bool put_rows(struct derived *d)
{
	char name[24];
	bool more;

	rows_begin(&d->set->rows, d->set->definition.ncounters);
	more = derived_put_row(d, "_Total", INSTANCE_ALL, d->total_sum, &d->total);
	if (more && d->utilisation)
		more = derived_put_row(d, "0,_Total", INSTANCE_GROUP, d->total_sum, &d->total);
	for (uint32_t cpu = 0; cpu < d->cpus && more; cpu++) {
		const struct figures *f = &d->cpu[cpu].now;

		if (!figures_know(f, d->utilisation ? BIT(ELAPSED) : 0) || !f->known)
			continue;
		snprintf(name, sizeof name, d->utilisation ? "0,%u" : "%u", cpu);
		more = derived_put_row(d, name, cpu, d->cpu[cpu].sum, f);
	}
	return more;
}

/* The zeros first; then the group. */
static uint32_t derived_fill_rows(struct derived *d, struct sample_time *time)
{
	if (!d->begun) {
		d->begun = true;
		*time = d->from;
		derived_sum_cpus(d);
	} else {
		uint64_t passed =
			d->to.time_100ns > d->last.time_100ns
				? (uint64_t)d->to.time_100ns - (uint64_t)d->last.time_100ns
				: 0;

		d->ready = false;
		*time = d->to;
		derived_sum_cpus(d);
		for (uint32_t i = 0; i < d->cpus; i++)
			derived_advance_sums(d, d->cpu[i].sum, &d->cpu[i].now, passed);
		derived_advance_sums(d, d->total_sum, &d->total, passed);
	}
	d->last = *time;
	return put_rows(d) ? ERROR_SUCCESS : ERROR_OUTOFMEMORY;
}

bool replay_ready_interval(struct replay *r, struct sample_time *time, uint32_t *status)
{
	for (uint32_t i = 0; i < r->sets; i++) {
		struct derived *d = r->set[i]->derived;

		if (!d || !d->ready || !r->set[i]->asked)
			continue;
		*status = r->set[i]->status = derived_fill_rows(d, time);
		return true;
	}
	return false;
}
