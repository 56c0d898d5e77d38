#include "kept.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/buckets.h"
#include "../../../formats/base/compare.h"
#include "../../base/grow.h"

uint64_t slowest_median_ns(const struct histogram *h)
{
	if (histogram_exact(h))
		return histogram_percentile(h, 50);
	/* Do not clip the bucket to the least and greatest value: a part does not know those of all
	 * parts. */
	return bucket_middle(
		histogram_bin_at_rank(h, histogram_rank(h->count, 50)).bucket, HISTOGRAM_SUB_BITS);
}

void slowest_median_settle(struct slowest_median *m)
{
	if (m->group->time.count <= HISTOGRAM_VALUES) {
		m->slot = m->ns;
		m->distance = 0;
		return;
	}
	m->slot = bucket_of(m->ns, HISTOGRAM_SUB_BITS);
	const uint64_t middle = bucket_middle((uint32_t)m->slot, HISTOGRAM_SUB_BITS);
	m->distance = m->ns > middle ? m->ns - middle : middle - m->ns;
}

struct slowest_file *slowest_kept_file(struct slowest_kept *k)
{
	if (array_grow(&k->files, k->nfiles, &k->files_room, sizeof *k->files))
		return NULL;
	k->files[k->nfiles] = (struct slowest_file){.fingerprint = 0};
	return &k->files[k->nfiles++];
}

struct slowest_row *slowest_kept_row(struct slowest_kept *k)
{
	if (array_grow(&k->rows, k->nrows, &k->rows_room, sizeof *k->rows))
		return NULL;
	k->rows[k->nrows] = (struct slowest_row){.rank = 0};
	return &k->rows[k->nrows++];
}

struct slowest_median *slowest_kept_median(struct slowest_kept *k)
{
	if (array_grow(&k->medians, k->nmedians, &k->medians_room, sizeof *k->medians))
		return NULL;
	k->medians[k->nmedians] = (struct slowest_median){.ns = 0};
	return &k->medians[k->nmedians++];
}

static int slowest_compare_keys(
	const struct slowest_kept *k, const struct slowest_key *a, const struct slowest_key *b)
{
	const struct slowest_file *f = &k->files[a->file], *g = &k->files[b->file];
	int c = memcmp(f->trace_id, g->trace_id, sizeof f->trace_id);

	if (!c)
		c = compare_u64_pair(a->start, b->start, a->ring, b->ring);
	return c ? c : compare_u64_pair(a->position, b->position, f->fingerprint, g->fingerprint);
}

static int slowest_compare_rows(const void *x, const void *y, void *ctx)
{
	const struct slowest_row *a = x, *b = y;
	int c = compare_u64(b->rank, a->rank);

	return c ? c : slowest_compare_keys(ctx, &a->key, &b->key);
}

static int slowest_compare_slots(const struct slowest_median *a, const struct slowest_median *b)
{
	int c = a->group == b->group ? 0 : tally_compare_names(a->group, b->group);

	return c ? c : compare_u64(a->slot, b->slot);
}

int slowest_compare_medians(const void *x, const void *y, void *ctx)
{
	const struct slowest_median *a = x, *b = y;
	int c = slowest_compare_slots(a, b);

	if (!c)
		c = compare_u64(a->distance, b->distance);
	return c ? c : slowest_compare_keys(ctx, &a->key, &b->key);
}

bool slowest_kept_reduce(struct slowest_kept *k)
{
	size_t n = 0;
	bool good = true;

	if (k->nrows)
		qsort_r(k->rows, k->nrows, sizeof *k->rows, slowest_compare_rows, k);
	for (size_t i = 1; i < k->nrows && good; i++)
		good = slowest_compare_rows(&k->rows[i - 1], &k->rows[i], k) != 0;
	k->nrows = k->nrows < k->most ? k->nrows : k->most;
	for (size_t i = 0; i < k->nmedians; i++)
		slowest_median_settle(&k->medians[i]);
	if (k->nmedians)
		qsort_r(k->medians, k->nmedians, sizeof *k->medians, slowest_compare_medians, k);
	for (size_t i = 1; i < k->nmedians && good; i++)
		good = slowest_compare_medians(&k->medians[i - 1], &k->medians[i], k) != 0;
	for (size_t i = 0; i < k->nmedians; i++)
		if (!n || slowest_compare_slots(&k->medians[n - 1], &k->medians[i]) != 0)
			k->medians[n++] = k->medians[i];
	k->nmedians = n;
	return good;
}

const struct slowest_median *slowest_kept_find(
	const struct slowest_kept *k, const struct tally_group *g)
{
	const uint64_t p50 = slowest_median_ns(&g->time);
	const struct slowest_median *best = NULL;
	uint64_t least = 0;

	for (size_t i = 0; i < k->nmedians; i++) {
		const struct slowest_median *m = &k->medians[i];
		const uint64_t far = m->ns > p50 ? m->ns - p50 : p50 - m->ns;

		if (m->group != g)
			continue;
		if (!best || far < least ||
			(far == least && slowest_compare_keys(k, &m->key, &best->key) < 0)) {
			best = m;
			least = far;
		}
	}
	return best;
}

void slowest_kept_free(struct slowest_kept *k)
{
	free(k->files);
	free(k->rows);
	free(k->medians);
	intern_free(&k->memory);
	*k = (struct slowest_kept){0};
}

int slowest_kept_settle(struct partial *p)
{
	struct slowest_kept k = {0};
	int rc = slowest_kept_get(&k, p);

	if (!rc) {
		partial_clear_answers(p);
		rc = slowest_kept_put(p, &k);
	}
	slowest_kept_free(&k);
	return rc;
}
