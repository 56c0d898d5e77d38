#include "record.h"

#include <math.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "../../../formats/base/compare.h"
#include "../../../formats/cpuutil_hooks.h"
#include "../../../formats/figures.h"
#include "../../base/copy.h"
#include "elapsed.h"
#include "intervals.h"

/* The optional values of an interval are adjacent members. */
enum { VALUES = 20, DOUBLES = 4, UTIL_VALUES = 24 };
enum { METHOD_VALUE = UTIL_VALUES - 1, COUNTS = VALUES - DOUBLES };
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
 * The parts of a kept record after its head, in this order. Unwanted parts are absent. Times follow
 * from the ticks.
 */
struct places {
	int64_t own, parent;
	uint64_t start; /* ticks: the key and group of a record sorted by ticks */
	uint64_t era;
	int64_t end_ns; /* sorts records of one start */
	struct interval_hook parent_hook;
	uint64_t parent_name;
};

/*
 * The measured ones follow, in order, doubles in eight bytes and integers in four; if one needs
 * more, or of CPU utilisation, all in eight.
 */
struct values {
	uint8_t doubles; /* bitmap */
	uint8_t bytes;	 /* of the values */
	bool is_wide : 1, has_cpus : 1;
	bool is_unswitched : 1; /* its ctx_switches is 0, and start_cpu its ring */
	uint32_t counts;	/* bitmap, two bits for each; wide: the bitmap, with the doubles */
};
_Static_assert(2 * COUNTS <= 32 && UTIL_VALUES * 8 <= UINT8_MAX, "fit their members");

/* Precedes named values; only with RECORD_VALUES. */
struct named {
	uint32_t count, bytes;
};

_Static_assert(IV_OPEN <= UINT16_MAX && RECORD_MAX_SIZE <= UINT16_MAX, "fit the record");

/* Bits of find_measured_counts. */
#define COUNT_SHIFT(member) (2 * ((offsetof(struct interval, member) - FIRST_VALUE) / 8 - DOUBLES))
#define COUNT_BITS(first, last)                                                                    \
	((UINT32_C(4) << COUNT_SHIFT(last)) - (UINT32_C(1) << COUNT_SHIFT(first)))

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

/* The bitmap of the measured values below end. */
static inline uint32_t find_measured_values(const uint8_t *value, unsigned end)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < end; i++)
		mask |= is_value_measured(value + 8 * (size_t)i, i) << i;
	return mask;
}

/* The bitmap of the measured ones of the COUNTS integers from `value`: two bits each, of which the
 * lower one says so. */
static inline uint32_t find_measured_counts(const uint8_t *value)
{
#ifdef __SSE2__
	const __m128i none = _mm_set1_epi32(-1);
	__m128i half[COUNTS / 2];
	uint32_t halves = 0; /* bits of halves that are all ones */

	_Static_assert(COUNTS == 16, "two vectors of flags");
	for (unsigned i = 0; i < COUNTS / 2; i++)
		half[i] = _mm_cmpeq_epi32(
			_mm_loadu_si128((const __m128i *)(const void *)(value + 16 * (size_t)i)),
			none);
	for (unsigned i = 0; i < 2; i++) {
		const __m128i *h = half + 4 * (size_t)i;
		const __m128i flags =
			_mm_packs_epi16(_mm_packs_epi32(h[0], h[1]), _mm_packs_epi32(h[2], h[3]));

		halves |= (uint32_t)_mm_movemask_epi8(flags) << 16 * i;
	}
	return ~(halves & halves >> 1) & 0x55555555;
#else
	uint32_t found = 0;

	for (unsigned i = 0; i < COUNTS; i++) {
		uint64_t u;

		memcpy(&u, value + 8 * (size_t)i, 8);
		found |= (uint32_t)(u != NOT_MEASURED) << 2 * i;
	}
	return found;
#endif
}

/* Writes the counts of find_measured_counts. False: one needs more than four bytes. */
static inline bool put_narrow_counts(uint8_t **to, const uint8_t *value, uint32_t counts)
{
	uint8_t *p = *to;
	uint64_t all = 0;

	for (uint32_t left = counts; left; left &= left - 1, p += 4) {
		uint64_t u;

		memcpy(&u, value + 4 * (size_t)__builtin_ctz(left), 8);
		memcpy(p, &(uint32_t){(uint32_t)u}, 4);
		all |= u;
	}
	*to = p;
	return all <= UINT32_MAX;
}

/* Writes the values of the mask. */
static uint8_t *put_wide_values(uint8_t *p, const uint8_t *value, uint32_t mask)
{
	for (; mask; mask &= mask - 1, p += 8)
		memcpy(p, value + 8 * (size_t)__builtin_ctz(mask), 8);
	return p;
}

/* Whether interval_record_settle finds the times and processor of a thread that was not switched.
 */
static inline bool is_unswitched(const struct interval *iv)
{
	return iv->ctx_switches == 0 && iv->start_cpu == iv->ring && iv->elapsed <= UINT32_MAX;
}

/* on_cpu_ns is always among the others. */
static inline uint32_t find_unwanted_counts(unsigned wants)
{
	return (wants & (WANT_QUALITY | WANT_FLAGS) ? 0 : COUNT_BITS(off_cpu_ns, start_cpu)) |
	       (wants & (WANT_OWN_COST | WANT_FLAGS) ? 0 : COUNT_BITS(own_inside, own_nested));
}

static uint8_t *put_values(uint8_t *to, const struct interval *iv, unsigned wants)
{
	const uint8_t *value = (const uint8_t *)iv + FIRST_VALUE;
	const uint8_t *const counts = value + DOUBLES * sizeof(double);
	struct values head = {.doubles = (uint8_t)find_measured_values(value, DOUBLES),
		.has_cpus = iv->num_cpus != 0,
		.is_unswitched = is_unswitched(iv),
		.counts = find_measured_counts(counts) & ~find_unwanted_counts(wants)};
	uint8_t *const first = to + sizeof head + (head.has_cpus ? sizeof iv->num_cpus : 0);
	uint8_t *p = put_wide_values(first, value, head.doubles);

	if (head.is_unswitched)
		head.counts &=
			~(COUNT_BITS(on_cpu_ns, ctx_switches) | COUNT_BITS(start_cpu, start_cpu));
	/* The record itself has it. */
	if (!(wants & RECORD_PLACES) && iv->own_pair < RECORD_NO_PAIR)
		head.counts &= ~COUNT_BITS(own_pair, own_pair);
	if (head.has_cpus)
		memcpy(to + sizeof head, &iv->num_cpus, sizeof iv->num_cpus);
	if (iv->major == CPUUTIL_MAJOR || !put_narrow_counts(&p, counts, head.counts)) {
		const unsigned end = iv->major == CPUUTIL_MAJOR ? UTIL_VALUES : VALUES;

		head.is_wide = true;
		head.counts = find_measured_values(value, end);
		p = put_wide_values(first, value, head.counts);
	}
	head.bytes = (uint8_t)(p - first);
	memcpy(to, &head, sizeof head);
	return p;
}

/* Sorts those that began before tick 0 first. */
static uint32_t interval_record_era(const struct interval *iv)
{
	return 2 * iv->machine + (iv->elapsed <= iv->end_ticks);
}

/* Arrays are aligned. */
static inline size_t align_arrays(size_t at, bool has_arrays)
{
	return has_arrays ? (at + 7) & ~(size_t)7 : at;
}

static uint8_t *put_body(uint8_t *to, uint8_t *p, const struct interval *iv, unsigned wants,
	size_t tail, uint64_t offset)
{
	if (iv->label_stays) {
		memcpy(p, &iv->label, sizeof iv->label);
		p += sizeof(uint64_t);
	}
	if (wants & RECORD_PLACES) {
		struct places places = {iv->place, iv->parent, iv->end_ticks - iv->elapsed,
			interval_record_era(iv), iv->end_ns, iv->parent_hook, iv->parent_name};

		memcpy(p, &places, sizeof places);
		p += sizeof places;
	}
	if (wants & VALUE_WANTS)
		p = put_values(p, iv, wants);
	if (iv->num_values) {
		struct named named = {iv->num_values, iv->values_bytes};

		memcpy(p, &named, sizeof named);
		p += sizeof named;
	}
	memset(p, 0, 8); /* up to the arrays */
	p = to + align_arrays((size_t)(p - to), iv->cpus || iv->num_values);
	if (tail > RECORD_MAX_INSIDE) {
		memcpy(p, &offset, sizeof offset);
		p += sizeof offset;
	} else if (tail) {
		put_tail(p, iv);
		p += tail;
	}
	return p;
}

/* Sets the members that may be too large. Returns the body's place. */
static inline uint8_t *put_origin(struct interval_record *r, const struct interval *iv)
{
	uint8_t *p = (uint8_t *)(r + 1);

	r->elapsed = (uint32_t)iv->elapsed;
	r->position = (uint32_t)(iv->position / REC_ALIGN);
	r->file = (uint16_t)iv->file;
	r->label_len = (uint16_t)iv->label_len;
	if (r->elapsed == iv->elapsed && (uint64_t)r->position * REC_ALIGN == iv->position &&
		r->file == iv->file && r->label_len == iv->label_len)
		return p;
	const struct interval_record_wide wide = {
		iv->elapsed, iv->position, iv->file, iv->label_len};
	r->marks |= RECORD_WIDE;
	memcpy(p, &wide, sizeof wide);
	return p + sizeof wide;
}

void interval_record_put(uint8_t *to, const struct interval *iv, const struct task *tasks,
	unsigned wants, bool kept, size_t tail, uint64_t offset, uint64_t selection)
{
	struct interval_record *r = (void *)to;
	const bool outside = kept && tail > RECORD_MAX_INSIDE;

	r->sort.key = iv->end_ticks - iv->elapsed;
	r->sort.group = interval_record_era(iv);
	r->sort.spare = (uint16_t)iv->flags;
	r->tid = iv->tid;
	r->ring = iv->ring;
	r->task = iv->task ? (uint32_t)(iv->task - tasks) : RECORD_NO_TASK;
	r->mm = iv->mm;
	r->types = iv->types;
	r->marks = (uint8_t)((kept ? RECORD_KEPT : 0) | (outside ? RECORD_OUTSIDE : 0) |
			     (iv->has_label ? RECORD_LABEL : 0) | (iv->cpus ? RECORD_CPUS : 0) |
			     (iv->num_values ? RECORD_VALUES : 0) |
			     (iv->label_stays ? RECORD_LABEL_STAYS : 0));
	r->major = iv->major;
	if (!(wants & RECORD_PLACES)) {
		r->own_pair =
			iv->own_pair < RECORD_NO_PAIR ? (uint32_t)iv->own_pair : RECORD_NO_PAIR;
	} else {
		r->depth = iv->depth;
		r->sort.key = (uint64_t)iv->start_ns ^ UINT64_C(1) << 63;
		r->sort.group = 0;
	}
	uint8_t *p = put_origin(r, iv);

	if (wants & RECORD_SELECTION) {
		memcpy(p, &selection, sizeof selection);
		p += sizeof selection;
	}
	if (kept)
		p = put_body(to, p, iv, wants, tail, offset);
	memset(p, 0, 8);
	p += (size_t)(to - p) % 8;
	r->sort.size = (uint16_t)(p - to);
}

/* The offsets of a kept record's parts. */
struct parts {
	struct interval_record_wide wide;
	const char *label;     /* of RECORD_LABEL_STAYS */
	const uint8_t *places; /* of RECORD_PLACES */
	struct values values;
	uint32_t num_cpus;
	struct named named;
	const uint8_t *value, *tail;
};

static inline void find_parts(const struct interval_record *r, unsigned wants, struct parts *parts)
{
	const uint8_t *p = interval_record_body(r);

	parts->wide = interval_record_widen(r);
	parts->label = NULL;
	parts->places = NULL;
	parts->values = (struct values){0};
	parts->num_cpus = 0;
	p += wants & RECORD_SELECTION ? sizeof(uint64_t) : 0;
	if (r->marks & RECORD_LABEL_STAYS) {
		memcpy(&parts->label, p, sizeof parts->label);
		p += sizeof(uint64_t);
	}
	if (wants & RECORD_PLACES) {
		parts->places = p;
		p += sizeof(struct places);
	}
	if (wants & VALUE_WANTS) {
		memcpy(&parts->values, p, sizeof parts->values);
		p += sizeof parts->values;
		if (parts->values.has_cpus) {
			memcpy(&parts->num_cpus, p, sizeof parts->num_cpus);
			p += sizeof parts->num_cpus;
		}
	}
	parts->value = p;
	p += parts->values.bytes;
	parts->named = (struct named){0};
	if (r->marks & RECORD_VALUES) {
		memcpy(&parts->named, p, sizeof parts->named);
		p += sizeof parts->named;
	}
	parts->tail = (const uint8_t *)r + align_arrays((size_t)(p - (const uint8_t *)r),
						   r->marks & (RECORD_CPUS | RECORD_VALUES));
}

static size_t array_bytes(const struct interval_record *r, const struct parts *parts)
{
	size_t each = sizeof(struct interval_cpu);

	if (r->major == CPUUTIL_MAJOR)
		each += sizeof(struct interval_util);
	return r->marks & RECORD_CPUS ? parts->num_cpus * each : 0;
}

uint64_t interval_record_outside(const struct interval_record *r, unsigned wants, size_t *bytes)
{
	struct parts parts;
	uint64_t offset;

	find_parts(r, wants, &parts);
	memcpy(&offset, parts.tail, sizeof offset);
	*bytes = array_bytes(r, &parts) + values_bytes(parts.named.count, parts.named.bytes) +
		 ((r->marks & (RECORD_LABEL | RECORD_LABEL_STAYS)) == RECORD_LABEL
				 ? parts.wide.label_len
				 : 0);
	return offset;
}

static inline void interval_record_read_values(const struct parts *parts, struct interval *iv)
{
	const uint8_t *p = parts->value;
	uint8_t *to = (uint8_t *)iv + FIRST_VALUE;
	const struct values *values = &parts->values;

	copy_blocks(
		to, (const uint8_t *)&interval_blank + FIRST_VALUE, UTIL_VALUES * sizeof(double));
	for (uint32_t left = values->is_wide ? values->counts : values->doubles; left;
		left &= left - 1, p += 8)
		memcpy(to + 8 * (size_t)__builtin_ctz(left), p, 8);
	to += DOUBLES * sizeof(double);
	for (uint32_t left = values->is_wide ? 0 : values->counts; left; left &= left - 1, p += 4) {
		uint32_t u;

		memcpy(&u, p, 4);
		memcpy(to + 4 * (size_t)__builtin_ctz(left), &(uint64_t){u}, 8);
	}
}

/* Finds the values that follow from others: their records need no room for them. */
static inline void interval_record_settle(const struct interval_record *r,
	const struct values *values, unsigned wants, struct interval *iv)
{
	if (values->is_unswitched) {
		iv->ctx_switches = 0;
		iv->start_cpu = iv->ring;
	}
	figures_settle_times(iv->elapsed_ns, iv->ctx_switches, &iv->on_cpu_ns, &iv->off_cpu_ns);
	if (!(wants & RECORD_PLACES) && r->own_pair != RECORD_NO_PAIR)
		iv->own_pair = r->own_pair;
}

struct record_clock *record_clocks_new(const struct trace *t)
{
	const size_t files = trace_nfiles(t);
	struct record_clock *clocks = calloc(files ? files : 1, sizeof *clocks);

	for (size_t i = 0; clocks && i < files; i++) {
		clocks[i].file = trace_file(t, i);
		clocks[i].tasks = trace_task_at(t, clocks[i].file->machine, 0);
		clock_cursor_init(&clocks[i].starts, clocks[i].file->clock);
		clocks[i].ends = clocks[i].starts;
	}
	return clocks;
}

/* The interval's times, by its ticks. Returns its machine. */
static inline uint32_t interval_record_read_times(uint64_t start, uint64_t era, unsigned wants,
	struct record_clock *clock, struct interval *iv)
{
	iv->start_ticks = era & 1 ? start : 0;
	iv->end_ticks = start + iv->elapsed;
	elapsed_set_ns(iv, clock->file);
	iv->start_ns = iv->end_ns = 0;
	if (wants & WANT_START) {
		iv->start_ns =
			era & 1 ? clock_cursor_time(&clock->starts, start)
				: clock_time_before(clock->file->clock, iv->end_ticks, iv->elapsed);
		iv->end_ns = clock_cursor_time(&clock->ends, iv->end_ticks);
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
	iv->parent_name = (uint32_t)places.parent_name;
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

	find_parts(r, wants, &parts);
	struct record_clock *clock = &clocks[parts.wide.file];
	iv->elapsed = parts.wide.elapsed;
	iv->machine =
		wants & RECORD_PLACES
			? interval_record_read_places(parts.places, wants, clock, iv)
			: interval_record_read_times(r->sort.key, r->sort.group, wants, clock, iv);
	iv->depth = wants & RECORD_PLACES ? r->depth : 0;
	iv->ring = r->ring;
	iv->tid = r->tid;
	iv->file = parts.wide.file;
	iv->position = parts.wide.position;
	iv->mm = r->mm;
	iv->major = r->major;
	iv->types = r->types;
	iv->flags = r->sort.spare;
	iv->task = r->task != RECORD_NO_TASK ? clock->tasks + r->task : NULL;
	iv->own_inside_ns = iv->own_nested_ns = NOT_MEASURED;
	iv->num_cpus = parts.num_cpus;
	if (wants & VALUE_WANTS) {
		interval_record_read_values(&parts, iv);
		interval_record_settle(r, &parts.values, wants, iv);
	}
	iv->num_values = parts.named.count;
	iv->values_bytes = parts.named.bytes;
	iv->has_label = r->marks & RECORD_LABEL;
	iv->label_stays = r->marks & RECORD_LABEL_STAYS;
	iv->label_len = parts.wide.label_len;
	interval_record_read_tail(r, &parts, r->marks & RECORD_OUTSIDE ? tail : parts.tail, iv);
}

static int compare_origins(const struct interval_record *a, const struct interval_record *b,
	const struct interval_record_wide *wide_a, const struct interval_record_wide *wide_b)
{
	int c = compare_u64_pair(a->ring, b->ring, wide_a->position, wide_b->position);

	return c ? c : compare_u64(wide_a->file, wide_b->file);
}

int interval_record_compare(const struct sorter_record *x, const struct sorter_record *y)
{
	const struct interval_record *a = (const void *)x, *b = (const void *)y;
	const struct interval_record_wide of_a = interval_record_widen(a),
					  of_b = interval_record_widen(b);
	/* If they start at one tick, the longer one comes first. */
	int c = compare_u64(of_b.elapsed, of_a.elapsed);

	return c ? c : compare_origins(a, b, &of_a, &of_b);
}

int interval_record_compare_times(const struct sorter_record *x, const struct sorter_record *y)
{
	const struct interval_record *a = (const void *)x, *b = (const void *)y;
	struct parts of_a, of_b;
	struct places places_a, places_b;

	find_parts(a, WANT_START | RECORD_PLACES, &of_a);
	find_parts(b, WANT_START | RECORD_PLACES, &of_b);
	memcpy(&places_a, of_a.places, sizeof places_a);
	memcpy(&places_b, of_b.places, sizeof places_b);
	/* Ticks of several machines are not comparable; any fixed order serves. */
	int c = compare_i64(places_b.end_ns, places_a.end_ns);

	if (!c)
		c = compare_u64_pair(places_a.era & 1 ? places_a.start : 0,
			places_b.era & 1 ? places_b.start : 0, places_b.start + of_b.wide.elapsed,
			places_a.start + of_a.wide.elapsed);
	return c ? c : compare_origins(a, b, &of_a.wide, &of_b.wide);
}
