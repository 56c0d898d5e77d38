#include "query_made.h"

struct made made[SETS];
struct machine machine;

/* --------------------------------------------------------------------- countersets */

static uint32_t status_of(const struct made *m, const struct counterset *set)
{
	if (m->gone || set != &m->set[m->form])
		return ERROR_WMI_GUID_NOT_FOUND;
	return m->fails ? ERROR_READ_FAULT : ERROR_SUCCESS;
}

static uint32_t open_set(const struct counterset *set, void **state)
{
	struct made *m = set->context;

	if (m->unready)
		return ERROR_ACCESS_DENIED;
	*state = m;
	m->opened++;
	return ERROR_SUCCESS;
}

static void close_set(const struct counterset *set, void *state)
{
	struct made *m = set->context;

	PROMISE(state == m, "a state of another counterset");
	m->closed++;
}

static uint32_t instances(const struct counterset *set, struct rows *rows)
{
	const struct made *m = set->context;

	for (uint32_t i = 0; i < m->nrows; i++)
		if (!rows_add(rows, m->row[i].name, m->row[i].bytes, m->row[i].id))
			return ERROR_OUTOFMEMORY;
	return status_of(m, set);
}

static uint32_t collect(const struct counterset *set, void *state, const uint64_t *wanted,
	const struct sample_time *time, struct rows *rows)
{
	const struct made *m = set->context;

	PROMISE(state == m && time->frequency == machine.time.frequency,
		"the arguments of collect");
	for (uint32_t i = 0; i < m->nrows; i++) {
		const struct made_row *r = &m->row[i];

		if (!rows_add(rows, r->name, r->bytes, r->id))
			return ERROR_OUTOFMEMORY;
		for (uint32_t c = 0; c < set->definition->ncounters; c++)
			if (r->known[c] && column_wanted(wanted, c))
				rows_set(rows, c, r->value[c]);
	}
	return status_of(m, set);
}

static const struct counterset_operations set_operations = {
	open_set, close_set, instances, collect, NULL};

static void make_text(struct feed *in, char text[64])
{
	size_t n = feed_u8(in) % 63;

	for (size_t i = 0; i < n; i++)
		text[i] = (char)(' ' + feed_u8(in) % 95);
	text[n] = 0;
}

static void make_counters(struct feed *in, struct made *m, uint32_t n)
{
	static const ULONG types[] = {PERF_COUNTER_RAWCOUNT, PERF_COUNTER_LARGE_RAWCOUNT,
		PERF_100NSEC_TIMER_INV, PERF_AVERAGE_BULK, PERF_AVERAGE_BASE};
	uint32_t id = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint8_t how = feed_u8(in);
		struct counter_definition *c = &m->counter[i];

		id += i ? 1 + how % 8 : how % 8;
		*c = (struct counter_definition){.id = id,
			.type = how & 0x80 ? feed_u32(in) : types[how / 8 % 5],
			.base = PERF_NO_COUNTER,
			.name = m->text[how & 1],
			.help = how & 2 ? m->text[0] : NULL};
	}
}

static void make_row(struct feed *in, struct made *m, uint32_t columns)
{
	struct made_row *r = &m->row[m->nrows++];
	uint8_t how = feed_u8(in);
	const uint8_t *name;
	size_t n = feed_bytes(in, how % 24, &name);

	r->id = feed_u8(in);
	r->bytes = 0;
	/* Some names are long. */
	do {
		if (r->bytes + n > NAME || n == 0)
			break;
		memcpy(r->name + r->bytes, name, n);
		r->bytes += n;
	} while (how & 0x80);
	for (uint32_t c = 0; c < columns; c++) {
		uint8_t what = feed_u8(in);

		r->known[c] = what & 1;
		r->value[c] = what & 2 ? feed_u64(in) : what;
	}
}

static void make_set(struct feed *in, struct made *m, unsigned number)
{
	uint8_t how = feed_u8(in), size = feed_u8(in);
	uint32_t columns = size == 255 ? COLUMNS : size % 12;

	*m = (struct made){0};
	make_text(in, m->text[0]);
	make_text(in, m->text[1]);
	make_counters(in, m, columns);
	for (unsigned form = 0; form < 2; form++) {
		m->definition[form] = (struct counterset_definition){.guid = {number, 1, 2, {3}},
			.name = m->text[0],
			.help = how & 0x40 ? m->text[1] : NULL,
			.type = how >> form & 1 ? PERF_COUNTERSET_MULTI_INSTANCES
						: PERF_COUNTERSET_SINGLE_INSTANCE,
			.ncounters = form ? columns / 2 : columns,
			.counter = m->counter};
		m->set[form] = (struct counterset){&m->definition[form], &set_operations, m};
	}
	for (uint32_t n = how >> 2 & 7; n > 0; n--)
		make_row(in, m, columns);
}

/* ---------------------------------------------------------------------------- host */

static uint32_t refresh(struct host *host, const struct counterset *const **sets, uint32_t *n)
{
	machine.sets = 0;
	for (unsigned i = 0; i < SETS; i++)
		if (!made[i].gone)
			machine.set[machine.sets++] = &made[i].set[made[i].form];
	PROMISE(host == &machine.host, "another host");
	*sets = machine.set;
	*n = machine.sets;
	return ERROR_SUCCESS;
}

static uint32_t step(
	struct host *host, const struct counterset *const *of, uint32_t n, struct sample_time *time)
{
	PROMISE(host == &machine.host && n <= SETS && of, "a step of %u", (unsigned)n);
	if (machine.recorded && machine.left-- == 0) {
		machine.left = 0;
		return ERROR_NO_MORE_ITEMS;
	}
	machine.time.ticks++;
	*time = machine.time;
	return ERROR_SUCCESS;
}

static void close_host(struct host *host)
{
	PROMISE(host == &machine.host, "another host");
}

static const struct host_operations host_operations = {refresh, step, close_host};

void make_machine(struct feed *in)
{
	uint8_t how = feed_u8(in);

	machine = (struct machine){.host = {&host_operations},
		.recorded = how & 1,
		.left = how >> 1 & 7,
		.time = {(int64_t)(feed_u64(in) >> 2), 1000, (int64_t)feed_u64(in)}};
	for (unsigned i = 0; i < SETS; i++)
		make_set(in, &made[i], i);
}

void made_instances(const struct made *m, struct rows *rows)
{
	rows_begin(rows, 0);
	instances(&m->set[m->form], rows);
}

void happen(struct feed *in)
{
	uint8_t what = feed_u8(in);
	struct made *m = &made[what % SETS];

	m->gone = what & 4;
	m->fails = what & 8;
	m->unready = what & 16;
	m->form ^= what >> 5 & 1;
}
