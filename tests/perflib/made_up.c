#include "made_up.h"

#include <string.h>

static uint32_t open_set(const struct counterset *set, void **state)
{
	struct made_up_set *m = set->context;

	if (m->open_status)
		return m->open_status;
	m->opened++;
	*state = m;
	return ERROR_SUCCESS;
}

static void close_set(const struct counterset *set, void *state)
{
	struct made_up_set *m = set->context;

	m->closed += state == m;
}

static bool add_row(const struct made_up_row *row, struct rows *rows)
{
	return rows_add(rows, row->name, strlen(row->name), row->id);
}

static uint32_t instances(const struct counterset *set, struct rows *rows)
{
	struct made_up_set *m = set->context;

	if (m->collect_status)
		return m->collect_status;
	for (uint32_t i = 0; i < m->rows; i++)
		if (!add_row(&m->row[i], rows))
			return ERROR_OUTOFMEMORY;
	return ERROR_SUCCESS;
}

static uint32_t collect(const struct counterset *set, void *state, const uint64_t *wanted,
	const struct sample_time *time, struct rows *rows)
{
	struct made_up_set *m = set->context;

	(void)time;
	m->collected++;
	memcpy(m->wanted, wanted, sizeof m->wanted);
	if (m->collect_status || state != m)
		return m->collect_status ? m->collect_status : ERROR_READ_FAULT;
	if (m->other_columns)
		rows_begin(rows, m->definition.ncounters + 1);
	for (uint32_t i = 0; i < m->rows; i++) {
		if (!add_row(&m->row[i], rows))
			return ERROR_OUTOFMEMORY;
		for (uint32_t c = 0; c < m->definition.ncounters; c++)
			if (column_wanted(wanted, c) && (m->row[i].known >> c & 1))
				rows_set(rows, c, m->row[i].value[c]);
	}
	return ERROR_SUCCESS;
}

static const struct counterset_operations set_operations = {
	open_set, close_set, instances, collect, NULL};

void made_up_set(struct made_up_set *set, const struct counterset_definition *definition,
	const struct made_up_row *row, uint32_t rows)
{
	*set = (struct made_up_set){.definition = *definition, .row = row, .rows = rows};
	set->set = (struct counterset){&set->definition, &set_operations, set};
}

static uint32_t refresh(struct host *host, const struct counterset *const **sets, uint32_t *n)
{
	struct made_up_host *h = (struct made_up_host *)host;

	*sets = h->set;
	*n = h->sets;
	return h->refresh_status;
}

static uint32_t step(
	struct host *host, const struct counterset *const *of, uint32_t n, struct sample_time *time)
{
	struct made_up_host *h = (struct made_up_host *)host;

	(void)of;
	if (h->step_status)
		return h->step_status;
	if (h->last && h->steps == h->last)
		return ERROR_NO_MORE_ITEMS;
	h->steps++;
	h->stepped_sets = n;
	h->time.ticks = (int64_t)((uint64_t)h->time.ticks + (uint64_t)h->time.frequency);
	h->time.time_100ns = (int64_t)((uint64_t)h->time.time_100ns + 10000000);
	*time = h->time;
	return ERROR_SUCCESS;
}

static void close_host(struct host *host)
{
	((struct made_up_host *)host)->closed++;
}

static const struct host_operations host_operations = {refresh, step, close_host};

void made_up_host(struct made_up_host *host, unsigned last)
{
	*host = (struct made_up_host){.host = {&host_operations},
		.time = {1000, 500, INT64_C(133000000000000000)},
		.last = last};
}

void made_up_host_add(struct made_up_host *host, struct made_up_set *set)
{
	host->set[host->sets++] = &set->set;
}
