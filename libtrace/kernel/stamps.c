#include "stamps.h"

#include <math.h>

#include "../../formats/trace_file.h"
#include "../core/clock.h"

enum {
	TRIES = 8,
	/* Over a shorter time the error of a reading would bend the line. */
	LEAST_NS = 10000000,
};

/* How far a rate may be from the session's. */
#define MOST_DEVIATION 1e-3

/* The reading that took the shortest time: the others were interrupted. */
static void stamps_read(uint64_t *ticks, uint64_t *ns)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		const uint64_t before = clock_instruction(), now = clock_raw_ns();
		const uint64_t took = clock_instruction() - before;

		if (took >= least)
			continue;
		least = took;
		*ticks = before + took / 2;
		*ns = now;
	}
}

void stamps_begin(struct stamps *s, uint32_t kind, uint64_t ticks_per_second)
{
	*s = (struct stamps){.is_raw = kind == TF_CLOCK_MONOTONIC_RAW,
		.ticks_per_ns = (double)ticks_per_second / 1e9,
		.nominal = (double)ticks_per_second / 1e9};
	if (!s->is_raw)
		stamps_read(&s->ticks, &s->ns);
}

void stamps_renew(struct stamps *s)
{
	uint64_t ticks = 0, ns = 0;
	double slope;

	if (s->is_raw)
		return;
	stamps_read(&ticks, &ns);
	if (ns < s->ns + LEAST_NS || ticks <= s->ticks)
		return;
	slope = (double)(ticks - s->ticks) / (double)(ns - s->ns);
	/* One of the clocks stopped while the machine was suspended. */
	if (fabs(slope / s->nominal - 1) < MOST_DEVIATION)
		s->ticks_per_ns = slope;
	s->ticks = ticks;
	s->ns = ns;
}

uint64_t stamps_ticks(const struct stamps *s, uint64_t ns)
{
	if (s->is_raw)
		return ns;
	/* Signed: most are of before the last reading. */
	return s->ticks + (uint64_t)llround((double)(int64_t)(ns - s->ns) * s->ticks_per_ns);
}
