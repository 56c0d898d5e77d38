#include "in_flight.h"

#include <stdbool.h>
#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"

#define IN_FLIGHT_BUDGET ((size_t)8 << 20)

enum { IN_FLIGHT_LONGER = 56 /* 2, 5, 10, ... up to 5e18 */ };

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

static __int128 in_flight_bucket(__int128 at, __int128 width)
{
	__int128 bucket = at / width;

	return bucket - (at < bucket * width);
}

/* ---------------------------------------------------------------- with longer buckets */

/* Times are after the origin. */
static void in_flight_count_longer(struct in_flight *f, uint32_t series, __int128 at, __int128 end)
{
	for (size_t i = 0; i < f->nlonger; i++) {
		struct in_flight_longer *l = &f->longer[i];
		const __int128 width = l->width_ns;
		const bool goes_on = l->rows && l->series == series;

		if (l->rows > IN_FLIGHT_ROWS || (goes_on && end <= l->end))
			continue;
		const __int128 last = in_flight_bucket(end - 1, width);
		const __int128 rows = last - in_flight_bucket(at, width) + 1;
		l->rows += rows > IN_FLIGHT_ROWS ? IN_FLIGHT_ROWS + 1u : (uint64_t)rows;
		l->rows -= goes_on && at < l->end;
		l->series = series;
		l->end = (last + 1) * width;
	}
}

/* Only the number of rows is of interest from now on. */
static int in_flight_begin_longer(struct in_flight *f)
{
	static const uint8_t factors[] = {1, 2, 5};
	__int128 power = f->width_ns;

	f->longer = calloc(IN_FLIGHT_LONGER, sizeof *f->longer);
	if (!f->longer)
		return CPIDECODE_ENOMEM;
	for (unsigned i = 1; i <= IN_FLIGHT_LONGER; i++) {
		power *= i % 3 ? 1 : 10;
		if (power * factors[i % 3] > INT64_MAX)
			break;
		f->longer[f->nlonger++].width_ns = (uint64_t)(power * factors[i % 3]);
	}
	for (size_t i = 0; i < f->count; i++) {
		const __int128 at = (__int128)f->rows[i].bucket * f->width_ns;

		in_flight_count_longer(f, f->rows[i].series, at, at + f->width_ns);
	}
	return 0;
}

int in_flight_settle(const struct in_flight *f)
{
	return f->longer ? CPIDECODE_EINVAL : 0;
}

uint64_t in_flight_least_width(const struct in_flight *f)
{
	for (size_t i = 0; i < f->nlonger; i++)
		if (f->longer[i].rows <= IN_FLIGHT_ROWS)
			return f->longer[i].width_ns;
	return 0;
}

/* ------------------------------------------------------------------------------ rows */

/* The row of a bucket, the last one or after it. NULL with *rc 0: there are too many. */
static struct in_flight_row *in_flight_add_row(
	struct in_flight *f, uint32_t series, __int128 bucket, int *rc)
{
	struct in_flight_row *last = f->count ? &f->rows[f->count - 1] : NULL;

	*rc = 0;
	if (last && last->series == series && last->bucket == bucket)
		return last;
	if (f->count == IN_FLIGHT_ROWS || bucket < INT64_MIN || bucket > INT64_MAX)
		return NULL;
	if (array_grow(&f->rows, f->count, &f->room, sizeof *f->rows)) {
		*rc = CPIDECODE_ENOMEM;
		return NULL;
	}
	last = &f->rows[f->count++];
	*last = (struct in_flight_row){.series = series, .bucket = (int64_t)bucket};
	return last;
}

/* Adds `flying` in flight from one time to a later one. */
static int in_flight_cover(
	struct in_flight *f, uint32_t series, int64_t from, int64_t to, uint64_t flying)
{
	const __int128 width = (__int128)f->width_ns;
	__int128 at = (__int128)from - f->origin_ns, end = (__int128)to - f->origin_ns;

	for (__int128 bucket = in_flight_bucket(at, width); at < end && !f->longer; bucket++) {
		__int128 edge = (bucket + 1) * width;
		uint64_t ns = (uint64_t)((edge < end ? edge : end) - at);
		int rc;
		struct in_flight_row *row = in_flight_add_row(f, series, bucket, &rc);

		if (!row && !rc)
			rc = in_flight_begin_longer(f);
		if (rc)
			return rc;
		if (!row)
			break;
		exact_add(&row->sum, (exact_sum)ns * flying);
		row->busy_ns += ns;
		row->most = row->most > flying ? row->most : flying;
		at = edge;
	}
	if (f->longer)
		in_flight_count_longer(f, series, at, end);
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
	return rc ? rc : in_flight_settle(f);
}

void in_flight_free(struct in_flight *f)
{
	sorter_free(f->sorter);
	free(f->rows);
	free(f->longer);
	f->sorter = NULL;
	f->rows = NULL;
	f->longer = NULL;
}
