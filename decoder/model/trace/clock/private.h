/* Shared by clock.c and findings.c. */
#ifndef SWT_DECODER_MODEL_TRACE_CLOCK_PRIVATE_H
#define SWT_DECODER_MODEL_TRACE_CLOCK_PRIVATE_H

#include "../../../../formats/base/time_ns.h"
#include "clock.h"

/* The stretch between two syncs. */
struct clock_verdict {
	struct {
		enum clock_finding_kind kind;
		int64_t ns;
	} reported[2];
	unsigned count;
	int64_t jump;  /* the part of CLOCK_REALTIME's advance that came as a step */
	int64_t doubt; /* times in the stretch may be off by that much more; INT64_MAX: by anything
			*/
	bool quiet;    /* no event in the stretch */
};

/* Two syncs of one tick: ns by which they differ, 0 if no more than reading them may make. */
int64_t clock_dispute(const struct clock_sync *a, const struct clock_sync *b);
/* Whether CLOCK_REALTIME and CLOCK_MONOTONIC advanced alike. */
bool clock_steady(const struct clock_sync *a, const struct clock_sync *b);
struct clock_verdict clock_judge(
	const struct clock_sync *a, const struct clock_sync *b, uint64_t rate);

/* A run of ticks, up to `last`, of which the time is real + floor((ticks - at) * num / den). */
struct clock_stretch {
	uint64_t last, at;
	int64_t real;
	uint64_t num, den;
};

/* The run that holds that tick. */
struct clock_stretch clock_stretch(const struct clock *c, uint64_t ticks);

/* floor(d * 1e9 / rate) */
__int128 clock_scale(uint64_t d, uint64_t rate);
int64_t clock_saturate(__int128 v);

#endif
