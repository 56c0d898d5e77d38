/* NRM2 files: complete, split, truncated, damaged and hostile. */
#define XXH_INLINE_ALL
#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../decoder/model/intervals/set.h"
#include "../../formats/nrm2_encode.h"
#include "../../include/cpidecode.h"
#include "../lib/sanitized.h"
#include "built.h"

/* ------------------------------------------------------------- building files */

/* Numbers here are the layout's, written down once more. */
static void put_int(struct bytes *b, bool big, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));

		bytes_put(b, &byte, 1);
	}
}

static void put_original_hook(
	struct bytes *b, bool big, uint32_t minor, uint64_t stamp, const char *string)
{
	size_t n = string ? strlen(string) : 0, padded = (n + 7) & ~(size_t)7;

	put_int(b, big, string ? (16 + 8 + 16 + 8 + padded) | 2 : 16 + 16, 2);
	put_int(b, big, 0x77, 2);
	put_int(b, big, minor, 4);
	put_int(b, big, stamp, 8);
	if (string)
		put_int(b, big, 2, 8);
	put_int(b, big, minor, 8);
	put_int(b, big, UINT64_C(0x123456789A), 8);
	if (string) {
		put_int(b, big, n, 8);
		bytes_put(b, string, n);
		bytes_put(b, "\0\0\0\0\0\0\0", padded - n);
	}
}

static void put_original_section(
	struct bytes *b, bool big, uint32_t cpu, const void *data, size_t n)
{
	size_t start = b->n;

	bytes_put(b, "NRM2", 4);
	put_int(b, big, 0x04030201, 4);
	put_int(b, big, 0x0A, 4);
	put_int(b, big, 512, 4);
	put_int(b, big, n, 4);
	put_int(b, big, 0, 4);
	put_int(b, big, cpu, 4);
	while (b->n - start < 116)
		bytes_put(b, "", 1);
	put_int(b, big, 2, 4);
	while (b->n - start < 512)
		bytes_put(b, "", 1);
	if (n)
		bytes_put(b, data, n);
}

/* Two processors; processor 1's last hook is in two sections. */
static void put_original(struct bytes *file, bool big)
{
	struct bytes d = {0};

	for (uint32_t i = 1; i <= 5; i++)
		put_original_hook(&d, big, i, 1000 + i, i % 2 ? NULL : "a string");
	put_original_section(file, big, 0, d.p, d.n);
	put_original_section(file, big, 1, d.p, d.n - 20);
	put_original_section(file, big, 0, NULL, 0);
	put_original_section(file, big, 1, d.p + d.n - 20, 20);
	bytes_free(&d);
}

static void put_own_section(struct bytes *file, const struct nrm2_file *f, struct nrm2_section *s)
{
	uint8_t header[NRM2_HEADER_SIZE];

	nrm2_put_header(header, f, s);
	bytes_put(file, header, sizeof header);
	bytes_put(file, s->data, s->used);
	nrm2_section_emptied(s);
}

static void add_own_hook(struct nrm2_section *s, uint32_t tid, uint32_t minor, uint64_t stamp)
{
	uint8_t words[8], string[8] = {3, 0, 0, 0, 'a', 'b', 'c', 0};
	struct nrm2_hook_data h = {.major = 0x77,
		.minor = minor,
		.stamp = stamp,
		.nwords = 2,
		.nstrings = 1,
		.words = words,
		.strings = string};

	put_le32(words, minor);
	put_le32(words + 4, 7);
	nrm2_add(s, &h, nrm2_hook_bytes(&h), tid, stamp);
}

enum { OWN_HOOKS = 5 };

/* A file as this toolkit writes it: a table, three sections, a ledger. */
static void put_own(struct bytes *file)
{
	static uint8_t data[NRM2_SECTION_ROOM];
	struct nrm2_file f = {.cpus = 2, .clock = 1, .ticks_per_second = 1000000000};
	struct nrm2_section s = {.data = data, .type = NRM2_TYPE_TABLE};
	uint64_t ids[] = {8, 7}, sync[] = {5000000000, 1000};

	memset(f.trace_id, 9, sizeof f.trace_id);
	nrm2_add_table(&s, NRM2_SYSINFO, NRM2_SYNC, 1000, sync, 2, NULL, 0);
	nrm2_add_table(&s, NRM2_SYSINFO, NRM2_META, 0, NULL, 0, "mode: wrap", 10);
	nrm2_add_table(&s, NRM2_MODULE_TABLE, NRM2_PID_NAME, 0, ids, 2, "worker", 6);
	put_own_section(file, &f, &s);
	s.type = NRM2_TYPE_TRACE;
	add_own_hook(&s, 8, 1, 1001);
	add_own_hook(&s, 8, 2, 1002);
	add_own_hook(&s, 9, 3, 1003);
	put_own_section(file, &f, &s);
	s.cpu = s.ring = 1;
	add_own_hook(&s, 8, 4, 1004);
	put_own_section(file, &f, &s);
	add_own_hook(&s, 8, 5, 1005);
	s.has_loss = true;
	s.loss[0] = 3;
	s.lost = 3;
	put_own_section(file, &f, &s);
}

/* Each byte is changed in 3 ways. With a sanitizer 3 of 4 bytes are, each in one of these. */
enum { CHANGE_STEP = SANITIZED ? 4 : 1 };

/* ------------------------------------------------------------------- reading */

struct seen {
	uint64_t hooks, minors; /* a sum that tells them apart */
	uint64_t damage, damaged_bytes;
	bool header_ok;
};

static int read_bytes(const struct bytes *b, struct seen *seen)
{
	struct trace *t;
	struct interval_set set = {0};
	const struct interval_stream_options options = {
		.from_ns = INT64_MIN, .wants = WANT_ALL, .threads = 1};

	*seen = (struct seen){0};
	ck_assert_int_eq(trace_new(&t), 0);
	int rc = trace_add_memory(t, b->p, b->n, "m");
	if (!rc) {
		struct hook_iter *it;
		const struct hook *h;
		const struct trace_file *f = trace_file(t, 0);
		struct hook_counts counts;

		ck_assert_int_eq(hook_iter_open(t, &it), 0);
		while (hook_iter_next(it, &h) > 0) {
			seen->hooks++;
			seen->minors += UINT64_C(1) << 8 * (h->minor & 7);
		}
		hook_iter_counts(it, &counts);
		/* The trace.bin in between is always whole. */
		ck_assert_uint_eq(counts.malformed + counts.bad_sections + counts.torn, 0);
		hook_iter_close(it);
		ck_assert_int_eq(interval_set_read(&set, t, &options), 0);
		interval_set_free(&set);
		seen->damage = f->ndamage + f->damage_untold;
		seen->damaged_bytes = f->damaged_bytes;
		ck_assert_uint_eq(f->bytes, b->n);
		for (size_t i = 0; i < f->ndamage; i++)
			ck_assert_uint_le(f->damage[i].offset + f->damage[i].bytes, b->n);
	}
	trace_free(t);
	return rc;
}

/* A copy of its own, so that a byte too far is seen. */
static int read_cut(const struct bytes *b, size_t n, struct seen *seen)
{
	struct bytes cut = {0};

	bytes_put(&cut, b->p, n);
	cut.p = realloc(cut.p, n ? n : 1);
	int rc = read_bytes(&cut, seen);
	bytes_free(&cut);
	return rc;
}

static int cut_code(size_t n)
{
	return n == 0	 ? CPIDECODE_EEMPTY
	       : n < 8	 ? CPIDECODE_ENOTTRACE
	       : n < 512 ? CPIDECODE_ETRUNCATED
			 : 0;
}

START_TEST(both_byte_orders_say_the_same)
{
	for (int big = 0; big < 2; big++) {
		struct bytes b = {0};
		struct seen seen;

		put_original(&b, big);
		ck_assert_int_eq(read_bytes(&b, &seen), 0);
		ck_assert_uint_eq(seen.hooks, 10);
		ck_assert_uint_eq(seen.minors, UINT64_C(0x020202020200));
		ck_assert_uint_eq(seen.damage, 0);
		bytes_free(&b);
	}
}
END_TEST

START_TEST(a_hook_may_be_split_anywhere)
{
	for (int big = 0; big < 2; big++) {
		struct bytes d = {0};

		for (uint32_t i = 1; i <= 3; i++)
			put_original_hook(&d, big, i, 1000 + i, i == 2 ? "123456789" : NULL);
		for (size_t cut = 0; cut <= d.n; cut++) {
			for (size_t second = 0; second < 3; second++) {
				struct bytes b = {0};
				struct seen seen;
				size_t middle = cut + 7 * second < d.n ? 7 * second : 0;

				put_original_section(&b, big, 3, d.p, cut);
				put_original_section(&b, big, 3, d.p + cut, middle);
				put_original_section(
					&b, big, 3, d.p + cut + middle, d.n - cut - middle);
				ck_assert_int_eq(read_bytes(&b, &seen), 0);
				ck_assert_uint_eq(seen.hooks, 3);
				ck_assert_uint_eq(seen.minors, 0x01010100);
				ck_assert_uint_eq(seen.damage, 0);
				bytes_free(&b);
			}
		}
		bytes_free(&d);
	}
}
END_TEST

START_TEST(every_truncation_of_an_original)
{
	put_original(&built, true);
	for (size_t n = 0; n < built.n; n++) {
		struct seen seen;
		int rc = read_cut(&built, n, &seen);

		ck_assert_int_eq(rc, cut_code(n));
		ck_assert_uint_le(seen.hooks, 10);
	}
}
END_TEST

START_TEST(every_truncation_of_our_own)
{
	struct seen seen;

	put_own(&built);
	ck_assert_int_eq(read_bytes(&built, &seen), 0);
	ck_assert_uint_eq(seen.hooks, OWN_HOOKS);
	ck_assert_uint_eq(seen.damage, 0);
	for (size_t n = 0; n < built.n; n++) {
		size_t whole = 0, next = 0;
		uint64_t hooks = 0;
		int rc = read_cut(&built, n, &seen);

		ck_assert_int_eq(rc, cut_code(n));
		/* All complete sections and nothing else; the cut part is reported to the byte. */
		for (unsigned i = 0; next <= n; i++) {
			static const uint8_t in[] = {0, 3, 1, 1};

			whole = next;
			hooks += i ? in[i - 1] : 0;
			next = whole + 512 + get_le32(built.p + whole + NRM2_H_DATA_SIZE);
		}
		ck_assert_uint_eq(seen.hooks, rc ? 0 : hooks);
		ck_assert_uint_eq(seen.damaged_bytes, rc ? 0 : n - whole);
	}
}
END_TEST

START_TEST(every_byte_of_an_original_changed)
{
	static const uint8_t with[] = {0x01, 0x80, 0xff};

	for (int big = 0; big < 2; big++) {
		struct bytes b = {0};

		put_original(&b, big);
		for (size_t i = 0; i < 3 * b.n; i += CHANGE_STEP) {
			struct seen seen;

			b.p[i / 3] ^= with[i % 3];
			int rc = read_bytes(&b, &seen);
			ck_assert(rc == 0 || (rc == CPIDECODE_ENOTTRACE && i / 3 < 8));
			ck_assert_uint_le(seen.hooks, 12);
			/* The other processor's section is not touched. */
			if (!rc)
				ck_assert_uint_ge(seen.hooks, 4);
			b.p[i / 3] ^= with[i % 3];
		}
		bytes_free(&b);
	}
}
END_TEST

START_TEST(every_byte_of_our_own_changed_is_noticed)
{
	static const uint8_t with[] = {0x01, 0x80, 0xff};

	put_own(&built);
	for (size_t i = 0; i < 3 * built.n; i += CHANGE_STEP) {
		struct seen seen;

		built.p[i / 3] ^= with[i % 3];
		int rc = read_bytes(&built, &seen);
		ck_assert(rc == 0 || (rc == CPIDECODE_ENOTTRACE && i / 3 < 8));
		/* One section is given up, at most three hooks; none is other than it was. */
		if (!rc) {
			ck_assert_uint_ge(seen.damage, 1);
			ck_assert_uint_ge(seen.hooks, OWN_HOOKS - 3);
			ck_assert_uint_le(seen.hooks, OWN_HOOKS);
		}
		built.p[i / 3] ^= with[i % 3];
	}
}
END_TEST

/* ------------------------------------------------------------------- hostile */

START_TEST(a_file_of_false_headers_is_passed_quickly)
{
	struct seen seen;

	put_original(&built, false);
	for (int i = 0; i < 1 << 18; i++)
		bytes_put(&built, i % 2 ? "NRM2" : "\x01\x02\x03\x04", 4);
	ck_assert_int_eq(read_bytes(&built, &seen), 0);
	ck_assert_uint_eq(seen.hooks, 10);
	ck_assert_uint_eq(seen.damaged_bytes, 4 << 18);
}
END_TEST

/* Headers of hooks wherever one looks, none of which leads on. */
START_TEST(a_section_of_false_hooks_is_passed_quickly)
{
	struct bytes d = {0}, b = {0};
	struct seen seen;

	bytes_put(&d, "\x05\0\x01\0", 4);
	for (int i = 0; i < 1 << 18; i++)
		bytes_put(&d, i % 3 ? "\xf0\xff\x77\0" : "\xf2\xff\x77\0", 4);
	put_original_section(&b, false, 0, d.p, d.n);
	put_original(&b, false);
	ck_assert_int_eq(read_bytes(&b, &seen), 0);
	ck_assert_uint_ge(seen.damage, 1);
	ck_assert_uint_ge(seen.hooks, 8);
	bytes_free(&d);
	bytes_free(&b);
}
END_TEST

START_TEST(impossible_processors_are_reported)
{
	enum { MOST = 16384, CPUS = MOST + 3 };
	struct bytes d = {0}, b = {0};
	struct seen seen;

	put_original_hook(&d, false, 1, 1, NULL);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		put_original_section(&b, false, cpu, d.p, d.n);
	ck_assert_int_eq(read_bytes(&b, &seen), 0);
	ck_assert_uint_eq(seen.hooks, MOST);
	ck_assert_uint_eq(seen.damage, CPUS - MOST);
	bytes_free(&d);
	bytes_free(&b);
}
END_TEST

/* Behind checksums that hold. */
START_TEST(our_own_sections_may_be_hostile_inside)
{
	static uint8_t data[NRM2_SECTION_ROOM];
	struct nrm2_file f = {.cpus = 1, .clock = 1, .ticks_per_second = 1000000000};

	for (unsigned at = 0; at < 80; at++) {
		static const uint8_t with[] = {0x01, 0x02, 0x80, 0xff};

		for (unsigned j = 0; j < sizeof with; j++) {
			struct nrm2_section s = {
				.data = data, .type = at % 2 ? NRM2_TYPE_TABLE : NRM2_TYPE_TRACE};
			struct bytes b = {0};
			struct seen seen;

			add_own_hook(&s, 8, 1, 1001);
			add_own_hook(&s, 8, 2, 1002);
			data[at] ^= with[j];
			put_own_section(&b, &f, &s);
			ck_assert_int_eq(read_bytes(&b, &seen), 0);
			bytes_free(&b);
		}
	}
}
END_TEST

START_TEST(pipes_and_descriptors_are_read_alike)
{
	char name[] = "/tmp/test_nrm2.XXXXXX";
	int file = mkstemp(name), ends[2];

	put_own(&built);
	ck_assert_int_ge(file, 0);
	unlink(name);
	ck_assert_int_eq(write(file, "junk", 4), 4);
	ck_assert_int_eq(write(file, built.p, built.n), (ssize_t)built.n);
	ck_assert_int_eq(lseek(file, 4, SEEK_SET), 4);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], built.p, built.n), (ssize_t)built.n);
	close(ends[1]);
	for (int i = 0; i < 2; i++) {
		struct trace *t;

		ck_assert_int_eq(trace_new(&t), 0);
		ck_assert_int_eq(trace_add_fd(t, i ? ends[0] : file, "fd"), 0);
		ck_assert_uint_eq(trace_file(t, 0)->hooks, OWN_HOOKS);
		ck_assert_uint_eq(trace_file(t, 0)->bytes, built.n);
		ck_assert_str_eq(trace_meta_value(trace_file(t, 0), "mode"), "wrap");
		ck_assert_str_eq(trace_task(t, 0, 8, 1001)->name, "worker");
		trace_free(t);
	}
	/* The descriptor was borrowed. */
	ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
	close(file);
	close(ends[0]);
}
END_TEST

BUILT_MAIN("nrm2", both_byte_orders_say_the_same, a_hook_may_be_split_anywhere,
	every_truncation_of_an_original, every_truncation_of_our_own,
	every_byte_of_an_original_changed, every_byte_of_our_own_changed_is_noticed,
	a_file_of_false_headers_is_passed_quickly, a_section_of_false_hooks_is_passed_quickly,
	impossible_processors_are_reported, our_own_sections_may_be_hostile_inside,
	pipes_and_descriptors_are_read_alike)
