/*
 * A diff of fleets. Runs of one host are correlated, so with several hosts on a side the unit of
 * the tests is the host.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

struct diff_host_sum {
	long double sum; /* as in compare_mean */
	size_t n;
};

/* A run's host; those without a name are last. */
struct diff_host {
	const char *name; /* NULL: unknown */
	enum diff_when side;
	size_t run;
};

static int hosts_compare(const void *a, const void *b)
{
	const struct diff_host *x = a, *y = b;

	if (!x->name || !y->name)
		return (x->name == NULL) - (y->name == NULL);
	return strcmp(x->name, y->name);
}

static size_t hosts_add(
	struct diff_host *hosts, size_t n, const struct diff_runs *side, enum diff_when when)
{
	for (size_t i = 0; i < side->n; i++)
		hosts[n++] = (struct diff_host){partial_host(&side->runs[i]), when, i};
	return n;
}

/* Numbers hosts by name; each unknown one counts as another host. Counts the hosts of each side,
 * and the named ones. */
static void hosts_number(
	struct diff *d, const struct diff_host *hosts, size_t n, size_t named[DIFF_SIDES])
{
	uint32_t number = 0;
	bool seen[DIFF_SIDES] = {false};

	for (size_t i = 0; i < n; i++) {
		const struct diff_host *h = &hosts[i];

		if (!i || !h->name || strcmp(h->name, hosts[i - 1].name) != 0) {
			number += i != 0;
			memset(seen, 0, sizeof seen);
		}
		d->hosts[h->side][h->run] = number;
		d->nhosts[h->side] += !seen[h->side];
		named[h->side] += !seen[h->side] && h->name;
		seen[h->side] = true;
	}
	d->nsums = (size_t)number + 1;
}

/* A merged partial result is one run. */
static void hosts_note_merged(const struct report *r, const struct diff_runs *side)
{
	for (size_t i = 0; i < side->n; i++) {
		const struct partial *p = &side->runs[i];
		const char *first = p->nsources ? p->sources[0].host : NULL;

		for (size_t k = 1; k < p->nsources && first; k++) {
			if (!p->sources[k].host || strcmp(p->sources[k].host, first) == 0)
				continue;
			report_note(r,
				"%s and other traces are one run of several hosts: differences between these hosts are not tested (give each host's partial result on its own)",
				p->sources[0].path);
			return;
		}
	}
}

int diff_find_hosts(struct diff *d, const struct report *r, const struct diff_runs *before,
	const struct diff_runs *after)
{
	const size_t runs[DIFF_SIDES] = {before->n, after->n}, n = before->n + after->n;
	size_t named[DIFF_SIDES] = {0};
	struct diff_host *hosts = calloc(n + 1, sizeof *hosts);
	bool has_memory = hosts;

	hosts_note_merged(r, before);
	hosts_note_merged(r, after);
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		d->hosts[side] = calloc(runs[side] + 1, sizeof *d->hosts[side]);
		d->figure_hosts[side] = calloc(runs[side] + 1, sizeof *d->figure_hosts[side]);
		has_memory = has_memory && d->hosts[side] && d->figure_hosts[side];
	}
	if (has_memory) {
		size_t all = hosts_add(hosts, 0, before, DIFF_BEFORE);

		all = hosts_add(hosts, all, after, DIFF_AFTER);
		qsort(hosts, all, sizeof *hosts, hosts_compare);
		hosts_number(d, hosts, all, named);
		d->sums = calloc(d->nsums, sizeof *d->sums);
		has_memory = d->sums;
	}
	free(hosts);
	if (!has_memory)
		return CPIDECODE_ENOMEM;
	if (named[DIFF_BEFORE] < 2 && named[DIFF_AFTER] < 2)
		diff_free_hosts(d);
	return 0;
}

void diff_free_hosts(struct diff *d)
{
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		free(d->hosts[side]);
		free(d->figure_hosts[side]);
		d->hosts[side] = d->figure_hosts[side] = NULL;
	}
	free(d->sums);
	d->sums = NULL;
}

struct compare_runs diff_join_units(
	const struct diff *d, const struct diff_row *row, enum diff_when side)
{
	double *figures = d->figures[side];
	struct compare_runs r = {.figures = figures};

	if (!diff_by_host(d)) {
		for (size_t i = 0; i < row->runs[side]; i++)
			if (!isnan(figures[i]))
				figures[r.n++] = figures[i];
		return r;
	}
	memset(d->sums, 0, d->nsums * sizeof *d->sums);
	for (size_t i = 0; i < row->runs[side]; i++) {
		struct diff_host_sum *sum = &d->sums[d->hosts[side][row->entries[side][i].run]];

		if (isnan(figures[i]))
			continue;
		sum->sum += figures[i];
		sum->n++;
	}
	for (size_t i = 0; i < d->nsums; i++) {
		if (!d->sums[i].n)
			continue;
		figures[r.n] = (double)(d->sums[i].sum / d->sums[i].n);
		d->figure_hosts[side][r.n++] = (uint32_t)i;
	}
	return r;
}

struct compare_distance diff_compare_units(const struct diff *d, struct compare_runs before,
	struct compare_runs after, struct compare_null null)
{
	const bool is_paired = diff_by_host(d) && before.n == after.n &&
			       memcmp(d->figure_hosts[DIFF_BEFORE], d->figure_hosts[DIFF_AFTER],
				       before.n * sizeof *d->figure_hosts[DIFF_BEFORE]) == 0;

	return is_paired ? compare_pairs(before, after, null) : compare_runs(before, after, null);
}

size_t diff_units(const struct diff *d, enum diff_when side)
{
	return diff_by_host(d) ? d->nhosts[side] : d->runs[side];
}

size_t diff_row_units(const struct diff *d, const struct diff_row *row, enum diff_when side)
{
	return diff_figures(d, row, METRIC_COUNT, side).n;
}
