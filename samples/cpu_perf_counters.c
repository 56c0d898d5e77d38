/*
 * Reads the counterset "Processor Information" through perflib.h and prints once a second how busy
 * the machine is: the consumer program of PerfLib's documentation, in C. It checks every size
 * before using it, as a consumer of other programs' data must.
 *
 * usage: cpu_perf_counters [SAMPLES [MILLISECONDS]]
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perflib.h"

struct timestamp {
	int64_t perf_time_stamp; /* of the high-resolution clock */
	int64_t perf_time_100ns; /* 100 ns since 1601-01-01, UTC */
	int64_t perf_freq;	 /* of the high-resolution clock */
};

/*
 * Raw values of one instance. A formatted value is computed from two of them and their time stamps,
 * by the formula of the counter's type. Values that this machine cannot supply stay 0 and have no
 * bit in known.
 */
struct processor {
	char name[16];	/* "node,index", "node,_Total" or "_Total" */
	uint32_t known; /* a bit per counter id */
	uint64_t processor_time, user_time, privileged_time;
	uint32_t interrupts;
	uint64_t dpc_time, interrupt_time;
	uint32_t dpcs_queued, dpcs;
	uint64_t idle_time, c1_time, c2_time, c3_time;
	uint64_t c1_transitions, c2_transitions, c3_transitions;
	uint64_t priority_time;
	uint32_t parking_status, frequency, percent_maximum_frequency, state_flags;
	uint32_t clock_interrupts;
	uint64_t average_idle_time, average_idle_time_base, idle_break_events;
	uint64_t performance;
	uint32_t performance_base;
	uint64_t utility;
	uint32_t utility_base;
	uint64_t privileged_utility;
	uint32_t percent_performance_limit, performance_limit_flags;
};

enum { PROCESSOR_TIME = 0, COUNTERS = 32 };

/* Where each counter id's value is stored. */
static const struct field {
	size_t offset;
	unsigned size; /* 0: this id has no counter */
} fields[COUNTERS] = {
#define FIELD(name)                                                                                \
	{                                                                                          \
		offsetof(struct processor, name), sizeof((struct processor *)0)->name              \
	}
	[PROCESSOR_TIME] = FIELD(processor_time),
	[1] = FIELD(user_time),
	[2] = FIELD(privileged_time),
	[3] = FIELD(interrupts),
	[4] = FIELD(dpc_time),
	[5] = FIELD(interrupt_time),
	[6] = FIELD(dpcs_queued),
	[7] = FIELD(dpcs),
	[8] = FIELD(idle_time),
	[9] = FIELD(c1_time),
	[10] = FIELD(c2_time),
	[11] = FIELD(c3_time),
	[12] = FIELD(c1_transitions),
	[13] = FIELD(c2_transitions),
	[14] = FIELD(c3_transitions),
	[15] = FIELD(priority_time),
	[16] = FIELD(parking_status),
	[17] = FIELD(frequency),
	[18] = FIELD(percent_maximum_frequency),
	[19] = FIELD(state_flags),
	[20] = FIELD(clock_interrupts),
	[21] = FIELD(average_idle_time),
	[22] = FIELD(average_idle_time_base),
	[23] = FIELD(idle_break_events),
	[24] = FIELD(performance),
	[25] = FIELD(performance_base),
	[26] = FIELD(utility),
	[27] = FIELD(utility_base),
	[28] = FIELD(privileged_utility),
	[30] = FIELD(percent_performance_limit),
	[31] = FIELD(performance_limit_flags),
#undef FIELD
};

struct consumer {
	HANDLE query;
	uint8_t *data;
	DWORD room;
};

/* ------------------------------------------------------------------- the query */

static ULONG open_query(HANDLE *query)
{
	static const GUID processor_information = {
		0xb4fc721a, 0x378, 0x476f, {0x89, 0xba, 0xa5, 0xa7, 0x9f, 0x81, 0xb, 0x36}};
	struct {
		PERF_COUNTER_IDENTIFIER identifier;
		char name[8];
	} all = {
		{
			.CounterSetGuid = processor_information,
			.Size = sizeof all,
			.CounterId = PERF_WILDCARD_COUNTER,
			.InstanceId = PERF_ANY_INSTANCE_ID,
		},
		PERF_WILDCARD_INSTANCE,
	};
	ULONG status = PerfOpenQueryHandle(NULL, query);

	if (status != ERROR_SUCCESS)
		return status;
	status = PerfAddCounters(*query, &all.identifier, sizeof all);
	if (status == ERROR_SUCCESS)
		status = all.identifier.Status;
	if (status != ERROR_SUCCESS) {
		PerfCloseQueryHandle(*query);
		*query = NULL;
	}
	return status;
}

/* Grows the buffer until a sample fits. */
static ULONG query_data(struct consumer *c, DWORD *used)
{
	for (;;) {
		ULONG status = PerfQueryCounterData(
			c->query, (PERF_DATA_HEADER *)(void *)c->data, c->room, used);

		if (status != ERROR_NOT_ENOUGH_MEMORY)
			return status;
		free(c->data);
		c->data = malloc(*used);
		c->room = c->data ? *used : 0;
		if (!c->data)
			return ERROR_OUTOFMEMORY;
	}
}

/* ------------------------------------------------------------------- its blocks */

/* The part of the data not yet read. */
struct rest {
	const uint8_t *at;
	size_t bytes;
};

/* Advances in the part; false if it is too short. */
static int skip(struct rest *r, size_t bytes)
{
	if (bytes > r->bytes)
		return 0;
	r->at += bytes;
	r->bytes -= bytes;
	return 1;
}

/* Begins a part of `bytes` bytes, at least `head` of them. */
static int narrow(struct rest *r, size_t head, size_t bytes)
{
	if (bytes < head || bytes > r->bytes)
		return 0;
	r->bytes = bytes;
	return skip(r, head);
}

static void take_value(struct processor *p, DWORD id, const uint8_t *value, DWORD size)
{
	uint64_t wide = 0;
	uint32_t narrow_value;

	if (id >= COUNTERS || !fields[id].size || (size != 4 && size != 8))
		return;
	memcpy(&narrow_value, value, sizeof narrow_value);
	if (size == 8)
		memcpy(&wide, value, sizeof wide);
	else
		wide = narrow_value;
	if (fields[id].size == 4)
		memcpy((char *)p + fields[id].offset, &narrow_value, 4);
	else
		memcpy((char *)p + fields[id].offset, &wide, 8);
	p->known |= 1u << id;
}

/* Reads an instance: its header, then a PERF_COUNTER_DATA block per counter. */
static ULONG read_instance(struct rest *r, const uint8_t *ids, DWORD counters, struct processor *p)
{
	PERF_INSTANCE_HEADER instance;
	PERF_COUNTER_DATA value;

	if (r->bytes < sizeof instance)
		return ERROR_INVALID_DATA;
	memcpy(&instance, r->at, sizeof instance);
	struct rest name = *r;
	if (!narrow(&name, sizeof instance, instance.Size) || !memchr(name.at, 0, name.bytes))
		return ERROR_INVALID_DATA;
	snprintf(p->name, sizeof p->name, "%s", (const char *)name.at);
	skip(r, instance.Size);
	for (DWORD i = 0; i < counters; i++) {
		DWORD id;

		if (r->bytes < sizeof value)
			return ERROR_INVALID_DATA;
		memcpy(&value, r->at, sizeof value);
		if (value.dwSize < sizeof value + 8 ||
			value.dwSize - sizeof value < value.dwDataSize || value.dwSize > r->bytes)
			return ERROR_INVALID_DATA;
		memcpy(&id, ids + i * sizeof id, sizeof id);
		take_value(p, id, r->at + sizeof value, value.dwDataSize);
		skip(r, value.dwSize);
	}
	return ERROR_SUCCESS;
}

/* Reads a PERF_COUNTERSET block: the counters' ids, then the instances with their values. */
static ULONG read_counterset(struct rest r, struct processor *p, unsigned room, unsigned *used)
{
	PERF_MULTI_COUNTERS counters;
	PERF_MULTI_INSTANCES instances;

	if (r.bytes < sizeof counters)
		return ERROR_INVALID_DATA;
	memcpy(&counters, r.at, sizeof counters);
	struct rest ids = r;
	if (!narrow(&ids, sizeof counters, counters.dwSize) ||
		ids.bytes / sizeof(DWORD) < counters.dwCounters)
		return ERROR_INVALID_DATA;
	skip(&r, counters.dwSize);
	if (r.bytes < sizeof instances)
		return ERROR_INVALID_DATA;
	memcpy(&instances, r.at, sizeof instances);
	if (!narrow(&r, sizeof instances, instances.dwTotalSize))
		return ERROR_INVALID_DATA;
	*used = instances.dwInstances;
	if (room < instances.dwInstances)
		return ERROR_MORE_DATA;
	memset(p, 0, instances.dwInstances * sizeof *p);
	for (DWORD i = 0; i < instances.dwInstances; i++) {
		ULONG status = read_instance(&r, ids.at, counters.dwCounters, &p[i]);

		if (status != ERROR_SUCCESS)
			return status;
	}
	return ERROR_SUCCESS;
}

/*
 * Reads a sample. Returns ERROR_SUCCESS, ERROR_MORE_DATA if there are more than `room` instances,
 * or another status. *used: the number of instances.
 */
static ULONG read_data(struct consumer *c, struct timestamp *time, struct processor *p,
	unsigned room, unsigned *used)
{
	PERF_DATA_HEADER data;
	PERF_COUNTER_HEADER counters;
	DWORD bytes = 0;

	*used = 0;
	ULONG status = c->query ? ERROR_SUCCESS : open_query(&c->query);
	if (status == ERROR_SUCCESS)
		status = query_data(c, &bytes);
	if (status != ERROR_SUCCESS)
		return status;
	struct rest r = {c->data, bytes};
	if (r.bytes < sizeof data)
		return ERROR_INVALID_DATA;
	memcpy(&data, r.at, sizeof data);
	if (!narrow(&r, sizeof data, data.dwTotalSize) || data.dwNumCounters != 1 ||
		r.bytes < sizeof counters)
		return ERROR_INVALID_DATA;
	memcpy(&counters, r.at, sizeof counters);
	if (!narrow(&r, sizeof counters, counters.dwSize) || counters.dwType != PERF_COUNTERSET)
		return ERROR_INVALID_DATA;
	status = read_counterset(r, p, room, used);
	if (status == ERROR_SUCCESS)
		*time = (struct timestamp){data.PerfTimeStamp, data.PerfTime100NSec, data.PerfFreq};
	return status;
}

/* ------------------------------------------------------------------- the program */

enum { INSTANCES = 2048 }; /* 1024 processors, their nodes, and the total */

struct sample {
	struct timestamp time;
	struct processor processor[INSTANCES];
};

/* Formats PERF_100NSEC_TIMER_INV for the first instance, "_Total". */
static void show(const struct sample *s0, const struct sample *s1)
{
	const struct processor *p0 = &s0->processor[0], *p1 = &s1->processor[0];

	printf(" %s/%s = ", p0->name, p1->name);
	if (p0->known & p1->known & 1u << PROCESSOR_TIME)
		printf("%f\n", 100.0 * (1.0 - (double)(p1->processor_time - p0->processor_time) /
						       (double)(s1->time.perf_time_100ns -
								s0->time.perf_time_100ns)));
	else
		printf("n/a\n");
}

static int is_number(const char *text, long *number)
{
	char *end;

	*number = strtol(text, &end, 10);
	return *text && !*end && *number > 0 && *number <= 1000000;
}

int main(int argc, char **argv)
{
	static struct sample samples[2];
	struct sample *s0 = &samples[0], *s1 = &samples[1];
	struct consumer consumer = {0};
	long count = 10, pause = 1000;
	unsigned used;

	if (argc > 3 || (argc > 1 && !is_number(argv[1], &count)) ||
		(argc > 2 && !is_number(argv[2], &pause))) {
		fprintf(stderr, "usage: cpu_perf_counters [SAMPLES [MILLISECONDS]]\n");
		return 2;
	}
	ULONG status = read_data(&consumer, &s0->time, s0->processor, INSTANCES, &used);
	int have = status == ERROR_SUCCESS && used != 0;
	printf("ReadData0 used=%u, status=%u\n", used, status);
	for (long i = 1; i < count; i++) {
		const struct timespec time = {pause / 1000, pause % 1000 * 1000000};

		nanosleep(&time, NULL);
		status = read_data(&consumer, &s1->time, s1->processor, INSTANCES, &used);
		printf("ReadData%ld used=%u, status=%u\n", i, used, status);
		if (status != ERROR_SUCCESS || used == 0)
			continue;
		if (have)
			show(s0, s1);
		struct sample *last = s0;
		s0 = s1;
		s1 = last;
		have = 1;
	}
	if (consumer.query)
		PerfCloseQueryHandle(consumer.query);
	free(consumer.data);
	return (int)status;
}
