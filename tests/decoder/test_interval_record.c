/* The sorter's records keep an interval's values, in their narrow and their wide form. */
#include <stdlib.h>
#include <string.h>

#include "../../decoder/model/intervals/record.h"
#include "../../decoder/model/intervals/intervals.h"
#include "../lib/suites.h"
#include "../lib/trace_build.h"

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
	struct bytes file = {0};
	struct trace *t = make_trace(&file);

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
	bytes_free(&file);
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

SUITE_MAIN("interval_record", members_at_their_limits, files_at_their_limit)
