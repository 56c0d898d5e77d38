#include "cursor.h"

#include "private.h"

/* Sums of times and quotients below this cannot overflow or saturate. */
#define FAR (INT64_C(1) << 62)

void clock_cursor_init(struct clock_cursor *c, const struct clock *clock)
{
	*c = (struct clock_cursor){.clock = clock};
	clock_cursor_move(c, 0);
}

/* (ticks - at) * num modulo den, from 0 up, before `at` too. */
static uint64_t rest_of(const struct clock_stretch *s, uint64_t ticks)
{
	if (ticks >= s->at)
		return (uint64_t)((unsigned __int128)(ticks - s->at) * s->num % s->den);
	uint64_t missing = (uint64_t)((unsigned __int128)(s->at - ticks) * s->num % s->den);
	return missing ? s->den - missing : 0;
}

int64_t clock_cursor_move(struct clock_cursor *c, uint64_t ticks)
{
	struct clock_stretch s = clock_stretch(c->clock, ticks);

	c->from = ticks;
	c->at = clock_time(c->clock, ticks);
	c->num = s.num;
	c->den = s.den;
	c->inverse = UINT64_MAX / s.den;
	c->rest = rest_of(&s, ticks);
	c->span = 0;
	if (s.den >= 4 && c->at > -FAR && c->at < FAR) {
		uint64_t most = s.num ? (UINT64_MAX - c->rest) / s.num : UINT64_MAX;

		c->span = s.last - ticks < most ? s.last - ticks : most;
	}
	return c->at;
}
