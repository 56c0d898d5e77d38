/*
 * counters: parses the blocks that PerfQueryCounterData returns. Checks sizes as PerfLib's
 * documentation asks of a consumer.
 */
#include <stdlib.h>
#include <string.h>

#include "counters.h"

struct bytes {
	const uint8_t *at;
	size_t left;
};

static bool block_next_bytes(struct bytes *b, size_t n, const uint8_t **part)
{
	if (b->left < n)
		return false;
	*part = b->at;
	b->at += n;
	b->left -= n;
	return true;
}

/* Reads a block whose structure has the block's size at offset `before`. */
static bool block_next_block(struct bytes *b, void *head, size_t head_size, size_t before,
	const uint8_t **block, DWORD *size)
{
	if (b->left < head_size)
		return false;
	memcpy(head, b->at, head_size);
	memcpy(size, b->at + before, sizeof *size);
	return *size >= head_size && block_next_bytes(b, *size, block);
}

static bool block_read_value(struct bytes *b, ULONGLONG *value, uint8_t *known)
{
	PERF_COUNTER_DATA head;
	const uint8_t *block;
	DWORD size, word;

	if (!block_next_block(
		    b, &head, sizeof head, offsetof(PERF_COUNTER_DATA, dwSize), &block, &size) ||
		size - sizeof head < head.dwDataSize)
		return false;
	*known = 1;
	if (head.dwDataSize == 8) {
		memcpy(value, block + sizeof head, 8);
	} else if (head.dwDataSize == 4) {
		memcpy(&word, block + sizeof head, 4);
		*value = word;
	} else {
		*known = 0;
	}
	return true;
}

static ULONG block_allocate_values(struct block *b, unsigned instances)
{
	size_t n = (size_t)instances * b->counters;

	b->instance = calloc((size_t)instances + 1, sizeof *b->instance);
	b->value = calloc(n + 1, sizeof *b->value);
	b->known = calloc(n + 1, sizeof *b->known);
	return b->instance && b->value && b->known ? ERROR_SUCCESS : ERROR_OUTOFMEMORY;
}

static ULONG one_counter(struct block *b, ULONG counter)
{
	b->counter = malloc(sizeof *b->counter);
	if (!b->counter)
		return ERROR_OUTOFMEMORY;
	b->counter[0] = counter;
	b->counters = 1;
	return ERROR_SUCCESS;
}

static ULONG many_counters(struct block *b, struct bytes *bytes)
{
	PERF_MULTI_COUNTERS head;
	const uint8_t *block;
	DWORD size;

	if (!block_next_block(bytes, &head, sizeof head, offsetof(PERF_MULTI_COUNTERS, dwSize),
		    &block, &size) ||
		(size - sizeof head) / sizeof(DWORD) < head.dwCounters)
		return ERROR_INVALID_DATA;
	b->counter = malloc((head.dwCounters + (size_t)1) * sizeof *b->counter);
	if (!b->counter)
		return ERROR_OUTOFMEMORY;
	memcpy(b->counter, block + sizeof head, head.dwCounters * sizeof(DWORD));
	b->counters = head.dwCounters;
	return ERROR_SUCCESS;
}

static ULONG block_read_row(struct block *b, struct bytes *bytes, unsigned row)
{
	size_t at = (size_t)row * b->counters;

	for (unsigned i = 0; i < b->counters; i++)
		if (!block_read_value(bytes, &b->value[at + i], &b->known[at + i]))
			return ERROR_INVALID_DATA;
	b->instances = row + 1;
	return ERROR_SUCCESS;
}

static ULONG one_instance(struct block *b, struct bytes *bytes)
{
	ULONG status = block_allocate_values(b, 1);

	if (status == ERROR_SUCCESS && !(b->instance[0].name = calloc(1, 1)))
		status = ERROR_OUTOFMEMORY;
	return status == ERROR_SUCCESS ? block_read_row(b, bytes, 0) : status;
}

static ULONG block_read_instance(struct block *b, struct bytes *bytes, unsigned row)
{
	PERF_INSTANCE_HEADER head;
	const uint8_t *block;
	DWORD size;

	if (!block_next_block(bytes, &head, sizeof head, offsetof(PERF_INSTANCE_HEADER, Size),
		    &block, &size) ||
		!memchr(block + sizeof head, 0, size - sizeof head))
		return ERROR_INVALID_DATA;
	b->instance[row].id = head.InstanceId;
	b->instance[row].name = strdup((const char *)block + sizeof head);
	return b->instance[row].name ? block_read_row(b, bytes, row) : ERROR_OUTOFMEMORY;
}

static ULONG many_instances(struct block *b, struct bytes *bytes)
{
	/* Each instance has at least its header. */
	PERF_MULTI_INSTANCES head;
	const uint8_t *block;
	DWORD size;

	if (!block_next_block(bytes, &head, sizeof head,
		    offsetof(PERF_MULTI_INSTANCES, dwTotalSize), &block, &size) ||
		(size - sizeof head) / sizeof(PERF_INSTANCE_HEADER) < head.dwInstances)
		return ERROR_INVALID_DATA;
	ULONG status = block_allocate_values(b, head.dwInstances);
	struct bytes rows = {block + sizeof head, size - sizeof head};
	for (unsigned i = 0; status == ERROR_SUCCESS && i < head.dwInstances; i++)
		status = block_read_instance(b, &rows, i);
	return status;
}

ULONG block_read(struct block *b, const PERF_COUNTER_HEADER *h, size_t room, ULONG counter)
{
	block_free(b);
	if (room < sizeof *h || h->dwSize < sizeof *h || h->dwSize > room)
		return ERROR_INVALID_DATA;
	struct bytes bytes = {(const uint8_t *)(h + 1), h->dwSize - sizeof *h};
	ULONG status = ERROR_SUCCESS;
	switch (h->dwType) {
	case PERF_ERROR_RETURN:
		b->status = h->dwStatus ? h->dwStatus : ERROR_INVALID_DATA;
		return ERROR_SUCCESS;
	case PERF_SINGLE_COUNTER:
	case PERF_MULTIPLE_INSTANCES:
		status = one_counter(b, counter);
		break;
	case PERF_MULTIPLE_COUNTERS:
	case PERF_COUNTERSET:
		status = many_counters(b, &bytes);
		break;
	default:
		return ERROR_INVALID_DATA;
	}
	if (status != ERROR_SUCCESS)
		return status;
	if (h->dwType == PERF_SINGLE_COUNTER || h->dwType == PERF_MULTIPLE_COUNTERS)
		return one_instance(b, &bytes);
	return many_instances(b, &bytes);
}

long block_find(struct block *b, const char *name, ULONG id)
{
	for (unsigned i = 0; i < b->instances; i++) {
		unsigned row = (b->cursor + i) % b->instances;

		if (b->instance[row].id == id && strcmp(b->instance[row].name, name) == 0) {
			b->cursor =
				row; /* the caller usually asks for the row's other columns next */
			return (long)row;
		}
	}
	return -1;
}

long block_column(const struct block *b, ULONG counter)
{
	for (unsigned i = 0; i < b->counters; i++)
		if (b->counter[i] == counter)
			return (long)i;
	return -1;
}

void block_free(struct block *b)
{
	for (unsigned i = 0; b->instance && i <= b->instances; i++)
		free(b->instance[i].name);
	free(b->instance);
	free(b->counter);
	free(b->value);
	free(b->known);
	*b = (struct block){0};
}
