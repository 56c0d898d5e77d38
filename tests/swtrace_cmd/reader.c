#include "reader.h"

#include <check.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

#include "../../formats/bytes.h"
#include "../../formats/trace_file.h"

uint8_t *file;
size_t file_size;
struct seen seen[64];
int sections;

void load(const char *path)
{
	FILE *f = fopen(path, "rb");

	ck_assert_ptr_nonnull(f);
	fseek(f, 0, SEEK_END);
	file_size = (size_t)ftell(f);
	rewind(f);
	file = malloc(file_size + 1);
	ck_assert_uint_eq(fread(file, 1, file_size, f), file_size);
	fclose(f);
}

static void unpack(struct seen *s, const uint8_t *stored)
{
	uLongf size = s->raw;

	s->payload = calloc(1, s->raw + 1);
	if (s->codec == TF_CODEC_NONE) {
		ck_assert_uint_eq(s->stored, s->raw);
		memcpy(s->payload, stored, s->raw);
	} else if (s->codec == TF_CODEC_LZ4) {
		ck_assert_int_eq(LZ4_decompress_safe((const char *)stored, (char *)s->payload,
					 (int)s->stored, (int)s->raw),
			s->raw);
	} else {
		ck_assert_int_eq(uncompress(s->payload, &size, stored, s->stored), Z_OK);
		ck_assert_uint_eq(size, s->raw);
	}
	if (s->codec)
		ck_assert_uint_lt(s->stored, s->raw);
}

static void parse_section(struct seen *s, uint64_t at)
{
	const uint8_t *h = file + at;
	XXH3_state_t *hash = XXH3_createState();

	ck_assert_uint_le(at + TF_SECTION_SIZE, file_size);
	ck_assert_uint_eq(get_le32(h + TF_S_MAGIC), TF_SECTION_MAGIC);
	*s = (struct seen){.offset = at,
		.type = get_le16(h + TF_S_TYPE),
		.codec = h[TF_S_CODEC],
		.stored = get_le32(h + TF_S_STORED),
		.raw = get_le32(h + TF_S_RAW),
		.ring = get_le32(h + TF_S_RING),
		.hooks = get_le32(h + TF_S_HOOKS),
		.lost = get_le32(h + TF_S_LOST),
		.torn = get_le32(h + TF_S_TORN),
		.position = get_le64(h + TF_S_POSITION),
		.first = get_le64(h + TF_S_FIRST),
		.last = get_le64(h + TF_S_LAST)};
	ck_assert_uint_le(at + TF_SECTION_SIZE + s->stored, file_size);
	ck_assert_uint_le(s->raw, get_le32(file + TF_H_MAX_RAW));
	XXH3_64bits_reset(hash);
	XXH3_64bits_update(hash, h, TF_S_CHECKSUM);
	XXH3_64bits_update(hash, h + TF_SECTION_SIZE, s->stored);
	ck_assert_uint_eq(XXH3_64bits_digest(hash), get_le64(h + TF_S_CHECKSUM));
	XXH3_freeState(hash);
	unpack(s, h + TF_SECTION_SIZE);
}

void parse(const char *path)
{
	load(path);
	ck_assert_uint_ge(file_size, TF_HEADER_SIZE);
	ck_assert_mem_eq(file, TF_MAGIC, 8);
	ck_assert_uint_eq(get_le64(file + TF_H_CHECKSUM), XXH3_64bits(file, TF_H_CHECKSUM));
	for (uint64_t at = TF_HEADER_SIZE; at < file_size; sections++) {
		ck_assert_int_lt(sections, 64);
		parse_section(&seen[sections], at);
		uint64_t end = at + TF_SECTION_SIZE + seen[sections].stored;
		for (at = end; at % TF_ALIGN; at++)
			ck_assert_uint_eq(file[at], 0);
	}
}

const struct seen *find(uint32_t type, int nth)
{
	for (int i = 0; i < sections; i++)
		if (seen[i].type == type && nth-- == 0)
			return &seen[i];
	return NULL;
}

void reader_free(void)
{
	for (int i = 0; i < sections; i++)
		free(seen[i].payload);
	free(file);
	file = NULL;
	sections = 0;
}
