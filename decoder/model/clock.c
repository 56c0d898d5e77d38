#include "clock.h"

#include <stdlib.h>

#define NS UINT64_C(1000000000)

/* An offset this small is the rounding of the sync itself. */
enum { OFFSET_NOISE = 1 };

static int64_t saturate(__int128 v)
{
	return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

/* floor(d * 1e9 / rate) */
static __int128 scale_floor(uint64_t d, uint64_t rate)
{
	uint64_t seconds = d / rate, rest = d % rate;
	/* rate is at most 1e12, so rest * 1e9 may need 70 bits, but hardly ever does. */
	uint64_t ns = rate <= UINT64_MAX / NS ? rest * NS / rate
					      : (uint64_t)((unsigned __int128)rest * NS / rate);
	return (__int128)seconds * (int64_t)NS + ns;
}

static __int128 scale_ceil(uint64_t d, uint64_t rate)
{
	uint64_t rest = d % rate;
	return scale_floor(d, rate) + ((unsigned __int128)rest * NS % rate ? 1 : 0);
}

static int64_t line(const struct clock *c, uint64_t ticks)
{
	__int128 ns = ticks >= c->base_ticks ? scale_floor(ticks - c->base_ticks, c->rate)
					     : -scale_ceil(c->base_ticks - ticks, c->rate);
	return saturate(ns + c->base_real);
}

static int by_ticks(const void *a, const void *b)
{
	const struct clock_sync *x = a, *y = b;
	return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

uint64_t clock_derive_rate(const struct clock_sync *sync, size_t n)
{
	if (!n)
		return 0;
	const struct clock_sync *first = sync, *last = sync;
	for (size_t i = 1; i < n; i++) {
		if (sync[i].ticks < first->ticks)
			first = &sync[i];
		if (sync[i].ticks > last->ticks)
			last = &sync[i];
	}
	if (last->ticks == first->ticks || last->monotonic <= first->monotonic)
		return 0;
	uint64_t ticks = last->ticks - first->ticks, ns = last->monotonic - first->monotonic;
	unsigned __int128 rate = ((unsigned __int128)ticks * NS + ns / 2) / ns;
	return rate <= CLOCK_MAX_RATE ? (uint64_t)rate : 0;
}

void clock_build(struct clock *c, struct clock_sync *sync, size_t n)
{
	/* Of syncs at one tick the first is as good as any. */
	if (n)
		qsort(sync, n, sizeof *sync, by_ticks);
	c->sync = sync;
	c->nsyncs = 0;
	c->straight = true;
	for (size_t i = 0; i < n; i++) {
		if (c->nsyncs && sync[c->nsyncs - 1].ticks == sync[i].ticks)
			continue;
		struct clock_sync *s = &sync[c->nsyncs++];
		*s = sync[i];
		s->offset = saturate((__int128)s->realtime - line(c, s->ticks));
		if (s->offset >= -OFFSET_NOISE && s->offset <= OFFSET_NOISE)
			s->offset = 0;
		if (s->offset)
			c->straight = false;
	}
}

/* floor(rise * at / run) for at < run. */
static __int128 share(__int128 rise, uint64_t at, uint64_t run)
{
	__int128 product;
	while (__builtin_mul_overflow(rise, (__int128)at, &product)) {
		at >>= 1;
		run >>= 1;
	}
	__int128 q = product / run;
	return product % run < 0 ? q - 1 : q;
}

static int64_t offset_at(const struct clock *c, uint64_t ticks)
{
	size_t lo = 0, hi = c->nsyncs; /* sync[lo - 1] <= ticks < sync[hi] */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c->sync[mid].ticks <= ticks)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return c->sync[0].offset;
	const struct clock_sync *s = &c->sync[lo - 1];
	if (lo == c->nsyncs || s[0].offset == s[1].offset)
		return s->offset;
	__int128 rise = (__int128)s[1].offset - s[0].offset;
	return saturate(s->offset + share(rise, ticks - s[0].ticks, s[1].ticks - s[0].ticks));
}

int64_t clock_time(const struct clock *c, uint64_t ticks)
{
	int64_t ns = line(c, ticks);
	return c->straight ? ns : saturate((__int128)ns + offset_at(c, ticks));
}

int64_t clock_time_before(const struct clock *c, uint64_t ticks, uint64_t elapsed)
{
	uint64_t back;

	if (elapsed <= ticks)
		return clock_time(c, ticks - elapsed);
	/* Before tick 0: the line goes on there, and the first sync's offset with it. */
	if (__builtin_add_overflow(c->base_ticks, elapsed - ticks, &back))
		back = UINT64_MAX;
	return saturate(
		-scale_ceil(back, c->rate) + c->base_real + (c->straight ? 0 : offset_at(c, 0)));
}

uint64_t clock_ticks(const struct clock *c, int64_t ns)
{
	uint64_t lo = 0, hi = UINT64_MAX;
	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;
		if (clock_time(c, mid) >= ns)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

double clock_duration_ns(const struct clock *c, uint64_t ticks)
{
	return (double)ticks * 1e9 / (double)c->rate;
}
