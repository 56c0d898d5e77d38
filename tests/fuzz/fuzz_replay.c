/*
 * Traces as hosts of libperflib's queries: definitions and samples of recorded counters, and the
 * intervals from which some follow, built from the input (replay_made.h) or, as a recipe, the input
 * itself. The results follow the rules of counterset.h, blocks pass the checks of a strict
 * consumer, and every reader of the trace gets the same samples.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "../../formats/base/utf8.h"
#include "../../libtrace/perflib/host.h"
#include "../../libtrace/perflib/query.h"
#include "../perflib/walk.h"
#include "recipe.h"
#include "replay_made.h"

/* More samples than any trace here has. */
enum { SAMPLES = 1 << 16, SETS = 300 };

/* The trace as an unnamed file. */
static const char *trace_file(const struct bytes *file)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz_replay", MFD_CLOEXEC);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	PROMISE(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, file->p, file->n, 0) == (ssize_t)file->n,
		"no file");
	return path;
}

static void expect_text(const char *text, size_t room, bool may_be_empty)
{
	size_t n;

	PROMISE(text, "no text");
	n = strnlen(text, room);
	PROMISE(n < room && (n || may_be_empty), "%zu bytes of text", n);
	for (size_t at = 0, length; at < n; at += length) {
		const unsigned char *c = (const unsigned char *)text + at;

		length = utf8_length(c, n - at);
		PROMISE(length, "no UTF-8");
		PROMISE(c[0] >= 0x20 && c[0] != 0x7f &&
				(length != 2 || c[0] != 0xc2 || c[1] >= 0xa0),
			"a control character");
	}
}

static void expect_definition(const struct counterset_definition *d)
{
	expect_text(d->name, COUNTERSET_NAME_BYTES, false);
	expect_text(d->help, COUNTERSET_HELP_BYTES, true);
	expect_text(d->provider_name, COUNTERSET_NAME_BYTES, true);
	PROMISE(d->type == PERF_COUNTERSET_SINGLE_INSTANCE ||
			d->type == PERF_COUNTERSET_MULTI_INSTANCES,
		"type %u", d->type);
	PROMISE(d->ncounters && d->ncounters <= COUNTERSET_COUNTERS, "%u counters", d->ncounters);
	for (uint32_t i = 0; i < d->ncounters; i++) {
		const struct counter_definition *c = &d->counter[i];

		PROMISE(c->id != PERF_WILDCARD_COUNTER && (!i || c->id > c[-1].id), "an id");
		PROMISE(c->base == PERF_NO_COUNTER || counterset_column(d, c->base) >= 0, "a base");
		PROMISE(!(c->attrib & PERF_ATTRIB_BY_REFERENCE), "a reference");
		expect_text(c->name, COUNTERSET_NAME_BYTES, false);
		expect_text(c->help, COUNTERSET_HELP_BYTES, true);
	}
}

/* The result of PerfEnumerateCounterSetInstances. */
static void expect_instances(const char *path, const GUID *id)
{
	struct host *host;
	uint32_t bytes = 0, again = 0, status;
	void *instances;

	PROMISE(host_trace(path, &host) == ERROR_SUCCESS, "opened once only");
	status = host_instances(host, id, NULL, 0, &bytes);
	host_close(host);
	if (status != ERROR_NOT_ENOUGH_MEMORY)
		return;
	PROMISE(host_trace(path, &host) == ERROR_SUCCESS, "opened once only");
	instances = malloc(bytes);
	status = host_instances(host, id, instances, bytes, &again);
	PROMISE(status == ERROR_SUCCESS && again == bytes, "status %u", status);
	free(instances);
	host_close(host);
}

static void add(HANDLE query, const struct counterset_definition *d)
{
	struct {
		PERF_COUNTER_IDENTIFIER id;
		char pattern[8];
	} block = {.id = {.CounterSetGuid = d->guid,
			   .CounterId = PERF_WILDCARD_COUNTER,
			   .InstanceId = PERF_ANY_INSTANCE_ID,
			   .Size = sizeof block.id},
		.pattern = "*"};

	if (d->type == PERF_COUNTERSET_MULTI_INSTANCES)
		block.id.Size = sizeof block;
	PROMISE(PerfAddCounters(query, &block.id, block.id.Size) == ERROR_SUCCESS &&
			block.id.Status == ERROR_SUCCESS,
		"status %u", (unsigned)block.id.Status);
}

/* A query of the sets selected by the mask, and their number. */
static HANDLE query_of_sets(const char *path, uint8_t mask, uint32_t *n)
{
	const struct counterset *const *sets;
	struct host *host;
	HANDLE query;

	*n = 0;
	if (host_trace(path, &host) != ERROR_SUCCESS)
		return NULL;
	PROMISE(query_open(host, true, &query) == ERROR_SUCCESS, "memory");
	PROMISE(host->operations->refresh(host, &sets, n) == ERROR_SUCCESS, "memory");
	PROMISE(*n <= SETS, "%u sets", *n);
	for (uint32_t i = 0; i < *n; i++) {
		expect_definition(sets[i]->definition);
		if (!(mask >> i % 8 & 1))
			add(query, sets[i]->definition);
	}
	return query;
}

/* NULL: no more samples, or the rest of the trace cannot be read. */
static void *next_sample(HANDLE query, DWORD *bytes)
{
	ULONG status = PerfQueryCounterData(query, NULL, 0, bytes);
	const char *wrong;
	void *data;

	if (status != ERROR_NOT_ENOUGH_MEMORY)
		return NULL;
	data = malloc(*bytes);
	PROMISE(data, "memory");
	status = PerfQueryCounterData(query, data, *bytes, bytes);
	PROMISE(status == ERROR_SUCCESS, "status %u", (unsigned)status);
	wrong = walk(data, *bytes);
	PROMISE(!wrong, "%s", wrong);
	return data;
}

/* Counts its samples, and compares them with those of a second reader, if there is one. */
static unsigned step_both(HANDLE one, HANDLE other)
{
	unsigned samples = 0;
	DWORD bytes, others;
	void *a, *b;

	for (; (a = next_sample(one, &bytes)); samples++) {
		if (other) {
			b = next_sample(other, &others);
			PROMISE(b && bytes == others && memcmp(a, b, bytes) == 0, "another sample");
			free(b);
		}
		free(a);
		PROMISE(samples < SAMPLES, "no end");
	}
	PROMISE(!other || !next_sample(other, &others), "one continues after the other ended");
	return samples;
}

/* The same sets, opened by a second reader; NULL unless the input asks for one. */
static HANDLE read_again(const char *path, uint8_t mask, uint8_t how, uint32_t n)
{
	GUID ids[SETS];
	struct host *host;
	HANDLE query;
	uint32_t again;

	if (how & 2) {
		PROMISE(host_trace(path, &host) == ERROR_SUCCESS, "opened once only");
		PROMISE(host_enumerate(host, ids, SETS, &again) == ERROR_SUCCESS && again == n,
			"%u sets, then %u", n, again);
		host_close(host);
		if (n)
			expect_instances(path, &ids[mask % n]);
	}
	if (!(how & 4))
		return NULL;
	query = query_of_sets(path, mask, &again);
	PROMISE(query && again == n, "%u sets, then %u", n, again);
	return query;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed in = {data, size};
	struct bytes file = {0};
	uint8_t how = feed_u8(&in), mask = feed_u8(&in);
	unsigned hooks = SAMPLES, samples;
	HANDLE one, other;
	uint32_t n;
	const char *path;

	if (how & 1)
		recipe_build(in.p, in.n, &file);
	else
		hooks = replay_made(&in, &file);
	path = trace_file(&file);
	bytes_free(&file);
	one = query_of_sets(path, mask, &n);
	if (!one) {
		PROMISE(how & 1, "a complete trace is not opened");
		return 0;
	}
	other = read_again(path, mask, how, n);
	samples = step_both(one, other);
	/* A hook completes at most two samples, and the intervals of each kind begin with one. */
	PROMISE(samples <= 2 * hooks + 66, "%u samples of %u hooks", samples, hooks);
	PROMISE(PerfCloseQueryHandle(one) == ERROR_SUCCESS, "closing");
	PROMISE(!other || PerfCloseQueryHandle(other) == ERROR_SUCCESS, "closing");
	return 0;
}
