/*
 * The host of a trace: opening it, and going from sample to sample.
 */
#include <stdlib.h>

#include "../../../formats/counters_hooks.h"
#include "fields.h"

/* -------------------------------------------------------------------------------- sets */

static uint32_t copy_rows(const struct rows *from, struct rows *to, bool values)
{
	for (uint32_t i = 0; i < from->used; i++) {
		const struct row *row = &from->row[i];
		size_t at = (size_t)i * from->columns;

		if (!rows_add(to, from->names + row->name, row->name_bytes, row->id))
			return ERROR_OUTOFMEMORY;
		for (uint32_t c = 0; values && c < from->columns; c++)
			if (from->known[at + c])
				rows_set(to, c, from->value[at + c]);
	}
	return ERROR_SUCCESS;
}

static uint32_t replay_collect_rows(const struct counterset *set, void *state,
	const uint64_t *wanted, const struct sample_time *time, struct rows *rows)
{
	const struct replay_set *s = set->context;

	(void)state;
	(void)wanted;
	(void)time;
	return s->status ? s->status : copy_rows(&s->rows, rows, true);
}

/* Lists the instances of the set's first sample. */
static uint32_t replay_list_instances(const struct counterset *set, struct rows *rows)
{
	struct replay_set *s = set->context;
	struct sample_time time;
	uint32_t status = s->replay->host.operations->step(&s->replay->host, &set, 1, &time);

	if (status == ERROR_NO_MORE_ITEMS)
		return ERROR_SUCCESS;
	rows_begin(rows, s->definition.ncounters);
	return status ? status : copy_rows(&s->rows, rows, false);
}

static const struct counterset_operations replay_operations = {
	.instances = replay_list_instances, .collect = replay_collect_rows};

/* ------------------------------------------------------------------------------- steps */

static uint32_t replay_list_sets(
	struct host *host, const struct counterset *const **sets, uint32_t *n)
{
	const struct replay *r = (const struct replay *)host;

	*sets = r->listed;
	*n = r->nlisted;
	return ERROR_SUCCESS;
}

static void replay_set_asked(struct replay *r, const struct counterset *const *of, uint32_t n)
{
	for (uint32_t i = 0; i < r->sets; i++) {
		struct replay_set *s = r->set[i];

		s->asked = false;
		s->status = ERROR_NOT_READY; /* not in this sample */
		rows_begin(&s->rows, s->definition.ncounters);
		for (uint32_t k = 0; k < n; k++)
			s->asked |= of[k] == &s->set;
	}
}

/* The next hook is taken. ERROR_NO_MORE_ITEMS: there was none. */
static uint32_t replay_read_hook(struct replay *r)
{
	uint32_t status;
	int rc;

	if (r->at.ended)
		return ERROR_NO_MORE_ITEMS;
	if (!r->at.again) {
		rc = cpidecode_hooks_next(r->at.it, &r->at.hook);
		if (rc < 0)
			return replay_status(rc);
		if (!rc) {
			r->at.ended = true;
			replay_end_samples(r);
			replay_end_intervals(r);
			return ERROR_SUCCESS;
		}
	}
	r->at.again = false;
	status = replay_read_interval(r);
	if (status || r->at.again)
		return status;
	if (r->at.hook->major == COUNTERS_MAJOR && r->at.hook->minor == COUNTERS_MINOR_INSTANCES)
		return replay_read_sample(r);
	return ERROR_SUCCESS;
}

static uint32_t replay_step_sample(
	struct host *host, const struct counterset *const *of, uint32_t n, struct sample_time *time)
{
	struct replay *r = (struct replay *)host;
	uint32_t status = ERROR_SUCCESS;

	replay_set_asked(r, of, n);
	if (!r->at.it) {
		int rc = cpidecode_hooks_open(r->trace, &r->at.it);

		if (rc)
			return replay_status(rc);
	}
	while (!status) {
		if (replay_ready_interval(r, time, &status) || replay_ready_sample(r, time)) {
			r->stepped = true;
			r->last = *time;
			return status;
		}
		status = replay_read_hook(r);
	}
	return status;
}

/* ---------------------------------------------------------------------- open and close */

static void close_trace(struct host *host)
{
	struct replay *r = (struct replay *)host;

	replay_drop_samples(r);
	if (r->at.it)
		cpidecode_hooks_close(r->at.it);
	for (uint32_t i = 0; i < r->sets; i++) {
		replay_forget(r, r->set[i]);
		replay_free_derived(r->set[i]->derived);
		rows_free(&r->set[i]->rows);
		free(r->set[i]);
	}
	free(r->listed);
	if (r->trace)
		cpidecode_close(r->trace);
	free(r);
}

static const struct host_operations replay_host_operations = {
	replay_list_sets, replay_step_sample, close_trace};

uint32_t host_trace(const char *path, struct host **host)
{
	struct replay *r = calloc(1, sizeof *r);
	uint32_t status;

	if (!r)
		return ERROR_OUTOFMEMORY;
	r->host.operations = &replay_host_operations;
	status = replay_status(cpidecode_open(path, &r->trace));
	if (!status)
		status = replay_scan(r);
	for (uint32_t i = 0; i < r->sets; i++)
		r->set[i]->set.operations = &replay_operations;
	if (status) {
		close_trace(&r->host);
		return status;
	}
	*host = &r->host;
	return ERROR_SUCCESS;
}
