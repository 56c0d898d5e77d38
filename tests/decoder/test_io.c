/* Header, sections, damage and codecs. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../decoder/io/input.h"
#include "../../include/cpidecode.h"
#include "../lib/trace_build.h"
#include "../lib/suites.h"

enum { MOST = 256 };

struct seen {
	struct io_section section[MOST];
	struct io_damage damage[MOST];
	unsigned sections, damages;
	bool ended;
	struct io_header header;
	struct io_input *in;
};

static int on_section(void *ctx, const struct io_section *s)
{
	struct seen *seen = ctx;

	ck_assert_uint_lt(seen->sections, MOST);
	seen->section[seen->sections++] = *s;
	return 0;
}

static int on_damage(void *ctx, const struct io_damage *d)
{
	struct seen *seen = ctx;

	ck_assert_uint_lt(seen->damages, MOST);
	seen->damage[seen->damages++] = *d;
	return 0;
}

static int header_code(const struct bytes *b)
{
	struct io_input *in;
	struct io_header h;

	ck_assert_int_eq(io_open_memory(b->p, b->n, &in), 0);
	int rc = io_read_header(in, &h);
	io_close(in);
	return rc;
}

static void scan(struct seen *seen, const struct bytes *b)
{
	struct io_scan_events events = {.section = on_section, .damage = on_damage, .ctx = seen};

	*seen = (struct seen){0};
	ck_assert_int_eq(io_open_memory(b->p, b->n, &seen->in), 0);
	ck_assert_int_eq(io_read_header(seen->in, &seen->header), 0);
	ck_assert_int_eq(
		io_scan(seen->in, &seen->header, false, &events, NULL, NULL, &seen->ended), 0);
}

static void done(struct seen *seen, struct bytes *b)
{
	io_close(seen->in);
	bytes_free(b);
}

/* Three sections of plain hooks and END; at[] are the offsets. */
static void three(struct bytes *b, size_t *at)
{
	struct bytes r = {0};

	put_header(b, 1);
	for (unsigned i = 0; i < 3; i++) {
		put_plain(&r, 100 + i, 1, i);
		put_plain(&r, 200 + i, 1, i);
		at[i] = put_hooks(b, 0, i * 4096, TF_CODEC_NONE, &r);
	}
	at[3] = b->n;
	put_end(b);
	bytes_free(&r);
}

START_TEST(whole_file)
{
	struct bytes b = {0};
	struct seen s;

	put_small_trace(&b, TF_CODEC_LZ4);
	scan(&s, &b);
	ck_assert_uint_eq(s.damages, 0);
	ck_assert_uint_eq(s.sections, 10);
	ck_assert(s.ended && !s.header.damaged);
	done(&s, &b);
}
END_TEST

START_TEST(other_magic_is_no_trace)
{
	struct bytes b = {0};

	put_header(&b, 1);
	b.p[3]++;
	ck_assert_int_eq(header_code(&b), CPIDECODE_ENOTTRACE);
	b.n = 3;
	ck_assert_int_eq(header_code(&b), CPIDECODE_ETRUNCATED);
	b.p[0] = 'x';
	ck_assert_int_eq(header_code(&b), CPIDECODE_ENOTTRACE);
	bytes_free(&b);
}
END_TEST

START_TEST(other_major_version_is_refused)
{
	struct bytes b = {0};

	put_header(&b, 1);
	put_le16(b.p + TF_H_VERSION_MAJOR, 2);
	seal_header(b.p);
	ck_assert_int_eq(header_code(&b), CPIDECODE_EVERSION);
	put_le16(b.p + TF_H_VERSION_MAJOR, 1);
	put_le16(b.p + TF_H_VERSION_MINOR, 9);
	seal_header(b.p);
	ck_assert_int_eq(header_code(&b), 0);
	bytes_free(&b);
}
END_TEST

START_TEST(cut_off_header)
{
	struct bytes b = {0};

	put_header(&b, 1);
	for (b.n = 1; b.n < TF_HEADER_SIZE; b.n++)
		ck_assert_int_eq(header_code(&b), CPIDECODE_ETRUNCATED);
	b.n = 0;
	ck_assert_int_eq(header_code(&b), CPIDECODE_EEMPTY);
	bytes_free(&b);
}
END_TEST

START_TEST(damaged_header_is_read_on)
{
	struct bytes b = {0};
	struct seen s;
	size_t at[4];

	three(&b, at);
	b.p[TF_H_HEADER_SIZE] ^= 0x40;
	scan(&s, &b);
	ck_assert(s.header.damaged);
	ck_assert_uint_eq(s.sections, 4);
	done(&s, &b);
}
END_TEST

START_TEST(longer_header_of_a_later_minor)
{
	struct bytes b = {0}, longer = {0};
	struct seen s;
	size_t at[4];

	three(&b, at);
	bytes_put(&longer, b.p, TF_HEADER_SIZE);
	put_le32(longer.p + TF_H_HEADER_SIZE, TF_HEADER_SIZE + 16);
	seal_header(longer.p);
	put_u64(&longer, 1);
	put_u64(&longer, 2);
	bytes_put(&longer, b.p + TF_HEADER_SIZE, b.n - TF_HEADER_SIZE);
	scan(&s, &longer);
	ck_assert_uint_eq(s.damages, 0);
	ck_assert_uint_eq(s.sections, 4);
	bytes_free(&b);
	done(&s, &longer);
}
END_TEST

START_TEST(flipped_payload)
{
	struct bytes b = {0};
	struct seen s;
	size_t at[4];

	three(&b, at);
	b.p[at[1] + TF_SECTION_SIZE + 5] ^= 1;
	scan(&s, &b);
	ck_assert_uint_eq(s.sections, 3);
	ck_assert_uint_eq(s.section[0].offset, at[0]);
	ck_assert_uint_eq(s.section[1].offset, at[2]);
	ck_assert_uint_eq(s.damages, 1);
	ck_assert_uint_eq(s.damage[0].offset, at[1]);
	ck_assert_uint_eq(s.damage[0].bytes, at[2] - at[1]);
	ck_assert(s.ended);
	done(&s, &b);
}
END_TEST

START_TEST(flipped_header_of_a_section)
{
	/* Any byte of the header, the size's among them: both neighbours are found. */
	for (unsigned i = 0; i < TF_SECTION_SIZE; i++) {
		struct bytes b = {0};
		struct seen s;
		size_t at[4];

		three(&b, at);
		b.p[at[1] + i] ^= 0x81;
		scan(&s, &b);
		ck_assert_uint_eq(s.sections, 3);
		ck_assert_uint_eq(s.section[1].offset, at[2]);
		ck_assert_uint_eq(s.damages, 1);
		ck_assert_uint_eq(s.damage[0].bytes, at[2] - at[1]);
		done(&s, &b);
	}
}
END_TEST

START_TEST(missing_bytes)
{
	/* A stretch of 8 bytes is gone: what follows still stands on multiples of 8. */
	struct bytes b = {0};
	struct seen s;
	size_t at[4];

	three(&b, at);
	memmove(b.p + at[1] + 80, b.p + at[1] + 88, b.n - at[1] - 88);
	b.n -= 8;
	scan(&s, &b);
	ck_assert_uint_eq(s.sections, 3);
	ck_assert_uint_eq(s.damage[0].bytes, at[2] - 8 - at[1]);
	done(&s, &b);
}
END_TEST

START_TEST(bytes_between_sections)
{
	struct bytes b = {0}, none = {0};
	struct seen s;

	put_header(&b, 1);
	for (unsigned i = 0; i < 9; i++)
		put_u64(&b, 0);
	put_section(&b, &(struct section){.type = TF_TYPE_META}, &none);
	scan(&s, &b);
	ck_assert_uint_eq(s.sections, 1);
	ck_assert_uint_eq(s.damages, 1);
	ck_assert_uint_eq(s.damage[0].offset, TF_HEADER_SIZE);
	ck_assert_uint_eq(s.damage[0].bytes, 72);
	done(&s, &b);
}
END_TEST

START_TEST(cut_off_anywhere)
{
	struct bytes whole = {0};
	size_t at[5];

	three(&whole, at);
	at[4] = whole.n;
	for (size_t n = TF_HEADER_SIZE; n < whole.n; n++) {
		struct bytes b = {.p = whole.p, .n = n};
		struct seen s;

		scan(&s, &b);
		unsigned there = 0;
		while (there < 4 && at[there + 1] <= n)
			there++;
		ck_assert_uint_eq(s.sections, there);
		ck_assert_uint_eq(s.damages, n > at[there]);
		if (s.damages) {
			ck_assert_uint_eq(s.damage[0].offset, at[there]);
			ck_assert_uint_eq(s.damage[0].bytes, n - at[there]);
		}
		ck_assert(!s.ended);
		io_close(s.in);
	}
	bytes_free(&whole);
}
END_TEST

START_TEST(bytes_after_the_end)
{
	struct bytes b = {0};
	struct seen s;
	size_t at[4];

	three(&b, at);
	size_t end = b.n;
	bytes_put(&b, "more", 4);
	scan(&s, &b);
	ck_assert(s.ended);
	ck_assert_uint_eq(s.damages, 1);
	ck_assert_uint_eq(s.damage[0].offset, end);
	ck_assert_uint_eq(s.damage[0].bytes, 4);
	done(&s, &b);
}
END_TEST

START_TEST(padding_is_not_looked_at)
{
	struct bytes b = {0}, text = {0};
	struct seen s;

	put_header(&b, 1);
	bytes_put(&text, "a: b", 4);
	put_section(&b, &(struct section){.type = TF_TYPE_META}, &text);
	b.p[b.n - 1] = 0xff;
	put_end(&b);
	scan(&s, &b);
	ck_assert_uint_eq(s.sections, 2);
	ck_assert_uint_eq(s.damages, 0);
	bytes_free(&text);
	done(&s, &b);
}
END_TEST

START_TEST(unknown_types_are_stepped_over)
{
	struct bytes b = {0}, any = {0};
	struct seen s;

	put_header(&b, 1);
	bytes_put(&any, "anything", 8);
	put_section(&b, &(struct section){.type = 999, .raw = 0xffffffff}, &any);
	put_end(&b);
	scan(&s, &b);
	ck_assert_uint_eq(s.sections, 2);
	ck_assert_uint_eq(s.damages, 0);
	bytes_free(&any);
	done(&s, &b);
}
END_TEST

/* A HOOKS section whose checksum holds but whose sizes cannot be: damage, and go on. */
static void sizes_refused(uint8_t codec, uint32_t stored, uint32_t raw)
{
	struct bytes b = {0}, payload = {0};
	struct seen s;

	put_header(&b, 1);
	while (payload.n < stored)
		put_u64(&payload, 0x1234567890abcdef * payload.n);
	payload.n = stored;
	put_stored(
		&b, &(struct section){.type = TF_TYPE_HOOKS, .codec = codec, .raw = raw}, &payload);
	put_end(&b);
	scan(&s, &b);
	ck_assert_uint_eq(s.sections, 1);
	ck_assert_uint_eq(s.damages, 1);
	ck_assert(s.ended);
	bytes_free(&payload);
	done(&s, &b);
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

static int load(const struct bytes *b, const char **why)
{
	struct seen s;
	struct io_buffer raw = {0}, scratch = {0};

	scan(&s, b);
	ck_assert_uint_ge(s.sections, 1);
	int rc = io_load(s.in, &s.section[0], &raw, &scratch, why);
	io_buffer_free(&raw);
	io_buffer_free(&scratch);
	io_close(s.in);
	return rc;
}

START_TEST(codecs_round_trip)
{
	for (uint8_t codec = 0; codec <= TF_CODEC_ZLIB; codec++) {
		struct bytes b = {0}, payload = {0};
		struct seen s;
		struct io_buffer raw = {0}, scratch = {0};
		const char *why;

		put_header(&b, 1);
		for (uint64_t t = 0; t < 1000; t++)
			put_plain(&payload, t, 1, 1);
		put_section(&b, &(struct section){.type = TF_TYPE_HOOKS, .codec = codec}, &payload);
		scan(&s, &b);
		ck_assert_int_eq(io_load(s.in, &s.section[0], &raw, &scratch, &why), 0);
		ck_assert_mem_eq(raw.p, payload.p, payload.n);
		io_buffer_free(&raw);
		io_buffer_free(&scratch);
		bytes_free(&payload);
		done(&s, &b);
	}
}
END_TEST

START_TEST(payloads_of_another_size_are_damage)
{
	for (uint8_t codec = TF_CODEC_LZ4; codec <= TF_CODEC_ZLIB; codec++) {
		for (int off = -8; off <= 8; off += 8) {
			struct bytes b = {0}, payload = {0};
			const char *why = NULL;

			put_header(&b, 1);
			for (uint64_t t = 0; t < 100; t++)
				put_plain(&payload, t, 1, 1);
			put_section(&b,
				&(struct section){.type = TF_TYPE_HOOKS,
					.codec = codec,
					.raw = (uint32_t)((int)payload.n + off)},
				&payload);
			ck_assert_int_eq(load(&b, &why), off ? 1 : 0);
			ck_assert((why != NULL) == (off != 0));
			bytes_free(&payload);
			bytes_free(&b);
		}
	}
}
END_TEST

START_TEST(payloads_that_are_not_packed_are_damage)
{
	for (uint8_t codec = TF_CODEC_LZ4; codec <= TF_CODEC_ZLIB; codec++) {
		struct bytes b = {0}, payload = {0};
		const char *why = NULL;

		put_header(&b, 1);
		for (uint64_t i = 0; i < 100; i++)
			put_u64(&payload, 0xffff000000000000 + i * 77);
		put_stored(&b, &(struct section){.type = TF_TYPE_HOOKS, .codec = codec, .raw = 800},
			&payload);
		ck_assert_int_eq(load(&b, &why), 1);
		ck_assert_ptr_nonnull(why);
		bytes_free(&payload);
		bytes_free(&b);
	}
}
END_TEST

START_TEST(false_headers_do_not_cost_their_square)
{
	/* 8 MiB of section headers, each of which claims half the file. */
	struct bytes b = {0};
	struct seen s;

	put_header(&b, 1);
	uint8_t h[TF_SECTION_SIZE] = {0};
	put_le32(h, TF_SECTION_MAGIC);
	h[TF_S_TYPE] = TF_TYPE_HOOKS;
	put_le32(h + TF_S_STORED, 4 << 20);
	while (b.n < 8 << 20)
		bytes_put(&b, h, sizeof h);
	put_end(&b);
	alarm(60);
	scan(&s, &b);
	alarm(0);
	ck_assert_uint_eq(s.damages, 1);
	ck_assert_uint_eq(s.damage[0].offset, TF_HEADER_SIZE);
	done(&s, &b);
}
END_TEST

START_TEST(section_beyond_false_headers_is_found)
{
	struct bytes b = {0};
	struct seen s;

	put_header(&b, 1);
	for (unsigned i = 0; i < 100000; i++) {
		put_u32(&b, TF_SECTION_MAGIC);
		put_u32(&b, 0);
	}
	put_end(&b);
	scan(&s, &b);
	ck_assert_uint_eq(s.sections, 1);
	ck_assert(s.ended);
	done(&s, &b);
}
END_TEST

static FILE *file_with(const struct bytes *b)
{
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b->p, 1, b->n, f), b->n);
	fflush(f);
	return f;
}

START_TEST(shorter_while_read)
{
	struct bytes b = {0};
	struct io_input *in;
	struct io_buffer raw = {0}, scratch = {0};
	const char *why = NULL;
	size_t at[4];

	three(&b, at);
	FILE *f = file_with(&b);
	rewind(f);
	lseek(fileno(f), 0, SEEK_SET);
	ck_assert_int_eq(io_open_fd(fileno(f), NULL, NULL, &in), 0);
	ck_assert_int_eq(ftruncate(fileno(f), (off_t)at[0] + 70), 0);
	struct io_section s = {.offset = at[0], .stored = 64, .raw = 64};
	ck_assert_int_eq(io_load(in, &s, &raw, &scratch, &why), 1);
	ck_assert_ptr_nonnull(why);
	struct seen seen = {.in = in};
	struct io_scan_events events = {.section = on_section, .damage = on_damage, .ctx = &seen};
	ck_assert_int_eq(io_read_header(in, &seen.header), 0);
	ck_assert_int_eq(io_scan(in, &seen.header, false, &events, NULL, NULL, &seen.ended), 0);
	ck_assert_uint_eq(seen.sections, 0);
	ck_assert_uint_eq(seen.damages, 1);
	io_buffer_free(&raw);
	io_close(in);
	fclose(f);
	bytes_free(&b);
}
END_TEST

START_TEST(pipes_are_spooled)
{
	struct bytes b = {0};
	struct seen s = {0};
	struct io_scan_events events = {.section = on_section, .damage = on_damage, .ctx = &s};
	int fd[2];
	size_t at[4];

	three(&b, at);
	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(write(fd[1], b.p, b.n), (ssize_t)b.n);
	close(fd[1]);
	ck_assert_int_eq(io_open_fd(fd[0], NULL, NULL, &s.in), 0);
	close(fd[0]);
	ck_assert_uint_eq(io_size(s.in), b.n);
	ck_assert_int_eq(io_read_header(s.in, &s.header), 0);
	ck_assert_int_eq(io_scan(s.in, &s.header, false, &events, NULL, NULL, &s.ended), 0);
	ck_assert_uint_eq(s.sections, 4);
	done(&s, &b);
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
	unusable_files_are_refused)
