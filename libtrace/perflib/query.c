#include "query.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/array.h"
#include "../../formats/base/glob.h"
#include "../../formats/base/utf8.h"
#include "../core/handle.h"
#include "guid.h"
#include "host.h"

/* ------------------------------------------------------------------------ handles */

uint32_t query_open(struct host *host, bool recorded, HANDLE *handle)
{
	struct query *q = calloc(1, sizeof *q);

	if (q) {
		q->owner = getpid();
		q->host = host;
		q->recorded = recorded;
		*handle = handle_new(HANDLE_QUERY, q);
		if (*handle)
			return ERROR_SUCCESS;
	}
	free(q);
	host_close(host);
	return ERROR_OUTOFMEMORY;
}

struct query *query_of(HANDLE handle)
{
	struct query *q = handle_find(HANDLE_QUERY, handle);

	return q && q->owner == getpid() ? q : NULL;
}

ULONG PerfOpenQueryHandle(LPCSTR where, PHANDLE query)
{
	struct host *host;
	uint32_t status;
	bool recorded;

	if (!query)
		return ERROR_INVALID_PARAMETER;
	status = host_open(where, &host, &recorded);
	return status ? status : query_open(host, recorded, query);
}

/* --------------------------------------------------------------- sets of the query */

void query_want(struct query *q, struct query_set *s)
{
	memset(s->wanted, 0, sizeof s->wanted);
	for (uint32_t i = 0; i < q->specifications; i++) {
		const struct specification *spec = &q->specification[i];
		int column;

		if (spec->set != s)
			continue;
		if (spec->identifier.CounterId == PERF_WILDCARD_COUNTER) {
			memset(s->wanted, 0xff, sizeof s->wanted);
			return;
		}
		column = counterset_column(s->set->definition, spec->identifier.CounterId);
		if (column >= 0)
			s->wanted[column / 64] |= UINT64_C(1) << column % 64;
	}
}

static struct query_set *query_find_set(struct query *q, const GUID *id)
{
	for (uint32_t i = 0; i < q->sets; i++)
		if (guid_equal(&q->set[i]->set->definition->guid, id))
			return q->set[i];
	return NULL;
}

static uint32_t query_add_set(
	struct query *q, const struct counterset *set, struct query_set **added)
{
	struct query_set *s = calloc(1, sizeof *s);
	uint32_t status = ERROR_OUTOFMEMORY;

	if (!s || !array_reserve(&q->set, &q->set_room, q->sets + 1, sizeof(struct query_set *)))
		goto fail;
	s->set = set;
	status = set->operations->open ? set->operations->open(set, &s->state) : ERROR_SUCCESS;
	if (status)
		goto fail;
	q->set[q->sets++] = s;
	*added = s;
	return ERROR_SUCCESS;
fail:
	free(s);
	return status;
}

static void end_set(struct query_set *s)
{
	if (s->set->operations->close)
		s->set->operations->close(s->set, s->state);
	rows_free(&s->rows);
	free(s);
}

static void drop_set(struct query *q, struct query_set *s)
{
	if (--s->users > 0) {
		query_want(q, s);
		return;
	}
	for (uint32_t i = 0; i < q->sets; i++)
		if (q->set[i] == s) {
			memmove(&q->set[i], &q->set[i + 1],
				(q->sets - i - 1) * sizeof(struct query_set *));
			break;
		}
	q->sets--;
	end_set(s);
}

ULONG PerfCloseQueryHandle(HANDLE query)
{
	struct query *q = query_of(query);

	if (!q || handle_end(HANDLE_QUERY, query) != q)
		return ERROR_INVALID_HANDLE;
	for (uint32_t i = 0; i < q->sets; i++)
		end_set(q->set[i]);
	for (uint32_t i = 0; i < q->specifications; i++)
		free(q->specification[i].pattern);
	host_close(q->host);
	free(q->specification);
	free(q->set);
	free(q);
	return ERROR_SUCCESS;
}

/* ----------------------------------------------------------------- specifications */

/* A block that the caller passed: a copy of the structure, and the name in the caller's memory. */
struct asked {
	PERF_COUNTER_IDENTIFIER identifier;
	const char *name;
	size_t name_bytes;
};

/* Reads the block at `at`. False: it is malformed, and where the next one begins is unknown. */
static bool query_read_block(const uint8_t *at, size_t bytes, struct asked *a)
{
	size_t room;

	if (bytes < sizeof a->identifier)
		return false;
	memcpy(&a->identifier, at, sizeof a->identifier);
	if (a->identifier.Size < sizeof a->identifier || a->identifier.Size > bytes ||
		a->identifier.Size % 8)
		return false;
	room = a->identifier.Size - sizeof a->identifier;
	a->name = (const char *)at + sizeof a->identifier;
	a->name_bytes = strnlen(a->name, room);
	return room == 0 || a->name_bytes < room;
}

/* Checks all blocks before any takes effect. */
static bool well_formed(const void *blocks, size_t bytes)
{
	const uint8_t *at = blocks;
	struct asked a;

	if (!blocks || bytes == 0)
		return false;
	for (; bytes > 0; at += a.identifier.Size, bytes -= a.identifier.Size)
		if (!query_read_block(at, bytes, &a))
			return false;
	return true;
}

static struct specification *find_same(struct query *q, const struct asked *a)
{
	for (uint32_t i = 0; i < q->specifications; i++) {
		struct specification *s = &q->specification[i];

		if (guid_equal(&s->identifier.CounterSetGuid, &a->identifier.CounterSetGuid) &&
			s->identifier.CounterId == a->identifier.CounterId &&
			s->identifier.InstanceId == a->identifier.InstanceId &&
			glob_same_name(s->pattern ? s->pattern : "", s->pattern_bytes, a->name,
				a->name_bytes))
			return s;
	}
	return NULL;
}

static uint32_t query_check_counter(const struct counterset_definition *set, const struct asked *a)
{
	if (set->ncounters > COUNTERSET_COUNTERS)
		return ERROR_INVALID_DATA;
	if (a->identifier.CounterId != PERF_WILDCARD_COUNTER &&
		counterset_column(set, a->identifier.CounterId) < 0)
		return ERROR_WMI_ITEMID_NOT_FOUND;
	if ((set->type == PERF_COUNTERSET_SINGLE_INSTANCE) != (a->name_bytes == 0) ||
		a->name_bytes >= PERF_MAX_INSTANCE_NAME || !utf8_valid(a->name, a->name_bytes))
		return ERROR_INVALID_PARAMETER;
	return ERROR_SUCCESS;
}

static bool query_append_specification(
	struct query *q, const struct asked *a, struct query_set *set)
{
	char *pattern = a->name_bytes ? malloc(a->name_bytes) : NULL;

	if ((a->name_bytes && !pattern) ||
		!array_reserve(&q->specification, &q->specification_room, q->specifications + 1,
			sizeof *q->specification)) {
		free(pattern);
		return false;
	}
	if (pattern)
		memcpy(pattern, a->name, a->name_bytes);
	q->specification[q->specifications++] = (struct specification){.identifier = a->identifier,
		.set = set,
		.pattern = pattern,
		.pattern_bytes = (uint32_t)a->name_bytes};
	return true;
}

static uint32_t query_add_counter(struct query *q, const struct asked *a)
{
	struct query_set *s = query_find_set(q, &a->identifier.CounterSetGuid);
	const struct counterset *set = s ? s->set : NULL;
	uint32_t status =
		s ? ERROR_SUCCESS : host_find(q->host, &a->identifier.CounterSetGuid, &set);

	if (!status)
		status = query_check_counter(set->definition, a);
	if (!status && find_same(q, a))
		status = ERROR_ALREADY_EXISTS;
	if (!status && !s)
		status = query_add_set(q, set, &s);
	if (status)
		return status;
	s->users++;
	if (!query_append_specification(q, a, s)) {
		drop_set(q, s);
		return ERROR_OUTOFMEMORY;
	}
	query_want(q, s);
	return ERROR_SUCCESS;
}

static uint32_t delete_one(struct query *q, const struct asked *a)
{
	struct specification *s = find_same(q, a);
	struct query_set *set;

	if (!s)
		return ERROR_NOT_FOUND;
	set = s->set;
	free(s->pattern);
	q->specifications--;
	memmove(s, s + 1, (size_t)(&q->specification[q->specifications] - s) * sizeof *s);
	drop_set(q, set);
	return ERROR_SUCCESS;
}

static uint32_t each_block(HANDLE query, void *blocks, uint32_t bytes,
	uint32_t (*one)(struct query *q, const struct asked *a))
{
	struct query *q = query_of(query);
	uint8_t *at = blocks;
	struct asked a;

	if (!q)
		return ERROR_INVALID_HANDLE;
	if (!well_formed(blocks, bytes))
		return ERROR_INVALID_PARAMETER;
	for (; bytes > 0; at += a.identifier.Size, bytes -= a.identifier.Size) {
		uint32_t status;

		query_read_block(at, bytes, &a);
		status = one(q, &a);
		memcpy(at + offsetof(PERF_COUNTER_IDENTIFIER, Status), &status, sizeof status);
	}
	return ERROR_SUCCESS;
}

ULONG PerfAddCounters(HANDLE query, PPERF_COUNTER_IDENTIFIER counters, DWORD bytes)
{
	return each_block(query, counters, bytes, query_add_counter);
}

ULONG PerfDeleteCounters(HANDLE query, PPERF_COUNTER_IDENTIFIER counters, DWORD bytes)
{
	return each_block(query, counters, bytes, delete_one);
}

static void write_specifications(struct block *b, const void *what)
{
	const struct query *q = what;

	for (uint32_t i = 0; i < q->specifications; i++) {
		const struct specification *s = &q->specification[i];
		PERF_COUNTER_IDENTIFIER identifier = s->identifier;
		uint64_t at = b->size;

		identifier.Status = ERROR_SUCCESS;
		identifier.Index = i;
		identifier.Reserved = 0;
		block_put(b, &identifier, sizeof identifier);
		if (s->pattern)
			block_string(b, s->pattern, s->pattern_bytes);
		block_pad(b);
		identifier.Size = (uint32_t)(b->size - at);
		block_patch(b, at, &identifier, sizeof identifier);
	}
}

ULONG PerfQueryCounterInfo(
	HANDLE query, PPERF_COUNTER_IDENTIFIER counters, DWORD bytes, LPDWORD actual)
{
	struct query *q = query_of(query);

	if (!q)
		return ERROR_INVALID_HANDLE;
	if (!actual || (!counters && bytes))
		return ERROR_INVALID_PARAMETER;
	return block_deliver(write_specifications, q, counters, bytes, actual);
}
