/*
 * Geometry, and the reader on hand-made ring files, valid and invalid.
 */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox.h"
#include "../../lib/suites.h"

static struct shm_geometry small(void)
{
	struct shm_geometry g = {.cpus = 2,
		.guests = 2,
		.section_size = 4096,
		.sections = 4,
		.ticks_per_second = 1000000000};

	geometry_derive(&g, 1);
	return g;
}

START_TEST(derived_fields_agree)
{
	struct shm_geometry g = small();

	ck_assert(geometry_sane(&g));
	ck_assert_uint_eq(g.ring_size, 4 * 4096);
	ck_assert_uint_eq(g.data_offset % SHM_PAGE, 0);
	ck_assert_uint_ge(g.data_offset, sizeof(struct shm_ring) + 4 * sizeof(struct shm_section));
	ck_assert_uint_eq(g.file_size, SHM_PAGE + 4 * g.ring_stride);
	ck_assert_uint_eq(ring_offset(&g, 0), SHM_PAGE);
	ck_assert_uint_eq(ring_data_offset(&g, 3) + g.ring_size, g.file_size);
}
END_TEST

START_TEST(positions_map_to_sections)
{
	struct shm_geometry g = small();
	struct shm_section s;

	g.sections = 3; /* not a power of two */
	geometry_derive(&g, 1);
	ck_assert(geometry_sane(&g));
	for (uint64_t p = 0; p < 100 * 4096; p += 1024) {
		ck_assert_uint_eq(section_start(&g, p), p / 4096 * 4096);
		ck_assert_uint_eq(section_index(&g, p), p / 4096 % 3);
		ck_assert_uint_eq(section_index(&g, p), p % g.ring_size / 4096);
	}
	/* Consecutive entries of a section use separate counts. */
	ck_assert_ptr_ne(section_counts(&g, &s, 4096), section_counts(&g, &s, 4096 + g.ring_size));
	ck_assert_ptr_eq(
		section_counts(&g, &s, 4096), section_counts(&g, &s, 4096 + 2 * g.ring_size));
}
END_TEST

START_TEST(hostile_geometries_are_refused)
{
	struct shm_geometry g;

#define REFUSED(change)                                                                            \
	do {                                                                                       \
		g = small();                                                                       \
		change;                                                                            \
		ck_assert_msg(!geometry_sane(&g), #change);                                        \
		geometry_derive(&g, 1);                                                            \
		(void)geometry_sane(&g); /* must not divide by zero */                             \
	} while (0)
#define REFUSED_EVEN_DERIVED(change)                                                               \
	do {                                                                                       \
		g = small();                                                                       \
		change;                                                                            \
		geometry_derive(&g, 1);                                                            \
		ck_assert_msg(!geometry_sane(&g), #change);                                        \
	} while (0)

	REFUSED(g.ring_size++);
	REFUSED(g.ring_stride -= 8);
	REFUSED(g.data_offset = 0);
	REFUSED(g.file_size = UINT64_MAX);
	REFUSED(g.cpus = 3);
	REFUSED_EVEN_DERIVED(g.cpus = SHM_MAX_CPUS + 1);
	REFUSED_EVEN_DERIVED(g.cpus = UINT32_MAX);
	REFUSED_EVEN_DERIVED(g.guests = 0);
	REFUSED_EVEN_DERIVED(g.guests = SHM_MAX_GUESTS + 1);
	REFUSED_EVEN_DERIVED(g.section_size = 0);
	REFUSED_EVEN_DERIVED(g.section_size = 2048);
	REFUSED_EVEN_DERIVED(g.section_size = 5000);
	REFUSED_EVEN_DERIVED(g.section_size = 1u << 31);
	/* A record of this size exceeds the control word's size field. */
	REFUSED_EVEN_DERIVED(g.section_size = 1u << 24);
	REFUSED_EVEN_DERIVED(g.sections = 0);
	REFUSED_EVEN_DERIVED(g.sections = 1);
	REFUSED_EVEN_DERIVED(g.sections = UINT32_MAX);
	REFUSED_EVEN_DERIVED(g.ticks_per_second = 0);
	memset(&g, 0xff, sizeof g);
	ck_assert(!geometry_sane(&g));
	memset(&g, 0, sizeof g);
	ck_assert(!geometry_sane(&g));
	g = small();
	g.section_size = 1u << 23;
	g.sections = 1u << 24;
	g.cpus = SHM_MAX_CPUS;
	geometry_derive(&g, 1);
	ck_assert(geometry_sane(&g));
	ck_assert_uint_gt(g.file_size, (uint64_t)1 << 56); /* nothing wrapped */
}
END_TEST

/* ------------------------------------------------------- ring files by hand */

struct hand {
	struct shm_geometry g;
	struct shm_ring_control *control;
	struct ring_reader r;
	struct ring_part parts[8];
	uint8_t *buf;
	int fd;
};

static void hand_open(struct hand *h)
{
	char path[128];

	memset(h, 0, sizeof *h);
	h->g = small();
	snprintf(path, sizeof path, "%s/hand", sandbox_dir());
	h->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(h->fd, 0);
	ck_assert_int_eq(ftruncate(h->fd, (off_t)h->g.file_size), 0);
	h->control = calloc(SHM_MAX_RINGS, sizeof *h->control);
	h->buf = malloc(h->g.section_size);
	ck_assert_int_eq(ring_reader_open(&h->r, h->fd, &h->g, h->control), 0);
}

static void hand_close(struct hand *h)
{
	ring_reader_close(&h->r);
	close(h->fd);
	free(h->control);
	free(h->buf);
}

static void store(struct hand *h, uint64_t at, const void *what, size_t bytes)
{
	ck_assert_int_eq(pwrite(h->fd, what, bytes, (off_t)at), (ssize_t)bytes);
}

static void set_head(struct hand *h, uint64_t head)
{
	store(h, ring_offset(&h->g, 0), &head, 8);
}

static void set_entry(struct hand *h, uint32_t index, uint64_t entry)
{
	store(h,
		ring_offset(&h->g, 0) + sizeof(struct shm_ring) +
			index * sizeof(struct shm_section),
		&entry, 8);
}

static void set_record(struct hand *h, uint64_t position, uint32_t control, uint64_t stamp)
{
	uint8_t record[24] = {0};

	put_le32(record, control);
	put_le32(record + 12, 77);
	put_le64(record + 16, stamp);
	store(h, ring_data_offset(&h->g, 0) + position % h->g.ring_size, record,
		(control & 0xfffff8) < 24 ? 8 : 24);
}

static struct ring_span span_of(struct hand *h, uint32_t part)
{
	struct ring_span span;

	memset(h->buf, 0xee, h->g.section_size);
	ck_assert_int_eq(ring_reader_copy(&h->r, 0, &h->parts[part], h->buf, &span), 0);
	ck_assert_uint_le(span.bytes, h->g.section_size);
	return span;
}

START_TEST(an_empty_ring_has_no_parts)
{
	struct hand h;
	struct ring_ledger l;

	hand_open(&h);
	for (uint32_t ring = 0; ring < 4; ring++) {
		ck_assert_int_eq(ring_reader_parts(&h.r, ring, h.parts), 0);
		ck_assert_int_eq(ring_reader_ledger(&h.r, ring, &l), 0);
		ck_assert(!l.damaged);
		ck_assert_uint_eq(l.head, 0);
	}
	ck_assert_uint_eq(ring_reader_id(&h.r, 1), 1);
	ck_assert_uint_eq(ring_reader_id(&h.r, 2), 0x80000000u);
	ck_assert_uint_eq(ring_reader_id(&h.r, 3), 0x80000001u);
	hand_close(&h);
}
END_TEST

START_TEST(records_are_counted_and_torn_ones_stepped_over)
{
	struct hand h;

	hand_open(&h);
	set_entry(&h, 0, 1);
	set_record(&h, 0, 24 | 0x80000000, 10);
	set_record(&h, 24, 48, 11);
	set_record(&h, 72, 24 | 0x80000000, 12);
	set_record(&h, 96, 8 | 1 | 0x80000000, 0);
	set_record(&h, 104, 24 | 0x40000000, 13); /* of a dead writer */
	set_head(&h, 128);
	ck_assert_int_eq(ring_reader_parts(&h.r, 0, h.parts), 1);
	struct ring_span s = span_of(&h, 0);
	ck_assert(!s.damaged && !s.overwritten);
	ck_assert_uint_eq(s.bytes, 128);
	ck_assert_uint_eq(s.hooks, 2);
	ck_assert_uint_eq(s.torn, 2);
	ck_assert_uint_eq(s.first_stamp, 10);
	ck_assert_uint_eq(s.last_stamp, 12);
	/* Ring-only flags do not reach the output. */
	ck_assert_uint_eq(get_le32(h.buf + 104), 24);
	hand_close(&h);
}
END_TEST

START_TEST(discarded_records_are_left_out)
{
	struct hand h;

	hand_open(&h);
	set_entry(&h, 0, 1);
	for (uint32_t i = 0; i < 4; i++)
		set_record(&h, 24 * i, 24 | 0x80000000, 10 + i);
	set_head(&h, 96);
	h.control[0].start = 48;
	ck_assert_int_eq(ring_reader_parts(&h.r, 0, h.parts), 1);
	struct ring_span s = span_of(&h, 0);
	ck_assert_uint_eq(s.position, 48);
	ck_assert_uint_eq(s.bytes, 48);
	ck_assert_uint_eq(s.hooks, 2);
	ck_assert_uint_eq(s.first_stamp, 12);
	ck_assert_uint_eq(get_le64(h.buf + 16), 12);
	/* Damage after the start is reported as it is without a start. */
	set_record(&h, 72, 4, 0);
	s = span_of(&h, 0);
	ck_assert(s.damaged);
	ck_assert_uint_eq(s.hooks, 1);
	ck_assert_uint_eq(s.torn, 1);
	h.control[0].start = 4096;
	ck_assert_int_eq(ring_reader_parts(&h.r, 0, h.parts), 0);
	hand_close(&h);
}
END_TEST

START_TEST(control_words_without_sense_cut_the_section)
{
	static const uint32_t words[] = {0, 0x80000000, 8 | 0x80000000, 16, 4, 4096 | 0x80000000,
		0xffffffff, 0x00fffff8, 0x7fffffff};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct hand h;

		hand_open(&h);
		set_entry(&h, 0, 1);
		set_record(&h, 0, 24 | 0x80000000, 10);
		set_record(&h, 24, words[i], 11);
		set_head(&h, 512);
		ck_assert_int_eq(ring_reader_parts(&h.r, 0, h.parts), 1);
		struct ring_span s = span_of(&h, 0);
		ck_assert_msg(s.damaged, "%08x", words[i]);
		ck_assert_uint_eq(s.hooks, 1);
		/* The rest counts as one torn record. */
		ck_assert_uint_eq(s.bytes, 512);
		ck_assert_uint_eq(s.torn, 1);
		ck_assert_uint_eq(get_le32(h.buf + 24), 488);
		hand_close(&h);
	}
}
END_TEST

START_TEST(entry_words_decide_a_sections_contents)
{
	struct hand h;

	hand_open(&h);
	for (uint32_t i = 0; i < 4; i++)
		set_record(&h, 4096 * i, 4096 | 0x80000000, i);
	set_head(&h, 10 * 4096);
	set_entry(&h, 0, 8 * 4096 + 1);
	set_entry(&h, 1, 9 * 4096 + 1);
	set_entry(&h, 2, 6 * 4096 + 1);
	set_entry(&h, 3, 3 * 4096 + 1); /* held since that lap */
	ck_assert_int_eq(ring_reader_parts(&h.r, 0, h.parts), 4);
	ck_assert_uint_eq(h.parts[0].position, 3 * 4096);
	ck_assert_uint_eq(h.parts[1].position, 6 * 4096);
	ck_assert_uint_eq(h.parts[3].position, 9 * 4096);
	/* Not yet published, another section's, unaligned: all ignored. */
	set_entry(&h, 0, 12 * 4096 + 1);
	set_entry(&h, 1, 8 * 4096 + 1);
	set_entry(&h, 2, 6 * 4096 + 9);
	set_entry(&h, 3, UINT64_MAX);
	ck_assert_int_eq(ring_reader_parts(&h.r, 0, h.parts), 0);
	/* Entered anew between listing and copying. */
	set_entry(&h, 0, 8 * 4096 + 1);
	ck_assert_int_eq(ring_reader_parts(&h.r, 0, h.parts), 1);
	set_entry(&h, 0, 12 * 4096 + 1);
	struct ring_span s = span_of(&h, 0);
	ck_assert(s.overwritten);
	ck_assert_uint_eq(s.bytes, 0);
	hand_close(&h);
}
END_TEST

START_TEST(a_truncated_file_is_damaged)
{
	struct hand h;
	struct ring_ledger l;
	struct ring_span s;

	hand_open(&h);
	set_entry(&h, 0, 1);
	set_record(&h, 0, 24 | 0x80000000, 10);
	set_head(&h, 24);
	ck_assert_int_eq(ring_reader_parts(&h.r, 0, h.parts), 1);
	ck_assert_int_eq(ftruncate(h.fd, (off_t)ring_data_offset(&h.g, 0)), 0);
	ck_assert_int_lt(ring_reader_copy(&h.r, 0, &h.parts[0], h.buf, &s), 0);
	ck_assert_int_eq(ring_reader_ledger(&h.r, 0, &l), 0);
	ck_assert(!l.damaged);
	ck_assert_int_eq(ring_reader_ledger(&h.r, 1, &l), 0);
	ck_assert(l.damaged);
	ck_assert_int_eq(ring_reader_parts(&h.r, 1, h.parts), 0);
	ck_assert_int_lt(ring_reader_discard(&h.r, h.control), 0);
	ck_assert_int_eq(ftruncate(h.fd, 0), 0);
	ck_assert_int_eq(ring_reader_ledger(&h.r, 0, &l), 0);
	ck_assert(l.damaged);
	hand_close(&h);
}
END_TEST

START_TEST(random_files_are_read_in_bounds)
{
	struct hand h;
	uint8_t *junk;

	srand(20);
	hand_open(&h);
	junk = malloc(h.g.file_size);
	for (int round = 0; round < 300; round++) {
		for (uint64_t i = 0; i < h.g.file_size; i++)
			junk[i] = (uint8_t)rand();
		store(&h, 0, junk, h.g.file_size);
		/* Half of the rounds have valid headers, so that records are parsed. */
		for (uint32_t i = 0; round % 2 && i < 4; i++) {
			set_entry(&h, i, (4 + i) * 4096 + 1);
			set_head(&h, 8 * 4096 - (uint64_t)(rand() % 4096));
			for (uint32_t at = 0; at < 4096; at += 64)
				set_record(&h, i * 4096 + at,
					(rand() % 8 ? 64 : (uint32_t)rand()) | 0x80000000, at);
		}
		for (uint32_t ring = 0; ring < 4; ring++) {
			struct ring_ledger l;
			int n = ring_reader_parts(&h.r, ring, h.parts);

			ck_assert_int_le(n, 4);
			ring_reader_ledger(&h.r, ring, &l);
			for (int k = 0; k < n; k++) {
				struct ring_span s;

				ck_assert_int_eq(
					ring_reader_copy(&h.r, ring, &h.parts[k], h.buf, &s), 0);
				ck_assert_uint_le(s.bytes, 4096);
			}
		}
	}
	free(junk);
	hand_close(&h);
}
END_TEST

SANDBOX_MAIN(60, "layout", .timeout = 30,
	TESTS(derived_fields_agree, positions_map_to_sections, hostile_geometries_are_refused,
		an_empty_ring_has_no_parts, records_are_counted_and_torn_ones_stepped_over,
		discarded_records_are_left_out, control_words_without_sense_cut_the_section,
		entry_words_decide_a_sections_contents, a_truncated_file_is_damaged,
		random_files_are_read_in_bounds))
