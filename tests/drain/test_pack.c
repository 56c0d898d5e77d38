/*
 * Compressed records: any LZ4 decoder gives them back, and nothing outside the buffers is touched.
 * Buffers have exactly the size that is needed, for the sanitizers.
 */
#include <check.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../libtrace/dump/pack.h"
#include "../../libtrace/dump/pack_records.h"
#include "../lib/random.h"
#include "../lib/suites.h"

enum { LARGEST = 1 << 18, GUARD = 0xA5, GUARDED = 64 };

static uint64_t state = 1;

static uint32_t random_below(uint32_t below)
{
	return random31(&state) % (below ? below : 1);
}

/* Packs a copy without a byte to spare into `room` bytes and decodes it. Returns the size. */
static uint32_t pack_and_check(const uint8_t *bytes, uint32_t size, uint32_t room)
{
	uint8_t *from = malloc(size ? size : 1), *to = malloc((size_t)room + GUARDED);
	char *back = malloc(size ? size : 1);

	memcpy(from, bytes, size);
	memset(to + room, GUARD, GUARDED);
	uint32_t packed = pack_records_lz4(from, size, to, room);
	ck_assert_uint_le(packed, room);
	for (int i = 0; i < GUARDED; i++)
		ck_assert_uint_eq(to[room + i], GUARD);
	ck_assert_mem_eq(from, bytes, size);
	if (packed) {
		/* The block must not rely on the bytes behind it. */
		uint8_t *alone = malloc(packed);

		memcpy(alone, to, packed);
		ck_assert_int_eq(LZ4_decompress_safe((char *)alone, back, (int)packed, (int)size),
			(int)size);
		ck_assert_mem_eq(back, bytes, size);
		free(alone);
	}
	free(from);
	free(to);
	free(back);
	return packed;
}

static uint8_t *put_record(uint8_t *at, uint32_t minor, uint32_t words, uint64_t stamp)
{
	uint32_t size = rec_size(words, 0);

	memset(at, 0, size);
	put_le32(at, REC_COMMITTED | size);
	at[REC_MAJOR] = 0x42;
	put_le16(at + REC_NWORDS, (uint16_t)words);
	put_le32(at + REC_MINOR, minor);
	put_le32(at + REC_TID, 4711);
	put_le64(at + REC_STAMP, stamp);
	for (uint32_t i = 0; i < words; i++)
		put_le32(at + REC_DATA + 4 * i, i % 3 == 0 ? random_below(1u << 31) : i);
	return at + size;
}

/* Records of some kinds and sizes; returns their bytes. */
static uint32_t fill_records(uint8_t *to, uint32_t room, uint32_t kinds, uint32_t most_words)
{
	uint8_t *at = to;
	uint64_t stamp = 1000;

	while (room - (uint32_t)(at - to) >= rec_size(most_words, 0)) {
		uint32_t kind = random_below(kinds);

		at = put_record(at, kind, kind % (most_words + 1), stamp += random_below(500));
	}
	return (uint32_t)(at - to);
}

START_TEST(records_of_any_kinds_come_back)
{
	static uint8_t bytes[LARGEST];
	static const uint32_t kinds[] = {1, 2, 9, 300, 5000}, words[] = {0, 1, 8, 20, 60, 4000};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
			uint32_t size = fill_records(bytes, LARGEST, kinds[k], words[w]);

			ck_assert_uint_gt(pack_and_check(bytes, size, size), 0);
			for (uint32_t room = 0; room < 200; room++)
				pack_and_check(bytes, 40 + random_below(400) / 8 * 8, room);
		}
	}
}
END_TEST

START_TEST(every_small_size_comes_back)
{
	uint8_t bytes[600];

	fill_records(bytes, sizeof bytes, 3, 8);
	for (uint32_t size = 0; size < sizeof bytes; size++)
		ck_assert_uint_gt(pack_and_check(bytes, size, size + size / 255 + 16), 0);
}
END_TEST

/* Alike to the last byte: one match of nearly everything. And with runs of literals and matches
 * around the lengths at which they take another byte. */
START_TEST(long_runs_come_back)
{
	static uint8_t bytes[LARGEST];

	for (uint32_t words = 1; words < 1100; words += words < 60 ? 1 : 13) {
		uint32_t size = 0, each = rec_size(words, 0);

		for (uint32_t i = 0; i < 6; i++, size += each) {
			put_record(bytes + size, 7, words, 5);
			if (i % 2)
				memcpy(bytes + size, bytes + size - each, each);
		}
		ck_assert_uint_gt(pack_and_check(bytes, size, size + 16), 0);
	}
	for (uint32_t at = 0; at < LARGEST; at += 64)
		memcpy(bytes + at, bytes, at ? 64 : 0);
	ck_assert_uint_lt(pack_and_check(bytes, LARGEST, LARGEST), LARGEST / 100);
}
END_TEST

/* A kind that comes again after more than LZ4's distance. */
START_TEST(records_too_far_back_are_not_cited)
{
	static uint8_t bytes[LARGEST];
	uint8_t *at = put_record(bytes, 1, 8, 1);

	for (uint32_t gap = 65400; gap < 65700; gap += 8) {
		uint32_t control = REC_COMMITTED | gap;

		at = bytes + 56;
		for (uint32_t i = 0; i < gap; i++)
			at[i] = (uint8_t)random_below(256);
		put_le32(at, control);
		memcpy(at + gap, bytes, 56);
		pack_and_check(bytes, 56 + gap + 56 + 100, LARGEST);
	}
}
END_TEST

/* Members of the session's group may write any bytes. */
START_TEST(hostile_records_come_back)
{
	static uint8_t bytes[8192];

	for (int turn = 0; turn < 4000; turn++) {
		uint32_t size = fill_records(
			bytes, 64 + random_below(sizeof bytes - 64), 1 + random_below(6), 9);

		for (uint32_t i = random_below(40); i && size >= 8; i--) {
			uint32_t where = random_below(size - 4);

			if (random_below(2))
				put_le32(bytes + (where & ~7u), random_below(2)
									? random_below(1u << 24)
									: random_below(64));
			else
				bytes[where] = (uint8_t)random_below(256);
		}
		pack_and_check(bytes, size, random_below(4) ? size : random_below(size + 1));
	}
	for (int turn = 0; turn < 2000; turn++) {
		uint32_t size = random_below(600);

		for (uint32_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)random_below(turn % 3 ? 256 : 2);
		pack_and_check(bytes, size, size + size / 255 + 16);
	}
}
END_TEST

/* ----------------------------------------------------------------- the choice */

static uint32_t size_by_lz4(const uint8_t *bytes, uint32_t size)
{
	char *to = malloc(size);
	uint32_t n =
		(uint32_t)LZ4_compress_default((const char *)bytes, to, (int)size, (int)size - 1);

	free(to);
	return n;
}

START_TEST(records_are_nearly_as_small_as_a_search_makes_them)
{
	static uint8_t bytes[65536];
	struct packer p;

	ck_assert(packer_open(&p, sizeof bytes));
	for (uint32_t kinds = 1; kinds < 20; kinds += 6) {
		uint32_t size = fill_records(bytes, sizeof bytes, kinds, 12);

		for (int i = 0; i < 3; i++)
			ck_assert_uint_lt(packer_pack(&p, TF_CODEC_LZ4, true, bytes, size),
				size_by_lz4(bytes, size) * 9 / 8);
	}
	packer_close(&p);
}
END_TEST

/* Words that equal another word of the record before: no match where this one stands. */
START_TEST(records_that_need_a_search_get_one)
{
	static uint8_t bytes[65536];
	struct packer p;
	uint32_t size = 0, searched;

	for (uint32_t n = 0; size + 64 <= sizeof bytes; n++, size += 56) {
		put_record(bytes + size, 1, 8, n);
		for (uint32_t i = 0; i < 8; i++)
			put_le32(bytes + size + REC_DATA + 4 * i, (n + i) * 2654435761u);
	}
	searched = size_by_lz4(bytes, size);
	ck_assert_uint_lt(searched, pack_and_check(bytes, size, size) * 2 / 3);
	ck_assert(packer_open(&p, sizeof bytes));
	for (int i = 0; i < 300; i++)
		ck_assert_uint_eq(packer_pack(&p, TF_CODEC_LZ4, true, bytes, size), searched);
	/* It notices when they change. */
	size = fill_records(bytes, sizeof bytes, 1, 8);
	for (int i = 0; i < 300; i++)
		packer_pack(&p, TF_CODEC_LZ4, true, bytes, size);
	ck_assert_uint_eq(packer_pack(&p, TF_CODEC_LZ4, true, bytes, size),
		pack_and_check(bytes, size, size));
	packer_close(&p);
}
END_TEST

START_TEST(incompressible_bytes_are_stored_uncompressed)
{
	static uint8_t bytes[65536];
	struct packer p;

	for (uint32_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)random_below(256);
	ck_assert(packer_open(&p, sizeof bytes));
	for (int codec = TF_CODEC_NONE; codec <= TF_CODEC_ZLIB; codec++)
		for (int records = 0; records < 2; records++)
			ck_assert_uint_eq(
				packer_pack(&p, (enum tf_codec)codec, records, bytes, sizeof bytes),
				0);
	packer_close(&p);
}
END_TEST

SUITE_MAIN("pack", records_of_any_kinds_come_back, every_small_size_comes_back, long_runs_come_back,
	records_too_far_back_are_not_cited, hostile_records_come_back,
	records_are_nearly_as_small_as_a_search_makes_them, records_that_need_a_search_get_one,
	incompressible_bytes_are_stored_uncompressed)
