/*
 * False-alarm rate and power of `cpidecode --report diff`: feeds simulated runs through the tally
 * and the report's own decision. Deterministic for a given seed.
 * usage: diff_sim [-p PAIRS] [-s SEED] [-m MODEL] false|power|single|fleet
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../decoder/model/stats/student.h"
#include "../../decoder/report/diff/diff.h"

enum { MOST_RUNS = 30, METRICS_JUDGED = 4 };

static const enum metric judged[METRICS_JUDGED] = {METRIC_MEAN, METRIC_P50, METRIC_P90, METRIC_P99};

/* Distribution of a run's intervals, around 1 ms. */
struct model {
	const char *name;
	double rho;	/* autocorrelation, as of AR(1) */
	double between; /* standard deviation between runs, as a share of the mean */
	double drift;	/* drift from the first to the last interval of each run, as a share */
	double second;	/* share of intervals in a second mode, twice as long */
	double change;	/* true change of the runs after, as a share */
	/* A fleet's: */
	double host;	   /* standard deviation between hosts, as a share of the mean */
	unsigned per_host; /* runs of each host; 0: no fleet */
	bool same_hosts;   /* on both sides */
};

static const struct model models[] = {
	{.name = "iid"},
	{.name = "ar1-0.5", .rho = 0.5},
	{.name = "ar1-0.9", .rho = 0.9},
	{.name = "bimodal-30", .second = 0.3},
	{.name = "bimodal-50", .second = 0.5},
	{.name = "drift", .drift = 0.3},
	{.name = "between-1%", .between = 0.01},
	{.name = "between-5%", .between = 0.05},
};

enum { MODELS = sizeof models / sizeof *models };

static uint64_t state;
static unsigned pairs = 10000;
static unsigned wanted;	 /* metrics that the tally keeps, TALLY_WANT_ bits */
static const char *only; /* NULL: all models */

static uint64_t random64(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double random_uniform(void)
{
	return ((double)(random64() >> 11) + 0.5) * 0x1p-53;
}

static double random_normal(void)
{
	static double kept;
	static int has;

	if (has) {
		has = 0;
		return kept;
	}
	double radius = sqrt(-2 * log(random_uniform())),
	       angle = 2 * 3.14159265358979323846 * random_uniform();
	has = 1;
	kept = radius * sin(angle);
	return radius * cos(angle);
}

static void check(int rc)
{
	if (rc) {
		fputs("diff_sim: no memory\n", stderr);
		exit(1);
	}
}

static void draw_run(
	struct partial *p, const struct model *m, unsigned n, double sigma, int after, double host)
{
	double level = (1 + host) * (1 + m->between * random_normal()), x = random_normal();
	struct interval iv = {.has_label = true, .label = "x", .label_len = 1, .major = 4};

	iv.thread_cpi = iv.scaled_cpi = iv.raw_cpi = iv.busy_pct = NAN;
	iv.instructions = iv.cycles = iv.busy_cycles = NOT_MEASURED;
	iv.thread_instructions = iv.thread_cycles = iv.method = NOT_MEASURED;
	*p = (struct partial){.tally.wanted = wanted};
	for (unsigned i = 0; i < n; i++) {
		x = m->rho * x + sqrt(1 - m->rho * m->rho) * random_normal();
		double mode = m->second > 0 && random_uniform() < m->second ? 2 : 1;
		double drift = 1 + m->drift * i / n;
		iv.elapsed_ns =
			1e6 * level * mode * drift * (1 + sigma * x) * (after ? 1 + m->change : 1);
		iv.end_ns = INT64_C(1700000000000000000) + (int64_t)i * 10000000;
		check(tally_add(&p->tally, &iv));
	}
	check(tally_settle(&p->tally));
}

struct outcome {
	unsigned changes, none, gates;
	unsigned reference; /* changes by the plain two-sample t test, with one figure per run */
};

/* The reference test: pooled variance, nearest-rank percentiles. */
static bool refers(const struct diff_row *row, enum metric m)
{
	double sums[DIFF_SIDES] = {0}, squares = 0;
	size_t n = row->runs[DIFF_BEFORE];

	for (unsigned round = 0; round < 2; round++)
		for (unsigned side = 0; side < DIFF_SIDES; side++)
			for (size_t i = 0; i < n; i++) {
				const struct tally_group *g = row->entries[side][i].group;
				unsigned percent = m == METRIC_P50 ? 50 : m == METRIC_P90 ? 90 : 99;
				double figure =
					m == METRIC_MEAN
						? tally_total_ns(g) / (double)g->time.count
						: (double)histogram_percentile(&g->time, percent);
				double off = figure - sums[side] / (double)n;

				sums[side] += round ? 0 : figure;
				squares += round ? off * off : 0;
			}
	double off = (sums[DIFF_AFTER] - sums[DIFF_BEFORE]) / (double)n;
	double df = 2 * (double)n - 2;
	return n > 1 &&
	       2 * student_above(fabs(off) / sqrt(squares / df * 2 / (double)n), df) <= DIFF_ALPHA;
}

static void count(const struct diff *d, struct outcome out[METRICS_JUDGED])
{
	for (unsigned i = 0; i < METRICS_JUDGED; i++) {
		const struct judgement *j = &d->rows[0].values[judged[i]].judged;
		struct compare_distance far;

		check(diff_distance(d, &d->rows[0], judged[i], COMPARE_EQUAL, &far));
		out[i].none += j->verdict != VERDICT_CHANGED && j->verdict != VERDICT_NOISE;
		out[i].changes += j->verdict == VERDICT_CHANGED;
		out[i].reference += refers(&d->rows[0], judged[i]);
		out[i].gates += compare_chance_of_side(far, true) <= DIFF_ALPHA;
	}
}

/* The hosts of a side, and their effects. */
struct fleet {
	double effects[DIFF_SIDES][MOST_RUNS];
};

static void draw_fleet(struct fleet *f, const struct model *m, unsigned runs)
{
	for (unsigned side = 0; side < DIFF_SIDES; side++)
		for (unsigned i = 0; i < runs; i++) {
			double *effects = f->effects[side];

			if (!m->per_host)
				effects[i] = 0;
			else if (i % m->per_host)
				effects[i] = effects[i - 1];
			else if (side == DIFF_AFTER && m->same_hosts)
				effects[i] = f->effects[DIFF_BEFORE][i];
			else
				effects[i] = m->host * random_normal();
		}
}

static void name_host(struct partial *p, const struct model *m, unsigned run, unsigned side)
{
	char name[32];

	if (!m->per_host)
		return;
	snprintf(name, sizeof name, "%s%u", m->same_hosts || !side ? "host" : "new",
		run / m->per_host);
	struct partial_source *s = partial_add_source(p, "run");
	if (s)
		s->host = strdup(name);
	check(!s || !s->host);
}

static void compare(const struct model *m, unsigned runs, unsigned n, double sigma,
	struct outcome out[METRICS_JUDGED])
{
	struct partial sides[DIFF_SIDES][MOST_RUNS];
	struct report r = {0};
	struct fleet fleet;
	struct diff d;

	wanted = runs == 1 ? TALLY_WANT_ORDER : 0u;
	memset(out, 0, METRICS_JUDGED * sizeof *out);
	for (unsigned pair = 0; pair < pairs; pair++) {
		draw_fleet(&fleet, m, runs);
		for (unsigned side = 0; side < DIFF_SIDES; side++)
			for (unsigned i = 0; i < runs; i++) {
				draw_run(&sides[side][i], m, n, sigma, side == DIFF_AFTER,
					fleet.effects[side][i]);
				name_host(&sides[side][i], m, i, side);
			}
		const struct diff_runs before = {sides[DIFF_BEFORE], runs},
				       after = {sides[DIFF_AFTER], runs};
		check(diff_make(&d, &r, &before, &after));
		count(&d, out);
		diff_free(&d);
		for (unsigned side = 0; side < DIFF_SIDES; side++)
			for (unsigned i = 0; i < runs; i++)
				partial_free(&sides[side][i]);
	}
}

static void line(const char *name, unsigned runs, unsigned n, const struct outcome *out)
{
	printf("%-12s %5u %6u", name, runs, n);
	for (unsigned i = 0; i < METRICS_JUDGED; i++) {
		unsigned judged_pairs = pairs - out[i].none;
		double of = judged_pairs ? 100.0 / judged_pairs : 0;

		printf("  %6.2f %6.2f %6.2f %5.1f", out[i].changes * of, out[i].gates * of,
			100.0 * out[i].reference / pairs, 100.0 * out[i].none / pairs);
	}
	putchar('\n');
	fflush(stdout);
}

static void heading(const char *what)
{
	printf("# %s, %% of %u pairs. Of those judged: called a change, a gate of one side fired; of all: by the plain two-sample t test of the runs, not judged\n"
	       "%-12s %5s %6s  %-27s  %-27s  %-27s  %s\n",
		what, pairs, "model", "runs", "n", "mean", "p50", "p90", "p99");
}

static bool is_wanted(const struct model *m)
{
	return !only || strcmp(only, m->name) == 0;
}

static void false_alarms(void)
{
	static const unsigned runs[] = {3, 5, 10};
	struct outcome out[METRICS_JUDGED];

	heading("false alarms at 1 %");
	for (unsigned m = 0; m < MODELS; m++)
		for (unsigned r = 0; r < 3 && is_wanted(&models[m]); r++) {
			compare(&models[m], runs[r], 200, 0.1, out);
			line(models[m].name, runs[r], 200, out);
		}
}

static void power(void)
{
	static const double between[] = {0, 0.005, 0.01};
	struct outcome out[METRICS_JUDGED];

	heading("power: +3 %, sigma 0.1");
	for (unsigned i = 0; i < 3; i++) {
		struct model m = {.name = "", .change = 0.03, .between = between[i]};
		char name[32];

		compare(&m, 10, 200, 0.1, out);
		snprintf(name, sizeof name, "between-%g", 100 * between[i]);
		line(name, 10, 200, out);
	}
}

static void single(void)
{
	static const unsigned sizes[] = {200, 1000, 5000, 20000};
	struct outcome out[METRICS_JUDGED];
	unsigned all = pairs;

	heading("one run a side");
	for (unsigned m = 0; m < MODELS; m++)
		for (unsigned s = 0; s < 4 && models[m].between == 0 && is_wanted(&models[m]);
			s++) {
			pairs = sizes[s] > 5000 ? (all + 9) / 10 : all;
			compare(&models[m], 1, sizes[s], 0.1, out);
			line(models[m].name, 1, sizes[s], out);
		}
}

/* 3 runs a host, which differ by 1 %; hosts by 3 %. */
static void fleets(void)
{
	static const struct model fleet[] = {
		{.name = "others-0", .host = 0.03, .between = 0.01, .per_host = 3},
		{.name = "same-0",
			.host = 0.03,
			.between = 0.01,
			.per_host = 3,
			.same_hosts = true},
		{.name = "others-10%", .host = 0.03, .between = 0.01, .per_host = 3, .change = 0.1},
		{.name = "same-3%",
			.host = 0.03,
			.between = 0.01,
			.per_host = 3,
			.same_hosts = true,
			.change = 0.03},
	};
	static const unsigned runs[] = {12, 24};
	struct outcome out[METRICS_JUDGED];

	heading("fleets: 4 and 8 hosts a side, 3 runs each; no change, and a real one");
	for (unsigned m = 0; m < sizeof fleet / sizeof *fleet; m++)
		for (unsigned r = 0; r < 2 && is_wanted(&fleet[m]); r++) {
			compare(&fleet[m], runs[r], 100, 0.1, out);
			line(fleet[m].name, runs[r], 100, out);
		}
}

int main(int argc, char **argv)
{
	int option;

	state = 1;
	while ((option = getopt(argc, argv, "p:s:m:")) != -1) {
		if (option == 'p')
			pairs = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'm')
			only = optarg;
		else if (option == 's')
			state = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	const char *what = optind < argc ? argv[optind] : "";
	if (!pairs || optind + 1 != argc)
		return 2;
	if (strcmp(what, "false") == 0)
		false_alarms();
	else if (strcmp(what, "power") == 0)
		power();
	else if (strcmp(what, "single") == 0)
		single();
	else if (strcmp(what, "fleet") == 0)
		fleets();
	else
		return 2;
	return 0;
}
