/*
 * Registration data: a counterset's definition and its instances.
 */
#include <string.h>

#include "host.h"

/* The argument of a block writer. */
struct registration {
	const struct counterset_definition *set;
	const struct counter_definition *counter;
	const char *text;
	bool help;
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static bool is_multi_timer(uint32_t type)
{
	return type == PERF_COUNTER_MULTI_TIMER || type == PERF_COUNTER_MULTI_TIMER_INV ||
	       type == PERF_100NSEC_MULTI_TIMER || type == PERF_100NSEC_MULTI_TIMER_INV;
}

static bool has_object_clock(uint32_t type)
{
	return type == PERF_OBJ_TIME_TIMER || type == PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE;
}

static void registration_put_counter(struct block *b, const struct counter_definition *c)
{
	PERF_COUNTER_REG_INFO info = {.CounterId = c->id,
		.Type = c->type,
		.Attrib = c->attrib,
		.DetailLevel = c->detail,
		.DefaultScale = c->scale,
		.BaseCounterId = c->base,
		.PerfTimeId = has_object_clock(c->type) ? c->base : PERF_NO_COUNTER,
		.PerfFreqId = PERF_NO_COUNTER,
		.MultiId = is_multi_timer(c->type) ? c->base : PERF_NO_COUNTER,
		.AggregateFunc = c->aggregate};

	block_put(b, &info, sizeof info);
}

static void registration_write_set(struct block *b, const void *what)
{
	const struct registration *r = what;
	const struct counterset_definition *set = r->set;
	PERF_COUNTERSET_REG_INFO info = {.CounterSetGuid = set->guid,
		.CounterSetType = set->type,
		.DetailLevel = set->detail,
		.NumCounters = set->ncounters,
		.InstanceType = set->type};

	block_put(b, &info, sizeof info);
	for (uint32_t i = 0; i < set->ncounters; i++)
		registration_put_counter(b, &set->counter[i]);
}

static void write_counter(struct block *b, const void *what)
{
	const struct registration *r = what;

	registration_put_counter(b, r->counter);
}

static void registration_write_text(struct block *b, const void *what)
{
	const struct registration *r = what;

	block_string(b, r->text, strlen(r->text));
}

static void write_provider(struct block *b, const void *what)
{
	const struct registration *r = what;

	block_put(b, &r->set->provider, sizeof r->set->provider);
}

static const char *registration_string_of(const struct registration *r, uint32_t i)
{
	return r->help ? r->set->counter[i].help : r->set->counter[i].name;
}

static void write_strings(struct block *b, const void *what)
{
	const struct registration *r = what;
	const struct counterset_definition *set = r->set;
	PERF_STRING_BUFFER_HEADER header = {.dwCounters = set->ncounters};
	uint64_t at = sizeof header + set->ncounters * sizeof(PERF_STRING_COUNTER_HEADER);

	block_put(b, &header, sizeof header);
	for (uint32_t i = 0; i < set->ncounters; i++) {
		const char *text = registration_string_of(r, i);
		PERF_STRING_COUNTER_HEADER of = {
			set->counter[i].id, text ? (uint32_t)at : 0xffffffff};

		block_put(b, &of, sizeof of);
		at += text ? strlen(text) + 1 : 0;
	}
	for (uint32_t i = 0; i < set->ncounters; i++)
		if (registration_string_of(r, i))
			block_string(b, registration_string_of(r, i),
				strlen(registration_string_of(r, i)));
	block_pad(b);
	header.dwSize = (uint32_t)b->size;
	block_patch(b, 0, &header, sizeof header);
}

/* The writer for a request; NULL if the request is unknown. */
static block_writer *writer_of(PerfRegInfoType request, struct registration *r)
{
	switch (request) {
	case PERF_REG_COUNTERSET_STRUCT:
		return registration_write_set;
	case PERF_REG_COUNTER_STRUCT:
		return write_counter;
	case PERF_REG_COUNTERSET_NAME_STRING:
	case PERF_REG_COUNTERSET_ENGLISH_NAME:
		r->text = or_empty(r->set->name);
		return registration_write_text;
	case PERF_REG_COUNTERSET_HELP_STRING:
		r->text = or_empty(r->set->help);
		return registration_write_text;
	case PERF_REG_PROVIDER_NAME:
		r->text = or_empty(r->set->provider_name);
		return registration_write_text;
	case PERF_REG_COUNTER_HELP_STRINGS:
		r->help = true;
		return write_strings;
	case PERF_REG_COUNTER_NAME_STRINGS:
	case PERF_REG_COUNTER_ENGLISH_NAMES:
		return write_strings;
	case PERF_REG_PROVIDER_GUID:
		return write_provider;
	}
	return NULL;
}

uint32_t host_registration(struct host *host, const GUID *id, PerfRegInfoType request,
	uint32_t counter, void *info, uint32_t bytes, uint32_t *actual)
{
	const struct counterset *set;
	struct registration r = {0};
	block_writer *writer;
	uint32_t status = host_find(host, id, &set);

	if (status)
		return status;
	r.set = set->definition;
	writer = writer_of(request, &r);
	if (!writer)
		return ERROR_INVALID_PARAMETER;
	if (request == PERF_REG_COUNTER_STRUCT) {
		int column = counterset_column(r.set, counter);

		if (column < 0)
			return ERROR_WMI_ITEMID_NOT_FOUND;
		r.counter = &r.set->counter[column];
	}
	return block_deliver(writer, &r, info, bytes, actual);
}

void instance_put(struct block *b, const struct rows *rows, uint32_t row)
{
	const struct row *r = &rows->row[row];
	uint64_t at = b->size;
	PERF_INSTANCE_HEADER header = {.InstanceId = r->id};

	block_put(b, &header, sizeof header);
	block_string(b, rows->names + r->name, r->name_bytes);
	block_pad(b);
	header.Size = (uint32_t)(b->size - at);
	block_patch(b, at, &header, sizeof header);
}

static void write_instances(struct block *b, const void *what)
{
	const struct rows *rows = what;

	for (uint32_t i = 0; i < rows->used; i++)
		instance_put(b, rows, i);
}

uint32_t host_instances(
	struct host *host, const GUID *id, void *instances, uint32_t bytes, uint32_t *actual)
{
	const struct counterset *set;
	struct rows rows = {0};
	uint32_t status = host_find(host, id, &set);

	if (status)
		return status;
	if (set->definition->type == PERF_COUNTERSET_SINGLE_INSTANCE)
		return ERROR_INVALID_PARAMETER;
	rows_begin(&rows, set->definition->ncounters);
	status = set->operations->instances(set, &rows);
	if (!status && rows.used == 0)
		status = ERROR_WMI_INSTANCE_NOT_FOUND;
	if (!status)
		status = block_deliver(write_instances, &rows, instances, bytes, actual);
	rows_free(&rows);
	return status;
}

ULONG PerfQueryCounterSetRegistrationInfo(LPCSTR where, LPCGUID id, PerfRegInfoType request,
	DWORD lang, uint8_t *info, DWORD bytes, LPDWORD actual)
{
	struct host *host;
	uint32_t status;
	bool recorded;

	if (!id || !actual || (!info && bytes))
		return ERROR_INVALID_PARAMETER;
	status = host_open(where, &host, &recorded);
	if (status)
		return status;
	status = host_registration(host, id, request, lang, info, bytes, actual);
	host_close(host);
	return status;
}

ULONG PerfEnumerateCounterSetInstances(
	LPCSTR where, LPCGUID id, PPERF_INSTANCE_HEADER instances, DWORD bytes, LPDWORD actual)
{
	struct host *host;
	uint32_t status;
	bool recorded;

	if (!id || !actual || (!instances && bytes))
		return ERROR_INVALID_PARAMETER;
	status = host_open(where, &host, &recorded);
	if (status)
		return status;
	status = host_instances(host, id, instances, bytes, actual);
	host_close(host);
	return status;
}
