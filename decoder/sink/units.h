/* Human-readable quantities: durations in a suitable unit, sizes, dates. */
#ifndef SWT_DECODER_UNITS_H
#define SWT_DECODER_UNITS_H

#include "out.h"

/* How text spells a moment. */
enum report_times {
	TIMES_RELATIVE, /* seconds since the trace's first hook, as --from takes them */
	TIMES_UNIX,	/* CLOCK_REALTIME in seconds */
	TIMES_ISO,	/* ISO 8601, UTC */
	TIMES_NAMES,
};

struct time_text {
	enum report_times how;
	int64_t start; /* CLOCK_REALTIME in ns: relative ones count from it */
};

/* "812 ns", "1.23 ms", "4.50 s": about three digits. NAN: n/a. */
void units_duration(struct out *o, double ns);
/* A change of one, with its sign: "+1.23 ms", "-812 ns". */
void units_duration_change(struct out *o, double ns);
/* "512 B", "1.5 KiB". */
void units_size(struct out *o, uint64_t bytes);
/* A share of 1 in percent: "12.3 %", never "100.0 %" of less than 1. NAN: n/a. */
void units_part(struct out *o, double share);
/* With a decimal below 100. NAN: n/a. */
void units_rate(struct out *o, double per_second);
/* CLOCK_REALTIME ns as ISO 8601, UTC, with nanoseconds. */
void units_iso8601(struct out *o, int64_t ns);
/* CLOCK_REALTIME ns as `+1.500000000 s`, `1714564801.500000000` or
 * `2024-05-01T12:00:01.500000000Z`. */
void units_time(struct out *o, const struct time_text *t, int64_t ns);
/* v with that many decimals; n/a for NAN. */
void units_fixed(struct out *o, double v, unsigned decimals);

#endif
