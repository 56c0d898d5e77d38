/* A group's columns: the processors, and the system's CPU utilisation. */
#include "../../../../include/cpidecode.h"
#include "tally.h"

int tally_change_columns(
	struct tally *t, struct tally_group *g, uint32_t n, columns_change_fn change, void *ctx)
{
	struct tally_extra *extra = tally_need_extra(t, g);

	return extra ? columns_change(&extra->columns, n, histogram_exact(&g->time), &t->buffer,
			       change, ctx)
		     : CPIDECODE_ENOMEM;
}

const struct ratio *tally_util(const struct tally_group *g, struct columns_reader *scratch)
{
	static const struct ratio none[COLUMN_UTIL_RATIOS];

	if (!tally_is_util(g))
		return none;
	columns_first(scratch, &tally_extra(g)->columns);
	return columns_next(scratch);
}

uint32_t tally_processors(const struct tally_group *g)
{
	uint32_t n = tally_extra(g)->columns.count;

	return n && tally_is_util(g) ? n - 1 : n;
}

void tally_first_processor(const struct tally_group *g, struct columns_reader *r)
{
	columns_first(r, &tally_extra(g)->columns);
	if (tally_is_util(g))
		columns_next(r);
}

static void add_util(struct ratio *column, double idle, double intr, double perf, uint64_t elapsed)
{
	ratio_add(&column[COLUMN_IDLE], NOT_MEASURED, NOT_MEASURED, idle / 100, elapsed);
	ratio_add(&column[COLUMN_INTR], NOT_MEASURED, NOT_MEASURED, intr / 100, elapsed);
	ratio_add(&column[COLUMN_PERF], NOT_MEASURED, NOT_MEASURED, perf / 100, elapsed);
}

static void add_processor(void *ctx, uint32_t i, struct ratio *column)
{
	const struct interval *iv = ctx;
	const struct interval_cpu *cpu = &iv->cpus[i];

	ratio_add(&column[COLUMN_RAW], cpu->cycles, cpu->instructions, cpu->raw_cpi, iv->elapsed);
	ratio_add(&column[COLUMN_SCALED], cpu->busy_cycles, cpu->instructions, cpu->scaled_cpi,
		iv->elapsed);
	ratio_add(&column[COLUMN_BUSY], cpu->busy_cycles, cpu->cycles, cpu->busy_pct / 100,
		iv->elapsed);
}

/* The system, and then the processors. */
static void add_util_column(void *ctx, uint32_t i, struct ratio *column)
{
	const struct interval *iv = ctx;

	if (!i) {
		add_util(column, iv->idle_pct, iv->intr_pct, iv->actual_perf_pct, iv->elapsed);
		return;
	}
	add_processor(ctx, i - 1, column);
	if (iv->utils)
		add_util(column, iv->utils[i - 1].idle_pct, iv->utils[i - 1].intr_pct,
			iv->utils[i - 1].actual_perf_pct, iv->elapsed);
}

int tally_add_columns(struct tally *t, struct tally_group *g, const struct interval *iv)
{
	uint32_t n = t->wanted & TALLY_WANT_CPUS && iv->cpus ? iv->num_cpus : 0;

	if (n > TALLY_CPUS) {
		t->cpus_left_out++;
		n = TALLY_CPUS;
	}
	/* The functions above only read their arguments. */
	if (tally_is_util(g))
		return tally_change_columns(t, g, n + 1, add_util_column, (void *)iv);
	return n ? tally_change_columns(t, g, n, add_processor, (void *)iv) : 0;
}
