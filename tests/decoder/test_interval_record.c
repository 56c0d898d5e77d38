/* The sorter's records keep an interval's values, in their narrow and their wide form. */
#include <stdlib.h>
#include <string.h>

#include "../../decoder/model/intervals/record.h"
#include "../../decoder/model/intervals/intervals.h"
#include "built.h"

enum { CPUS = 3, MARK = 77 };

static char label[UINT16_MAX + 2];
static struct interval_cpu cpus[CPUS];

static struct interval make_interval(void)
{
	struct interval iv = interval_blank;

	memset(label, 'x', sizeof label);
	iv.end_ticks = UINT64_C(1) << 40;
	iv.elapsed = 50;
	iv.position = 4096;
	iv.tid = 7;
	iv.ring = 2;
	iv.mm = 3;
	iv.has_label = true;
	iv.label = label;
	iv.label_len = 5;
	iv.cycles = 9; /* four bytes: arrays after it need to be aligned */
	iv.num_cpus = CPUS;
	iv.cpus = cpus;
	return iv;
}

/* Puts it into memory that holds `garbage`. */
static struct interval_record *pack_record(const struct interval *iv, unsigned wants, int garbage)
{
	uint8_t *to = malloc(RECORD_MAX_SIZE);

	memset(to, garbage, RECORD_MAX_SIZE);
	interval_record_put(
		to, iv, NULL, wants, true, interval_record_tail(iv), UINT64_C(1) << 50, MARK);
	return (void *)to;
}

static void expect_read_back(const struct trace *t, const struct interval *iv, unsigned wants)
{
	struct record_clock *clocks = record_clocks_new(t);
	struct interval_record *r = pack_record(iv, wants, 0xAA),
			       *again = pack_record(iv, wants, 0x55);
	uint8_t *tail = malloc(interval_record_tail(iv) + 1);
	struct interval read = interval_blank;
	size_t bytes;

	ck_assert_uint_le(r->sort.size, RECORD_MAX_SIZE);
	ck_assert_uint_eq(r->sort.size, again->sort.size);
	ck_assert_mem_eq(r, again, r->sort.size);
	interval_record_put_tail(tail, iv);
	if (r->marks & RECORD_OUTSIDE) {
		ck_assert_uint_eq(interval_record_outside(r, wants, &bytes), UINT64_C(1) << 50);
		ck_assert_uint_eq(bytes, interval_record_tail(iv));
	}
	interval_record_get(r, wants, tail, clocks, &read);
	ck_assert(read.elapsed == iv->elapsed && read.end_ticks == iv->end_ticks);
	ck_assert(read.position == iv->position && read.tid == iv->tid && read.ring == iv->ring);
	ck_assert(read.cycles == iv->cycles && read.num_cpus == iv->num_cpus);
	ck_assert_uint_eq(read.label_len, iv->label_len);
	ck_assert_mem_eq(read.label, iv->label, iv->label_len);
	ck_assert_mem_eq(read.cpus, iv->cpus, sizeof cpus);
	if (wants & RECORD_SELECTION)
		ck_assert_uint_eq(interval_record_selection(r), MARK);
	free(tail);
	free(again);
	free(r);
	free(clocks);
}

static struct trace *make_trace(struct bytes *file)
{
	struct trace *t;

	put_header(file, 1);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, file->p, file->n, "m"), 0);
	return t;
}

/* As much as a narrow member holds, one less and one more. */
START_TEST(members_at_their_limits)
{
	static const unsigned wants[] = {WANT_ALL, WANT_ALL | RECORD_SELECTION,
		WANT_ALL | WANT_START | RECORD_PLACES,
		WANT_ALL | WANT_START | RECORD_PLACES | RECORD_SELECTION};
	struct trace *t = make_trace(&built);

	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
		struct interval iv = make_interval();

		expect_read_back(t, &iv, wants[i]);
		for (unsigned more = 0; more < 3; more++) {
			const uint64_t least = UINT32_MAX - UINT64_C(1) + more;

			iv = make_interval();
			iv.elapsed = least;
			expect_read_back(t, &iv, wants[i]);
			iv = make_interval();
			iv.position = least * REC_ALIGN;
			expect_read_back(t, &iv, wants[i]);
			iv = make_interval();
			iv.position += more;
			expect_read_back(t, &iv, wants[i]);
			iv = make_interval();
			iv.label_len = UINT16_MAX - 1 + more;
			expect_read_back(t, &iv, wants[i]);
			iv = make_interval();
			iv.cycles = least;
			expect_read_back(t, &iv, wants[i]);
		}
	}
	trace_free(t);
}
END_TEST

/* The number of its file, too, though no trace here has as many. */
START_TEST(files_at_their_limit)
{
	for (uint32_t file = UINT16_MAX - 1; file <= UINT16_MAX + 1; file++) {
		struct interval iv = make_interval();
		iv.file = file;
		struct interval_record *r = pack_record(&iv, WANT_ALL, 0);

		ck_assert_uint_eq(interval_record_widen(r).file, file);
		ck_assert_uint_eq(interval_record_widen(r).elapsed, iv.elapsed);
		free(r);
	}
}
END_TEST

/* An interval on the ring of a thread that ran for all of it: its record needs no room for that. */
static struct interval make_unswitched(void)
{
	struct interval iv = make_interval();

	iv.elapsed = 5000;
	iv.ctx_switches = 0;
	iv.start_cpu = iv.ring;
	iv.own_inside = 20;
	iv.own_pair = 60;
	return iv;
}

static void expect_activity(const struct trace *t, const struct interval *iv, unsigned wants,
	uint64_t on_cpu_ns, uint64_t off_cpu_ns)
{
	struct record_clock *clocks = record_clocks_new(t);
	struct interval_record *r = pack_record(iv, wants, 0xAA);
	struct interval read = interval_blank;

	interval_record_get(r, wants, NULL, clocks, &read);
	ck_assert_uint_eq(read.on_cpu_ns, on_cpu_ns);
	ck_assert_uint_eq(read.off_cpu_ns, off_cpu_ns);
	ck_assert_uint_eq(read.ctx_switches, iv->ctx_switches);
	ck_assert_uint_eq(read.start_cpu, iv->start_cpu);
	ck_assert_uint_eq(read.own_inside, iv->own_inside);
	ck_assert_uint_eq(read.own_pair, iv->own_pair);
	free(r);
	free(clocks);
}

/* The times and the processor of an interval are the same whether a record has them or not. */
START_TEST(activity_is_found_again)
{
	static const unsigned wants[] = {WANT_ALL, WANT_ALL | WANT_START | RECORD_PLACES};
	struct trace *t = make_trace(&built);

	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
		struct interval iv = make_unswitched();
		const uint64_t ns = (uint64_t)trace_duration_ns(trace_file(t, 0), iv.elapsed);

		expect_activity(t, &iv, wants[i], ns, 0);
		iv.start_cpu = 1;
		expect_activity(t, &iv, wants[i], ns, 0);
		/* Wide: its figures need eight bytes. */
		iv.cycles = UINT64_MAX - 1;
		expect_activity(t, &iv, wants[i], ns, 0);
		iv = make_unswitched();
		iv.own_pair = UINT32_MAX;
		expect_activity(t, &iv, wants[i], ns, 0);
		iv.own_pair = NOT_MEASURED;
		expect_activity(t, &iv, wants[i], ns, 0);
		/* Beyond any clock's range. */
		iv.end_ticks = iv.elapsed = UINT64_MAX;
		iv.on_cpu_ns = 7;
		expect_activity(t, &iv, wants[i], 7, NOT_MEASURED);
		iv = make_unswitched();
		iv.ctx_switches = 2;
		expect_activity(t, &iv, wants[i], NOT_MEASURED, NOT_MEASURED);
		iv.on_cpu_ns = ns - 1;
		expect_activity(t, &iv, wants[i], ns - 1, 1);
	}
	trace_free(t);
}
END_TEST

START_TEST(unswitched_needs_no_room)
{
	struct interval iv = make_unswitched();
	struct interval_record *r = pack_record(&iv, WANT_ALL, 0);
	const uint16_t size = r->sort.size;

	free(r);
	iv.start_cpu = 1;
	iv.on_cpu_ns = 2500;
	iv.off_cpu_ns = 0;
	r = pack_record(&iv, WANT_ALL, 0);
	ck_assert_uint_lt(size, r->sort.size);
	free(r);
}
END_TEST

BUILT_MAIN("interval_record", members_at_their_limits, files_at_their_limit,
	activity_is_found_again, unswitched_needs_no_room)
