#include "cpi_sums.h"

#include "../../counters/machine/rate.h"
#include "sets.h"

#define RATIO(column, kind, base_column, attributes, title, text)                                  \
	DEFINE(column, column, kind, attributes, PERF_DETAIL_NOVICE, base_column,                  \
		PERF_AGGREGATE_AVG, title, text)
#define BASE(column, title, text)                                                                  \
	DEFINE(column, column, PERF_LARGE_RAW_BASE, PERF_ATTRIB_NO_DISPLAYABLE,                    \
		PERF_DETAIL_ADVANCED, PERF_NO_COUNTER, PERF_AGGREGATE_TOTAL, title, text)

static const struct counter_definition counters[CPI_COLUMNS] = {
	RATIO(CPI_COLUMN_CPI, PERF_AVERAGE_BULK, CPI_COLUMN_BASE, PERF_ATTRIB_DISPLAY_AS_REAL,
		"CPI", "Elapsed cycles per instruction."),
	BASE(CPI_COLUMN_BASE, "CPI Base", "Instructions."),
	RATIO(CPI_COLUMN_SCALED, PERF_AVERAGE_BULK, CPI_COLUMN_BASE, PERF_ATTRIB_DISPLAY_AS_REAL,
		"Scaled CPI", "Busy cycles per instruction."),
	RATIO(CPI_COLUMN_BUSY, PERF_PRECISION_OBJECT_TIMER, CPI_COLUMN_BUSY_BASE, 0, "% Busy",
		"Time that was not idle."),
	BASE(CPI_COLUMN_BUSY_BASE, "% Busy Base", "Elapsed time, in the same unit."),
	COUNT(CPI_COLUMN_INSTRUCTIONS, "Instructions",
		"Instructions retired since the query was opened."),
	COUNT(CPI_COLUMN_CYCLES, "Cycles",
		"Elapsed cycles since the query was opened, at the nominal rate."),
	COUNT(CPI_COLUMN_BUSY_CYCLES, "Busy Cycles", "Busy cycles since the query was opened."),
};

const struct counterset_definition cpi_definition = {
	.guid = {0x2e68c9f1, 0xd73b, 0x4a95, {0xb2, 0x46, 0x58, 0x0b, 0xe1, 0x7d, 0x3c, 0x9a}},
	.name = "CPI",
	.help = "Cycles per instruction and busy time, of each processor and all of them, counted while a query is open.",
	SETS_DEFINITION,
	.ncounters = CPI_COLUMNS,
};

unsigned cpi_knows(const struct counter_sample *s, uint32_t cpu)
{
	const struct counter_cpu *c = &s->cpu[cpu];
	bool cycles = s->cycles != NOT_MEASURED || rate_cycles_of_ticks(1000) != NOT_MEASURED;
	bool counted = c->busy != NOT_MEASURED, idle = c->idle_ns != NOT_MEASURED;
	unsigned known = cycles ? CPI_KNOWS_CYCLES : 0;

	if (c->instructions != NOT_MEASURED)
		known |= CPI_KNOWS_INSTRUCTIONS;
	if (idle || (counted && cycles))
		known |= CPI_KNOWS_SHARE;
	if ((counted && s->source[COUNTER_BUSY] == CPI_SOURCE_CYCLES) ||
		(cycles && known & CPI_KNOWS_SHARE))
		known |= CPI_KNOWS_BUSY;
	return known;
}

bool cpi_is_too_short(const struct counter_sample *from, const struct counter_sample *to)
{
	uint64_t span = to->idle_at > from->idle_at ? to->idle_at - from->idle_at : 0;

	for (uint32_t cpu = 0; cpu < from->cpus && cpu < to->cpus; cpu++) {
		const struct counter_cpu *a = &from->cpu[cpu], *b = &to->cpu[cpu];

		if (a->online && b->online && a->idle_ns != NOT_MEASURED &&
			b->idle_ns != NOT_MEASURED && a->busy == NOT_MEASURED &&
			span / 2 < a->idle_slack + b->idle_slack)
			return true;
	}
	return false;
}

void cpi_sums_gain(struct cpi_sums *s, const struct counter_interval_cpu *c, unsigned known)
{
	bool lacks = ((known & CPI_KNOWS_INSTRUCTIONS) && c->instructions == NOT_MEASURED) ||
		     ((known & CPI_KNOWS_CYCLES) && c->cycles == NOT_MEASURED) ||
		     ((known & CPI_KNOWS_BUSY) && c->busy == NOT_MEASURED) ||
		     ((known & CPI_KNOWS_SHARE) && c->busy_whole == NOT_MEASURED);

	if (lacks)
		return;
	if (known & CPI_KNOWS_INSTRUCTIONS)
		s->instructions += c->instructions;
	if (known & CPI_KNOWS_CYCLES)
		s->cycles += c->cycles;
	if (known & CPI_KNOWS_BUSY)
		s->busy += c->busy;
	if (known & CPI_KNOWS_SHARE) {
		s->part += c->busy_part;
		s->whole += c->busy_whole;
	}
}

void cpi_sums_add(struct cpi_sums *s, const struct cpi_sums *other)
{
	s->instructions += other->instructions;
	s->cycles += other->cycles;
	s->busy += other->busy;
	s->part += other->part;
	s->whole += other->whole;
}
