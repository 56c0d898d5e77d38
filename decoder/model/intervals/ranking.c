#include "ranking.h"

#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../base/grow.h"
#include "order.h"
#include "record.h"
#include "intervals.h"

#define RANKING_BUDGET ((size_t)24 << 20)

struct interval_ranking {
	struct record_clock *clocks;
	unsigned wants;
	struct sorter *records;
	uint8_t *tail; /* of the current interval, if it is outside */
	size_t tail_room;
	struct interval iv;
};

/* The rank is the key. The interval's own record follows. */
struct ranking_record {
	struct sorter_record sort;
	struct interval_order order;
	uint64_t trace;
	/* Results of a stream that records do not hold. */
	int64_t start_ns;
	double elapsed_ns;
	uint64_t long_ns, own_inside_ns, own_nested_ns;
};
_Static_assert(sizeof(struct ranking_record) % 8 == 0, "records are aligned");
_Static_assert(sizeof(struct ranking_record) + RECORD_MAX_SIZE <= 16 << 10, "fits a sorter");

static int ranking_compare_records(const struct sorter_record *x, const struct sorter_record *y)
{
	const struct ranking_record *a = (const void *)x, *b = (const void *)y;

	int c = compare_u64(a->trace, b->trace);

	return c ? c : interval_order_compare(&a->order, &b->order);
}

int interval_ranking_new(const struct trace *t, unsigned wants, struct interval_ranking **result)
{
	const struct sorter_options how = {.threads = 1,
		.budget = RANKING_BUDGET,
		.largest = sizeof(struct ranking_record) + RECORD_MAX_SIZE,
		.compare = ranking_compare_records};
	struct interval_ranking *r = calloc(1, sizeof *r);

	*result = r;
	if (!r)
		return CPIDECODE_ENOMEM;
	r->iv = interval_blank;
	r->clocks = record_clocks_new(t);
	r->wants = wants | RECORD_PLACES;
	return r->clocks ? sorter_new(&how, &r->records) : CPIDECODE_ENOMEM;
}

static int ranking_store_tail(
	struct interval_ranking *r, const struct interval *iv, size_t n, uint64_t *offset)
{
	*offset = 0;
	if (n <= RECORD_MAX_INSIDE)
		return 0;
	if (!array_reserve(&r->tail, &r->tail_room, n, 1))
		return CPIDECODE_ENOMEM;
	interval_record_put_tail(r->tail, iv);
	return sorter_store(r->records, r->tail, n, offset);
}

int interval_ranking_add(struct interval_ranking *r, const struct interval *iv, uint32_t group,
	uint64_t rank, uint32_t trace)
{
	struct sorter_record *room;
	uint64_t outside;
	const size_t tail = interval_record_tail(iv);
	int rc = ranking_store_tail(r, iv, tail, &outside);

	if (!rc)
		rc = sorter_reserve(r->records, 0, &room);
	if (rc)
		return rc;
	struct ranking_record *to = (void *)room;
	struct interval_record *record = (void *)(to + 1);
	interval_record_put(
		(uint8_t *)record, iv, r->clocks[iv->file].tasks, r->wants, true, tail, outside, 0);
	*to = (struct ranking_record){.sort = {.key = rank,
					      .group = group,
					      .size = (uint16_t)(sizeof *to + record->sort.size)},
		.order = interval_order_of(iv),
		.trace = trace,
		.start_ns = iv->start_ns,
		.elapsed_ns = iv->elapsed_ns,
		.long_ns = iv->long_ns,
		.own_inside_ns = iv->own_inside_ns,
		.own_nested_ns = iv->own_nested_ns};
	sorter_add(r->records, 0);
	return 0;
}

int interval_ranking_rewind(struct interval_ranking *r)
{
	return sorter_rewind(r->records);
}

static int ranking_load_tail(struct interval_ranking *r, const struct interval_record *record)
{
	size_t n;
	uint64_t offset = interval_record_outside(record, r->wants, &n);

	return array_reserve(&r->tail, &r->tail_room, n, 1)
		       ? sorter_load(r->records, r->tail, n, offset)
		       : CPIDECODE_ENOMEM;
}

int interval_ranking_next(struct interval_ranking *r, const struct interval **iv)
{
	const struct sorter_record *next;
	int rc = sorter_next(r->records, &next);

	if (rc <= 0)
		return rc;
	const struct ranking_record *at = (const void *)next;
	const struct interval_record *record = (const void *)(at + 1);
	rc = record->marks & RECORD_OUTSIDE ? ranking_load_tail(r, record) : 0;
	if (rc)
		return rc;
	interval_record_get(record, r->wants, r->tail, r->clocks, &r->iv);
	r->iv.start_ns = at->start_ns;
	r->iv.elapsed_ns = at->elapsed_ns;
	r->iv.long_ns = at->long_ns;
	r->iv.own_inside_ns = at->own_inside_ns;
	r->iv.own_nested_ns = at->own_nested_ns;
	*iv = &r->iv;
	return 1;
}

int interval_ranking_error(const struct interval_ranking *r)
{
	return sorter_error(r->records);
}

void interval_ranking_free(struct interval_ranking *r)
{
	if (!r)
		return;
	sorter_free(r->records);
	free(r->clocks);
	free(r->tail);
	free(r);
}
