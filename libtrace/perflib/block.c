#include "block.h"

#include <string.h>

#include "../../include/perflib.h"

/* PerfLib's layouts. */
#define SIZE(structure, size) _Static_assert(sizeof(structure) == (size), "layout of " #structure)
SIZE(GUID, 16);
SIZE(SYSTEMTIME, 16);
SIZE(PERF_INSTANCE_HEADER, 8);
SIZE(PERF_COUNTERSET_REG_INFO, 32);
SIZE(PERF_COUNTER_REG_INFO, 48);
SIZE(PERF_STRING_BUFFER_HEADER, 8);
SIZE(PERF_STRING_COUNTER_HEADER, 8);
SIZE(PERF_COUNTER_IDENTIFIER, 40);
SIZE(PERF_DATA_HEADER, 48);
SIZE(PERF_COUNTER_HEADER, 16);
SIZE(PERF_MULTI_COUNTERS, 8);
SIZE(PERF_MULTI_INSTANCES, 8);
SIZE(PERF_COUNTER_DATA, 8);
_Static_assert(offsetof(PERF_DATA_HEADER, SystemTime) == 32, "layout of PERF_DATA_HEADER");
_Static_assert(offsetof(PERF_COUNTER_REG_INFO, Attrib) == 8, "layout of PERF_COUNTER_REG_INFO");

uint32_t block_deliver(
	block_writer *write, const void *what, void *to, uint32_t room, uint32_t *actual)
{
	struct block b = {0};

	write(&b, what);
	if (b.size > UINT32_MAX)
		return ERROR_OUTOFMEMORY;
	*actual = (uint32_t)b.size;
	if (b.size > room)
		return ERROR_NOT_ENOUGH_MEMORY;
	if (b.size == 0)
		return ERROR_SUCCESS;
	b = (struct block){.to = to, .room = room};
	write(&b, what);
	return ERROR_SUCCESS;
}

void block_patch(struct block *b, uint64_t at, const void *bytes, size_t size)
{
	if (b->to && at + size <= b->room)
		memcpy(b->to + at, bytes, size);
}

void block_put(struct block *b, const void *bytes, size_t size)
{
	block_patch(b, b->size, bytes, size);
	b->size += size;
}

void block_pad(struct block *b)
{
	static const uint8_t zeros[8];

	block_put(b, zeros, (size_t)(-b->size & 7));
}

void block_string(struct block *b, const char *text, size_t bytes)
{
	block_put(b, text, bytes);
	block_put(b, "", 1);
}
