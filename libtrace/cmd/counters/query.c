/*
 * counters: a query's handle and samples, and the values of columns.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "counters.h"

/* ---------------------------------------------------------------------------- asking */

static struct question *query_add_question(
	struct counters_query *q, const struct counter_path *p, size_t length, ULONG counter)
{
	struct question *asked = &q->question[q->questions];

	memset(asked, 0, sizeof *asked);
	asked->set = p->set;
	asked->counter = counter;
	memcpy(asked->instance, p->instance, length);
	for (unsigned i = 0; i < q->questions; i++) {
		struct question *there = &q->question[i];

		/* PerfLib treats patterns that differ only in case as one specification. */
		if (there->set == p->set && there->counter == counter &&
			strcasecmp(there->instance, asked->instance) == 0)
			return there;
	}
	q->questions++;
	return asked;
}

/* A counter with a base needs two questions, answered at the same moment. */
static struct question *ask_both(struct counters_query *q, const struct counter_path *p,
	size_t length, struct question **base)
{
	const struct catalogue_counter *c = p->counter;
	struct question *asked =
		query_add_question(q, p, length, c ? c->id : PERF_WILDCARD_COUNTER);

	*base = c && c->base != PERF_NO_COUNTER ? query_add_question(q, p, length, c->base) : asked;
	return asked;
}

enum { QUESTIONS_PER_PATH = 4 };

static void ask_all(struct counters_query *q)
{
	for (unsigned i = 0; i < q->paths; i++) {
		struct counter_path *p = &q->path[i];
		size_t length;

		p->question = ask_both(q, p, strlen(p->instance), &p->base);
		if (path_is_numbered(p->instance, &length, &p->number))
			p->named = ask_both(q, p, length, &p->named_base);
	}
}

/* Builds the specification of a question. The caller frees it; NULL: out of memory. */
static PERF_COUNTER_IDENTIFIER *query_identify_question(const struct question *q)
{
	size_t name = q->set->many ? (strlen(q->instance) + 8) / 8 * 8 : 0;
	PERF_COUNTER_IDENTIFIER *id = calloc(1, sizeof *id + name);

	if (!id)
		return NULL;
	id->CounterSetGuid = q->set->guid;
	id->Size = (ULONG)(sizeof *id + name);
	id->CounterId = q->counter;
	id->InstanceId = PERF_ANY_INSTANCE_ID;
	if (name)
		strcpy((char *)(id + 1), q->instance);
	return id;
}

static ULONG add_question(const struct counters_query *q, const struct question *asked)
{
	PERF_COUNTER_IDENTIFIER *id = query_identify_question(asked);
	ULONG status = id ? PerfAddCounters(q->handle, id, id->Size) : ERROR_OUTOFMEMORY;

	if (status == ERROR_SUCCESS)
		status = id->Status;
	free(id);
	return status;
}

/* Whether the identifier, whose size was checked, belongs to the question. */
static bool is_question(const struct question *q, const PERF_COUNTER_IDENTIFIER *id)
{
	const char *name = (const char *)(id + 1);
	size_t room = id->Size - sizeof *id;

	if (memcmp(&q->set->guid, &id->CounterSetGuid, sizeof(GUID)) != 0 ||
		q->counter != id->CounterId)
		return false;
	return q->set->many ? strnlen(name, room) < room && strcmp(name, q->instance) == 0 : true;
}

static ULONG query_read_indexes(struct counters_query *q, const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at < size;) {
		const PERF_COUNTER_IDENTIFIER *id = (const void *)(bytes + at);

		if (size - at < sizeof *id || id->Size < sizeof *id || id->Size > size - at ||
			id->Size % 8)
			return ERROR_INVALID_DATA;
		for (unsigned i = 0; i < q->questions; i++)
			if (id->Index < q->questions && is_question(&q->question[i], id))
				q->result[id->Index] = &q->question[i];
		at += id->Size;
	}
	for (unsigned i = 0; i < q->questions; i++)
		if (!q->result[i])
			return ERROR_INVALID_DATA;
	return ERROR_SUCCESS;
}

static ULONG find_indexes(struct counters_query *q)
{
	DWORD size = 0;
	ULONG status = PerfQueryCounterInfo(q->handle, NULL, 0, &size);
	uint8_t *bytes = status == ERROR_NOT_ENOUGH_MEMORY ? malloc(size) : NULL;

	if (!bytes)
		return status == ERROR_NOT_ENOUGH_MEMORY ? ERROR_OUTOFMEMORY : status;
	status = PerfQueryCounterInfo(
		q->handle, (PERF_COUNTER_IDENTIFIER *)(void *)bytes, size, &size);
	if (status == ERROR_SUCCESS)
		status = query_read_indexes(q, bytes, size);
	free(bytes);
	return status;
}

ULONG query_open(struct counters_query *q)
{
	if (!q->question) {
		q->question =
			calloc(q->paths * (size_t)QUESTIONS_PER_PATH + 1, sizeof *q->question);
		q->result = calloc(q->paths * (size_t)QUESTIONS_PER_PATH + 1, sizeof *q->result);
		if (!q->question || !q->result)
			return ERROR_OUTOFMEMORY;
		ask_all(q);
	}
	ULONG status = PerfOpenQueryHandle(q->catalogue->where, &q->handle);
	if (status != ERROR_SUCCESS) {
		q->handle = NULL;
		return status;
	}
	for (unsigned i = 0; status == ERROR_SUCCESS && i < q->questions; i++)
		status = add_question(q, &q->question[i]);
	return status == ERROR_SUCCESS ? find_indexes(q) : status;
}

/* ---------------------------------------------------------------------------- sampling */

static ULONG read_data(struct counters_query *q)
{
	for (;;) {
		ULONG status = PerfQueryCounterData(q->handle, q->data, q->room, &q->bytes);

		if (status != ERROR_NOT_ENOUGH_MEMORY)
			return status;
		/* Leave room for instances that appear between the calls. */
		DWORD room = q->bytes + q->bytes / 4 + 4096;
		free(q->data);
		q->data = room > q->bytes ? malloc(room) : NULL;
		q->room = q->data ? room : 0;
		if (!q->data)
			return ERROR_OUTOFMEMORY;
	}
}

static ULONG read_blocks(struct counters_query *q)
{
	const PERF_DATA_HEADER *d = q->data;

	if (q->bytes < sizeof *d || d->dwTotalSize > q->bytes || d->dwTotalSize < sizeof *d ||
		d->dwNumCounters != q->questions)
		return ERROR_INVALID_DATA;
	const uint8_t *at = (const uint8_t *)(d + 1);
	size_t left = d->dwTotalSize - sizeof *d;
	for (unsigned i = 0; i < q->questions; i++) {
		const PERF_COUNTER_HEADER *h = (const void *)at;
		struct block *b = &q->result[i]->block;

		if (left < sizeof *h || h->dwSize < sizeof *h || h->dwSize > left || h->dwSize % 8)
			return ERROR_INVALID_DATA;
		ULONG status = block_read(b, h, left, q->result[i]->counter);
		if (status == ERROR_OUTOFMEMORY)
			return status;
		if (status != ERROR_SUCCESS) {
			block_free(b);
			b->status = status;
		}
		at += h->dwSize;
		left -= h->dwSize;
	}
	return ERROR_SUCCESS;
}

ULONG query_sample(struct counters_query *q)
{
	ULONG status = read_data(q);

	return status == ERROR_SUCCESS ? read_blocks(q) : status;
}

/* ---------------------------------------------------------------------------- columns */

static const struct catalogue_counter *query_find_registered(
	const struct catalogue_set *set, ULONG id)
{
	for (unsigned i = 0; i < set->counters; i++)
		if (set->counter[i].id == id)
			return &set->counter[i];
	return NULL;
}

/* Adds the columns of a row. number: see column_of. */
static bool add_row(struct counters_query *q, struct counter_path *p, const struct block *b,
	unsigned row, unsigned number)
{
	for (unsigned j = 0; j < b->counters; j++) {
		const struct catalogue_counter *c = query_find_registered(p->set, b->counter[j]);

		if (!c || (!p->counter && counter_is_hidden(c)))
			continue;
		if (!column_of(q, p, c, &b->instance[row], number))
			return false;
		p->columns++;
		const bool known = b->known[(size_t)row * b->counters + j];
		p->supplied += known;
		p->formatted += known && !counter_no_value(c);
	}
	return true;
}

static bool add_matching(struct counters_query *q, struct counter_path *p)
{
	const struct block *b = &p->question->block;

	for (unsigned i = 0; i < b->instances; i++)
		if (!add_row(q, p, b, i, 0))
			return false;
	return true;
}

/* A plain name selects its first instance, and name#N the N-th after that. The choice is by present
 * order once, and by id from then on. */
static bool query_add_named(struct counters_query *q, struct counter_path *p)
{
	const struct block *b = &p->question->block;

	if (p->columns)
		return true;
	if (b->instances)
		return add_row(q, p, b, 0, 0);
	p->use_named = p->named && p->named->block.instances > p->number;
	return !p->use_named || add_row(q, p, &p->named->block, p->number, p->number);
}

static bool add_columns_of(struct counters_query *q, struct counter_path *p)
{
	return path_is_pattern(p->instance) ? add_matching(q, p) : query_add_named(q, p);
}

bool query_add_columns(struct counters_query *q)
{
	for (unsigned i = 0; i < q->paths; i++)
		if (!add_columns_of(q, &q->path[i]))
			return false;
	return true;
}

/* A path without values: if the machine cannot supply them, adds an empty column. */
static int end_path(struct counters_query *q, struct counter_path *p)
{
	static const struct catalogue_counter all = {.id = PERF_WILDCARD_COUNTER, .name = "*"};
	const struct block_instance pattern = {.name = p->instance};
	const struct block *b = &p->question->block;

	if (p->supplied)
		return EXIT_FINE;
	if (!p->columns && b->status == ERROR_SUCCESS && b->counters && p->set->many)
		return cmd_fail(q->verb,
			"\"%.200s\": the counterset \"%s\" has no such instance; swtrace counters instances shows them",
			p->text, p->set->name);
	if (!p->columns && !column_of(q, p, p->counter ? p->counter : &all, &pattern, 0))
		return cmd_fail(q->verb, "\"%.200s\": not enough memory", p->text);
	cmd_note(q->verb, "\"%.200s\" has no values: %s", p->text,
		counters_status(b->status ? b->status : ERROR_NOT_SUPPORTED));
	return EXIT_FINE;
}

static bool has_column(const struct counters_query *q, const struct catalogue_counter *c)
{
	for (unsigned i = 0; i < q->columns; i++)
		if (q->column[i].counter == c)
			return true;
	return false;
}

/* Explains why columns stay empty although their counters have values. */
static void tell_unformatted(const struct counters_query *q)
{
	for (unsigned i = 0; i < q->catalogue->sets; i++) {
		const struct catalogue_set *set = &q->catalogue->set[i];

		for (unsigned j = 0; j < set->counters; j++) {
			const struct catalogue_counter *c = &set->counter[j];
			const char *name = counter_type_name(c->type), *why = counter_no_value(c);

			if (!why || !has_column(q, c))
				continue;
			cmd_note(q->verb, "\"\\%s\\%s\" has no values: its type, %s (0x%08x), %s",
				set->name, c->name, name ? name : "unknown", c->type, why);
		}
	}
}

int query_end_columns(struct counters_query *q)
{
	unsigned formatted = 0;

	for (unsigned i = 0; i < q->paths; i++) {
		int code = end_path(q, &q->path[i]);

		if (code)
			return code;
		formatted += q->path[i].formatted > 0;
	}
	tell_unformatted(q);
	columns_sort(q);
	return formatted ? EXIT_FINE : EXIT_NO_COUNTERS;
}

/* ---------------------------------------------------------------------------- values */

static bool find_value(
	struct question *q, ULONG counter, const struct counters_column *c, ULONGLONG *value)
{
	struct block *b = &q->block;
	long column = block_column(b, counter), row = block_find(b, c->instance, c->id);

	if (column < 0 || row < 0)
		return false;
	size_t at = (size_t)row * b->counters + (size_t)column;
	*value = b->value[at];
	return b->known[at];
}

/* Finds the column's raw values in the sample. */
static bool find_sample(
	const struct counters_query *q, const struct counters_column *c, PERF_SAMPLE *sample)
{
	*sample = (PERF_SAMPLE){.PerfTimeStamp = q->data->PerfTimeStamp,
		.PerfTime100NSec = q->data->PerfTime100NSec,
		.PerfFreq = q->data->PerfFreq};
	if (!find_value(c->question, c->counter->id, c, &sample->Value))
		return false;
	if (c->counter->base == PERF_NO_COUNTER)
		return true;
	if (!find_value(c->base, c->counter->base, c, &sample->Base))
		return false;
	if (c->counter->base_is_clock)
		sample->PerfTimeStamp = (LONGLONG)sample->Base;
	return true;
}

static void set_value(const struct counters_query *q, struct counters_column *c)
{
	PERF_SAMPLE now;

	c->known = false;
	/* Keep the last value: countersets of a trace have sample times of their own, so this one
	 * may have no value in this step. A missing instance resets it, since a later one with its
	 * name may be another. */
	if (c->question->block.status != ERROR_SUCCESS)
		return;
	if (!find_sample(q, c, &now)) {
		c->has_last = false;
		return;
	}
	if (counter_is_hidden(c->counter)) {
		c->value = (double)now.Value;
		c->known = true;
	} else {
		c->known = PerfFormatCounterValue(c->counter->type, c->has_last ? &c->last : NULL,
				   &now, &c->value) == ERROR_SUCCESS;
	}
	c->last = now;
	c->has_last = true;
}

void query_values(struct counters_query *q)
{
	for (unsigned i = 0; i < q->columns; i++)
		set_value(q, &q->column[i]);
}

void query_close(struct counters_query *q)
{
	if (q->handle)
		PerfCloseQueryHandle(q->handle);
	q->handle = NULL;
	for (unsigned i = 0; i < q->questions; i++)
		block_free(&q->question[i].block);
	for (unsigned i = 0; i < q->columns; i++)
		q->column[i].has_last = q->column[i].known = false;
}

void query_free(struct counters_query *q)
{
	query_close(q);
	for (unsigned i = 0; i < q->columns; i++) {
		free(q->column[i].instance);
		free(q->column[i].path);
	}
	free(q->column);
	hash_index_free(&q->column_index);
	free(q->question);
	free(q->result);
	free(q->data);
	free(q->path);
}
