#include "walk.h"

#include <string.h>

#include "../../formats/base/utf8.h"

#define CHECK(holds)                                                                               \
	do {                                                                                       \
		if (!(holds))                                                                      \
			return #holds;                                                             \
	} while (0)

/* The rest of a block. */
struct rest {
	const unsigned char *at;
	size_t bytes;
};

static bool get(const struct rest *r, void *structure, size_t size)
{
	if (r->bytes < size)
		return false;
	memcpy(structure, r->at, size);
	return true;
}

static void skip(struct rest *r, size_t size)
{
	r->at += size;
	r->bytes -= size;
}

static bool zeros(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* UTF-8 without control characters. */
static bool is_name(const unsigned char *p, size_t n)
{
	for (size_t at = 0, length; at < n; at += length) {
		length = utf8_length(p + at, n - at);
		if (!length || p[at] < 0x20 || p[at] == 0x7f ||
			(length == 2 && p[at] == 0xc2 && p[at + 1] < 0xa0))
			return false;
	}
	return true;
}

static const char *check_value(struct rest *r)
{
	PERF_COUNTER_DATA data;

	CHECK(get(r, &data, sizeof data));
	CHECK(data.dwSize <= r->bytes);
	CHECK(data.dwSize == sizeof data + 8);
	CHECK(data.dwDataSize == 0 || data.dwDataSize == 4 || data.dwDataSize == 8);
	CHECK(zeros(r->at + sizeof data + data.dwDataSize, 8 - data.dwDataSize));
	skip(r, data.dwSize);
	return NULL;
}

static const char *check_counters(struct rest *r, ULONG *counters)
{
	PERF_MULTI_COUNTERS multi;
	size_t used;
	DWORD last = 0;

	CHECK(get(r, &multi, sizeof multi));
	CHECK(multi.dwSize <= r->bytes);
	CHECK(multi.dwSize >= sizeof multi && multi.dwSize % 8 == 0);
	CHECK((multi.dwSize - sizeof multi) / sizeof(DWORD) >= multi.dwCounters);
	used = sizeof multi + multi.dwCounters * sizeof(DWORD);
	CHECK(multi.dwSize - used < 8);
	CHECK(zeros(r->at + used, multi.dwSize - used));
	for (ULONG i = 0; i < multi.dwCounters; i++) {
		DWORD id;

		memcpy(&id, r->at + sizeof multi + i * sizeof id, sizeof id);
		CHECK(i == 0 || id > last);
		last = id;
	}
	*counters = multi.dwCounters;
	skip(r, multi.dwSize);
	return NULL;
}

static const char *check_instance(struct rest *r)
{
	PERF_INSTANCE_HEADER header;
	size_t room, length;

	CHECK(get(r, &header, sizeof header));
	CHECK(header.Size <= r->bytes);
	CHECK(header.Size > sizeof header && header.Size % 8 == 0);
	room = header.Size - sizeof header;
	length = strnlen((const char *)r->at + sizeof header, room);
	CHECK(length < room && length < PERF_MAX_INSTANCE_NAME);
	CHECK(room - length <= 8);
	CHECK(is_name(r->at + sizeof header, length));
	CHECK(zeros(r->at + sizeof header + length, room - length));
	skip(r, header.Size);
	return NULL;
}

static const char *check_instances(struct rest *r, ULONG counters)
{
	PERF_MULTI_INSTANCES multi;
	struct rest in;
	const char *wrong;

	CHECK(get(r, &multi, sizeof multi));
	CHECK(multi.dwTotalSize <= r->bytes);
	CHECK(multi.dwTotalSize >= sizeof multi && multi.dwTotalSize % 8 == 0);
	in = (struct rest){r->at, multi.dwTotalSize};
	skip(&in, sizeof multi);
	for (ULONG i = 0; i < multi.dwInstances; i++) {
		wrong = check_instance(&in);
		for (ULONG c = 0; !wrong && c < counters; c++)
			wrong = check_value(&in);
		if (wrong)
			return wrong;
	}
	CHECK(in.bytes == 0);
	skip(r, multi.dwTotalSize);
	return NULL;
}

static const char *check_body(struct rest *r, const PERF_COUNTER_HEADER *header)
{
	ULONG counters = 1;
	const char *wrong = NULL;

	if (header->dwType == PERF_ERROR_RETURN) {
		CHECK(header->dwStatus != ERROR_SUCCESS);
		return NULL;
	}
	CHECK(header->dwStatus == ERROR_SUCCESS);
	CHECK(header->dwType == PERF_SINGLE_COUNTER || header->dwType == PERF_MULTIPLE_COUNTERS ||
		header->dwType == PERF_MULTIPLE_INSTANCES || header->dwType == PERF_COUNTERSET);
	if (header->dwType == PERF_MULTIPLE_COUNTERS || header->dwType == PERF_COUNTERSET)
		wrong = check_counters(r, &counters);
	if (!wrong &&
		(header->dwType == PERF_MULTIPLE_INSTANCES || header->dwType == PERF_COUNTERSET))
		return check_instances(r, counters);
	for (ULONG i = 0; !wrong && i < counters; i++)
		wrong = check_value(r);
	return wrong;
}

static bool is_a_time(const SYSTEMTIME *t)
{
	return t->wMonth >= 1 && t->wMonth <= 12 && t->wDay >= 1 && t->wDay <= 31 &&
	       t->wDayOfWeek < 7 && t->wHour < 24 && t->wMinute < 60 && t->wSecond < 60 &&
	       t->wMilliseconds < 1000 && t->wYear >= 1601;
}

const char *walk(const void *data, size_t bytes)
{
	struct rest r = {data, bytes};
	PERF_DATA_HEADER header;

	CHECK(get(&r, &header, sizeof header));
	CHECK(header.dwTotalSize == bytes && bytes % 8 == 0);
	CHECK(is_a_time(&header.SystemTime) ||
		zeros((const unsigned char *)&header.SystemTime, sizeof header.SystemTime));
	skip(&r, sizeof header);
	for (ULONG i = 0; i < header.dwNumCounters; i++) {
		PERF_COUNTER_HEADER counter;
		struct rest in;
		const char *wrong;

		CHECK(get(&r, &counter, sizeof counter));
		CHECK(counter.dwSize <= r.bytes);
		CHECK(counter.dwSize >= sizeof counter && counter.dwSize % 8 == 0);
		CHECK(counter.Reserved == 0);
		in = (struct rest){r.at, counter.dwSize};
		skip(&in, sizeof counter);
		wrong = check_body(&in, &counter);
		if (wrong)
			return wrong;
		CHECK(in.bytes == 0);
		skip(&r, counter.dwSize);
	}
	CHECK(r.bytes == 0);
	return NULL;
}

static bool has_counters(const struct result *r)
{
	return r->header.dwType == PERF_MULTIPLE_COUNTERS || r->header.dwType == PERF_COUNTERSET;
}

static bool has_instances(const struct result *r)
{
	return r->header.dwType == PERF_MULTIPLE_INSTANCES || r->header.dwType == PERF_COUNTERSET;
}

/* Behind the list of counters, if there is one. */
static const unsigned char *behind_counters(const struct result *r)
{
	PERF_MULTI_COUNTERS multi = {0};

	if (has_counters(r))
		memcpy(&multi, r->body, sizeof multi);
	return r->body + multi.dwSize;
}

bool walk_result(const void *data, ULONG index, struct result *result)
{
	const unsigned char *at = (const unsigned char *)data + sizeof(PERF_DATA_HEADER);
	PERF_DATA_HEADER header;
	PERF_MULTI_COUNTERS counters = {0, 1};
	PERF_MULTI_INSTANCES instances = {0, 1};

	memcpy(&header, data, sizeof header);
	if (index >= header.dwNumCounters)
		return false;
	for (;; at += result->header.dwSize) {
		memcpy(&result->header, at, sizeof result->header);
		if (index-- == 0)
			break;
	}
	result->body = at + sizeof result->header;
	if (has_counters(result))
		memcpy(&counters, result->body, sizeof counters);
	if (has_instances(result))
		memcpy(&instances, behind_counters(result), sizeof instances);
	result->counters = counters.dwCounters;
	result->instances = instances.dwInstances;
	return true;
}

static const unsigned char *find_instance(const struct result *r, ULONG instance)
{
	const unsigned char *at = behind_counters(r) + sizeof(PERF_MULTI_INSTANCES);
	PERF_INSTANCE_HEADER header;

	while (instance--) {
		memcpy(&header, at, sizeof header);
		at += header.Size + r->counters * (sizeof(PERF_COUNTER_DATA) + 8);
	}
	return at;
}

const char *walk_instance(const struct result *r, ULONG instance, ULONG *id)
{
	PERF_INSTANCE_HEADER header;
	const unsigned char *at;

	if (!has_instances(r) || instance >= r->instances)
		return NULL;
	at = find_instance(r, instance);
	memcpy(&header, at, sizeof header);
	if (id)
		*id = header.InstanceId;
	return (const char *)at + sizeof header;
}

int walk_value(const struct result *r, ULONG instance, ULONG counter, ULONGLONG *value)
{
	const unsigned char *at = behind_counters(r);
	PERF_COUNTER_DATA data;
	ULONG index = 0;
	uint32_t small;

	if (r->header.dwType == PERF_ERROR_RETURN || instance >= r->instances)
		return -1;
	for (; has_counters(r) && index < r->counters; index++) {
		DWORD id;

		memcpy(&id, r->body + sizeof(PERF_MULTI_COUNTERS) + index * sizeof id, sizeof id);
		if (id == counter)
			break;
	}
	if (index == r->counters)
		return -1;
	if (has_instances(r)) {
		PERF_INSTANCE_HEADER header;

		at = find_instance(r, instance);
		memcpy(&header, at, sizeof header);
		at += header.Size;
	}
	at += index * (sizeof data + 8);
	memcpy(&data, at, sizeof data);
	at += sizeof data;
	if (data.dwDataSize == 8)
		memcpy(value, at, 8);
	memcpy(&small, at, sizeof small);
	if (data.dwDataSize == 4)
		*value = small;
	return (int)data.dwDataSize;
}
