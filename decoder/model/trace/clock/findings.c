/* Classifies what happened to the clocks between two syncs, and estimates the error of times. */
#include <math.h>

#include "private.h"

enum {
	/*
	 * ns by which the distance between CLOCK_REALTIME and CLOCK_MONOTONIC may differ in two
	 * syncs without a cause: they are read one after the other. Measured: some tens; one that
	 * was interrupted is some thousands off.
	 */
	NOISE = 10000,
	/* ns: the syncs' own promise, trace-file(5). */
	READING = 1000,
	/* The kernel slews a clock by 500 ppm, and crystals are off by much less. */
	SLEW = 2000, /* a 2000th */
};

/* The length of the stretch by each clock, in ns. */
struct stretch {
	__int128 real, mono, ticks;
};

static struct stretch clock_measure_stretch(
	const struct clock_sync *a, const struct clock_sync *b, uint64_t rate)
{
	return (struct stretch){
		.real = (__int128)b->realtime - a->realtime,
		.mono = (__int128)b->monotonic - a->monotonic,
		.ticks = clock_scale(b->ticks - a->ticks, rate),
	};
}

static __int128 size_of(__int128 v)
{
	return v < 0 ? -v : v;
}

bool clock_steady(const struct clock_sync *a, const struct clock_sync *b)
{
	__int128 real = (__int128)b->realtime - a->realtime;
	__int128 mono = (__int128)b->monotonic - a->monotonic;

	return size_of(real - mono) <= NOISE;
}

int64_t clock_dispute(const struct clock_sync *a, const struct clock_sync *b)
{
	__int128 real = size_of((__int128)b->realtime - a->realtime);
	__int128 mono = size_of((__int128)b->monotonic - a->monotonic);
	__int128 more = real > mono ? real : mono;

	return more > NOISE ? clock_saturate(more) : 0;
}

static void clock_add_finding(struct clock_verdict *v, enum clock_finding_kind kind, __int128 ns)
{
	v->reported[v->count].kind = kind;
	v->reported[v->count++].ns = clock_saturate(ns);
}

static void clock_add_step(struct clock_verdict *v, enum clock_finding_kind forward, __int128 ns)
{
	clock_add_finding(v, ns < 0 ? CLOCK_STEP : forward, ns);
	v->jump = clock_saturate(ns);
	v->doubt = clock_saturate(size_of(ns));
}

/* CLOCK_MONOTONIC stopped or went back: only the ticks show what CLOCK_REALTIME did. */
static void judge_without(struct clock_verdict *v, const struct stretch *s, __int128 slack)
{
	__int128 gain = s->real - s->ticks;

	if (s->mono < 0 && s->real < 0) {
		clock_add_finding(v, CLOCK_RESTART, s->real);
		v->jump = clock_saturate(gain);
		v->doubt = INT64_MAX;
		return;
	}
	if (s->mono < 0) {
		clock_add_finding(v, CLOCK_CONTRADICTION, s->mono - s->ticks);
		v->doubt = INT64_MAX;
	}
	if (size_of(gain) > slack)
		clock_add_step(v, CLOCK_STEP_OR_SUSPEND, gain);
}

/*
 * CLOCK_REALTIME and CLOCK_MONOTONIC parted by `jump`, and exactly so. Which of the two the ticks
 * went with, as far as slewing and their rate show, says how.
 */
static void judge_jump(struct clock_verdict *v, const struct stretch *s, __int128 slack)
{
	__int128 jump = s->real - s->mono, from_mono = s->ticks - s->mono,
		 from_real = s->real - s->ticks;
	bool like_mono = size_of(from_mono) <= slack, like_real = size_of(from_real) <= slack;

	if (like_mono && like_real && jump > 0 && size_of(from_real) < size_of(from_mono)) {
		clock_add_finding(v, CLOCK_STEP_OR_SUSPEND, jump);
		v->doubt = clock_saturate(jump);
	} else if (like_mono) {
		clock_add_step(v, CLOCK_STEP_OR_SUSPEND, jump);
	} else if (like_real && jump > 0) {
		clock_add_finding(v, CLOCK_SUSPEND, jump);
	} else if (like_real) {
		clock_add_finding(v, CLOCK_CONTRADICTION, jump);
		v->doubt = INT64_MAX;
	} else if (from_mono > 0) {
		clock_add_finding(v, CLOCK_SUSPEND, from_mono);
		clock_add_step(v, CLOCK_STEP, from_real);
	} else {
		clock_add_finding(v, CLOCK_CONTRADICTION, from_real);
		v->jump = clock_saturate(from_real);
		v->doubt = INT64_MAX;
	}
}

struct clock_verdict clock_judge(
	const struct clock_sync *a, const struct clock_sync *b, uint64_t rate)
{
	struct clock_verdict v = {0};
	struct stretch s = clock_measure_stretch(a, b, rate);
	__int128 slack = s.ticks / SLEW + NOISE;

	if (s.mono <= 0)
		judge_without(&v, &s, slack);
	else if (!clock_steady(a, b))
		judge_jump(&v, &s, slack);
	else if (size_of(s.real - s.ticks) > slack)
		clock_add_finding(&v, CLOCK_DRIFT, s.real - s.ticks);
	v.quiet = !v.count || v.reported[0].kind == CLOCK_DRIFT;
	return v;
}

static void clock_keep_finding(
	struct clock_finding *to, size_t max, size_t *n, struct clock_finding finding)
{
	if (*n < max)
		to[*n] = finding;
	++*n;
}

size_t clock_findings(const struct clock *c, struct clock_finding *to, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nsyncs; i++) {
		const struct clock_sync *b = &c->sync[i], *a = i ? b - 1 : b;
		struct clock_verdict v = {0};
		struct clock_finding f = {.from = a->ticks,
			.to = b->ticks,
			.from_ns = a->realtime,
			.to_ns = b->realtime};

		if (i)
			v = clock_judge(a, b, c->rate);
		for (unsigned k = 0; k < v.count; k++) {
			f.kind = v.reported[k].kind;
			f.ns = v.reported[k].ns;
			clock_keep_finding(to, max, &n, f);
		}
		if (b->disputed)
			clock_keep_finding(to, max, &n,
				(struct clock_finding){.kind = CLOCK_CONTRADICTION,
					.from = b->ticks,
					.to = b->ticks,
					.from_ns = b->realtime,
					.to_ns = b->realtime,
					.ns = b->disputed});
	}
	return n;
}

static double min_double(double a, double b)
{
	return b < a ? b : a;
}

static double max_double(double a, double b)
{
	return b > a ? b : a;
}

static double abs_double(double v)
{
	return v < 0 ? -v : v;
}

/* The drift of the clock in quiet stretches, as shares: 1 ppm is 1e-6. */
struct habits {
	bool known;
	double low, high; /* drift */
	double blur;	  /* the error of the shortest one's drift */
	double reading;	  /* of a sync, ns */
	double longest;	  /* ns; stretches of at least a quarter of it count */
	size_t stretches; /* stretches that count */
};

static double quiet_length(const struct clock *c, size_t i)
{
	const struct clock_sync *a = &c->sync[i], *b = &c->sync[i + 1];

	return clock_judge(a, b, c->rate).quiet ? (double)clock_scale(b->ticks - a->ticks, c->rate)
						: 0;
}

static struct habits clock_learn_habits(const struct clock *c)
{
	struct habits h = {.reading = READING};
	double shortest = INFINITY;

	for (size_t i = 0; i + 1 < c->nsyncs; i++)
		h.longest = max_double(h.longest, quiet_length(c, i));
	for (size_t i = 0; i + 1 < c->nsyncs; i++) {
		double length = quiet_length(c, i);

		if (length <= 0)
			continue;
		struct stretch s = clock_measure_stretch(&c->sync[i], &c->sync[i + 1], c->rate);
		if (s.mono > 0)
			h.reading = max_double(h.reading, (double)size_of(s.real - s.mono));
		if (length < h.longest / 4)
			continue;
		double drift = (double)(s.real - s.ticks) / length;
		h.low = h.known ? min_double(h.low, drift) : drift;
		h.high = h.known ? max_double(h.high, drift) : drift;
		shortest = min_double(shortest, length);
		h.known = true;
		h.stretches++;
	}
	h.blur = 2 * h.reading / shortest;
	return h;
}

bool clock_drift(const struct clock *c, struct clock_drift *drift)
{
	struct habits h = clock_learn_habits(c);

	*drift = (struct clock_drift){NAN, NAN, NAN};
	if (h.known)
		*drift = (struct clock_drift){h.low * 1e6, h.high * 1e6, h.blur * 1e6};
	return h.known;
}

/* The error beyond the first or last sync: at the file's rate, for that many ticks. */
static double error_outside(const struct clock *c, const struct habits *h, uint64_t ticks)
{
	if (!h->known)
		return NAN;
	double drift = max_double(abs_double(h->low), abs_double(h->high)) + h->blur;
	return (double)clock_scale(ticks, c->rate) * drift;
}

/*
 * Between two syncs CLOCK_REALTIME cannot have been further from the interpolated line than
 * by what it gained on the ticks (if it did not overshoot). Nor, if its drift stayed within
 * the widest band W that it has shown: it strays most when it runs at the one end of the band for
 * half of the stretch and at the other for the rest, by W / 2 for half of it.
 */
static double error_inside(const struct clock *c, const struct habits *h, size_t i)
{
	const struct clock_sync *a = &c->sync[i], *b = &c->sync[i + 1];
	struct clock_verdict v = clock_judge(a, b, c->rate);
	__int128 length = clock_scale(b->ticks - a->ticks, c->rate);
	double rise = (double)size_of((__int128)b->realtime - a->after - length);

	if (v.doubt == INT64_MAX || a->disputed || b->disputed)
		return NAN;
	if (h->stretches > 1 && v.quiet && (double)length >= h->longest / 4)
		rise = min_double(rise, (double)length * (h->high - h->low + 2 * h->blur) / 4);
	return rise + (double)v.doubt;
}

/* Unknown (NAN) counts as the worst. */
static double max_error(double a, double b)
{
	return isnan(b) || b > a ? b : a;
}

double clock_error(const struct clock *c, uint64_t first, uint64_t last)
{
	if (!c->nsyncs)
		return NAN;
	struct habits h = clock_learn_habits(c);
	const struct clock_sync *from = &c->sync[0], *to = &c->sync[c->nsyncs - 1];
	double worst = 0;
	if (first < from->ticks)
		worst = max_error(error_outside(c, &h, from->ticks - first), worst);
	if (last > to->ticks)
		worst = max_error(error_outside(c, &h, last - to->ticks), worst);
	for (size_t i = 0; i + 1 < c->nsyncs; i++)
		if (first <= c->sync[i + 1].ticks && last > c->sync[i].ticks)
			worst = max_error(error_inside(c, &h, i), worst);
	return h.reading + worst;
}
