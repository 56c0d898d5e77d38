/*
 * Collects a sample of every counterset in a query.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "query.h"

static void note_what_is_there(struct query_set *s)
{
	const struct rows *r = &s->rows;
	const uint8_t *known = r->known;

	memset(s->there, 0, sizeof s->there);
	for (uint32_t row = 0; row < r->used; row++, known += r->columns)
		for (uint32_t i = 0; i < r->columns; i++)
			s->there[i / 64] |= (uint64_t)(known[i] != 0) << i % 64;
}

static uint32_t query_collect_set(struct query *q, struct query_set *s)
{
	uint32_t columns = s->set->definition->ncounters, status;

	if (columns > COUNTERSET_COUNTERS)
		return ERROR_INVALID_DATA;
	rows_begin(&s->rows, columns);
	status = s->set->operations->collect(s->set, s->state, s->wanted, &q->time, &s->rows);
	if (!status && s->rows.columns != columns)
		return ERROR_INVALID_DATA;
	return status;
}

/* A provider may have restarted and offer another counterset with the same GUID. */
static bool found_again(struct query *q, struct query_set *s)
{
	const struct counterset *now;
	void *state = NULL;

	if (host_find(q->host, &s->set->definition->guid, &now) != ERROR_SUCCESS || now == s->set)
		return false;
	if (now->operations->open && now->operations->open(now, &state) != ERROR_SUCCESS)
		return false;
	if (s->set->operations->close)
		s->set->operations->close(s->set, s->state);
	s->set = now;
	s->state = state;
	query_want(q, s);
	return true;
}

static uint32_t query_step_host(struct query *q)
{
	const struct counterset **of = malloc((q->sets + 1) * sizeof(struct counterset *));
	uint32_t status;

	if (!of)
		return ERROR_OUTOFMEMORY;
	for (uint32_t i = 0; i < q->sets; i++)
		of[i] = q->set[i]->set;
	status = q->host->operations->step(q->host, of, q->sets, &q->time);
	free(of);
	return status;
}

uint32_t query_collect(struct query *q)
{
	if (!q->stepped) {
		uint32_t status = query_step_host(q);

		if (status)
			return status;
	}
	q->stepped = q->recorded;
	for (uint32_t i = 0; i < q->sets; i++) {
		struct query_set *s = q->set[i];

		s->status = query_collect_set(q, s);
		if (s->status == ERROR_WMI_GUID_NOT_FOUND && found_again(q, s))
			s->status = query_collect_set(q, s);
		if (!s->status)
			note_what_is_there(s);
	}
	return ERROR_SUCCESS;
}
