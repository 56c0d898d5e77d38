/*
 * Writes a sample as hooks: the values of its countersets and, now and then, their definitions.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/time_ns.h"
#include "../query.h"
#include "definition.h"
#include "record_part.h"

/* --------------------------------------------------------------------------- definitions */

static void put_identity(struct record_part *p, const struct query_set *s)
{
	record_u64(p, guid_high(&s->set->definition->guid));
	record_u64(p, guid_low(&s->set->definition->guid));
	record_u64(p, s->recorded_definition);
}

static size_t counter_bytes(const struct counter_definition *c)
{
	return 4 * COUNTERS_COUNTER_WORDS +
	       record_string_bytes(c->name, COUNTERSET_NAME_BYTES - 1) +
	       record_string_bytes(c->help, COUNTERSET_HELP_BYTES - 1);
}

static void record_put_counter(struct record_part *p, const struct counter_definition *c)
{
	record_u32(p, c->id);
	record_u32(p, c->type);
	record_u64(p, c->attrib);
	record_u32(p, c->detail);
	record_u32(p, (uint32_t)c->scale);
	record_u32(p, c->base);
	record_u32(p, c->aggregate);
	record_string(p, c->name, COUNTERSET_NAME_BYTES - 1);
	record_string(p, c->help, COUNTERSET_HELP_BYTES - 1);
}

/* Writes as many counters as fit, at least one. Returns how many. */
static uint32_t tell_counters(struct record_part *p, const struct query_set *s, uint32_t first)
{
	const struct counterset_definition *d = s->set->definition;
	size_t bytes = 4 * COUNTERS_COUNTERS_WORDS;
	uint32_t n = 0;

	while (first + n < d->ncounters && 2 * n + 2 <= COUNTERS_PART_STRINGS) {
		bytes += counter_bytes(&d->counter[first + n]);
		if (n && bytes > COUNTERS_PART_BYTES)
			break;
		n++;
	}
	put_identity(p, s);
	record_u32(p, d->ncounters);
	record_u32(p, first);
	record_u32(p, n);
	for (uint32_t i = 0; i < n; i++)
		record_put_counter(p, &d->counter[first + i]);
	record_write(p, COUNTERS_MINOR_COUNTERS);
	return n;
}

static void tell_set(struct record_part *p, const struct query_set *s)
{
	const struct counterset_definition *d = s->set->definition;

	put_identity(p, s);
	record_u64(p, guid_high(&d->provider));
	record_u64(p, guid_low(&d->provider));
	record_u32(p, d->type);
	record_u32(p, d->detail);
	record_u32(p, d->ncounters);
	record_string(p, d->name, COUNTERSET_NAME_BYTES - 1);
	record_string(p, d->help, COUNTERSET_HELP_BYTES - 1);
	record_string(p, d->provider_name, COUNTERSET_NAME_BYTES - 1);
	record_write(p, COUNTERS_MINOR_SET);
	for (uint32_t first = 0; first < d->ncounters;)
		first += tell_counters(p, s, first);
}

/* Writes the definition with the first sample, after each change, and periodically, since rings
 * overwrite old hooks. */
static void tell_if_due(struct record_part *p, struct query_set *s)
{
	uint64_t definition = definition_hash(s->set->definition);
	/* Never 0, which stands for never. */
	int64_t now = (int64_t)(time_ns_monotonic() / TIME_SECOND_NS) + 1;
	int before = p->lost;

	if (s->recorded_at && s->recorded_definition == definition &&
		now - s->recorded_at < COUNTERS_AGAIN_SECONDS)
		return;
	s->recorded_definition = definition;
	p->lost = 0;
	tell_set(p, s);
	/* After a loss, the next sample writes the definition again. */
	s->recorded_at = p->lost ? 0 : now;
	p->lost = p->lost ? p->lost : before;
}

/* ----------------------------------------------------------------------------- samples */

/* The columns and rows of a counterset that are recorded. */
struct recorded {
	const struct query *q;
	const struct query_set *s;
	uint32_t columns;
	uint16_t column[COUNTERSET_COUNTERS];
	uint32_t rows; /* that the query reads */
	uint32_t *row;
};

static bool is_asked(const struct recorded *r, uint32_t row)
{
	for (uint32_t i = 0; i < r->q->specifications; i++)
		if (r->q->specification[i].set == r->s && query_takes(&r->q->specification[i], row))
			return true;
	return false;
}

/* False: out of memory. */
static bool record_choose_rows(struct recorded *r)
{
	const struct query_set *s = r->s;

	r->row = malloc((s->rows.used + 1) * sizeof *r->row);
	if (!r->row)
		return false;
	for (uint32_t i = 0; i < s->rows.columns; i++)
		if (column_wanted(s->wanted, i) && column_wanted(s->there, i))
			r->column[r->columns++] = (uint16_t)i;
	for (uint32_t row = 0; row < s->rows.used; row++)
		if (is_asked(r, row))
			r->row[r->rows++] = row;
	return true;
}

static uint32_t known_words(uint32_t rows, uint32_t columns)
{
	return (rows * columns + 31) / 32;
}

static size_t row_bytes(const struct recorded *r, uint32_t i)
{
	const struct row *row = &r->s->rows.row[r->row[i]];

	return 4 + rec_any_string_bytes(row->name_bytes) + 8 * r->columns;
}

/* Number of rows in the part that begins with this row: as many as fit, at least one. */
static uint32_t rows_of_part(const struct recorded *r, uint32_t first)
{
	size_t bytes = 4 * (COUNTERS_INSTANCES_WORDS + (size_t)r->columns);
	uint32_t n = 0;

	while (first + n < r->rows && n < COUNTERS_PART_STRINGS) {
		bytes += row_bytes(r, first + n);
		if (n && bytes + 4 * known_words(n + 1, r->columns) > COUNTERS_PART_BYTES)
			break;
		n++;
	}
	return n;
}

/* A counterset without instances still has one part, which says so. */
static uint32_t parts_of(const struct recorded *r)
{
	uint32_t parts = 0, first = 0;

	do {
		first += rows_of_part(r, first);
		parts++;
	} while (first < r->rows);
	return parts;
}

static void put_values(struct record_part *p, const struct recorded *r, uint32_t first, uint32_t n)
{
	const struct rows *rows = &r->s->rows;
	uint32_t known[RECORD_WORDS] = {0}, bit = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t c = 0; c < r->columns; c++, bit++) {
			size_t at = (size_t)r->row[first + i] * rows->columns + r->column[c];

			record_u64(p, rows->known[at] ? rows->value[at] : 0);
			known[bit / 32] |= (uint32_t)(rows->known[at] != 0) << bit % 32;
		}
	for (uint32_t i = 0; i < known_words(n, r->columns); i++)
		record_u32(p, known[i]);
}

static uint32_t record_write_part(struct record_part *p, const struct recorded *r, uint32_t first,
	uint32_t part, uint32_t parts)
{
	const struct rows *rows = &r->s->rows;
	uint32_t n = rows_of_part(r, first);

	put_identity(p, r->s);
	record_u64(p, (uint64_t)r->q->time.ticks);
	record_u64(p, (uint64_t)r->q->time.frequency);
	record_u64(p, (uint64_t)r->q->time.time_100ns);
	record_u32(p, parts);
	record_u32(p, part);
	record_u32(p, r->s->status);
	record_u32(p, r->rows);
	record_u32(p, first);
	record_u32(p, r->columns);
	record_u32(p, n);
	record_u32(p, n * r->columns);
	record_u32(p, known_words(n, r->columns));
	for (uint32_t i = 0; i < r->columns; i++)
		record_u32(p, r->s->set->definition->counter[r->column[i]].id);
	for (uint32_t i = 0; i < n; i++) {
		const struct row *row = &rows->row[r->row[first + i]];

		record_u32(p, row->id);
		record_string(p, rows->names + row->name, row->name_bytes);
	}
	put_values(p, r, first, n);
	record_write(p, COUNTERS_MINOR_INSTANCES);
	return n;
}

static void write_sample(struct record_part *p, const struct recorded *all, uint32_t n)
{
	uint32_t parts = 0, part = 0;

	for (uint32_t i = 0; i < n; i++)
		parts += parts_of(&all[i]);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = 0;

		do
			first += record_write_part(p, &all[i], first, part++, parts);
		while (first < all[i].rows);
	}
}

/* Must precede the set's first hook: instances of CPI show the reader that this program's values
 * are scripted. */
static void record_announce_scripted(const struct query_set *s)
{
	const struct counterset_operations *operations = s->set->operations;
	void *cpi;

	if (s->recorded_at || !operations->scripted || !operations->scripted(s->set))
		return;
	if (CpiInit(CPI_TYPE_RAW, &cpi) == PU_SUCCESS)
		CpiTerminate(cpi);
}

static uint32_t record_write_sets(struct query *q)
{
	struct recorded *all = calloc(q->sets + 1, sizeof *all);
	struct record_part *p = calloc(1, sizeof *p);
	uint32_t status = all && p ? ERROR_SUCCESS : ERROR_OUTOFMEMORY;

	for (uint32_t i = 0; i < q->sets && !status; i++) {
		all[i].q = q;
		all[i].s = q->set[i];
		if (!q->set[i]->status && !record_choose_rows(&all[i]))
			status = ERROR_OUTOFMEMORY;
	}
	for (uint32_t i = 0; i < q->sets && !status; i++) {
		record_announce_scripted(q->set[i]);
		tell_if_due(p, q->set[i]);
	}
	if (!status)
		write_sample(p, all, q->sets);
	if (!status && p->lost)
		status = ERROR_INSUFFICIENT_BUFFER;
	for (uint32_t i = 0; i < q->sets && all; i++)
		free(all[i].row);
	free(all);
	free(p);
	return status;
}

/* ------------------------------------------------------------------------------ public */

/* Whether data still is the query's last sample. */
static bool is_last_sample(const struct query *q, const PERF_DATA_HEADER *data, uint32_t bytes)
{
	PERF_DATA_HEADER head;

	if (!data || bytes < sizeof head)
		return false;
	memcpy(&head, data, sizeof head);
	return head.dwTotalSize >= sizeof head && head.dwTotalSize <= bytes &&
	       head.dwNumCounters == q->specifications && head.PerfTimeStamp == q->time.ticks &&
	       head.PerfTime100NSec == q->time.time_100ns && head.PerfFreq == q->time.frequency &&
	       head.PerfFreq > 0;
}

ULONG PerfTraceCounterData(HANDLE query, const PERF_DATA_HEADER *data, DWORD bytes)
{
	struct query *q = query_of(query);

	if (!q)
		return ERROR_INVALID_HANDLE;
	if (!is_last_sample(q, data, bytes))
		return ERROR_INVALID_PARAMETER;
	/* Before the program's first hook has searched for a session, the gate is open regardless.
	 */
	if (!TraceMajorIsOn(COUNTERS_MAJOR) || !IsTraceOn() || !TraceQueryMajor(COUNTERS_MAJOR))
		return ERROR_NOT_READY;
	return record_write_sets(q);
}
