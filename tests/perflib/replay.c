#include "replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "walked.h"

const char *scratch(const char *name)
{
	static char path[4][256];
	static unsigned next;
	char *to = path[next++ % 4];

	snprintf(to, sizeof path[0], "%s/%s", getenv("PERFLIB_REPLAY_SCRATCH"), name);
	return to;
}

static ULONG add(HANDLE query, const GUID *set, ULONG counter, const char *pattern)
{
	struct {
		PERF_COUNTER_IDENTIFIER id;
		char pattern[64];
	} block = {.id = {.CounterSetGuid = *set,
			   .CounterId = counter,
			   .InstanceId = PERF_ANY_INSTANCE_ID,
			   .Size = sizeof block.id}};

	if (pattern) {
		snprintf(block.pattern, sizeof block.pattern, "%s", pattern);
		block.id.Size = sizeof block;
	}
	ck_assert_uint_eq(PerfAddCounters(query, &block.id, block.id.Size), ERROR_SUCCESS);
	return block.id.Status;
}

void add_all(HANDLE query, const GUID *set)
{
	ULONG status = add(query, set, PERF_WILDCARD_COUNTER, "*");

	if (status == ERROR_INVALID_PARAMETER) /* of one instance */
		status = add(query, set, PERF_WILDCARD_COUNTER, NULL);
	ck_assert_uint_eq(status, ERROR_SUCCESS);
}

void add_one(HANDLE query, const GUID *set, ULONG counter, const char *pattern)
{
	ck_assert_uint_eq(add(query, set, counter, pattern), ERROR_SUCCESS);
}

HANDLE replay_all(const char *path, const GUID *set)
{
	HANDLE query;

	ck_assert_uint_eq(PerfOpenQueryHandle(path, &query), ERROR_SUCCESS);
	add_all(query, set);
	return query;
}

PERF_DATA_HEADER *next_sample(HANDLE query)
{
	return walked_sample(query);
}

int value_of(const void *data, const char *instance, ULONG counter, ULONGLONG *value)
{
	struct result r;
	ULONG id;

	ck_assert(walk_result(data, 0, &r));
	for (ULONG i = 0; i < r.instances; i++)
		if (strcmp(walk_instance(&r, i, &id), instance) == 0)
			return walk_value(&r, i, counter, value);
	return -1;
}

ULONG rows_of(const void *data)
{
	struct result r;

	ck_assert(walk_result(data, 0, &r));
	return r.instances;
}

static bool fill(const void *data, const char *instance, ULONG counter, ULONG base, PERF_SAMPLE *s)
{
	const PERF_DATA_HEADER *head = data;

	*s = (PERF_SAMPLE){.PerfTimeStamp = head->PerfTimeStamp,
		.PerfTime100NSec = head->PerfTime100NSec,
		.PerfFreq = head->PerfFreq};
	return value_of(data, instance, counter, &s->Value) > 0 &&
	       (base == PERF_NO_COUNTER || value_of(data, instance, base, &s->Base) > 0);
}

double formatted(const void *first, const void *second, const char *instance, ULONG counter,
	ULONG type, ULONG base)
{
	PERF_SAMPLE a, b;
	double value = NAN;

	if (fill(first, instance, counter, base, &a) && fill(second, instance, counter, base, &b) &&
		PerfFormatCounterValue(type, &a, &b, &value))
		value = NAN;
	return value;
}

/* ------------------------------------------------------------------------------ traces */

void write_trace(const char *to, struct bytes *records)
{
	struct bytes file = {0};
	FILE *f = fopen(to, "w");

	ck_assert_ptr_nonnull(f);
	put_header(&file, 1);
	if (records->n)
		put_hooks(&file, 0, 0, TF_CODEC_NONE, records);
	put_end(&file);
	ck_assert_uint_eq(fwrite(file.p, 1, file.n, f), file.n);
	ck_assert_int_eq(fclose(f), 0);
	bytes_free(&file);
	bytes_free(records);
}

static void load(struct copied *c, const cpidecode_hook *h)
{
	c->hook = h;
	c->tid = h->tid;
	c->twice = 0;
	for (unsigned i = 0; i < h->nwords; i++)
		c->word[i] = cpidecode_hook_word(h, i);
	for (unsigned i = 0; i <= h->nstrings; i++)
		c->string[i] = NULL;
	for (unsigned i = 0; i < h->nstrings; i++) {
		size_t length;
		const char *at = cpidecode_hook_string(h, i, &length);

		c->string[i] = strndup(at, length);
	}
}

void copy_trace(
	const char *from, const char *to, bool (*keep)(struct copied *c, void *ctx), void *ctx)
{
	struct copied *c = calloc(1, sizeof *c);
	struct bytes records = {0};
	cpidecode_trace *trace;
	cpidecode_hooks *it;
	const cpidecode_hook *h;

	ck_assert_int_eq(cpidecode_open(from, &trace), 0);
	ck_assert_int_eq(cpidecode_hooks_open(trace, &it), 0);
	while (cpidecode_hooks_next(it, &h) > 0) {
		load(c, h);
		if (keep(c, ctx))
			put_hook(&records, h->ticks, c->tid, h->major, h->minor, h->nwords, c->word,
				c->string);
		if (c->twice)
			put_hook(&records, h->ticks, c->twice, h->major, h->minor, h->nwords,
				c->word, c->string);
		for (unsigned i = 0; i < h->nstrings; i++)
			free((char *)c->string[i]);
		c->index += h->major == COUNTERS_MAJOR;
	}
	cpidecode_hooks_close(it);
	cpidecode_close(trace);
	write_trace(to, &records);
	free(c);
}
