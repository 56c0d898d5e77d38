/*
 * Measures ops in batches.
 */
#include "bench.h"

#include <stdlib.h>

/* A sample of ASK_ADDED alternates work without and with the op this often. */
enum { PART_TURNS = 6000, MIN_PAIRS = 3, MAX_PAIRS = 64 };

static uint64_t attempted;

uint64_t hooks_attempted(void)
{
	return __atomic_load_n(&attempted, __ATOMIC_RELAXED);
}

void run_turns(const struct op *op, bool work, uint64_t turns)
{
	(work ? op->work : op->tight)(turns);
	__atomic_fetch_add(&attempted, turns * (op->hooks + (op->timed && grants_switch_page())),
		__ATOMIC_RELAXED);
}

static double batch(const struct op *op, bool work, uint64_t turns)
{
	uint64_t start = now_ns();

	run_turns(op, work, turns);
	return (double)(now_ns() - start) / (double)turns;
}

static double warm_batch(const struct op *op, bool work, uint64_t turns)
{
	run_turns(op, work, turns / 8 + 1);
	return batch(op, work, turns);
}

/*
 * Finds by doubling how many turns take that many ns. Skips the first turns, which attach and touch
 * new pages; repeats, since one batch may be interrupted.
 */
static uint64_t turns_in(const struct op *op, bool work, uint64_t ns)
{
	uint64_t turns = 16;
	double each, again;

	run_turns(op, work, turns);
	do {
		turns *= 2;
		each = batch(op, work, turns);
		again = batch(op, work, turns);
		each = each < again ? each : again;
	} while (each * (double)turns < (double)ns / 4);
	return (uint64_t)((double)ns / each) + 1;
}

/*
 * The median of the differences between neighbouring batches. This cancels slow changes (clock
 * rate, load from other guests) and rare interruptions. Each part spans several sections, so that
 * the per-section cost is included.
 */
static double added(const struct op *op, uint64_t turns)
{
	double difference[MAX_PAIRS];
	uint64_t pairs = turns / PART_TURNS;

	pairs = pairs < MIN_PAIRS ? MIN_PAIRS : pairs > MAX_PAIRS ? MAX_PAIRS : pairs;
	uint64_t part = turns / pairs + 1;
	run_turns(op, true, part);
	for (uint64_t i = 0; i < pairs; i++) {
		double before = batch(&work_alone, true, part);
		double with = batch(op, true, part);
		double after = batch(&work_alone, true, part);

		difference[i] = with - (before + after) / 2;
	}
	return median(difference, (unsigned)pairs);
}

/* Batches so short that one slow turn shows: a mean over milliseconds would hide it. */
static double tail(const struct op *op, uint64_t batches)
{
	double *ns = malloc(batches * sizeof *ns), p;

	if (!ns)
		die("no memory");
	run_turns(op, false, TAIL_TURNS);
	for (uint64_t i = 0; i < batches; i++)
		ns[i] = batch(op, false, TAIL_TURNS);
	p = permille(ns, (unsigned)batches, 999);
	free(ns);
	return p;
}

double tail_alone(double ns, uint64_t batches)
{
	double *took = malloc(batches * sizeof *took), p;

	if (!took)
		die("no memory");
	for (uint64_t i = 0; i < batches; i++) {
		uint64_t start = now_ns(), now;

		do
			now = now_ns();
		while ((double)(now - start) < TAIL_TURNS * ns);
		took[i] = (double)(now - start) / TAIL_TURNS;
	}
	p = permille(took, (unsigned)batches, 999);
	free(took);
	return p;
}

double measure(const struct op *op, enum ask ask, uint64_t amount)
{
	switch (ask) {
	case ASK_TIGHT_TURNS:
	case ASK_WORK_TURNS:
		return (double)turns_in(op, ask == ASK_WORK_TURNS, amount);
	case ASK_TIGHT:
	case ASK_WORK:
		return warm_batch(op, ask == ASK_WORK, amount);
	case ASK_ADDED:
		return added(op, amount);
	case ASK_TAIL:
		return tail(op, amount);
	case ASK_OPEN:
		break; /* the server's own */
	}
	return 0;
}
