/* Chooses the events of a group, and interprets its readings. */
#include "perf.h"

#include <errno.h>
#include <string.h>

#include "../../../formats/trace_file.h"
#include "../../core/clock.h"

static unsigned left_out; /* bits of enum perf_kind */

void perf_leave_out(enum perf_kind kind)
{
	left_out |= 1u << kind;
}

static bool out_of_descriptors(int error)
{
	return error == EMFILE || error == ENFILE;
}

/* Errors of a PMU that lacks the event, or a free counter next to the others. */
static bool is_missing(int error)
{
	return error == ENOENT || error == EOPNOTSUPP || error == ENXIO || error == EINVAL;
}

/* The events to try: attr[i] counts kind[i]. */
struct plan {
	unsigned count;
	int kind[PERF_KINDS];
	struct perf_event_attr attr[PERF_KINDS];
};

static void plan_event(struct plan *p, enum perf_kind kind, const struct perf_event_attr *attr)
{
	p->kind[p->count] = (int)kind;
	p->attr[p->count++] = *attr;
}

/* On a hybrid machine a generic event names its PMU. */
static void plan_generic(struct plan *p, enum perf_kind kind, uint32_t pmu, bool user_only)
{
	static const uint64_t config[] = {[PERF_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
		[PERF_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
		[PERF_REF_CYCLES] = PERF_COUNT_HW_REF_CPU_CYCLES};
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = config[kind] | (uint64_t)pmu << 32,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
	};

	plan_event(p, kind, &attr);
}

static void plan_mperf(struct plan *p)
{
	const struct core_types *t = core_types();
	struct perf_event_attr attr = {.type = t->mperf_pmu, .config = t->mperf_config};

	/* It counts at the rate of the time stamp counter: useful only with it. */
	if (!t->has_mperf || clock_kind() != TF_CLOCK_TSC)
		return;
	plan_event(p, PERF_MPERF, &attr);
	attr.config = t->aperf_config;
	if (t->has_aperf)
		plan_event(p, PERF_APERF, &attr);
}

/* Adds an event that counts nothing: a group of one would not show that the kernel dissolved it
 * because its processor went offline. */
static void plan_company(struct plan *p)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};

	plan_event(p, PERF_KINDS, &attr);
}

static void plan_without(struct plan *p, unsigned failed)
{
	bool reference = p->kind[failed] == PERF_REF_CYCLES;

	p->count--;
	memmove(&p->kind[failed], &p->kind[failed + 1], (p->count - failed) * sizeof *p->kind);
	memmove(&p->attr[failed], &p->attr[failed + 1], (p->count - failed) * sizeof *p->attr);
	if (reference)
		plan_mperf(p);
}

static void perf_learn_plan(struct perf_counters *c, const struct plan *p)
{
	memset(c->at, -1, sizeof c->at);
	for (unsigned i = 0; i < p->count; i++)
		if (p->kind[i] < PERF_KINDS)
			c->at[p->kind[i]] = (int8_t)i;
}

static int open_planned(struct perf_counters *c, struct plan *p, pid_t pid, int cpu)
{
	c->error = 0;
	c->group.count = 0;
	while (p->count > 0) {
		struct plan now = *p;
		unsigned failed;
		int rc;

		if (cpu >= 0 && now.count == 1 && now.kind[0] != PERF_KINDS)
			plan_company(&now);
		rc = perf_group_open(&c->group, now.attr, now.count, pid, cpu, &failed);
		if (rc == 0) {
			perf_learn_plan(c, &now);
			return PERF_OPEN;
		}
		if (out_of_descriptors(-rc)) {
			c->error = -rc;
			return PERF_NO_DESCRIPTORS;
		}
		if (now.kind[failed] == PERF_INSTRUCTIONS || !c->error)
			c->error = -rc;
		/* The leader's rights and processor apply to all members. */
		if ((failed == 0 && !is_missing(-rc)) || now.kind[failed] == PERF_KINDS)
			return PERF_UNAVAILABLE;
		plan_without(p, failed);
	}
	return PERF_UNAVAILABLE;
}

static bool is_hybrid(void)
{
	return core_types()->count > 1;
}

static int open_cpu(struct perf_counters *c, uint32_t cpu, uint32_t pmu)
{
	struct plan p = {0};

	for (int kind = PERF_INSTRUCTIONS; kind <= PERF_REF_CYCLES; kind++)
		if (!(left_out & 1u << kind))
			plan_generic(&p, (enum perf_kind)kind, pmu, false);
	return open_planned(c, &p, -1, (int)cpu);
}

int perf_open_cpu(struct perf_counters *c, uint32_t cpu)
{
	unsigned type = core_type_of(cpu);
	int rc = PERF_UNAVAILABLE;

	*c = (struct perf_counters){.core_type = (uint8_t)type};
	if (is_hybrid())
		rc = open_cpu(c, cpu, core_types()->type[type].pmu);
	/* Kernels without PMU types in generic events use the processor's own PMU. */
	if (!is_hybrid() || (rc == PERF_UNAVAILABLE && is_missing(c->error)))
		rc = open_cpu(c, cpu, 0);
	return rc;
}

int perf_open_switches(struct perf_counters *c, uint32_t cpu)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
	struct plan p = {0};

	*c = (struct perf_counters){.core_type = (uint8_t)core_type_of(cpu)};
	plan_event(&p, PERF_SWITCHES, &attr);
	return open_planned(c, &p, -1, (int)cpu);
}

static int perf_open_thread_group(struct perf_counters *c, uint32_t pmu, bool user_only)
{
	struct plan p = {0};
	int rc;

	plan_generic(&p, PERF_INSTRUCTIONS, pmu, user_only);
	plan_generic(&p, PERF_CYCLES, pmu, user_only);
	c->user_only = user_only;
	rc = open_planned(c, &p, 0, -1);
	if (rc == PERF_OPEN)
		perf_group_map(&c->group);
	return rc;
}

int perf_open_thread(struct perf_counters *c, unsigned core_type)
{
	uint32_t pmu = is_hybrid() ? core_types()->type[core_type].pmu : 0;
	int rc;

	*c = (struct perf_counters){.core_type = (uint8_t)core_type};
	rc = perf_open_thread_group(c, pmu, false);
	if (rc == PERF_UNAVAILABLE && (c->error == EACCES || c->error == EPERM))
		rc = perf_open_thread_group(c, pmu, true);
	return rc;
}

void perf_close_counters(struct perf_counters *c, bool forked)
{
	perf_group_close(&c->group, forked);
}

/* ------------------------------------------------------------------------- reading */

static void perf_reading_clear(struct perf_reading *r)
{
	*r = (struct perf_reading){0};
	for (int kind = 0; kind < PERF_KINDS; kind++)
		r->count[kind] = NOT_MEASURED;
}

static void perf_fill_reading(
	const struct perf_counters *c, const struct perf_group_reading *now, struct perf_reading *r)
{
	r->enabled = now->enabled;
	r->running = now->running;
	r->core_type = c->core_type;
	for (int kind = 0; kind < PERF_KINDS; kind++)
		if (c->at[kind] >= 0)
			r->count[kind] = now->count[c->at[kind]];
}

bool perf_read_counters(const struct perf_counters *c, struct perf_reading *r, int *error)
{
	struct perf_group_reading now;
	int rc = perf_group_read(&c->group, &now);

	perf_reading_clear(r);
	if (error)
		*error = -rc;
	if (rc == 0)
		perf_fill_reading(c, &now, r);
	return rc == 0;
}
