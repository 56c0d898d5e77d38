/*
 * libperflib's queries of countersets that the input defines: definitions, instances, values,
 * failures, and a program's requests. The results pass the checks of a strict consumer, and the
 * values are those of the counterset.
 */
#include "../../libtrace/perflib/guid.h"
#include "../../libtrace/perflib/host.h"
#include "../../libtrace/perflib/query.h"
#include "../perflib/walk.h"
#include "query_made.h"

enum { CANARY = 0x5a };

/* ---------------------------------------------------------------------- expectations */

/* A simple matcher to compare with: tracks, after each character of the pattern, which prefixes of
 * s match. Both are UTF-8. */
static bool matches(const char *pattern, const char *s)
{
	bool at[PERF_MAX_INSTANCE_NAME + 1] = {true};
	size_t n = strlen(s);

	for (; *pattern; pattern++) {
		bool next[PERF_MAX_INSTANCE_NAME + 1] = {false};

		for (size_t i = 0; i <= n; i++) {
			size_t whole = i;

			if (!at[i])
				continue;
			if (*pattern == '*') {
				memset(next + i, true, n - i + 1);
				break;
			}
			if (*pattern == '?' && i < n)
				for (whole++; ((uint8_t)s[whole] & 0xc0) == 0x80; whole++)
					;
			else if (i < n && (s[i] == *pattern || ((s[i] ^ *pattern) == 0x20 &&
								       (s[i] | 0x20) >= 'a' &&
								       (s[i] | 0x20) <= 'z')))
				whole++;
			if (whole > i)
				next[whole] = true;
		}
		memcpy(at, next, sizeof at);
	}
	return at[n];
}

static bool is_matched(const PERF_COUNTER_IDENTIFIER *id, const char *pattern, const char *name,
	const struct made_row *row, bool single)
{
	return (id->InstanceId == PERF_ANY_INSTANCE_ID || id->InstanceId == row->id) &&
	       (single || matches(pattern, name));
}

static void expect_values(const struct result *r, ULONG instance, const struct made *m,
	const struct made_row *row, const PERF_COUNTER_IDENTIFIER *id)
{
	const struct counterset_definition *set = &m->definition[m->form];

	for (uint32_t c = 0; c < set->ncounters; c++) {
		uint32_t type = set->counter[c].type;
		int size = (type & PERF_SIZE_MASK) == PERF_SIZE_LARGE ? 8 : 4, is;
		ULONGLONG value = 0;

		if (id->CounterId != PERF_WILDCARD_COUNTER && id->CounterId != set->counter[c].id)
			continue;
		is = walk_value(r, instance, set->counter[c].id, &value);
		PROMISE(row->known[c] ? is == size : is <= 0, "size %d", is);
		PROMISE(!row->known[c] ||
				value == (size == 8 ? row->value[c] : (uint32_t)row->value[c]),
			"another value");
	}
}

static bool some_row_knows(const struct made *m, ULONG counter)
{
	int c = counterset_column(&m->definition[m->form], counter);

	for (uint32_t i = 0; c >= 0 && i < m->nrows; i++)
		if (m->row[i].known[c])
			return true;
	return false;
}

static ULONG expected_status(const struct made *m, const PERF_COUNTER_IDENTIFIER *id)
{
	const struct counterset_definition *set = &m->definition[m->form];

	if (m->gone)
		return ERROR_WMI_GUID_NOT_FOUND;
	if (m->fails)
		return ERROR_READ_FAULT;
	if (id->CounterId == PERF_WILDCARD_COUNTER)
		return ERROR_SUCCESS;
	if (counterset_column(set, id->CounterId) < 0)
		return ERROR_WMI_ITEMID_NOT_FOUND;
	return m->nrows && !some_row_knows(m, id->CounterId) ? ERROR_NOT_SUPPORTED : ERROR_SUCCESS;
}

static void expect_result(const struct result *r, const struct made *m,
	const PERF_COUNTER_IDENTIFIER *id, const char *pattern)
{
	bool single = m->definition[m->form].type == PERF_COUNTERSET_SINGLE_INSTANCE;
	ULONG status = expected_status(m, id), n = 0;
	struct rows names = {0};

	/* The counterset is back, but fails to start. */
	if (m->unready && r->header.dwStatus == ERROR_WMI_GUID_NOT_FOUND)
		return;
	if (status) {
		PROMISE(r->header.dwStatus == status, "%u", (unsigned)r->header.dwStatus);
		return;
	}
	made_instances(m, &names);
	for (uint32_t i = 0; i < m->nrows; i++) {
		const char *name = names.names + names.row[i].name;

		if (!is_matched(id, pattern, name, &m->row[i], single) || (single && n == 1))
			continue;
		PROMISE(n < r->instances, "too few instances");
		if (!single)
			PROMISE(strcmp(walk_instance(r, n, NULL), name) == 0, "another instance");
		expect_values(r, n++, m, &m->row[i], id);
	}
	rows_free(&names);
	if (single && n == 0)
		PROMISE(r->header.dwStatus == ERROR_WMI_INSTANCE_NOT_FOUND, "no instance");
	else
		PROMISE(r->header.dwStatus == ERROR_SUCCESS && n == r->instances, "%u instances",
			(unsigned)n);
}

/* ---------------------------------------------------------------------------- requests */

/* A buffer filled with a pattern that shows where it was written. */
static uint8_t *buffer(size_t bytes)
{
	uint8_t *p = malloc(bytes + 1);

	if (!p)
		abort();
	memset(p, CANARY, bytes + 1);
	return p;
}

static void check_canaries(const uint8_t *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		PROMISE(p[i] == CANARY, "byte %zu was written", i);
}

/* The exact number of bytes, fewer, or more. */
static uint32_t choose_room(struct feed *in, uint32_t needed)
{
	uint8_t how = feed_u8(in);

	if (how < 128)
		return needed;
	return how < 192 ? (needed ? feed_u16(in) % needed : 0) : needed + how % 64;
}

static uint8_t *read_counter_info(HANDLE query, DWORD *bytes)
{
	uint8_t *p;
	DWORD again;
	ULONG status = PerfQueryCounterInfo(query, NULL, 0, bytes);

	PROMISE(status == (*bytes ? ERROR_NOT_ENOUGH_MEMORY : ERROR_SUCCESS), "a size");
	p = buffer(*bytes);
	status = PerfQueryCounterInfo(query, (void *)p, *bytes, &again);
	PROMISE(status == ERROR_SUCCESS && again == *bytes && *bytes % 8 == 0,
		"the size of the info");
	return p;
}

static void expect_sample(HANDLE query, const uint8_t *data)
{
	PERF_COUNTER_IDENTIFIER id;
	struct result r;
	DWORD bytes;
	uint8_t *info = read_counter_info(query, &bytes);
	ULONG n = 0;

	for (DWORD at = 0; at < bytes; at += id.Size, n++) {
		memcpy(&id, info + at, sizeof id);
		PROMISE(id.Index == n && id.Size % 8 == 0 && id.Size <= bytes - at, "an index");
		PROMISE(walk_result(data, n, &r), "a result each");
		expect_result(&r, &made[id.CounterSetGuid.Data1], &id,
			id.Size > sizeof id ? (const char *)info + at + sizeof id : "");
	}
	PROMISE(!walk_result(data, n, &r), "more results");
	free(info);
}

static void take_sample(struct feed *in, HANDLE query)
{
	DWORD needed = 0, actual = 0, room;
	ULONG status = PerfQueryCounterData(query, NULL, 0, &needed);
	const char *wrong;
	uint8_t *p;

	if (status == ERROR_NO_MORE_ITEMS && machine.recorded)
		return;
	PROMISE(status == ERROR_NOT_ENOUGH_MEMORY && needed >= sizeof(PERF_DATA_HEADER),
		"status %u", (unsigned)status);
	room = choose_room(in, needed);
	p = buffer(room + 1); /* at an odd address */
	status = PerfQueryCounterData(query, (void *)(p + 1), room, &actual);
	PROMISE(actual == needed, "%u then %u", (unsigned)needed, (unsigned)actual);
	if (room < needed) {
		PROMISE(status == ERROR_NOT_ENOUGH_MEMORY, "%u", (unsigned)status);
		check_canaries(p, 0, room + 2);
	} else {
		PROMISE(status == ERROR_SUCCESS, "%u", (unsigned)status);
		check_canaries(p, needed + 1, room + 2);
		wrong = walk(p + 1, actual);
		PROMISE(!wrong, "%s", wrong);
		expect_sample(query, p + 1);
	}
	free(p);
}

/* One specification, mostly of existing counters. */
static size_t make_identifier(struct feed *in, uint8_t *to)
{
	uint8_t how = feed_u8(in), counter = feed_u8(in);
	size_t n = 0, size = sizeof(PERF_COUNTER_IDENTIFIER);
	const uint8_t *pattern;
	PERF_COUNTER_IDENTIFIER id = {.CounterSetGuid = {how % (SETS + 1), 1, 2, {3}},
		.CounterId = how & 4 ? PERF_WILDCARD_COUNTER : counter,
		.InstanceId = how & 8 ? PERF_ANY_INSTANCE_ID : feed_u8(in)};

	if (how & 16) {
		n = feed_bytes(in, 1 + feed_u8(in) % 20, &pattern);
		size += n / 8 * 8 + 8;
	}
	memset(to, 0, size);
	id.Size = (ULONG)size;
	memcpy(to, &id, sizeof id);
	if (n)
		memcpy(to + sizeof id, pattern, n);
	return size;
}

/* Adds or deletes a sequence of specifications, or malformed bytes. */
static void change_query(struct feed *in, HANDLE query)
{
	uint8_t blocks[4 * (sizeof(PERF_COUNTER_IDENTIFIER) + 32)], how = feed_u8(in);
	const uint8_t *any;
	size_t n = 0, bytes;
	uint8_t *exact;
	ULONG status;

	for (unsigned count = 1 + how / 4 % 3; count > 0; count--)
		n += make_identifier(in, blocks + n);
	if (how & 2) {
		bytes = feed_bytes(in, 1 + feed_u8(in) % 8, &any);
		for (size_t i = 0; i < bytes; i++)
			blocks[(size_t)feed_u8(in) * 13 % n] = any[i];
		n -= how & 0x40 ? feed_u8(in) % n : 0;
	}
	exact = exact_copy(blocks, n);
	status = (how & 1 ? PerfDeleteCounters : PerfAddCounters)(query, (void *)exact, (DWORD)n);
	PROMISE(status == ERROR_SUCCESS || status == ERROR_INVALID_PARAMETER, "%u",
		(unsigned)status);
	if (status)
		PROMISE(n == 0 || memcmp(exact, blocks, n) == 0, "refused, and written to");
	free(exact);
}

static void ask_registration(struct feed *in)
{
	uint8_t how = feed_u8(in);
	GUID id = {how % (SETS + 1), 1, 2, {3}};
	uint32_t counter = feed_u8(in), needed = 0, actual, room, status;
	PerfRegInfoType request = (PerfRegInfoType)(how / 4 % 12);
	uint8_t *p;

	status = how & 0x80 ? host_instances(&machine.host, &id, NULL, 0, &needed)
			    : host_registration(
				      &machine.host, &id, request, counter, NULL, 0, &needed);
	if (status != ERROR_NOT_ENOUGH_MEMORY)
		return;
	room = choose_room(in, needed);
	p = buffer(room + 1);
	status = how & 0x80 ? host_instances(&machine.host, &id, p + 1, room, &actual)
			    : host_registration(
				      &machine.host, &id, request, counter, p + 1, room, &actual);
	PROMISE(actual == needed, "%u then %u", needed, actual);
	PROMISE(status == (room < needed ? ERROR_NOT_ENOUGH_MEMORY : ERROR_SUCCESS), "%u", status);
	check_canaries(p, room < needed ? 0 : needed + 1, room + 2);
	free(p);
}

static void format_value(struct feed *in)
{
	static const ULONG types[] = {PERF_COUNTER_RAWCOUNT, PERF_COUNTER_DELTA,
		PERF_COUNTER_LARGE_DELTA, PERF_COUNTER_COUNTER, PERF_COUNTER_BULK_COUNT,
		PERF_COUNTER_TIMER, PERF_COUNTER_TIMER_INV, PERF_100NSEC_TIMER,
		PERF_100NSEC_TIMER_INV, PERF_RAW_FRACTION, PERF_LARGE_RAW_FRACTION,
		PERF_SAMPLE_FRACTION, PERF_AVERAGE_TIMER, PERF_AVERAGE_BULK, PERF_ELAPSED_TIME,
		PERF_PRECISION_100NS_TIMER};
	PERF_SAMPLE s[2];
	double value = -1234;
	ULONG status;
	uint8_t how = feed_u8(in);

	for (unsigned i = 0; i < 2; i++)
		s[i] = (PERF_SAMPLE){feed_u64(in), feed_u64(in), (int64_t)feed_u64(in),
			(int64_t)feed_u64(in), (int64_t)feed_u64(in)};
	status = PerfFormatCounterValue(how & 0x80 ? feed_u32(in) : types[how % 16],
		how & 0x40 ? NULL : &s[0], &s[1], &value);
	if (status)
		PROMISE(value == -1234, "written");
	else
		PROMISE(value - value == 0, "no number");
}

/* Every listed specification can be deleted, which leaves the query empty. */
static void empty(HANDLE query)
{
	PERF_COUNTER_IDENTIFIER id;
	DWORD bytes;
	uint8_t *info = read_counter_info(query, &bytes);

	if (bytes)
		PROMISE(PerfDeleteCounters(query, (void *)info, bytes) == ERROR_SUCCESS,
			"deleting");
	for (DWORD at = 0; at < bytes; at += id.Size) {
		memcpy(&id, info + at, sizeof id);
		PROMISE(id.Status == ERROR_SUCCESS, "%u", (unsigned)id.Status);
	}
	free(info);
	free(read_counter_info(query, &bytes));
	PROMISE(bytes == 0, "something is left");
	for (unsigned i = 0; i < SETS; i++)
		PROMISE(made[i].opened == made[i].closed, "counting continues");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed in = {data, size};
	HANDLE query;

	make_machine(&in);
	PROMISE(query_open(&machine.host, machine.recorded, &query) == ERROR_SUCCESS, "memory");
	while (in.n) {
		switch (feed_u8(&in) % 8) {
		case 0:
		case 1:
		case 2:
			change_query(&in, query);
			break;
		case 3:
		case 4:
			take_sample(&in, query);
			break;
		case 5:
			ask_registration(&in);
			break;
		case 6:
			happen(&in);
			break;
		default:
			format_value(&in);
		}
	}
	empty(query);
	PROMISE(PerfCloseQueryHandle(query) == ERROR_SUCCESS, "closing");
	PROMISE(PerfCloseQueryHandle(query) == ERROR_INVALID_HANDLE, "closed twice");
	return 0;
}
