/*
 * clock_time for mostly increasing ticks: equal to the nanosecond, with a multiplication instead
 * of divisions. For one thread.
 */
#ifndef SWT_DECODER_MODEL_TRACE_CLOCK_CURSOR_H
#define SWT_DECODER_MODEL_TRACE_CLOCK_CURSOR_H

#include "clock.h"

/*
 * From tick `from` on for `span` more, time is at + floor((x * num + rest) / den), x being the
 * ticks since `from`, and x * num + rest does not overflow.
 */
struct clock_cursor {
	const struct clock *clock;
	uint64_t from, span;
	int64_t at;
	uint64_t num, den, rest;
	uint64_t inverse; /* of den, in 2^64ths, rounded down */
};

void clock_cursor_init(struct clock_cursor *c, const struct clock *clock);
/* The slow path, outside of the cursor's span. */
int64_t clock_cursor_move(struct clock_cursor *c, uint64_t ticks);

static inline int64_t clock_cursor_time(struct clock_cursor *c, uint64_t ticks)
{
	uint64_t x = ticks - c->from;

	if (x > c->span)
		return clock_cursor_move(c, ticks);
	uint64_t v = x * c->num + c->rest;
	/* The inverse is too small by less than one, so the quotient is right or one too small. */
	uint64_t q = (uint64_t)((unsigned __int128)v * c->inverse >> 64);
	return c->at + (int64_t)(q + (v - q * c->den >= c->den));
}

#endif
