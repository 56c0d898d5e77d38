/*
 * Ticks and CLOCK_REALTIME. The rate gives a straight line through the first sync; the
 * other syncs say how far CLOCK_REALTIME was from it (slewed, stepped, or a rate that
 * is a little off), and between two of them that distance changes evenly.
 */
#ifndef SWT_DECODER_CLOCK_H
#define SWT_DECODER_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_sync {
	uint64_t ticks;
	int64_t realtime;
	uint64_t monotonic;
	int64_t offset; /* clock_build's: realtime minus the straight line */
};

struct clock {
	uint64_t rate; /* ticks per second */
	uint64_t base_ticks;
	int64_t base_real;
	struct clock_sync *sync; /* sorted by ticks; owned by whoever built it */
	size_t nsyncs;
	bool straight; /* all offsets are 0 */
};

#define CLOCK_MAX_RATE UINT64_C(1000000000000)

/*
 * Ticks per second from the first and the last of these syncs by CLOCK_MONOTONIC;
 * 0: they do not tell. Any order.
 */
uint64_t clock_derive_rate(const struct clock_sync *sync, size_t n);

/*
 * c->rate, base_ticks and base_real are set, sync holds n syncs (n may be 0); sorts
 * them and works out the offsets.
 */
void clock_build(struct clock *c, struct clock_sync *sync, size_t n);

int64_t clock_time(const struct clock *c, uint64_t ticks);
/* The time `elapsed` ticks before `ticks`, which may be before tick 0. */
int64_t clock_time_before(const struct clock *c, uint64_t ticks, uint64_t elapsed);
/* The first tick whose time is not before ns; saturates. */
uint64_t clock_ticks(const struct clock *c, int64_t ns);
double clock_duration_ns(const struct clock *c, uint64_t ticks);

#endif
