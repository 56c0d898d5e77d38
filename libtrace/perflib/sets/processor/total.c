/*
 * From one sample to the next: limits times to the time that passed, and keeps totals monotonic
 * while processors come and go. Pure.
 */
#include "processor.h"

/* Residencies grow when a sleep ends, so they may exceed the interval. */
static bool is_steady(uint32_t column)
{
	return processor_sums[column] == SUM_TIMES &&
	       !(PROCESSOR_STATE_BITS & PROCESSOR_BIT(column));
}

/*
 * The kernel updates times in steps, so an interval may show up to one step more than its length.
 * Moves that excess to the next interval, but never more than the error of two readings: a larger
 * excess has another cause.
 */
static uint64_t total_smooth_counter(
	uint64_t before, uint64_t now, uint64_t elapsed, uint64_t error)
{
	if (now < before)
		return before - now <= error ? before : now;
	if (now - before <= elapsed)
		return now;
	return now - before - elapsed <= error ? before + elapsed : now - error;
}

void processors_smooth(struct processors *p, int64_t time)
{
	if (p->time && time > p->time)
		for (uint32_t cpu = 0; cpu < p->online.end; cpu++) {
			struct processor *c = &p->cpu[cpu];
			uint64_t both = c->known & c->known_before;

			for (uint32_t i = 0; i < PROCESSOR_COLUMNS; i++)
				if (both & PROCESSOR_BIT(i) && is_steady(i))
					c->value[i] =
						total_smooth_counter(c->before[i], c->value[i],
							(uint64_t)(time - p->time), 2 * p->slack);
		}
	p->time = time;
}

/* A column's increase; 0 if the count was reset. */
static uint64_t total_column_rise(const struct processor *c, uint32_t column)
{
	bool is_32_bits =
		(processor_definition.counter[column].type & PERF_SIZE_MASK) == PERF_SIZE_DWORD;

	if (is_32_bits)
		return (uint32_t)(c->value[column] - c->before[column]);
	return c->value[column] > c->before[column] ? c->value[column] - c->before[column] : 0;
}

/* Sums a column over the processors of a group that have it; NODE_NONE is all processors. */
struct sum {
	uint64_t now, risen;
	uint32_t have, had;
};

static struct sum add_column(const struct processors *p, uint32_t group, uint32_t column)
{
	struct sum s = {0};

	for (uint32_t cpu = 0; cpu < p->online.end; cpu++) {
		const struct processor *c = &p->cpu[cpu];

		if ((group != NODE_NONE && p->topology.cpu[cpu].node != group) ||
			!(c->known & PROCESSOR_BIT(column)))
			continue;
		s.now += c->value[column];
		s.have++;
		if (!(c->known_before & PROCESSOR_BIT(column)))
			continue;
		s.risen += total_column_rise(c, column);
		s.had++;
	}
	return s;
}

/*
 * A total starts as the sum or average of its processors. It then grows by the increases of those
 * present at both ends of the interval, so a processor that goes offline does not reduce it.
 */
static void processor_update_total(struct processors *p, uint32_t group, struct processor_total *t)
{
	uint64_t known = t->known;

	t->known = 0;
	for (uint32_t i = 0; i < PROCESSOR_COLUMNS; i++) {
		bool average = processor_sums[i] == SUM_TIMES, was = known & PROCESSOR_BIT(i);
		struct sum s;

		if (processor_sums[i] == SUM_NONE)
			continue;
		s = add_column(p, group, i);
		if (s.have == 0)
			continue;
		t->known |= PROCESSOR_BIT(i);
		if (processor_sums[i] == SUM_READING)
			t->value[i] = (s.now + s.have / 2) / s.have;
		else if (!was)
			t->value[i] = average ? s.now / s.have : s.now;
		else if (s.had)
			t->value[i] += average ? s.risen / s.had : s.risen;
	}
}

void processors_add_up(struct processors *p)
{
	processor_update_total(p, NODE_NONE, &p->total[0]);
	for (uint32_t i = 0; i < p->topology.nodes; i++)
		processor_update_total(p, p->topology.node[i], &p->total[1 + p->topology.node[i]]);
	for (uint32_t cpu = 0; cpu < p->end; cpu++) {
		struct processor *c = &p->cpu[cpu];

		c->known_before = c->known;
		for (uint32_t i = 0; i < PROCESSOR_COLUMNS; i++)
			c->before[i] = c->value[i];
	}
}
