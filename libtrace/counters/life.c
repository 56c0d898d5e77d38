#include "life.h"

#include <sys/resource.h>

#include "thread.h"

enum { SWITCHES, MIGRATIONS, FAULTS, TASK_CLOCK, EVENTS };

/* In the kernel too, where all but some faults happen: of user mode alone there would be
 * nothing to count, and a kernel that allows no more than that refuses. */
static void open_group(struct perf_group *g)
{
	static const uint64_t config[EVENTS] = {
		[SWITCHES] = PERF_COUNT_SW_CONTEXT_SWITCHES,
		[MIGRATIONS] = PERF_COUNT_SW_CPU_MIGRATIONS,
		[FAULTS] = PERF_COUNT_SW_PAGE_FAULTS,
		[TASK_CLOCK] = PERF_COUNT_SW_TASK_CLOCK,
	};
	struct perf_event_attr attr[EVENTS];

	for (int i = 0; i < EVENTS; i++)
		attr[i] = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .config = config[i]};
	perf_group_open(g, attr, EVENTS, 0, -1, NULL);
}

/* Decided once: a group counts since its opening, the other sources since the thread's start. */
static bool has_group(struct thread_self *self)
{
	struct thread_group *g;

	if (!self->life_tried) {
		self->life_tried = true;
		g = thread_keep(self);
		if (g)
			open_group(&g->life);
	}
	return self->group && self->group->life.count > 0;
}

static void life_read_group(const struct perf_group *g, struct counter_life *life)
{
	struct perf_group_reading r;

	if (perf_group_read(g, &r) != 0)
		return;
	life->on_cpu_ns = r.count[TASK_CLOCK];
	life->switches = r.count[SWITCHES];
	life->migrations = r.count[MIGRATIONS];
	life->faults = r.count[FAULTS];
}

static void read_usage(struct counter_life *life)
{
	struct rusage u;

	life->on_cpu_ns = thread_time_ns();
	if (getrusage(RUSAGE_THREAD, &u) != 0)
		return;
	life->switches = (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
	life->faults = (uint64_t)u.ru_minflt + (uint64_t)u.ru_majflt;
}

void life_read(struct thread_self *self, struct counter_life *life)
{
	*life = (struct counter_life){CPI_NONE, CPI_NONE, CPI_NONE, CPI_NONE};
	if (has_group(self))
		life_read_group(&self->group->life, life);
	else
		read_usage(life);
}

static uint64_t life_count_since(uint64_t from, uint64_t to)
{
	return from == CPI_NONE || to == CPI_NONE || to < from ? CPI_NONE : to - from;
}

void life_difference(
	const struct counter_life *from, const struct counter_life *to, struct counter_life *out)
{
	out->on_cpu_ns = life_count_since(from->on_cpu_ns, to->on_cpu_ns);
	out->switches = life_count_since(from->switches, to->switches);
	out->migrations = life_count_since(from->migrations, to->migrations);
	out->faults = life_count_since(from->faults, to->faults);
}
