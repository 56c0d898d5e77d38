/*
 * Damage in a section whose strings look like section headers: every other section is read,
 * whatever the strings claim.
 */
#include <stdlib.h>
#include <xxhash.h>

#include "../../formats/section_check.h"
#include "open.h"
#include "built.h"

/* Large enough that hashing it a dozen times costs more than a search may. */
enum { SECTIONS = 400, PAYLOAD = 64 << 10, MOST_FAKES = 700 };

static void end_record(uint8_t *p, uint32_t size)
{
	memset(p, 0, size);
	put_le32(p, REC_COMMITTED | size | REC_KIND_PAD);
}

/* Sections of one hook and a pad; the first one's pad has n headers that claim `stored` bytes. */
static void build_pads(struct bytes *file, unsigned n, uint32_t stored, uint32_t step)
{
	struct bytes payload = {0};

	put_header(file, 1);
	put_le32(file->p + TF_H_MAX_RAW, PAYLOAD);
	for (unsigned i = 0; i < SECTIONS; i++) {
		struct section s = {.type = TF_TYPE_HOOKS,
			.hooks = 1,
			.position = (uint64_t)i * PAYLOAD,
			.first = 1000 + i,
			.last = 1000 + i};

		put_plain(&payload, 1000 + i, 7, i);
		uint32_t at = (uint32_t)payload.n;
		uint8_t *pad = calloc(1, PAYLOAD - at);
		end_record(pad, PAYLOAD - at);
		for (unsigned k = 0; i == 0 && k < n; k++) {
			uint8_t *fake = pad + 8 + TF_SECTION_SIZE * k;

			put_le32(fake, TF_SECTION_MAGIC);
			put_le16(fake + TF_S_TYPE, TF_TYPE_HOOKS);
			put_le32(fake + TF_S_STORED, stored - step * k);
			put_le32(fake + TF_S_RAW, stored - step * k);
			put_le64(fake + TF_S_CHECKSUM, k);
		}
		bytes_put(&payload, pad, PAYLOAD - at);
		free(pad);
		put_section(file, &s, &payload);
		payload.n = 0;
	}
	put_end(file);
	bytes_free(&payload);
}

static void set_checks(struct bytes *file)
{
	put_le32(file->p + TF_H_FLAGS, TF_FLAG_CHECKS);
	seal_header(file->p);
	for (size_t at = TF_HEADER_SIZE; at < file->n;) {
		uint8_t *h = file->p + at;
		size_t stored = get_le32(h + TF_S_STORED);
		XXH3_state_t *state = XXH3_createState();

		h[TF_S_CHECK] = tf_section_check(file->p + TF_H_TRACE_ID, h);
		XXH3_64bits_reset(state);
		XXH3_64bits_update(state, h, TF_S_CHECKSUM);
		XXH3_64bits_update(state, h + TF_SECTION_SIZE, stored);
		put_le64(h + TF_S_CHECKSUM, XXH3_64bits_digest(state));
		XXH3_freeState(state);
		at += TF_SECTION_SIZE + ((stored + 7) & ~(size_t)7);
	}
}

/* Flips a bit of the first section, and reads. */
static void expect_others(struct bytes *file)
{
	struct hook_counts counts;

	file->p[TF_HEADER_SIZE + TF_S_STORED + 2] ^= 0x40;
	struct trace *t = opened(file);
	ck_assert_uint_eq(read_hooks(t, &counts), SECTIONS - 1);
	ck_assert(trace_file(t, 0)->has_end);
	trace_free(t);
	bytes_free(file);
}

static uint32_t rest_of(void)
{
	return (SECTIONS - 1) * (PAYLOAD + TF_SECTION_SIZE);
}

START_TEST(twelve_headers_that_lead_nowhere)
{
	struct bytes file = {0};

	build_pads(&file, 12, rest_of(), 1000);
	seal_header(file.p);
	expect_others(&file);
}
END_TEST

START_TEST(hundreds_of_headers_that_lead_nowhere)
{
	struct bytes file = {0};

	build_pads(&file, MOST_FAKES, rest_of() - 8, 72);
	seal_header(file.p);
	expect_others(&file);
}
END_TEST

/* Each leads to the END section, as far as a header's bytes tell. */
START_TEST(hundreds_of_headers_that_lead_to_the_end)
{
	struct bytes file = {0};
	uint32_t first = TF_HEADER_SIZE + TF_SECTION_SIZE + 32 + 8 + TF_SECTION_SIZE;
	uint32_t end = TF_HEADER_SIZE + SECTIONS * (PAYLOAD + TF_SECTION_SIZE);

	build_pads(&file, MOST_FAKES, end - first, TF_SECTION_SIZE);
	set_checks(&file);
	expect_others(&file);
}
END_TEST

START_TEST(hundreds_of_headers_without_their_check)
{
	struct bytes file = {0};

	build_pads(&file, MOST_FAKES, PAYLOAD - 8, 0);
	set_checks(&file);
	expect_others(&file);
}
END_TEST

/* Inserted bytes move sections: they are found all the same. */
START_TEST(checks_hold_where_sections_moved)
{
	static const uint8_t inserted[16] = "SWTS, inserted";

	build_pads(&built, 0, 0, 0);
	set_checks(&built);
	bytes_put(&built, inserted, sizeof inserted);
	memmove(built.p + TF_HEADER_SIZE + sizeof inserted, built.p + TF_HEADER_SIZE,
		built.n - TF_HEADER_SIZE - sizeof inserted);
	memcpy(built.p + TF_HEADER_SIZE, inserted, sizeof inserted);
	struct hook_counts counts;
	struct trace *t = opened(&built);
	ck_assert_uint_eq(read_hooks(t, &counts), SECTIONS);
	trace_free(t);
}
END_TEST

BUILT_MAIN("salvage", twelve_headers_that_lead_nowhere, hundreds_of_headers_that_lead_nowhere,
	hundreds_of_headers_that_lead_to_the_end, hundreds_of_headers_without_their_check,
	checks_hold_where_sections_moved)
