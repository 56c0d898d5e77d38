#include "interval_record.h"

#include <math.h>
#include <stdlib.h>

#include "../../../formats/cpuutil_hooks.h"
#include "../../base/copy.h"
#include "../../base/sort.h"
#include "elapsed.h"
#include "intervals.h"

/* The optional values of an interval are adjacent members. */
enum { VALUES = 20, DOUBLES = 4, SYSTEM_COUNTS = 3, THREAD_COUNTS = 2, UTIL_VALUES = 24 };
enum { METHOD_VALUE = UTIL_VALUES - 1 };
#define FIRST_VALUE offsetof(struct interval, raw_cpi)
_Static_assert(offsetof(struct interval, thread_cpi) == FIRST_VALUE + 8 * (DOUBLES - 1) &&
		       offsetof(struct interval, instructions) == FIRST_VALUE + 8 * DOUBLES &&
		       offsetof(struct interval, own_nested) == FIRST_VALUE + 8 * (VALUES - 1) &&
		       offsetof(struct interval, idle_pct) == FIRST_VALUE + 8 * VALUES &&
		       offsetof(struct interval, method) == FIRST_VALUE + 8 * METHOD_VALUE &&
		       sizeof(double) == 8,
	"values are copied as they lie");
_Static_assert(sizeof(struct interval_record) % 8 == 0, "records are aligned");

/*
 * The parts of a kept record after its head, in this order. Unwanted parts are absent. With
 * WANT_START the end's time is the first; the start's follows from its ticks.
 */
struct places {
	int64_t own, parent;
	uint64_t start; /* ticks: the key and group of a record sorted by ticks */
	uint64_t era;
	struct interval_hook parent_hook;
};

struct values {
	uint32_t mask; /* VALUES_ */
	uint32_t num_cpus;
};

enum {
	VALUES_MASK = (1 << UTIL_VALUES) - 1, /* those that follow */
	/* Above it: how many multiples of 8 bytes they take. */
	VALUES_NARROW = 1 << 30, /* integers are of 32 bits */
	VALUES_DOUBLES = (1 << DOUBLES) - 1,
};
_Static_assert(UTIL_VALUES < VALUES_NARROW >> UTIL_VALUES, "their size fits above the bitmap");

/* Of named values; only with RECORD_VALUES. */
struct named {
	uint32_t count, bytes;
};

_Static_assert(IV_OPEN <= UINT16_MAX && RECORD_MAX_SIZE <= UINT16_MAX, "fit the record");

enum {
	VALUE_WANTS = WANT_SYSTEM | WANT_METHOD | WANT_THREAD | WANT_QUALITY | WANT_CPUS |
		      WANT_FLAGS | WANT_OWN_COST
};

/* Only intervals of CPU utilisation have those from VALUES on. */
static inline bool is_double(unsigned i)
{
	return i < DOUBLES || (i >= VALUES && i != METHOD_VALUE);
}

static size_t cpus_bytes(const struct interval *iv)
{
	return iv->cpus ? iv->num_cpus * sizeof *iv->cpus : 0;
}

static size_t utils_bytes(const struct interval *iv)
{
	return iv->utils ? iv->num_cpus * sizeof *iv->utils : 0;
}

static size_t values_bytes(uint32_t count, uint32_t bytes)
{
	return count * sizeof(struct interval_value) + bytes;
}

size_t interval_record_arrays(const struct interval *iv)
{
	return cpus_bytes(iv) + utils_bytes(iv) +
	       (iv->num_values ? values_bytes(iv->num_values, iv->values_bytes) : 0);
}

static uint8_t *put_arrays(uint8_t *to, const struct interval *iv)
{
	size_t n = cpus_bytes(iv), utils = utils_bytes(iv);

	if (n)
		memcpy(to, iv->cpus, n);
	if (utils)
		memcpy(to + n, iv->utils, utils);
	n += utils;
	if (iv->num_values) {
		size_t values = values_bytes(iv->num_values, 0);

		memcpy(to + n, iv->values, values);
		memcpy(to + n + values, iv->value_texts, iv->values_bytes);
		n += values_bytes(iv->num_values, iv->values_bytes);
	}
	return to + n;
}

static inline void put_tail(uint8_t *to, const struct interval *iv)
{
	if (iv->cpus || iv->num_values)
		to = put_arrays(to, iv);
	if (iv->has_label && !iv->label_stays && iv->label_len)
		memcpy(to, iv->label, iv->label_len);
}

void interval_record_put_tail(uint8_t *to, const struct interval *iv)
{
	put_tail(to, iv);
}

static inline uint32_t is_value_measured(const uint8_t *value, unsigned i)
{
	double d;
	uint64_t u;

	memcpy(&d, value, 8);
	memcpy(&u, value, 8);
	return is_double(i) ? !isnan(d) : u != NOT_MEASURED;
}

/* Of those in [first, end). Without branches: which ones are measured is hard to predict. */
static inline uint32_t find_measured_values(const uint8_t *value, unsigned first, unsigned end)
{
	uint32_t mask = 0;

	for (unsigned i = first; i < end; i++)
		mask |= is_value_measured(value + 8 * (size_t)i, i) << i;
	return mask;
}

/* Writes the measured integers below VALUES as 32 bits each. False: one needs more bits. */
static inline __attribute__((always_inline)) bool put_narrow_values(
	uint8_t **to, const uint8_t *value, uint32_t *mask)
{
	uint8_t *p = *to;
	uint32_t found = 0;
	uint64_t all = 0;

	for (unsigned i = DOUBLES; i < VALUES; i++) {
		uint64_t u;

		memcpy(&u, value + 8 * (size_t)i, 8);
		/* The next one overwrites it if it is not measured. */
		memcpy(p, &(uint32_t){(uint32_t)u}, 4);
		uint32_t measured = u != NOT_MEASURED;
		p += 4 * measured;
		found |= measured << i;
		all |= u + 1;
	}
	*to = p;
	*mask |= found;
	return all <= UINT32_MAX;
}

/* Writes the values of the mask. */
static uint8_t *put_wide_values(uint8_t *p, const uint8_t *value, uint32_t mask)
{
	for (; mask; mask &= mask - 1, p += 8)
		memcpy(p, value + 8 * (size_t)__builtin_ctz(mask), 8);
	return p;
}

static uint8_t *put_values(uint8_t *to, const struct interval *iv)
{
	const uint8_t *value = (const uint8_t *)iv + FIRST_VALUE;
	uint8_t *const first = to + sizeof(struct values), *p = first;
	uint32_t mask = find_measured_values(value, 0, DOUBLES), narrow = 0;

	if (mask)
		p = put_wide_values(p, value, mask);
	if (iv->major != CPUUTIL_MAJOR && put_narrow_values(&p, value, &mask)) {
		narrow = VALUES_NARROW;
	} else {
		const unsigned end = iv->major == CPUUTIL_MAJOR ? UTIL_VALUES : VALUES;

		mask |= find_measured_values(value, DOUBLES, end);
		p = put_wide_values(first, value, mask);
	}
	memcpy(p, &(uint32_t){0}, 4);
	p += (size_t)(p - first) % 8;
	struct values head = {.mask = mask | (uint32_t)(p - first) / 8 << UTIL_VALUES | narrow,
		.num_cpus = iv->num_cpus};
	memcpy(to, &head, sizeof head);
	return p;
}

/* Sorts those that began before tick 0 first. */
static uint32_t interval_record_era(const struct interval *iv)
{
	return 2 * iv->machine + (iv->elapsed <= iv->end_ticks);
}

static uint8_t *put_body(
	uint8_t *p, const struct interval *iv, unsigned wants, size_t tail, uint64_t offset)
{
	memcpy(p, &iv->task, sizeof iv->task);
	p += sizeof(uint64_t);
	if (iv->label_stays) {
		memcpy(p, &iv->label, sizeof iv->label);
		p += sizeof(uint64_t);
	}
	if (wants & WANT_START) {
		memcpy(p, &iv->end_ns, sizeof iv->end_ns);
		p += sizeof iv->end_ns;
	}
	if (wants & RECORD_PLACES) {
		struct places places = {iv->place, iv->parent, iv->end_ticks - iv->elapsed,
			interval_record_era(iv), iv->parent_hook};

		memcpy(p, &places, sizeof places);
		p += sizeof places;
	}
	if (wants & VALUE_WANTS)
		p = put_values(p, iv);
	if (iv->num_values) {
		struct named named = {iv->num_values, iv->values_bytes};

		memcpy(p, &named, sizeof named);
		p += sizeof named;
	}
	if (tail > RECORD_MAX_INSIDE) {
		memcpy(p, &offset, sizeof offset);
		return p + sizeof offset;
	}
	if (tail)
		put_tail(p, iv);
	return p + tail;
}

void interval_record_put(uint8_t *to, const struct interval *iv, unsigned wants, bool kept,
	size_t tail, uint64_t offset, uint64_t mark)
{
	struct interval_record *r = (void *)to;

	*r = (struct interval_record){
		.sort = {.key = iv->end_ticks - iv->elapsed,
			.group = interval_record_era(iv),
			.spare = (uint16_t)iv->flags},
		.end = iv->end_ticks,
		.position = iv->position,
		.ring = iv->ring,
		.tid = iv->tid,
		.file = iv->file,
		.label_len = iv->label_len,
		.mm = iv->mm,
		.major = iv->major,
		.types = iv->types,
		.marks = (iv->has_label ? RECORD_LABEL : 0) | (iv->cpus ? RECORD_CPUS : 0) |
			 (iv->num_values ? RECORD_VALUES : 0) |
			 (iv->label_stays ? RECORD_LABEL_STAYS : 0),
	};
	if (!(wants & RECORD_PLACES)) {
		r->own_pair =
			iv->own_pair < RECORD_NO_PAIR ? (uint32_t)iv->own_pair : RECORD_NO_PAIR;
	} else {
		r->depth = iv->depth;
		r->sort.key = (uint64_t)iv->start_ns ^ UINT64_C(1) << 63;
		r->sort.group = 0;
	}
	bool outside = kept && tail > RECORD_MAX_INSIDE;
	uint8_t *p = to + sizeof *r;

	r->marks |= (kept ? RECORD_KEPT : 0) | (outside ? RECORD_OUTSIDE : 0);
	if (wants & RECORD_MARK) {
		memcpy(p, &mark, sizeof mark);
		p += sizeof mark;
	}
	if (kept)
		p = put_body(p, iv, wants, tail, offset);
	memset(p, 0, 8);
	p += (size_t)(to - p) % 8;
	r->sort.size = (uint16_t)(p - to);
}

/* The offsets of a kept record's parts. */
struct parts {
	const struct task *task;
	const char *label; /* of RECORD_LABEL_STAYS */
	int64_t end_ns;
	const uint8_t *places; /* of RECORD_PLACES */
	struct values values;
	struct named named;
	const uint8_t *value, *tail;
};

static inline void find_parts(const struct interval_record *r, unsigned wants, struct parts *parts)
{
	const uint8_t *p = (const uint8_t *)(r + 1);

	parts->label = NULL;
	parts->end_ns = 0;
	parts->places = NULL;
	parts->values = (struct values){0};
	p += wants & RECORD_MARK ? sizeof(uint64_t) : 0;
	memcpy(&parts->task, p, sizeof parts->task);
	p += sizeof(uint64_t);
	if (r->marks & RECORD_LABEL_STAYS) {
		memcpy(&parts->label, p, sizeof parts->label);
		p += sizeof(uint64_t);
	}
	if (wants & WANT_START) {
		memcpy(&parts->end_ns, p, sizeof parts->end_ns);
		p += sizeof parts->end_ns;
	}
	if (wants & RECORD_PLACES) {
		parts->places = p;
		p += sizeof(struct places);
	}
	if (wants & VALUE_WANTS) {
		memcpy(&parts->values, p, sizeof parts->values);
		p += sizeof parts->values;
	}
	parts->value = p;
	p += 8 * (size_t)((parts->values.mask & ~(uint32_t)VALUES_NARROW) >> UTIL_VALUES);
	parts->named = (struct named){0};
	if (r->marks & RECORD_VALUES) {
		memcpy(&parts->named, p, sizeof parts->named);
		p += sizeof parts->named;
	}
	parts->tail = p;
}

static size_t array_bytes(const struct interval_record *r, const struct parts *parts)
{
	size_t each = sizeof(struct interval_cpu);

	if (r->major == CPUUTIL_MAJOR)
		each += sizeof(struct interval_util);
	return r->marks & RECORD_CPUS ? parts->values.num_cpus * each : 0;
}

uint64_t interval_record_outside(const struct interval_record *r, unsigned wants, size_t *bytes)
{
	struct parts parts;
	uint64_t offset;

	find_parts(r, wants, &parts);
	memcpy(&offset, parts.tail, sizeof offset);
	*bytes = array_bytes(r, &parts) + values_bytes(parts.named.count, parts.named.bytes) +
		 ((r->marks & (RECORD_LABEL | RECORD_LABEL_STAYS)) == RECORD_LABEL ? r->label_len
										   : 0);
	return offset;
}

static void interval_record_read_values(const struct parts *parts, struct interval *iv)
{
	const uint8_t *p = parts->value;
	uint8_t *to = (uint8_t *)iv + FIRST_VALUE;

	copy_blocks(
		to, (const uint8_t *)&interval_blank + FIRST_VALUE, UTIL_VALUES * sizeof(double));
	const uint32_t mask = parts->values.mask & VALUES_MASK;
	const bool narrow = parts->values.mask & VALUES_NARROW;
	for (uint32_t left = narrow ? mask & VALUES_DOUBLES : mask; left; left &= left - 1, p += 8)
		memcpy(to + 8 * (size_t)__builtin_ctz(left), p, 8);
	for (uint32_t left = narrow ? mask & ~VALUES_DOUBLES : 0; left; left &= left - 1, p += 4) {
		uint32_t u;

		memcpy(&u, p, 4);
		memcpy(to + 8 * (size_t)__builtin_ctz(left), &(uint64_t){u}, 8);
	}
}

struct record_clock *record_clocks_new(const struct trace *t)
{
	const size_t files = trace_nfiles(t);
	struct record_clock *clocks = calloc(files ? files : 1, sizeof *clocks);

	for (size_t i = 0; clocks && i < files; i++) {
		clocks[i].file = trace_file(t, i);
		clock_cursor_init(&clocks[i].starts, clocks[i].file->clock);
	}
	return clocks;
}

/* The interval's times, by its ticks. Returns its machine. */
static inline uint32_t interval_record_read_times(uint64_t start, uint64_t era, unsigned wants,
	struct record_clock *clock, struct interval *iv)
{
	iv->start_ticks = era & 1 ? start : 0;
	iv->elapsed = iv->end_ticks - start;
	iv->start_ns = 0;
	iv->elapsed_ns = 0;
	iv->long_ns = 0;
	if (wants & WANT_START) {
		iv->start_ns =
			era & 1 ? clock_cursor_time(&clock->starts, start)
				: clock_time_before(clock->file->clock, iv->end_ticks, iv->elapsed);
		elapsed_set_ns(iv, clock->file);
	}
	return (uint32_t)(era / 2);
}

static inline uint32_t interval_record_read_places(
	const uint8_t *p, unsigned wants, struct record_clock *clock, struct interval *iv)
{
	struct places places;

	memcpy(&places, p, sizeof places);
	iv->place = places.own;
	iv->parent = places.parent;
	iv->parent_hook = places.parent_hook;
	return interval_record_read_times(places.start, places.era, wants, clock, iv);
}

/* The values in the tail. */
static inline void interval_record_read_tail(const struct interval_record *r,
	const struct parts *parts, const uint8_t *tail, struct interval *iv)
{
	iv->cpus = r->marks & RECORD_CPUS ? (const struct interval_cpu *)(const void *)tail : NULL;
	iv->utils = iv->cpus && r->major == CPUUTIL_MAJOR
			    ? (const struct interval_util *)(const void *)(tail +
									   iv->num_cpus *
										   sizeof *iv->cpus)
			    : NULL;
	tail += array_bytes(r, parts);
	iv->values = iv->num_values ? (const struct interval_value *)(const void *)tail : NULL;
	iv->value_texts = (const char *)tail + values_bytes(iv->num_values, 0);
	tail += values_bytes(iv->num_values, iv->values_bytes);
	iv->label = iv->label_stays ? parts->label : iv->has_label ? (const char *)tail : NULL;
}

void interval_record_get(const struct interval_record *r, unsigned wants, const uint8_t *tail,
	struct record_clock *clocks, struct interval *iv)
{
	struct parts parts;
	struct record_clock *clock = &clocks[r->file];

	find_parts(r, wants, &parts);
	iv->end_ns = parts.end_ns;
	iv->end_ticks = r->end;
	iv->machine =
		wants & RECORD_PLACES
			? interval_record_read_places(parts.places, wants, clock, iv)
			: interval_record_read_times(r->sort.key, r->sort.group, wants, clock, iv);
	iv->depth = wants & RECORD_PLACES ? r->depth : 0;
	iv->ring = r->ring;
	iv->tid = r->tid;
	iv->file = r->file;
	iv->position = r->position;
	iv->mm = r->mm;
	iv->major = r->major;
	iv->types = r->types;
	iv->flags = r->sort.spare;
	iv->task = parts.task;
	iv->own_inside_ns = iv->own_nested_ns = NOT_MEASURED;
	iv->num_cpus = parts.values.num_cpus;
	if (wants & VALUE_WANTS)
		interval_record_read_values(&parts, iv);
	iv->num_values = parts.named.count;
	iv->values_bytes = parts.named.bytes;
	iv->has_label = r->marks & RECORD_LABEL;
	iv->label_stays = r->marks & RECORD_LABEL_STAYS;
	iv->label_len = r->label_len;
	interval_record_read_tail(r, &parts, r->marks & RECORD_OUTSIDE ? tail : parts.tail, iv);
}

static int interval_record_compare_origin(
	const struct interval_record *a, const struct interval_record *b)
{
	int c = compare_u64(b->end, a->end);

	if (!c)
		c = compare_u64(a->ring, b->ring);
	if (!c)
		c = compare_u64(a->position, b->position);
	return c ? c : compare_u64(a->file, b->file);
}

int interval_record_compare(const struct sorter_record *a, const struct sorter_record *b)
{
	return interval_record_compare_origin((const void *)a, (const void *)b);
}

int interval_record_compare_times(const struct sorter_record *a, const struct sorter_record *b)
{
	struct parts x, y;
	struct places of_x, of_y;

	find_parts((const void *)a, WANT_START | RECORD_PLACES, &x);
	find_parts((const void *)b, WANT_START | RECORD_PLACES, &y);
	if (x.end_ns != y.end_ns)
		return x.end_ns > y.end_ns ? -1 : 1;
	memcpy(&of_x, x.places, sizeof of_x);
	memcpy(&of_y, y.places, sizeof of_y);
	/* Ticks of several machines are not comparable; any fixed order serves. */
	int c = compare_u64(of_x.era & 1 ? of_x.start : 0, of_y.era & 1 ? of_y.start : 0);
	return c ? c : interval_record_compare_origin((const void *)a, (const void *)b);
}
