#include "points.h"

#include <errno.h>
#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../../include/cpidecode.h"

#define POINTS_BUDGET ((size_t)8 << 20)
/* More intervals than any trace has. */
#define MOST_AMOUNT (INT64_C(1) << 48)

/* ------------------------------------------------------------------------ writing */

/* The points of a group, among those of all. */
struct points_run {
	size_t from, bytes;
	uint64_t count;
};

struct points_writer {
	struct buffer all;
	struct points_run *runs; /* by group */
	uint32_t group;
	uint64_t key, before; /* before: the group's last key */
	__int128 amount;
	bool has_key;
};

static int points_end_key(struct points_writer *w)
{
	struct points_run *run = &w->runs[w->group];

	if (!w->has_key || !w->amount)
		return 0;
	if (w->amount > MOST_AMOUNT || w->amount < -MOST_AMOUNT)
		return CPIDECODE_EINVAL;
	if (!run->count)
		run->from = w->all.n;
	varint_put(&w->all, w->key - (run->count ? w->before : 0));
	varint_put_signed(&w->all, (int64_t)w->amount);
	run->bytes = w->all.n - run->from;
	run->count++;
	w->before = w->key;
	return w->all.failed ? CPIDECODE_ENOMEM : 0;
}

static int points_collect(struct points_writer *w, struct sorter *s, points_amount_fn *amount)
{
	const struct sorter_record *r;
	int rc = sorter_rewind(s);

	while (!rc && (rc = sorter_next(s, &r)) > 0) {
		rc = 0;
		if (!w->has_key || r->group != w->group || r->key != w->key) {
			rc = points_end_key(w);
			w->group = r->group;
			w->key = r->key;
			w->amount = 0;
			w->has_key = true;
		}
		w->amount += amount(r);
	}
	return rc ? rc : points_end_key(w);
}

static int points_compare_names(const void *x, const void *y)
{
	return tally_compare_names(
		*(const struct tally_group *const *)x, *(const struct tally_group *const *)y);
}

static int points_write(struct buffer *o, const struct points_writer *w, const struct tally *names)
{
	struct tally_group **sorted = calloc(names->count + 1, sizeof *sorted);
	size_t n = 0;

	if (!sorted)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < names->count; i++)
		if (w->runs[names->groups[i]->index].count)
			sorted[n++] = names->groups[i];
	if (n)
		qsort(sorted, n, sizeof(struct tally_group *), points_compare_names);
	varint_put(o, n);
	for (size_t i = 0; i < n; i++) {
		const struct points_run *run = &w->runs[sorted[i]->index];

		varint_put(o, sorted[i]->has_label);
		varint_put_string(o, sorted[i]->label, sorted[i]->label_len);
		varint_put(o, sorted[i]->mm);
		varint_put(o, sorted[i]->major);
		varint_put(o, run->count);
		buffer_add(o, w->all.p + run->from, run->bytes);
	}
	free(sorted);
	return o->failed ? CPIDECODE_ENOMEM : 0;
}

int points_put(
	struct buffer *o, struct sorter *s, const struct tally *names, points_amount_fn *amount)
{
	struct points_writer w = {.runs = calloc(names->count + 1, sizeof *w.runs)};
	int rc = w.runs ? points_collect(&w, s, amount) : CPIDECODE_ENOMEM;

	if (!rc)
		rc = points_write(o, &w, names);
	int error = sorter_error(s);
	free(w.all.p);
	free(w.runs);
	if (rc == CPIDECODE_ESPOOL && error)
		errno = error;
	return rc;
}

/* ------------------------------------------------------------------------ reading */

static int points_get_group(struct varint_in *in, const struct points_reader *to)
{
	uint32_t length;
	const bool has_label = varint_get_max(in, 1);
	const uint8_t *label = varint_get_string(in, &length);
	const uint8_t mm = (uint8_t)varint_get_max(in, UINT8_MAX);
	const uint8_t major = (uint8_t)varint_get_max(in, UINT8_MAX);
	uint64_t n = varint_get_max(in, UINT64_MAX), key = 0;

	if (in->why || (!has_label && length))
		return CPIDECODE_EINVAL;
	int rc =
		to->begin(to->ctx, has_label, length ? (const char *)label : "", length, major, mm);
	for (uint64_t i = 0; i < n && !rc; i++) {
		uint64_t step = varint_get_max(in, UINT64_MAX - key);
		int64_t amount = varint_get_signed(in);

		if (in->why || (i && !step) || !amount || amount > MOST_AMOUNT ||
			amount < -MOST_AMOUNT)
			return CPIDECODE_EINVAL;
		key += step;
		rc = to->point(to->ctx, key, amount);
	}
	return rc || !to->end ? rc : to->end(to->ctx);
}

int points_get(struct varint_in *in, const struct points_reader *to)
{
	uint64_t n = varint_get_max(in, UINT32_MAX);
	int rc = in->why ? CPIDECODE_EINVAL : 0;

	for (uint64_t i = 0; i < n && !rc; i++)
		rc = points_get_group(in, to);
	return rc;
}

/* ------------------------------------------------------------------------ merging */

struct points_record {
	struct sorter_record sort;
	uint64_t number; /* from 0 */
	int64_t amount;
};

static int points_compare_records(const struct sorter_record *a, const struct sorter_record *b)
{
	return compare_u64(((const struct points_record *)(const void *)a)->number,
		((const struct points_record *)(const void *)b)->number);
}

static int64_t points_get_amount(const struct sorter_record *r)
{
	return ((const struct points_record *)(const void *)r)->amount;
}

static int points_merge_begin(
	void *ctx, bool has_label, const char *label, uint32_t length, uint8_t major, uint8_t mm)
{
	struct points_merge *m = ctx;
	const size_t before = m->names.count;
	int rc = m->label ? m->label(m->ctx, &label, &length) : 0;

	if (rc)
		return rc;
	struct tally_group *g = tally_group_of(&m->names, has_label, label, length, major, mm);
	if (!g)
		return CPIDECODE_ENOMEM;
	if (m->names.count > before)
		g->index = (uint32_t)before;
	m->group = g->index;
	return 0;
}

static int points_merge_point(void *ctx, uint64_t key, int64_t amount)
{
	struct points_merge *m = ctx;
	struct sorter_record *r;
	int rc = sorter_reserve(m->sorter, 0, &r);

	if (rc)
		return rc;
	*(struct points_record *)(void *)r = (struct points_record){
		.sort = {.key = key, .group = m->group, .size = sizeof(struct points_record)},
		.number = m->added++,
		.amount = amount};
	sorter_add(m->sorter, 0);
	return 0;
}

int points_merge_add(struct points_merge *m, struct varint_in *in)
{
	const struct sorter_options how = {.threads = 1,
		.budget = POINTS_BUDGET,
		.largest = sizeof(struct points_record),
		.compare = points_compare_records};
	const struct points_reader to = {
		.ctx = m, .begin = points_merge_begin, .point = points_merge_point};
	int rc = m->sorter ? 0 : sorter_new(&how, &m->sorter);

	if (!rc)
		rc = points_get(in, &to);
	if (rc == CPIDECODE_ESPOOL && sorter_error(m->sorter))
		errno = sorter_error(m->sorter);
	return rc;
}

int points_merge_put(struct points_merge *m, struct buffer *o)
{
	return points_put(o, m->sorter, &m->names, points_get_amount);
}

void points_merge_free(struct points_merge *m)
{
	const int error = errno;

	sorter_free(m->sorter);
	tally_free(&m->names);
	errno = error;
}
