/*
 * counters: the available countersets, from their registration data.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/compare.h"
#include "counters.h"

/* Requests to PerfLib. */
struct request {
	const char *where;
	LPCGUID id;
	PerfRegInfoType what;
};

typedef ULONG ask_call(const struct request *r, void *block, DWORD room, DWORD *bytes);

static ULONG ask_registration(const struct request *r, void *block, DWORD room, DWORD *bytes)
{
	return PerfQueryCounterSetRegistrationInfo(r->where, r->id, r->what, 0, block, room, bytes);
}

static ULONG ask_instances(const struct request *r, void *block, DWORD room, DWORD *bytes)
{
	return PerfEnumerateCounterSetInstances(r->where, r->id, block, room, bytes);
}

static ULONG ask_sets(const struct request *r, void *block, DWORD room, DWORD *bytes)
{
	DWORD n = 0;
	ULONG status = PerfEnumerateCounterSet(r->where, block, room / sizeof(GUID), &n);

	*bytes = n * (DWORD)sizeof(GUID);
	return status;
}

/* Asks with room until the answer fits, and appends a NUL, so that strings in it end. NULL: failed
 * with *status. */
static void *catalogue_ask(ask_call *call, const struct request *r, DWORD *bytes, ULONG *status)
{
	DWORD room = 1024;
	uint8_t *block = NULL;

	/* The answer may grow between two calls. */
	for (int tries = 0; tries < 10; tries++) {
		if (!array_resize(&block, (size_t)room + 1, 1)) {
			*status = ERROR_OUTOFMEMORY;
			break;
		}
		*bytes = 0;
		*status = call(r, block, room, bytes);
		if (*status == ERROR_SUCCESS && *bytes <= room) {
			block[*bytes] = 0;
			return block;
		}
		if (*status != ERROR_NOT_ENOUGH_MEMORY)
			break;
		room = *bytes > room ? *bytes : room * 2;
	}
	free(block);
	return NULL;
}

static uint8_t *catalogue_fetch_block(
	const char *where, LPCGUID id, PerfRegInfoType what, DWORD *bytes, ULONG *status)
{
	const struct request r = {where, id, what};

	return catalogue_ask(ask_registration, &r, bytes, status);
}

/* Copies a name for use in messages, without control characters: names come from other programs and
 * from traces. NULL: out of memory. */
static char *catalogue_copy_plain(const char *text)
{
	char *copy = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&copy, &size);

	if (!f)
		return NULL;
	print_plain(f, text);
	if (fclose(f) == 0)
		return copy;
	free(copy);
	return NULL;
}

static char *fetch_string(const char *where, LPCGUID id, PerfRegInfoType what)
{
	ULONG status;
	DWORD bytes;
	char *text = (char *)catalogue_fetch_block(where, id, what, &bytes, &status);
	char *copy = catalogue_copy_plain(text ? text : "");

	free(text);
	return copy;
}

static int compare_counters(const void *a, const void *b)
{
	ULONG x = ((const struct catalogue_counter *)a)->id;
	ULONG y = ((const struct catalogue_counter *)b)->id;

	return compare_u64(x, y);
}

static ULONG catalogue_read_counters(struct catalogue_set *set, const uint8_t *block, DWORD bytes)
{
	PERF_COUNTERSET_REG_INFO info;
	PERF_COUNTER_REG_INFO counter;

	if (bytes < sizeof info)
		return ERROR_INVALID_DATA;
	memcpy(&info, block, sizeof info);
	if ((bytes - sizeof info) / sizeof counter < info.NumCounters)
		return ERROR_INVALID_DATA;
	set->many = info.InstanceType != PERF_COUNTERSET_SINGLE_INSTANCE;
	set->counter = calloc(info.NumCounters + 1u, sizeof *set->counter);
	if (!set->counter)
		return ERROR_OUTOFMEMORY;
	set->counters = info.NumCounters;
	for (unsigned i = 0; i < set->counters; i++) {
		memcpy(&counter, block + sizeof info + i * sizeof counter, sizeof counter);
		set->counter[i] = (struct catalogue_counter){.id = counter.CounterId,
			.type = counter.Type,
			.base = counter.BaseCounterId,
			.base_is_clock = counter.PerfTimeId != PERF_NO_COUNTER,
			.attributes = counter.Attrib};
	}
	qsort(set->counter, set->counters, sizeof *set->counter, compare_counters);
	return ERROR_SUCCESS;
}

/* A counter's string in a PERF_STRING_BUFFER_HEADER block; "" if there is none. */
static const char *string_of(const uint8_t *block, DWORD bytes, ULONG counter)
{
	PERF_STRING_BUFFER_HEADER head;
	PERF_STRING_COUNTER_HEADER entry;

	if (!block || bytes < sizeof head)
		return "";
	memcpy(&head, block, sizeof head);
	if (head.dwSize > bytes || head.dwSize < sizeof head ||
		(head.dwSize - sizeof head) / sizeof entry < head.dwCounters)
		return "";
	for (DWORD i = 0; i < head.dwCounters; i++) {
		memcpy(&entry, block + sizeof head + i * sizeof entry, sizeof entry);
		if (entry.dwCounterId == counter && entry.dwOffset < head.dwSize)
			return (const char *)block + entry.dwOffset;
	}
	return "";
}

static ULONG catalogue_read_names(struct catalogue_set *set, const char *where)
{
	ULONG status;
	DWORD names_bytes = 0, helps_bytes = 0;
	uint8_t *names = catalogue_fetch_block(
		where, &set->guid, PERF_REG_COUNTER_NAME_STRINGS, &names_bytes, &status);
	uint8_t *helps = catalogue_fetch_block(
		where, &set->guid, PERF_REG_COUNTER_HELP_STRINGS, &helps_bytes, &status);

	status = ERROR_SUCCESS;
	for (unsigned i = 0; i < set->counters; i++) {
		struct catalogue_counter *c = &set->counter[i];

		c->name = catalogue_copy_plain(string_of(names, names_bytes, c->id));
		c->help = catalogue_copy_plain(string_of(helps, helps_bytes, c->id));
		if (!c->name || !c->help)
			status = ERROR_OUTOFMEMORY;
	}
	free(names);
	free(helps);
	return status;
}

static void catalogue_read_provider(struct catalogue_set *set, const char *where)
{
	ULONG status;
	DWORD bytes;
	uint8_t *guid =
		catalogue_fetch_block(where, &set->guid, PERF_REG_PROVIDER_GUID, &bytes, &status);

	if (guid && bytes >= sizeof set->provider)
		memcpy(&set->provider, guid, sizeof set->provider);
	free(guid);
}

static ULONG load_set(struct catalogue_set *set, const char *where)
{
	ULONG status;
	DWORD bytes;
	uint8_t *block = catalogue_fetch_block(
		where, &set->guid, PERF_REG_COUNTERSET_STRUCT, &bytes, &status);

	if (!block)
		return status;
	status = catalogue_read_counters(set, block, bytes);
	free(block);
	if (status == ERROR_SUCCESS)
		status = catalogue_read_names(set, where);
	if (status != ERROR_SUCCESS)
		return status;
	set->name = fetch_string(where, &set->guid, PERF_REG_COUNTERSET_NAME_STRING);
	set->help = fetch_string(where, &set->guid, PERF_REG_COUNTERSET_HELP_STRING);
	set->provider_name = fetch_string(where, &set->guid, PERF_REG_PROVIDER_NAME);
	catalogue_read_provider(set, where);
	return set->name && set->help && set->provider_name ? ERROR_SUCCESS : ERROR_OUTOFMEMORY;
}

static void free_set(struct catalogue_set *set)
{
	for (unsigned i = 0; i < set->counters; i++) {
		free(set->counter[i].name);
		free(set->counter[i].help);
	}
	free(set->counter);
	free(set->name);
	free(set->help);
	free(set->provider_name);
}

ULONG catalogue_load(struct catalogue *c, const char *where)
{
	const struct request r = {.where = where};
	ULONG status;
	DWORD bytes;

	*c = (struct catalogue){.where = where};
	GUID *ids = catalogue_ask(ask_sets, &r, &bytes, &status);
	if (!ids)
		return status;
	const DWORD n = bytes / (DWORD)sizeof *ids;
	c->set = calloc(n + 1u, sizeof *c->set);
	status = c->set ? ERROR_SUCCESS : ERROR_OUTOFMEMORY;
	for (DWORD i = 0; status == ERROR_SUCCESS && i < n; i++) {
		struct catalogue_set *set = &c->set[c->sets];

		set->guid = ids[i];
		status = load_set(set, where);
		if (status == ERROR_SUCCESS) {
			c->sets++;
			continue;
		}
		free_set(set);
		memset(set, 0, sizeof *set);
		/* Skip a provider that ended meanwhile or has invalid data. */
		if (status != ERROR_OUTOFMEMORY)
			status = ERROR_SUCCESS;
	}
	free(ids);
	return status;
}

void catalogue_free(struct catalogue *c)
{
	for (unsigned i = 0; i < c->sets; i++)
		free_set(&c->set[i]);
	free(c->set);
	*c = (struct catalogue){0};
}

struct catalogue_set *catalogue_find(const struct catalogue *c, const char *name)
{
	for (unsigned i = 0; i < c->sets; i++)
		if (strcmp(c->set[i].name, name) == 0)
			return &c->set[i];
	for (unsigned i = 0; i < c->sets; i++)
		if (strcasecmp(c->set[i].name, name) == 0)
			return &c->set[i];
	return NULL;
}

ULONG catalogue_instances(const struct catalogue *c, const struct catalogue_set *set,
	void (*found)(void *arg, const char *name, ULONG id), void *arg)
{
	const struct request r = {.where = c->where, .id = &set->guid};
	PERF_INSTANCE_HEADER head;
	DWORD bytes;
	ULONG status;
	uint8_t *block = catalogue_ask(ask_instances, &r, &bytes, &status);

	if (!block)
		return status;
	DWORD at = 0;
	while (status == ERROR_SUCCESS && at < bytes) {
		memset(&head, 0, sizeof head);
		if (bytes - at > sizeof head)
			memcpy(&head, block + at, sizeof head);
		const char *name = (const char *)block + at + sizeof head;
		if (head.Size <= sizeof head || head.Size > bytes - at ||
			!memchr(name, 0, head.Size - sizeof head)) {
			status = ERROR_INVALID_DATA;
			break;
		}
		found(arg, name, head.InstanceId);
		at += head.Size;
	}
	free(block);
	return status;
}
