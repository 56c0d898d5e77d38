/* Human-readable quantities: durations in a suitable unit, sizes, dates. */
#ifndef SWT_DECODER_UNITS_H
#define SWT_DECODER_UNITS_H

#include "out.h"

/* "812 ns", "1.23 ms", "4.50 s": about three digits. NAN: n/a. */
void units_duration(struct out *o, double ns);
/* "512 B", "1.5 KiB". */
void units_size(struct out *o, uint64_t bytes);
/* CLOCK_REALTIME ns as ISO 8601, UTC, with nanoseconds. */
void units_iso8601(struct out *o, int64_t ns);
/* v with that many decimals; n/a for NAN. */
void units_fixed(struct out *o, double v, unsigned decimals);

#endif
