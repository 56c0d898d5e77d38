/*
 * Files that are opened by their section headers alone: what is recovered, what is told, and
 * that many sections, or sections that lie, cost neither order nor memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../decoder/model/trace/directory.h"
#include "../../decoder/model/trace/limits.h"
#include "../../decoder/model/trace/tasks.h"
#include "../../include/cpidecode.h"
#include "open.h"
#include "built.h"

static struct trace *open_how(const struct bytes *b, enum trace_verify how)
{
	struct trace *t;

	ck_assert_int_eq(trace_new(&t), 0);
	trace_set_verify(t, how);
	ck_assert_int_eq(trace_add_memory(t, b->p, b->n, "memory"), 0);
	return t;
}

/* The minors of the hooks stamped from..to, each a bit; in order of time. */
static uint64_t read_minors(
	const struct trace *t, uint64_t from, uint64_t to, struct hook_damage *d, size_t *nd)
{
	struct hook_iter *it;
	const struct hook *h;
	const struct hook_damage *damage;
	uint64_t bits = 0;
	int rc;

	ck_assert_int_eq(hook_iter_open(t, &it), 0);
	hook_iter_range(it, trace_time(trace_file(t, 0), from), trace_time(trace_file(t, 0), to));
	while ((rc = hook_iter_next(it, &h)) > 0) {
		ck_assert_uint_lt(h->minor, 64);
		ck_assert_uint_eq(bits >> h->minor & 1, 0);
		bits |= UINT64_C(1) << h->minor;
	}
	ck_assert_int_eq(rc, 0);
	damage = hook_iter_damage(it, nd);
	if (*nd && d)
		*d = damage[0];
	hook_iter_close(it);
	return bits;
}

static uint64_t all_minors(const struct trace *t, struct hook_damage *d, size_t *nd)
{
	return read_minors(t, 1000, 1000000, d, nd);
}

/* A section of one hook: minor and stamp tell which. */
static size_t put_one_hook(struct bytes *b, uint32_t ring, uint64_t position, uint32_t minor)
{
	struct bytes r = {0};

	put_plain(&r, 1000 + 100 * minor, 1, minor);
	size_t at = put_hooks(b, ring, position, TF_CODEC_NONE, &r);
	bytes_free(&r);
	return at;
}

enum { ONE = 32 }; /* bytes of such a hook */

/* A trace of n such sections, of the rings in turn, a step apart from `start` on; at: their
 * offsets. */
static void put_ones(
	struct bytes *b, size_t *at, unsigned n, unsigned rings, uint64_t start, uint64_t step)
{
	put_header(b, 1);
	for (unsigned i = 0; i < n; i++)
		at[i] = put_one_hook(b, i % rings, start + step * i, i);
	put_end(b);
}

/* The section at `at` takes everything up to `to` for its payload. */
static void extend_payload(struct bytes *b, size_t at, size_t to)
{
	put_le32(b->p + at + TF_S_STORED, (uint32_t)(to - at - TF_SECTION_SIZE));
	put_le32(b->p + at + TF_S_RAW, (uint32_t)(to - at - TF_SECTION_SIZE));
}

START_TEST(swallowed_section_of_the_same_ring_is_recovered)
{
	/* The next header of the ring contradicts the wrong one. */
	size_t at[5], nd;

	put_ones(&built, at, 5, 1, 0, ONE);
	extend_payload(&built, at[1], at[3]);
	for (enum trace_verify how = VERIFY_ALL; how <= VERIFY_LATER; how++) {
		struct trace *t = open_how(&built, how);
		const struct trace_file *f = trace_file(t, 0);

		ck_assert_uint_eq(f->ndamage, 1);
		ck_assert_uint_eq(f->damage[0].offset, at[1]);
		ck_assert_uint_eq(f->damage[0].bytes, at[2] - at[1]);
		ck_assert_uint_eq(f->hooks, 4);
		ck_assert_uint_eq(all_minors(t, NULL, &nd), 0x1d);
		ck_assert_uint_eq(nd, 0);
		trace_free(t);
	}
}
END_TEST

/* Whether a damaged header's values are in a sum of a file opened by headers alone. */
static bool has_wrong_sums(const struct bytes *b, const struct trace_file *whole)
{
	struct trace *t = open_how(b, VERIFY_LATER);
	const struct trace_file *f = trace_file(t, 0);
	bool wrong = f->nrings != 1 || f->first < whole->first || f->last > whole->last ||
		     f->rings->position_first < whole->rings->position_first ||
		     f->rings->position_end > whole->rings->position_end;

	trace_free(t);
	return wrong;
}

START_TEST(damaged_headers_are_not_believed)
{
	size_t at[5];

	put_ones(&built, at, 5, 1, 4096, ONE);
	struct trace *whole = open_how(&built, VERIFY_ALL);
	for (unsigned i = 0; i < 5; i++) {
		for (size_t byte = at[i]; byte < at[i] + TF_SECTION_SIZE; byte++) {
			for (unsigned bit = 0; bit < 8; bit++) {
				built.p[byte] ^= 1u << bit;
				if (has_wrong_sums(&built, trace_file(whole, 0)))
					ck_abort_msg("section %u, byte %zu, bit %u", i,
						byte - at[i], bit);
				built.p[byte] ^= 1u << bit;
			}
		}
	}
	trace_free(whole);
}
END_TEST

START_TEST(last_section_of_a_ring_is_verified)
{
	/* Nothing follows that could contradict it, but END is inside of it. */
	size_t at[2], nd;

	put_ones(&built, at, 2, 1, 0, ONE);
	extend_payload(&built, at[1], built.n);
	struct trace *t = open_how(&built, VERIFY_LATER);
	const struct trace_file *f = trace_file(t, 0);
	ck_assert_uint_eq(f->ndamage, 1);
	ck_assert_uint_eq(f->damage[0].offset, at[1]);
	ck_assert_uint_eq(f->damage[0].bytes, built.n - TF_SECTION_SIZE - at[1]);
	ck_assert(f->has_end);
	ck_assert_uint_eq(all_minors(t, NULL, &nd), 0x1);
	trace_free(t);
}
END_TEST

START_TEST(unrecoverable_sections_are_reported)
{
	/* A section of ring 0 swallows one of ring 1, and no header contradicts that. */
	struct hook_damage d = {0};
	size_t at[6], nd;

	put_ones(&built, at, 6, 2, 0, 4096);
	extend_payload(&built, at[2], at[4]);
	struct trace *t = open_how(&built, VERIFY_LATER);
	ck_assert_uint_eq(trace_file(t, 0)->ndamage, 0);
	ck_assert_uint_eq(all_minors(t, &d, &nd), 0x33);
	ck_assert_uint_eq(nd, 1);
	ck_assert_uint_eq(d.offset, at[2]);
	ck_assert_uint_eq(d.bytes, at[4] - at[2] - TF_SECTION_SIZE);
	ck_assert_ptr_nonnull(strstr(d.why, "it contains complete sections"));
	trace_free(t);
	t = open_how(&built, VERIFY_ALL);
	ck_assert_uint_eq(trace_file(t, 0)->ndamage, 1);
	ck_assert_uint_eq(trace_file(t, 0)->damage[0].bytes, at[3] - at[2]);
	ck_assert_uint_eq(all_minors(t, NULL, &nd), 0x3b);
	ck_assert_uint_eq(nd, 0);
	trace_free(t);
}
END_TEST

START_TEST(range_reads_no_damage_outside_of_it)
{
	size_t at[8], nd;

	put_ones(&built, at, 8, 1, 0, ONE);
	built.p[at[4] + TF_SECTION_SIZE + 9] ^= 1;
	struct trace *t = open_how(&built, VERIFY_LATER);
	ck_assert_uint_eq(read_minors(t, 1150, 1350, NULL, &nd), 0x0c);
	ck_assert_uint_eq(nd, 0);
	ck_assert_uint_eq(read_minors(t, 1350, 1550, NULL, &nd), 0x20);
	ck_assert_uint_eq(nd, 1);
	trace_free(t);
}
END_TEST

/* A section whose header says another range than its hook's. */
static void put_false_range(struct bytes *b, uint64_t position, uint32_t minor, uint32_t hooks,
	uint64_t first, uint64_t last)
{
	struct bytes r = {0};
	struct section s = {.type = TF_TYPE_HOOKS,
		.position = position,
		.hooks = hooks,
		.first = first,
		.last = last};

	put_plain(&r, 1000 + 100 * minor, 1, minor);
	put_section(b, &s, &r);
	bytes_free(&r);
}

/* In whatever range: each of these minors if its stamp is in it, and no other of them. */
static void check_ranges(const struct trace *t, uint64_t of)
{
	size_t nd;

	for (uint32_t first = 0; first < 5; first++)
		for (uint32_t last = first; last < 5; last++)
			ck_assert_uint_eq(
				read_minors(t, 950 + 100 * first, 1050 + 100 * last, NULL, &nd) &
					of,
				((2u << last) - (1u << first)) & of);
}

START_TEST(headers_that_lie_about_stamps_lose_no_hook)
{
	static const struct {
		uint32_t hooks;
		uint64_t first, last;
	} lies[] = {{1, 0, 0}, {1, UINT64_MAX, UINT64_MAX}, {1, 0, UINT64_MAX}, {1, 5, 4},
		{0, 0, 0}, {0, 1200, 1200}, {1, UINT64_MAX, 0}, {1, 1250, 1260}};

	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		for (unsigned two = 0; two < 2; two++) {
			struct bytes b = {0};
			size_t nd;

			put_header(&b, 1);
			put_one_hook(&b, 0, 0, 0);
			put_one_hook(&b, 0, ONE, 1);
			put_false_range(&b, 2 * ONE, 2, lies[i].hooks, lies[i].first, lies[i].last);
			if (two)
				put_false_range(
					&b, 3 * ONE, 3, lies[i].hooks, lies[i].first, lies[i].last);
			else
				put_one_hook(&b, 0, 3 * ONE, 3);
			put_one_hook(&b, 0, 4 * ONE, 4);
			put_end(&b);
			struct trace *t = open_how(&b, VERIFY_LATER);
			check_ranges(t, two ? 0x13 : 0x1b);
			/* Reported, unless only its first stamp is wrong: that takes verifying. */
			ck_assert_uint_eq(all_minors(t, NULL, &nd), 0x1f);
			ck_assert_uint_le(nd, 1 + two);
			ck_assert_uint_eq(read_minors(t, 1050, 1150, NULL, &nd), 0x02);
			trace_free(t);
			bytes_free(&b);
		}
	}
}
END_TEST

/* So many that their directory leaves memory; with the rings' sections backwards. */
static void put_many_sections(struct bytes *b, unsigned n)
{
	struct bytes r = {0};

	put_header(b, 1);
	for (unsigned i = n; i-- > 0;) {
		put_plain(&r, 1000 + i, 1, i);
		put_hooks(b, i % 3, UINT64_C(40) * i, TF_CODEC_NONE, &r);
	}
	put_end(b);
	bytes_free(&r);
}

START_TEST(many_sections_wait_in_a_file)
{
	struct hook_iter *it;
	const struct hook *h;
	unsigned n = 100000, seen = 0;

	put_many_sections(&built, n);
	for (enum trace_verify how = VERIFY_ALL; how <= VERIFY_LATER; how++, seen = 0) {
		struct trace *t = open_how(&built, how);

		ck_assert_uint_eq(trace_file(t, 0)->hooks, n);
		ck_assert_int_eq(hook_iter_open(t, &it), 0);
		while (hook_iter_next(it, &h) > 0) {
			if (h->minor != seen)
				ck_abort_msg("hook %u is %u", seen, h->minor);
			seen++;
		}
		ck_assert_uint_eq(seen, n);
		hook_iter_close(it);
		ck_assert_int_eq(hook_iter_open(t, &it), 0);
		hook_iter_range(it, trace_time(trace_file(t, 0), 51000),
			trace_time(trace_file(t, 0), 51099));
		for (seen = 50000; hook_iter_next(it, &h) > 0; seen++)
			ck_assert_uint_eq(h->minor, seen);
		ck_assert_uint_eq(seen, 50100);
		hook_iter_close(it);
		trace_free(t);
	}
}
END_TEST

START_TEST(no_room_for_many_sections_is_an_error)
{
	struct trace *t;

	put_many_sections(&built, 100000);
	setenv("TMPDIR", "/nonexistent", 1);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "memory"), CPIDECODE_ESPOOL);
	ck_assert_uint_eq(trace_nfiles(t), 0);
	trace_free(t);
	unsetenv("TMPDIR");
}
END_TEST

START_TEST(too_many_rings_are_reported)
{
	struct hook_counts counts;

	put_header(&built, 1);
	for (unsigned i = 0; i < MAX_RINGS + 3; i++)
		put_one_hook(&built, i, 0, 0);
	put_end(&built);
	for (enum trace_verify how = VERIFY_ALL; how <= VERIFY_LATER; how++) {
		struct trace *t = open_how(&built, how);

		ck_assert_uint_eq(trace_file(t, 0)->nrings, MAX_RINGS);
		ck_assert_uint_eq(trace_file(t, 0)->ndamage, 3);
		ck_assert_uint_eq(read_hooks(t, &counts), MAX_RINGS);
		trace_free(t);
	}
}
END_TEST

/* Each good section is followed by a header that claims half of the file. */
START_TEST(false_starts_after_good_sections_do_not_cost_their_square)
{
	struct bytes none = {0};
	uint8_t h[TF_SECTION_SIZE] = {0};

	put_header(&built, 1);
	put_le32(h, TF_SECTION_MAGIC);
	put_le16(h + TF_S_TYPE, TF_TYPE_HOOKS);
	put_le32(h + TF_S_STORED, 4 << 20);
	put_le32(h + TF_S_RAW, 4 << 20);
	while (built.n < 8 << 20) {
		put_section(&built, &(struct section){.type = TF_TYPE_META}, &none);
		bytes_put(&built, h, sizeof h);
	}
	put_end(&built);
	alarm(60);
	for (enum trace_verify how = VERIFY_ALL; how <= VERIFY_LATER; how++) {
		struct trace *t = open_how(&built, how);
		const struct trace_file *f = trace_file(t, 0);

		ck_assert_uint_eq(f->damaged_bytes + f->sections * TF_SECTION_SIZE,
			f->bytes - TF_HEADER_SIZE);
		trace_free(t);
	}
	alarm(0);
}
END_TEST

START_TEST(many_threads_wait_in_a_file)
{
	struct bytes tasks = {0};
	struct trace *t;
	char name[16];
	unsigned n = 150000, wrong = 0;

	put_header(&built, 1);
	for (unsigned i = n; i-- > 0;) {
		snprintf(name, sizeof name, "t%u", i);
		put_task(&tasks, i / 2, 1, i % 2 * 1000, name);
	}
	put_section(&built, &(struct section){.type = TF_TYPE_TASKS}, &tasks);
	put_end(&built);
	/* A second file of the trace tells of the same threads. */
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "one"), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "two"), 0);
	for (unsigned i = 0; i < n; i++) {
		const struct task *task = trace_task(t, 0, i / 2, i % 2 * 1000 + 999);

		snprintf(name, sizeof name, "t%u", i);
		wrong += !task || strcmp(task->name, name);
	}
	ck_assert_uint_eq(wrong, 0);
	trace_free(t);
	setenv("TMPDIR", "/nonexistent", 1);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "memory"), CPIDECODE_ESPOOL);
	trace_free(t);
	unsetenv("TMPDIR");
	bytes_free(&tasks);
}
END_TEST

/* More than is kept of each type: the rest is damage, and the hooks are read. */
START_TEST(too_much_of_a_type_is_reported)
{
	static const struct {
		uint16_t type;
		uint8_t fill;
		unsigned bytes;
	} types[] = {{TF_TYPE_TASKS, 1, (TASKS_MAX + 1) * TF_TASK_SIZE},
		{TF_TYPE_CLOCK, 1, (MAX_SYNCS + 1) * TF_SYNC_SIZE},
		{TF_TYPE_META, 'x', MAX_META_BYTES + 1}, {TF_TYPE_META, '\n', MAX_META_BYTES + 1},
		{TF_TYPE_SCHEMA, '\n', MAX_SCHEMA_BYTES + 1}};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct bytes b = {0}, much = {0};
		struct hook_counts counts;

		put_header(&b, 1);
		much.n = much.cap = types[i].bytes;
		much.p = malloc(much.n);
		memset(much.p, types[i].fill, much.n);
		put_section(&b, &(struct section){.type = types[i].type, .codec = TF_CODEC_ZLIB},
			&much);
		put_one_hook(&b, 0, 0, 0);
		put_end(&b);
		struct trace *t = opened(&b);
		ck_assert_uint_eq(trace_file(t, 0)->ndamage, 1);
		ck_assert_uint_eq(trace_file(t, 0)->damage[0].offset, TF_HEADER_SIZE);
		ck_assert_uint_eq(read_hooks(t, &counts), 1);
		trace_free(t);
		bytes_free(&much);
		bytes_free(&b);
	}
}
END_TEST

BUILT_MAIN("lazy", damaged_headers_are_not_believed,
	swallowed_section_of_the_same_ring_is_recovered, last_section_of_a_ring_is_verified,
	unrecoverable_sections_are_reported, range_reads_no_damage_outside_of_it,
	headers_that_lie_about_stamps_lose_no_hook, many_sections_wait_in_a_file,
	no_room_for_many_sections_is_an_error, too_many_rings_are_reported,
	many_threads_wait_in_a_file, too_much_of_a_type_is_reported,
	false_starts_after_good_sections_do_not_cost_their_square)
