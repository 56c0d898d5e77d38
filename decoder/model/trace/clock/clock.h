/*
 * Ticks and CLOCK_REALTIME. Time is interpolated linearly between two clock syncs; outside of them
 * it runs at the file's rate. If CLOCK_REALTIME was stepped between two syncs, the moment is
 * unknown: the step is assumed right after the earlier one, so that all hooks between them have
 * the later, corrected time, and it is reported as a finding. (Hooks crowd at the end of that
 * range: a dump's last syncs are made at the dump.)
 *
 * decoder/model/trace/clock owns conversions between ticks and time. It includes formats only.
 * Errors as in trace/trace.h.
 */
#ifndef SWT_DECODER_MODEL_TRACE_CLOCK_CLOCK_H
#define SWT_DECODER_MODEL_TRACE_CLOCK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_sync {
	uint64_t ticks;
	int64_t realtime;
	uint64_t monotonic;
	/* clock_build's; 0 before: */
	int64_t after;	  /* realtime right after it, with the step if there is one */
	int64_t disputed; /* ns by which another sync of the same tick differed; 0: hardly */
};

/* Read-only once built: any number of threads may use it. */
struct clock {
	uint64_t rate; /* ticks per second */
	uint64_t base_ticks;
	int64_t base_real;
	struct clock_sync *sync; /* sorted by ticks; owned by its builder */
	size_t nsyncs;
	bool straight; /* all syncs are on the straight line through the base */
	bool monotone;
};

#define CLOCK_MAX_RATE UINT64_C(1000000000000)

/*
 * Ticks per second by CLOCK_MONOTONIC: of the stretches between syncs in which no step
 * and no suspend shows, else from the first to the last sync; 0: unknown. Sorts.
 */
uint64_t clock_derive_rate(struct clock_sync *sync, size_t n);

/*
 * c->rate (not above CLOCK_MAX_RATE, not 0), base_ticks and base_real are set, sync holds
 * n syncs in any order (n may be 0). Sorts them and keeps the one with the earliest time of
 * those of one tick: c->nsyncs of them.
 */
void clock_build(struct clock *c, struct clock_sync *sync, size_t n);

/* Nanoseconds of CLOCK_REALTIME; saturates. At a sync its reading, to the rounding of 1 ns. */
int64_t clock_time(const struct clock *c, uint64_t ticks);
/* The time `elapsed` ticks before `ticks`, which may be before tick 0. */
int64_t clock_time_before(const struct clock *c, uint64_t ticks, uint64_t elapsed);
/* The first tick whose time is not before ns; UINT64_MAX: none, or only the last tick. */
uint64_t clock_ticks(const struct clock *c, int64_t ns);
/*
 * All ticks whose time is in [from, to] lie in *first..*last; false if there are none. If the
 * clock is monotone, every tick of the range qualifies; otherwise check each.
 */
bool clock_range(const struct clock *c, int64_t from, int64_t to, uint64_t *first, uint64_t *last);
/*
 * Time never goes back as ticks advance. False only where CLOCK_REALTIME was stepped back between
 * two syncs: there, and nowhere else, clock_time goes back, at the tick after the earlier one.
 */
bool clock_is_monotone(const struct clock *c);
static inline double clock_duration_ns(const struct clock *c, uint64_t ticks)
{
	return (double)ticks * 1e9 / (double)c->rate;
}

/*
 * Events between two neighbouring syncs. NTP steers
 * CLOCK_REALTIME and CLOCK_MONOTONIC as one, so the distance between the two changes only when
 * CLOCK_REALTIME is set and when the machine sleeps: to the ten nanoseconds or so
 * that lie between reading the one and the other. Ticks may be off by slewing, too.
 */
enum clock_finding_kind {
	/* CLOCK_REALTIME was set: ns forward, negative: back. */
	CLOCK_STEP,
	/*
	 * CLOCK_REALTIME went ns ahead of CLOCK_MONOTONIC: it was set, or the machine was
	 * suspended. A clock of the trace that stops in suspend cannot show which, and no clock can
	 * if the stretch is so long that slewing may explain ns.
	 */
	CLOCK_STEP_OR_SUSPEND,
	/* The machine was suspended for ns; the ticks continued, so times are right. */
	CLOCK_SUSPEND,
	/*
	 * No step, but CLOCK_REALTIME gained ns over the ticks (negative: lost), more than 500
	 * ppm: fast slewing, a wrong rate, or ticks that stopped for a while. Times are
	 * interpolated.
	 */
	CLOCK_DRIFT,
	/*
	 * The ticks restarted, as a TSC does in some suspends: the sync of more ticks is earlier by
	 * -ns. Times are right around each sync, but not in order of ticks.
	 */
	CLOCK_RESTART,
	/* The clocks contradict each other, by ns: no known event explains it. */
	CLOCK_CONTRADICTION,
};

struct clock_finding {
	enum clock_finding_kind kind;
	uint64_t from, to;	/* ticks of the two syncs: it happened between them */
	int64_t from_ns, to_ns; /* CLOCK_REALTIME as they read it */
	int64_t ns;
};

/* Writes the first max findings to `to`, in order of ticks; returns how many there are. */
size_t clock_findings(const struct clock *c, struct clock_finding *to, size_t max);

/*
 * By how much CLOCK_REALTIME ran faster than the ticks at their rate, in parts per
 * million (1e-6): the least and the greatest of the undisturbed stretches that are at least a
 * quarter as long as the longest; each may be off by error, as syncs are not read in one instant.
 */
struct clock_drift {
	double low_ppm, high_ppm, error_ppm;
};

/* false: there is no such stretch, and *drift is all NAN. */
bool clock_drift(const struct clock *c, struct clock_drift *drift);

/*
 * How far clock_time of a tick in first..last may be from what CLOCK_REALTIME read then, in
 * nanoseconds, as far as the syncs show; NAN: unknown. cpidecode(1) has the
 * formula (TIMES). The reading of a sync counts as 1000, or as what the
 * distance between its clocks scatters by if that is more.
 */
double clock_error(const struct clock *c, uint64_t first, uint64_t last);

#endif
