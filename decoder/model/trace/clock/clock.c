#include "clock.h"

#include <stdlib.h>

#include "../../../../formats/base/compare.h"
#include "../../../../formats/base/search.h"
#include "private.h"

/* An offset this small is rounding of the sync itself. */
enum { OFFSET_NOISE = 1 };

int64_t clock_saturate(__int128 v)
{
	return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

__int128 clock_scale(uint64_t d, uint64_t rate)
{
	uint64_t seconds = d / rate, rest = d % rate;
	/* rate is at most 1e12, so rest * 1e9 may need 70 bits, but rarely does. */
	uint64_t ns = rate <= UINT64_MAX / TIME_SECOND_NS
			      ? rest * TIME_SECOND_NS / rate
			      : (uint64_t)((unsigned __int128)rest * TIME_SECOND_NS / rate);

	return (__int128)seconds * (int64_t)TIME_SECOND_NS + ns;
}

static __int128 scale_up(uint64_t d, uint64_t rate)
{
	uint64_t rest = d % rate;

	return clock_scale(d, rate) + ((unsigned __int128)rest * TIME_SECOND_NS % rate ? 1 : 0);
}

/* On the line through that point. */
static int64_t clock_time_on_line(const struct clock *c, uint64_t at, int64_t real, uint64_t ticks)
{
	__int128 ns =
		ticks >= at ? clock_scale(ticks - at, c->rate) : -scale_up(at - ticks, c->rate);

	return clock_saturate(ns + real);
}

/* Any total order: the result must not depend on the order in the file. */
static int clock_compare_syncs(const void *a, const void *b)
{
	const struct clock_sync *x = a, *y = b;

	int c = compare_u64(x->ticks, y->ticks);

	if (!c)
		c = compare_i64(x->realtime, y->realtime);
	return c ? c : compare_u64(x->monotonic, y->monotonic);
}

static void clock_sort_syncs(struct clock_sync *sync, size_t n)
{
	if (n)
		qsort(sync, n, sizeof *sync, clock_compare_syncs);
}

static uint64_t divide_rate(uint64_t ticks, unsigned __int128 ns)
{
	unsigned __int128 rate = ns ? ((unsigned __int128)ticks * TIME_SECOND_NS + ns / 2) / ns : 0;

	return rate <= CLOCK_MAX_RATE ? (uint64_t)rate : 0;
}

uint64_t clock_derive_rate(struct clock_sync *sync, size_t n)
{
	uint64_t ticks = 0;
	unsigned __int128 ns = 0;

	clock_sort_syncs(sync, n);
	for (size_t i = 1; i < n; i++) {
		const struct clock_sync *a = &sync[i - 1], *b = &sync[i];

		if (b->monotonic <= a->monotonic || !clock_steady(a, b))
			continue;
		ticks += b->ticks - a->ticks;
		ns += b->monotonic - a->monotonic;
	}
	if (!ns && n && sync[n - 1].monotonic > sync[0].monotonic) {
		ticks = sync[n - 1].ticks - sync[0].ticks;
		ns = sync[n - 1].monotonic - sync[0].monotonic;
	}
	return divide_rate(ticks, ns);
}

static bool on_line(const struct clock *c, const struct clock_sync *s)
{
	__int128 off = (__int128)s->realtime -
		       clock_time_on_line(c, c->base_ticks, c->base_real, s->ticks);

	return off >= -OFFSET_NOISE && off <= OFFSET_NOISE;
}

/* Where the stretch from a to b starts: never above where it ends. */
static int64_t start_of(
	const struct clock *c, const struct clock_sync *a, const struct clock_sync *b)
{
	struct clock_verdict v = clock_judge(a, b, c->rate);
	int64_t start = clock_saturate((__int128)a->realtime + v.jump);

	return start < b->realtime ? start : b->realtime;
}

/* Adds the next sync by ticks; of several at one tick the first stays. */
static void clock_append_sync(struct clock *c, struct clock_sync sync)
{
	struct clock_sync *s = &c->sync[c->nsyncs];

	if (c->nsyncs && s[-1].ticks == sync.ticks) {
		int64_t dispute = clock_dispute(s - 1, &sync);

		if (sync.disputed > dispute)
			dispute = sync.disputed;
		if (dispute > s[-1].disputed)
			s[-1].disputed = dispute;
		return;
	}
	c->nsyncs++;
	*s = sync;
	s->after = s->realtime;
	if (!on_line(c, s))
		c->straight = false;
}

void clock_build(struct clock *c, struct clock_sync *sync, size_t n)
{
	clock_sort_syncs(sync, n);
	c->sync = sync;
	c->nsyncs = 0;
	c->straight = c->monotone = true;
	for (size_t i = 0; i < n; i++)
		clock_append_sync(c, sync[i]);
	for (size_t i = 0; i + 1 < c->nsyncs; i++) {
		sync[i].after = start_of(c, &sync[i], &sync[i + 1]);
		if (sync[i].after != sync[i].realtime)
			c->straight = false;
		if (sync[i].after < sync[i].realtime)
			c->monotone = false;
	}
}

/* floor(rise * at / run) for at <= run. */
static uint64_t clock_interpolate_rise(uint64_t rise, uint64_t at, uint64_t run)
{
	uint64_t product;

	if (!__builtin_mul_overflow(rise, at, &product))
		return product / run;
	return (uint64_t)((unsigned __int128)rise * at / run);
}

/* The number of syncs before that tick: it is in the stretch after the last of them. */
static size_t syncs_before(const struct clock *c, uint64_t ticks)
{
	struct search s = {0, c->nsyncs};

	while (s.low < s.high)
		search_narrow(&s, c->sync[search_middle(&s)].ticks < ticks);
	return s.low;
}

/* The time in stretch i: 0 is the one before the first sync, nsyncs the one after the last. */
static int64_t time_in(const struct clock *c, size_t i, uint64_t ticks)
{
	const struct clock_sync *s = &c->sync[i ? i - 1 : 0];

	if (i == 0 || i == c->nsyncs)
		return clock_time_on_line(c, s->ticks, s->realtime, ticks);
	uint64_t rise = (uint64_t)s[1].realtime - (uint64_t)s->after;
	uint64_t gone = clock_interpolate_rise(rise, ticks - s->ticks, s[1].ticks - s->ticks);
	return (int64_t)((uint64_t)s->after + gone);
}

int64_t clock_time(const struct clock *c, uint64_t ticks)
{
	if (c->straight)
		return clock_time_on_line(c, c->base_ticks, c->base_real, ticks);
	return time_in(c, syncs_before(c, ticks), ticks);
}

struct clock_stretch clock_stretch(const struct clock *c, uint64_t ticks)
{
	struct clock_stretch r = {.last = UINT64_MAX,
		.at = c->base_ticks,
		.real = c->base_real,
		.num = TIME_SECOND_NS,
		.den = c->rate};

	if (c->straight)
		return r;
	size_t i = syncs_before(c, ticks);
	const struct clock_sync *s = &c->sync[i ? i - 1 : 0];
	r.at = s->ticks;
	r.real = s->realtime;
	if (i < c->nsyncs)
		r.last = c->sync[i].ticks;
	if (i > 0 && i < c->nsyncs) {
		r.real = s->after;
		r.num = (uint64_t)s[1].realtime - (uint64_t)s->after;
		r.den = s[1].ticks - s->ticks;
	}
	return r;
}

int64_t clock_time_before(const struct clock *c, uint64_t ticks, uint64_t elapsed)
{
	uint64_t back;

	if (elapsed <= ticks)
		return clock_time(c, ticks - elapsed);
	/* The line continues before tick 0. */
	uint64_t at = c->straight ? c->base_ticks : c->sync[0].ticks;
	int64_t real = c->straight ? c->base_real : c->sync[0].realtime;
	if (__builtin_add_overflow(at, elapsed - ticks, &back))
		back = UINT64_MAX;
	return clock_saturate(-scale_up(back, c->rate) + real);
}

/* The first tick of lo..hi with that time or a later one, hi if there is none before. */
static uint64_t first_in(const struct clock *c, uint64_t lo, uint64_t hi, int64_t ns)
{
	struct search s = {lo, hi};

	while (s.low < s.high)
		search_narrow(&s, clock_time(c, search_middle(&s)) < ns);
	return s.low;
}

/* Ticks first..last in which time does not go back; false: there is no such run i. */
static bool run_of_ticks(const struct clock *c, size_t i, uint64_t *first, uint64_t *last)
{
	if (i > c->nsyncs)
		return false;
	*first = i ? c->sync[i - 1].ticks + 1 : 0;
	*last = i < c->nsyncs ? c->sync[i].ticks : UINT64_MAX;
	return !i || c->sync[i - 1].ticks != UINT64_MAX;
}

uint64_t clock_ticks(const struct clock *c, int64_t ns)
{
	uint64_t first, last;

	if (clock_is_monotone(c))
		return first_in(c, 0, UINT64_MAX, ns);
	for (size_t i = 0; run_of_ticks(c, i, &first, &last); i++)
		if (clock_time(c, last) >= ns)
			return first_in(c, first, last, ns);
	return UINT64_MAX;
}

/* The last tick whose time is not after ns; false if there is none. */
static bool last_tick(const struct clock *c, int64_t ns, uint64_t *result)
{
	uint64_t first = 0, last = UINT64_MAX;
	size_t i = c->nsyncs;

	if (!clock_is_monotone(c))
		for (; !run_of_ticks(c, i, &first, &last) || clock_time(c, first) > ns; i--)
			if (!i)
				return false;
	if (clock_time(c, first) > ns)
		return false;
	/* The tick before the first later one. */
	*result = clock_time(c, last) <= ns ? last : first_in(c, first, last, ns + 1) - 1;
	return true;
}

bool clock_range(const struct clock *c, int64_t from, int64_t to, uint64_t *first, uint64_t *last)
{
	*first = clock_ticks(c, from);
	if (*first == UINT64_MAX && clock_time(c, UINT64_MAX) < from)
		return false;
	return last_tick(c, to, last) && *first <= *last;
}

bool clock_is_monotone(const struct clock *c)
{
	return c->monotone;
}
