#include "in_flight.h"

#include <stdbool.h>
#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"

#define IN_FLIGHT_BUDGET ((size_t)8 << 20)

/* A start or an end: its time is the key, the series the group, and `spare` 1 for a start. */
struct in_flight_record {
	struct sorter_record sort;
	uint64_t number; /* from 0 */
};

/* Ends come before starts. */
static int in_flight_compare_records(const struct sorter_record *x, const struct sorter_record *y)
{
	const struct in_flight_record *a = (const void *)x, *b = (const void *)y;

	return x->spare != y->spare ? (int)x->spare - (int)y->spare
				    : compare_u64(a->number, b->number);
}

int in_flight_begin(struct in_flight *f)
{
	const struct sorter_options how = {.threads = 1,
		.budget = IN_FLIGHT_BUDGET,
		.largest = sizeof(struct in_flight_record),
		.compare = in_flight_compare_records};

	return sorter_new(&how, &f->sorter);
}

static int in_flight_put(struct in_flight *f, uint32_t series, int64_t ns, bool is_start)
{
	struct sorter_record *r;
	int rc = sorter_reserve(f->sorter, 0, &r);

	if (rc)
		return rc;
	*(struct in_flight_record *)(void *)r =
		(struct in_flight_record){.sort = {.key = (uint64_t)ns ^ IN_FLIGHT_SIGN,
						  .group = series,
						  .size = sizeof(struct in_flight_record),
						  .spare = is_start},
			.number = f->added++};
	sorter_add(f->sorter, 0);
	return 0;
}

int in_flight_add(struct in_flight *f, uint32_t series, int64_t start_ns, int64_t end_ns)
{
	if (end_ns <= start_ns)
		return 0;
	int rc = in_flight_put(f, series, start_ns, true);

	return rc ? rc : in_flight_put(f, series, end_ns, false);
}

static int in_flight_add_row(struct in_flight *f, uint32_t series, int64_t bucket)
{
	const struct in_flight_row *last = f->count ? &f->rows[f->count - 1] : NULL;

	if (last && last->series == series && last->bucket == bucket)
		return 0;
	if (f->count == IN_FLIGHT_ROWS)
		return CPIDECODE_EINVAL;
	if (array_grow(&f->rows, f->count, &f->room, sizeof *f->rows))
		return CPIDECODE_ENOMEM;
	f->rows[f->count++] = (struct in_flight_row){.series = series, .bucket = bucket};
	return 0;
}

/* Adds `flying` in flight from one time to a later one. */
static int in_flight_cover(
	struct in_flight *f, uint32_t series, int64_t from, int64_t to, uint64_t flying)
{
	const __int128 width = (__int128)f->width_ns;
	__int128 at = (__int128)from - f->origin_ns, end = (__int128)to - f->origin_ns;
	__int128 bucket = at / width;

	bucket -= at < bucket * width;
	for (; at < end; bucket++) {
		__int128 edge = (bucket + 1) * width;
		uint64_t ns = (uint64_t)((edge < end ? edge : end) - at);
		int rc = bucket < INT64_MIN || bucket > INT64_MAX
				 ? CPIDECODE_EINVAL
				 : in_flight_add_row(f, series, (int64_t)bucket);

		if (rc)
			return rc;
		struct in_flight_row *row = &f->rows[f->count - 1];
		exact_add(&row->sum, (exact_sum)ns * flying);
		row->busy_ns += ns;
		row->most = row->most > flying ? row->most : flying;
		at = edge;
	}
	return 0;
}

int in_flight_move(struct in_flight *f, uint32_t series, uint64_t key, int64_t more)
{
	const int64_t at = (int64_t)(key ^ IN_FLIGHT_SIGN);
	/* A series ends with none in flight. */
	int rc = f->flying ? in_flight_cover(f, series, f->since, at, f->flying) : 0;

	f->flying += (uint64_t)more;
	f->since = at;
	return rc;
}

int64_t in_flight_more(const struct sorter_record *r)
{
	return r->spare ? 1 : -1;
}

int in_flight_sweep(struct in_flight *f)
{
	const struct sorter_record *r;
	int rc = sorter_rewind(f->sorter);

	while (!rc && (rc = sorter_next(f->sorter, &r)) > 0)
		rc = in_flight_move(f, r->group, r->key, in_flight_more(r));
	return rc;
}

void in_flight_free(struct in_flight *f)
{
	sorter_free(f->sorter);
	free(f->rows);
	f->sorter = NULL;
	f->rows = NULL;
}
