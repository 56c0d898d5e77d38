#include "compare.h"

#include <math.h>
#include <string.h>

/* Where the two are in order; keys can be compared across them. */
struct walk {
	const struct histogram *h;
	struct histogram_at at;
	struct histogram_bin bin;
	bool by_place; /* one of the two knows buckets only */
	bool more;
	uint64_t key;
};

static uint64_t key_of(const struct walk *w)
{
	if (!w->by_place)
		return w->bin.low;
	return histogram_exact(w->h) ? histogram_place_of(w->bin.low) : w->bin.place;
}

static void step(struct walk *w)
{
	w->more = histogram_next(w->h, &w->at, &w->bin);
	w->key = w->more ? key_of(w) : 0;
}

static struct walk start(const struct histogram *h, const struct histogram *other)
{
	struct walk w = {.h = h, .by_place = !histogram_exact(h) || !histogram_exact(other)};
	step(&w);
	return w;
}

/* All values of the next key: how many of each; false at the end. */
static bool next_key(struct walk *a, struct walk *b, uint64_t *na, uint64_t *nb)
{
	*na = *nb = 0;
	if (!a->more && !b->more)
		return false;
	uint64_t key = !b->more || (a->more && a->key < b->key) ? a->key : b->key;
	for (; a->more && a->key == key; step(a))
		*na += a->bin.count;
	for (; b->more && b->key == key; step(b))
		*nb += b->bin.count;
	return true;
}

/* Could any dealing out of so many values have a chance below alpha? */
static bool enough(uint64_t na, uint64_t nb, double alpha)
{
	uint64_t k = na < nb ? na : nb;
	double ways = 1, n = (double)na + (double)nb;
	for (uint64_t i = 1; i <= k; i++) {
		ways = ways * (n - (double)i + 1) / (double)i;
		if (ways * alpha >= 2)
			return true;
	}
	return false;
}

/*
 * The share of all ways to choose na of the values whose sum of ranks is as far from its mean
 * as a's. Ranks are doubled: those of ties are halves.
 */
static double exact_chance(const struct histogram *a, const struct histogram *b)
{
	enum { SUMS = COMPARE_EXACT * COMPARE_EXACT + 1 }; /* half of them, of twice that rank */
	uint64_t ways[COMPARE_EXACT / 2 + 1][SUMS];
	struct walk wa = start(a, b), wb = start(b, a);
	/* Of the smaller one: the other's sum is what is left. */
	bool swap = b->count < a->count;
	uint64_t n = a->count + b->count, k = swap ? b->count : a->count;
	uint64_t na, nb, before = 0, seen = 0, total = 0, far = 0, most = 2 * k * n;
	for (uint64_t j = 0; j <= k; j++)
		memset(ways[j], 0, (most + 1) * sizeof ways[j][0]);
	ways[0][0] = 1;
	for (; next_key(&wa, &wb, &na, &nb); before += na + nb) {
		uint64_t rank = 2 * before + na + nb + 1;
		seen += rank * (swap ? nb : na);
		for (uint64_t i = 0; i < na + nb; i++)
			for (uint64_t j = k < before + i + 1 ? k : before + i + 1; j > 0; j--)
				for (uint64_t s = j * rank; s >= rank; s--)
					ways[j][s] += ways[j - 1][s - rank];
	}
	uint64_t mean = k * (n + 1), off = seen > mean ? seen - mean : mean - seen;
	for (uint64_t s = 0; s <= most; s++) {
		total += ways[k][s];
		if ((s > mean ? s - mean : mean - s) >= off)
			far += ways[k][s];
	}
	return (double)far / (double)total;
}

static double normal_chance(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

static double rank_chance(const struct histogram *a, const struct histogram *b)
{
	struct walk wa = start(a, b), wb = start(b, a);
	double n = (double)a->count, m = (double)b->count, all = n + m;
	double ties = 0, wins = 0, below = 0; /* pairs in which b's value is the larger */
	uint64_t na, nb;
	while (next_key(&wa, &wb, &na, &nb)) {
		double t = (double)na + (double)nb;
		wins += (double)nb * (below + (double)na / 2);
		below += (double)na;
		ties += t * t * t - t;
	}
	double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
	double off = fabs(wins - n * m / 2) - 0.5;
	if (variance <= 0 || off <= 0)
		return 1;
	return normal_chance(off / sqrt(variance));
}

static struct judgement judge(double p, double alpha)
{
	return (struct judgement){.verdict = p <= alpha ? VERDICT_CHANGED : VERDICT_NOISE, .p = p};
}

struct judgement compare_ranks(const struct histogram *a, const struct histogram *b, double alpha)
{
	if (!a->count || !b->count)
		return (struct judgement){.verdict = VERDICT_NONE, .p = NAN};
	double p = a->count + b->count <= COMPARE_EXACT ? exact_chance(a, b) : rank_chance(a, b);
	if (!enough(a->count, b->count, alpha))
		return (struct judgement){.verdict = VERDICT_TOO_FEW, .p = p};
	return judge(p, alpha);
}

/* Of bucket's middles; *variance of the mean. */
static double mean_of(const struct histogram *h, double *variance)
{
	struct histogram_at at = {0};
	struct histogram_bin bin;
	double n = (double)h->count, sum = 0, squares = 0;
	while (histogram_next(h, &at, &bin))
		sum += (double)bin.count * ((double)bin.low / 2 + (double)bin.high / 2);
	at = (struct histogram_at){0};
	while (histogram_next(h, &at, &bin)) {
		double off = (double)bin.low / 2 + (double)bin.high / 2 - sum / n;
		squares += (double)bin.count * off * off;
	}
	*variance = squares / (n - 1) / n;
	return sum / n;
}

struct judgement compare_means(const struct histogram *a, const struct histogram *b, double alpha)
{
	if (a->count < COMPARE_MEANS || b->count < COMPARE_MEANS)
		return compare_ranks(a, b, alpha);
	double va, vb, off = mean_of(a, &va) - mean_of(b, &vb);
	if (va + vb <= 0)
		return judge(off != 0 ? 0 : 1, alpha);
	return judge(normal_chance(off / sqrt(va + vb)), alpha);
}

/* How far out a normal value lies with that chance on each side of it. */
static double normal_quantile(double chance)
{
	double low = 0, high = 40;
	for (unsigned i = 0; i < 64; i++) {
		double middle = (low + high) / 2;
		if (normal_chance(middle) / 2 > chance)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The chance of exactly k successes in n, each of chance q: 0 < q < 1. */
static double binomial(double n, double k, double q)
{
	int sign;
	return exp(lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign) +
		   k * log(q) + (n - k) * log1p(-q));
}

/* The most successes (or failures) that are seen with a chance of at most tail; -1: not even 0. */
static int64_t most_rare(uint64_t n, double q, double tail)
{
	double sum = 0, spread = sqrt((double)n * q * (1 - q));
	if (spread > 30) {
		double k = floor((double)n * q - normal_quantile(tail) * spread - 0.5);
		return k < 0 ? -1 : (int64_t)k;
	}
	/* So far out there is no chance that a double could tell from none. */
	double far = floor((double)n * q - 12 * spread - 200);
	for (uint64_t k = far > 0 ? (uint64_t)far : 0; k <= n; k++) {
		sum += binomial((double)n, (double)k, q);
		if (sum > tail)
			return (int64_t)k - 1;
	}
	return (int64_t)n;
}

void compare_interval(uint64_t n, unsigned percent, double alpha, uint64_t *low, uint64_t *high)
{
	double q = (double)percent / 100;
	/* Of the values up to the percentile k rare ones: it lies beyond the k + 1st. */
	*low = (uint64_t)(most_rare(n, q, alpha / 2) + 1);
	*high = n - (uint64_t)(most_rare(n, 1 - q, alpha / 2) + 1) + 1;
}

enum verdict compare_percentile(
	const struct histogram *a, const struct histogram *b, unsigned percent, double alpha)
{
	uint64_t low[2], high[2];
	if (!a->count || !b->count)
		return VERDICT_NONE;
	compare_interval(a->count, percent, alpha / 2, &low[0], &high[0]);
	compare_interval(b->count, percent, alpha / 2, &low[1], &high[1]);
	bool more = histogram_percentile(a, percent) <= histogram_percentile(b, percent);
	const struct histogram *less = more ? a : b, *greater = more ? b : a;
	/* The end of the lesser one's interval, and the begin of the greater one's. */
	uint64_t end = high[!more], begin = low[more];
	if (end > less->count || begin < 1)
		return VERDICT_TOO_FEW;
	return histogram_bin_at_rank(less, end).high < histogram_bin_at_rank(greater, begin).low
		       ? VERDICT_CHANGED
		       : VERDICT_NOISE;
}
