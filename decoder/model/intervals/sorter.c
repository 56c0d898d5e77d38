#include "sorter.h"

#include <stdlib.h>

#include "../../../include/cpidecode.h"
#include "../../base/grow.h"
#include "../../base/sorter/sorter.h"

struct interval_sorter {
	struct interval_sorter_options options;
	struct sorter *records;
	struct record_clock *clocks; /* by file */
	uint8_t *tail;		     /* of the current record, if it is outside */
	size_t tail_cap;
};

int interval_sorter_new(
	const struct interval_sorter_options *options, struct interval_sorter **result)
{
	struct interval_sorter *s = calloc(1, sizeof *s);
	struct sorter_options how = {.threads = options->threads,
		.budget = options->budget,
		.largest = RECORD_MAX_SIZE,
		.compare = options->wants & RECORD_PLACES ? interval_record_compare_times
							  : interval_record_compare};

	*result = NULL;
	if (!s)
		return CPIDECODE_ENOMEM;
	s->options = *options;
	s->clocks = record_clocks_new(options->trace);
	int rc = s->clocks ? 0 : CPIDECODE_ENOMEM;
	if (!rc)
		rc = sorter_new(&how, &s->records);
	if (rc)
		interval_sorter_free(s);
	else
		*result = s;
	return rc;
}

static int interval_sorter_store_tail(
	struct interval_sorter *s, const struct interval *iv, size_t n, uint64_t *offset)
{
	uint8_t *tail = malloc(n);

	if (!tail)
		return CPIDECODE_ENOMEM;
	interval_record_put_tail(tail, iv);
	int rc = sorter_store(s->records, tail, n, offset);
	free(tail);
	return rc;
}

const struct task *interval_sorter_tasks(const struct interval_sorter *s, uint32_t file)
{
	return s->clocks[file].tasks;
}

int interval_sorter_add(struct interval_sorter *s, unsigned thread, const struct interval *iv,
	bool kept, uint64_t selection)
{
	struct sorter_record *r;
	uint64_t outside = 0;
	const size_t tail = kept ? interval_record_tail(iv) : 0;
	int rc = sorter_reserve(s->records, thread, &r);

	if (!rc && tail > RECORD_MAX_INSIDE)
		rc = interval_sorter_store_tail(s, iv, tail, &outside);
	if (rc)
		return rc;
	interval_record_put((uint8_t *)r, iv, interval_sorter_tasks(s, iv->file), s->options.wants,
		kept, tail, outside, selection);
	sorter_add(s->records, thread);
	return 0;
}

int interval_sorter_add_record(
	struct interval_sorter *s, unsigned thread, const struct interval_record *record)
{
	struct sorter_record *r;
	int rc = sorter_reserve(s->records, thread, &r);

	if (rc)
		return rc;
	memcpy(r, record, record->sort.size);
	sorter_add(s->records, thread);
	return 0;
}

int interval_sorter_rewind(struct interval_sorter *s)
{
	return sorter_rewind(s->records);
}

int interval_sorter_next(struct interval_sorter *s, const struct interval_record **r)
{
	return sorter_next(s->records, (const struct sorter_record **)r);
}

static int interval_sorter_load_tail(struct interval_sorter *s, const struct interval_record *r)
{
	size_t n;
	uint64_t offset = interval_record_outside(r, s->options.wants, &n);

	if (!array_reserve(&s->tail, &s->tail_cap, n, 1))
		return CPIDECODE_ENOMEM;
	return sorter_load(s->records, s->tail, n, offset);
}

int interval_sorter_get(
	struct interval_sorter *s, const struct interval_record *r, struct interval *iv)
{
	int rc = r->marks & RECORD_OUTSIDE ? interval_sorter_load_tail(s, r) : 0;

	if (!rc)
		interval_record_get(r, s->options.wants, s->tail, s->clocks, iv);
	return rc;
}

int interval_sorter_error(const struct interval_sorter *s)
{
	return sorter_error(s->records);
}

void interval_sorter_free(struct interval_sorter *s)
{
	if (!s)
		return;
	sorter_free(s->records);
	free(s->clocks);
	free(s->tail);
	free(s);
}
