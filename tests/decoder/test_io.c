/* Header, sections, damage and codecs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../decoder/io/input.h"
#include "../../include/cpidecode.h"
#include "../lib/trace_build.h"
#include "../lib/suites.h"

enum { MOST = 256 };

/* The trace of a test, read in a process of its own, and the result. */
static struct bytes file;
static struct {
	struct io_section section[MOST];
	struct io_damage damage[MOST];
	unsigned sections, damages;
	bool ended;
	struct io_header header;
	struct io_input *in;
} seen;
static size_t at[4]; /* offsets of put_three's sections and of END */

static int on_section(void *ctx, const struct io_section *s)
{
	(void)ctx;
	ck_assert_uint_lt(seen.sections, MOST);
	seen.section[seen.sections++] = *s;
	return 0;
}

static int on_damage(void *ctx, const struct io_damage *d)
{
	(void)ctx;
	ck_assert_uint_lt(seen.damages, MOST);
	seen.damage[seen.damages++] = *d;
	return 0;
}

static int header_code(void)
{
	struct io_input *in;
	struct io_header h;

	ck_assert_int_eq(io_open_memory(file.p, file.n, &in), 0);
	int rc = io_read_header(in, &h);
	io_close(in);
	return rc;
}

/* Scans seen.in, which is open. */
static void scan_input(void)
{
	struct io_scan_events events = {.section = on_section, .damage = on_damage};

	ck_assert_int_eq(io_read_header(seen.in, &seen.header), 0);
	ck_assert_int_eq(
		io_scan(seen.in, &seen.header, false, &events, NULL, NULL, &seen.ended), 0);
}

static void scan(void)
{
	memset(&seen, 0, sizeof seen);
	ck_assert_int_eq(io_open_memory(file.p, file.n, &seen.in), 0);
	scan_input();
}

static void done(void)
{
	io_close(seen.in);
	bytes_free(&file);
}

/* So many sections were seen, and no damage. */
static void expect_whole(unsigned sections)
{
	ck_assert_uint_eq(seen.sections, sections);
	ck_assert_uint_eq(seen.damages, 0);
}

/* So many sections were seen, and these bytes are damaged. */
static void expect_damage(unsigned sections, size_t offset, size_t bytes)
{
	ck_assert_uint_eq(seen.sections, sections);
	ck_assert_uint_eq(seen.damages, 1);
	ck_assert_uint_eq(seen.damage[0].offset, offset);
	ck_assert_uint_eq(seen.damage[0].bytes, bytes);
}

/* Three sections of plain hooks and END. */
static void put_three(void)
{
	struct bytes r = {0};

	put_header(&file, 1);
	for (unsigned i = 0; i < 3; i++) {
		put_plain(&r, 100 + i, 1, i);
		put_plain(&r, 200 + i, 1, i);
		at[i] = put_hooks(&file, 0, i * 4096, TF_CODEC_NONE, &r);
	}
	at[3] = file.n;
	put_end(&file);
	bytes_free(&r);
}

START_TEST(whole_file)
{
	put_small_trace(&file, TF_CODEC_LZ4);
	scan();
	expect_whole(10);
	ck_assert(seen.ended && !seen.header.damaged);
	done();
}
END_TEST

START_TEST(other_magic_is_no_trace)
{
	put_header(&file, 1);
	file.p[3]++;
	ck_assert_int_eq(header_code(), CPIDECODE_ENOTTRACE);
	file.n = 3;
	ck_assert_int_eq(header_code(), CPIDECODE_ETRUNCATED);
	file.p[0] = 'x';
	ck_assert_int_eq(header_code(), CPIDECODE_ENOTTRACE);
	bytes_free(&file);
}
END_TEST

START_TEST(other_major_version_is_refused)
{
	put_header(&file, 1);
	put_le16(file.p + TF_H_VERSION_MAJOR, 2);
	seal_header(file.p);
	ck_assert_int_eq(header_code(), CPIDECODE_EVERSION);
	put_le16(file.p + TF_H_VERSION_MAJOR, 1);
	put_le16(file.p + TF_H_VERSION_MINOR, 9);
	seal_header(file.p);
	ck_assert_int_eq(header_code(), 0);
	bytes_free(&file);
}
END_TEST

START_TEST(cut_off_header)
{
	put_header(&file, 1);
	for (file.n = 1; file.n < TF_HEADER_SIZE; file.n++)
		ck_assert_int_eq(header_code(), CPIDECODE_ETRUNCATED);
	file.n = 0;
	ck_assert_int_eq(header_code(), CPIDECODE_EEMPTY);
	bytes_free(&file);
}
END_TEST

START_TEST(damaged_header_is_read_on)
{
	put_three();
	file.p[TF_H_HEADER_SIZE] ^= 0x40;
	scan();
	ck_assert(seen.header.damaged);
	ck_assert_uint_eq(seen.sections, 4);
	done();
}
END_TEST

START_TEST(longer_header_of_a_later_minor)
{
	put_three();
	struct bytes plain = file;
	file = (struct bytes){0};
	bytes_put(&file, plain.p, TF_HEADER_SIZE);
	put_le32(file.p + TF_H_HEADER_SIZE, TF_HEADER_SIZE + 16);
	seal_header(file.p);
	put_u64(&file, 1);
	put_u64(&file, 2);
	bytes_put(&file, plain.p + TF_HEADER_SIZE, plain.n - TF_HEADER_SIZE);
	scan();
	expect_whole(4);
	bytes_free(&plain);
	done();
}
END_TEST

START_TEST(flipped_payload)
{
	put_three();
	file.p[at[1] + TF_SECTION_SIZE + 5] ^= 1;
	scan();
	expect_damage(3, at[1], at[2] - at[1]);
	ck_assert_uint_eq(seen.section[0].offset, at[0]);
	ck_assert_uint_eq(seen.section[1].offset, at[2]);
	ck_assert(seen.ended);
	done();
}
END_TEST

START_TEST(flipped_header_of_a_section)
{
	/* Any byte of the header, the size's among them: both neighbours are found. */
	for (unsigned i = 0; i < TF_SECTION_SIZE; i++) {
		put_three();
		file.p[at[1] + i] ^= 0x81;
		scan();
		expect_damage(3, at[1], at[2] - at[1]);
		ck_assert_uint_eq(seen.section[1].offset, at[2]);
		done();
	}
}
END_TEST

START_TEST(missing_bytes)
{
	/* 8 bytes are missing: the rest keeps its alignment of 8. */
	put_three();
	memmove(file.p + at[1] + 80, file.p + at[1] + 88, file.n - at[1] - 88);
	file.n -= 8;
	scan();
	expect_damage(3, at[1], at[2] - 8 - at[1]);
	done();
}
END_TEST

START_TEST(bytes_between_sections)
{
	struct bytes none = {0};

	put_header(&file, 1);
	for (unsigned i = 0; i < 9; i++)
		put_u64(&file, 0);
	put_section(&file, &(struct section){.type = TF_TYPE_META}, &none);
	scan();
	expect_damage(1, TF_HEADER_SIZE, 72);
	done();
}
END_TEST

START_TEST(cut_off_anywhere)
{
	put_three();
	while (--file.n >= TF_HEADER_SIZE) {
		unsigned there = 0;

		scan();
		while (there < 3 && at[there + 1] <= file.n)
			there++;
		if (file.n > at[there])
			expect_damage(there, at[there], file.n - at[there]);
		else
			expect_whole(there);
		ck_assert(!seen.ended);
		io_close(seen.in);
	}
	bytes_free(&file);
}
END_TEST

START_TEST(bytes_after_the_end)
{
	put_three();
	size_t end = file.n;
	bytes_put(&file, "more", 4);
	scan();
	ck_assert(seen.ended);
	expect_damage(4, end, 4);
	done();
}
END_TEST

START_TEST(padding_is_not_looked_at)
{
	struct bytes text = {0};

	put_header(&file, 1);
	bytes_put(&text, "a: b", 4);
	put_section(&file, &(struct section){.type = TF_TYPE_META}, &text);
	file.p[file.n - 1] = 0xff;
	put_end(&file);
	scan();
	expect_whole(2);
	bytes_free(&text);
	done();
}
END_TEST

START_TEST(unknown_types_are_stepped_over)
{
	struct bytes any = {0};

	put_header(&file, 1);
	bytes_put(&any, "anything", 8);
	put_section(&file, &(struct section){.type = 999, .raw = 0xffffffff}, &any);
	put_end(&file);
	scan();
	expect_whole(2);
	bytes_free(&any);
	done();
}
END_TEST

/* A HOOKS section whose checksum holds but whose sizes cannot be: damage, and go on. */
static void sizes_refused(uint8_t codec, uint32_t stored, uint32_t raw)
{
	struct bytes payload = {0};

	put_header(&file, 1);
	while (payload.n < stored)
		put_u64(&payload, 0x1234567890abcdef * payload.n);
	payload.n = stored;
	put_stored(&file, &(struct section){.type = TF_TYPE_HOOKS, .codec = codec, .raw = raw},
		&payload);
	put_end(&file);
	scan();
	ck_assert_uint_eq(seen.sections, 1);
	ck_assert_uint_eq(seen.damages, 1);
	ck_assert(seen.ended);
	bytes_free(&payload);
	done();
}

START_TEST(impossible_sizes)
{
	sizes_refused(TF_CODEC_NONE, 64, 72);
	sizes_refused(TF_CODEC_NONE, 64, 56);
	sizes_refused(TF_CODEC_LZ4, 64, 2 << 20);  /* more than the file's largest */
	sizes_refused(TF_CODEC_LZ4, 64, 64 * 257); /* more than LZ4 can make of it */
	sizes_refused(TF_CODEC_ZLIB, 64, 1 << 20); /* more than deflate can */
	sizes_refused(TF_CODEC_LZ4, 8192, 64);	   /* packed, yet far longer */
	sizes_refused(TF_CODEC_ZLIB, 8192, 64);
	sizes_refused(3, 64, 64);
	sizes_refused(255, 64, 0xffffffff);
}
END_TEST

/* Loads the first section, which holds the payload if it is loaded. */
static int load(const struct bytes *payload, const char **why)
{
	struct io_buffer raw = {0}, scratch = {0};

	scan();
	ck_assert_uint_ge(seen.sections, 1);
	int rc = io_load(seen.in, &seen.section[0], &raw, &scratch, why);
	if (rc == 0)
		ck_assert_mem_eq(raw.p, payload->p, payload->n);
	io_buffer_free(&raw);
	io_buffer_free(&scratch);
	done();
	return rc;
}

START_TEST(codecs_round_trip)
{
	for (uint8_t codec = 0; codec <= TF_CODEC_ZLIB; codec++) {
		struct bytes payload = {0};
		const char *why;

		put_header(&file, 1);
		for (uint64_t t = 0; t < 1000; t++)
			put_plain(&payload, t, 1, 1);
		put_section(
			&file, &(struct section){.type = TF_TYPE_HOOKS, .codec = codec}, &payload);
		ck_assert_int_eq(load(&payload, &why), 0);
		bytes_free(&payload);
	}
}
END_TEST

START_TEST(payloads_of_another_size_are_damage)
{
	for (uint8_t codec = TF_CODEC_LZ4; codec <= TF_CODEC_ZLIB; codec++) {
		for (int off = -8; off <= 8; off += 8) {
			struct bytes payload = {0};
			const char *why = NULL;

			put_header(&file, 1);
			for (uint64_t t = 0; t < 100; t++)
				put_plain(&payload, t, 1, 1);
			put_section(&file,
				&(struct section){.type = TF_TYPE_HOOKS,
					.codec = codec,
					.raw = (uint32_t)((int)payload.n + off)},
				&payload);
			ck_assert_int_eq(load(&payload, &why), off ? 1 : 0);
			ck_assert((why != NULL) == (off != 0));
			bytes_free(&payload);
		}
	}
}
END_TEST

START_TEST(payloads_that_are_not_packed_are_damage)
{
	for (uint8_t codec = TF_CODEC_LZ4; codec <= TF_CODEC_ZLIB; codec++) {
		struct bytes payload = {0};
		const char *why = NULL;

		put_header(&file, 1);
		for (uint64_t i = 0; i < 100; i++)
			put_u64(&payload, 0xffff000000000000 + i * 77);
		put_stored(&file,
			&(struct section){.type = TF_TYPE_HOOKS, .codec = codec, .raw = 800},
			&payload);
		ck_assert_int_eq(load(&payload, &why), 1);
		ck_assert_ptr_nonnull(why);
		bytes_free(&payload);
	}
}
END_TEST

START_TEST(false_headers_do_not_cost_their_square)
{
	/* 8 MiB of section headers, each of which claims half the file. */
	put_header(&file, 1);
	uint8_t h[TF_SECTION_SIZE] = {0};
	put_le32(h, TF_SECTION_MAGIC);
	h[TF_S_TYPE] = TF_TYPE_HOOKS;
	put_le32(h + TF_S_STORED, 4 << 20);
	while (file.n < 8 << 20)
		bytes_put(&file, h, sizeof h);
	put_end(&file);
	alarm(60);
	scan();
	alarm(0);
	ck_assert_uint_eq(seen.damages, 1);
	ck_assert_uint_eq(seen.damage[0].offset, TF_HEADER_SIZE);
	done();
}
END_TEST

START_TEST(section_beyond_false_headers_is_found)
{
	put_header(&file, 1);
	for (unsigned i = 0; i < 100000; i++) {
		put_u32(&file, TF_SECTION_MAGIC);
		put_u32(&file, 0);
	}
	put_end(&file);
	scan();
	ck_assert_uint_eq(seen.sections, 1);
	ck_assert(seen.ended);
	done();
}
END_TEST

static FILE *file_of(void)
{
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(file.p, 1, file.n, f), file.n);
	fflush(f);
	return f;
}

START_TEST(shorter_while_read)
{
	struct io_buffer raw = {0}, scratch = {0};
	const char *why = NULL;

	put_three();
	FILE *f = file_of();
	rewind(f);
	lseek(fileno(f), 0, SEEK_SET);
	ck_assert_int_eq(io_open_fd(fileno(f), NULL, NULL, &seen.in), 0);
	ck_assert_int_eq(ftruncate(fileno(f), (off_t)at[0] + 70), 0);
	struct io_section section = {.offset = at[0], .stored = 64, .raw = 64};
	ck_assert_int_eq(io_load(seen.in, &section, &raw, &scratch, &why), 1);
	ck_assert_ptr_nonnull(why);
	scan_input();
	ck_assert_uint_eq(seen.sections, 0);
	ck_assert_uint_eq(seen.damages, 1);
	io_buffer_free(&raw);
	fclose(f);
	done();
}
END_TEST

START_TEST(pipes_are_spooled)
{
	int fd[2];

	put_three();
	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(write(fd[1], file.p, file.n), (ssize_t)file.n);
	close(fd[1]);
	ck_assert_int_eq(io_open_fd(fd[0], NULL, NULL, &seen.in), 0);
	close(fd[0]);
	ck_assert_uint_eq(io_size(seen.in), file.n);
	scan_input();
	ck_assert_uint_eq(seen.sections, 4);
	done();
}
END_TEST

static bool cancel_once_copied(void *ctx, uint64_t copied, uint64_t total)
{
	(void)total;
	return copied < *(const uint64_t *)ctx;
}

/* The pipe stays open and idle. */
START_TEST(waiting_for_a_pipe_is_canceled)
{
	uint64_t written = 600 << 10; /* more than is copied before the thread starts */
	struct io_input *in;
	int fd[2];

	put_three();
	bytes_put(&file, NULL, written - file.n);
	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_ge(fcntl(fd[1], F_SETPIPE_SZ, 1 << 20), 0);
	ck_assert_int_eq(write(fd[1], file.p, file.n), (ssize_t)written);
	ck_assert_int_eq(io_open_fd(fd[0], cancel_once_copied, &written, &in), CPIDECODE_ECANCELED);
	ck_assert_ptr_null(in);
	close(fd[0]);
	close(fd[1]);
	bytes_free(&file);
}
END_TEST

START_TEST(unusable_files_are_refused)
{
	struct io_input *in;

	ck_assert_int_eq(io_open_path("/nonexistent/trace", NULL, NULL, &in), CPIDECODE_EOPEN);
	ck_assert_ptr_null(in);
	ck_assert_int_eq(io_open_path("/", NULL, NULL, &in), CPIDECODE_EOPEN);
	ck_assert_ptr_null(in);
	/* Endless, and no trace: not spooled. */
	ck_assert_int_eq(io_open_path("/dev/zero", NULL, NULL, &in), CPIDECODE_ENOTTRACE);
	ck_assert_ptr_null(in);
	setenv("TMPDIR", "/nonexistent", 1);
	ck_assert_int_eq(io_open_path("/dev/zero", NULL, NULL, &in), CPIDECODE_ESPOOL);
	ck_assert_int_eq(io_open_fd(-1, NULL, NULL, &in), CPIDECODE_EOPEN);
}
END_TEST

SUITE_MAIN("io", whole_file, other_magic_is_no_trace, other_major_version_is_refused,
	cut_off_header, damaged_header_is_read_on, longer_header_of_a_later_minor, flipped_payload,
	flipped_header_of_a_section, missing_bytes, bytes_between_sections, cut_off_anywhere,
	bytes_after_the_end, padding_is_not_looked_at, unknown_types_are_stepped_over,
	impossible_sizes, codecs_round_trip, payloads_of_another_size_are_damage,
	payloads_that_are_not_packed_are_damage, false_headers_do_not_cost_their_square,
	section_beyond_false_headers_is_found, shorter_while_read, pipes_are_spooled,
	waiting_for_a_pipe_is_canceled, unusable_files_are_refused)
