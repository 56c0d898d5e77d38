/* Flame graphs made without sorting are those that are made with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/report/flame/backward.h"
#include "../../include/cpidecode.h"
#include "../lib/trace_build.h"
#include "compare.h"
#include "../lib/suites.h"

enum { FILES = 3, RINGS = 3 };

/* What a population may have. */
enum {
	OVERLAPS = 1,	/* intervals that begin at any time, not nested on purpose */
	GOES_BACK = 2,	/* stamps of a ring */
	UNMEASURED = 4, /* no instructions in some */
	BIG = 8,	/* several blocks of a log */
};

static const char *const labels[] = {"a", "b", "a;b", "a\\x3bb", "", "minor 0x00", "outer",
	"tab\there", "\xff", "a longer name of a frame", "a longer name of another"};

static void put_group(struct bytes *b, uint64_t *seed, uint64_t end, unsigned kinds)
{
	uint32_t tid = 1 + next(seed) % 3;
	uint64_t elapsed = next(seed) % 8 * 8;

	if (kinds & OVERLAPS)
		elapsed = next(seed) % 3 ? next(seed) % 400 : 0;
	else if (next(seed) % 8 == 0)
		elapsed = end - next(seed) % 3; /* nearly everything */
	if (next(seed) % 4)
		put_label(b, end, tid, 0, false, elapsed,
			labels[next(seed) % (sizeof labels / sizeof *labels)]);
	uint64_t instructions = kinds & UNMEASURED && next(seed) % 4 == 0 ? 0 : next(seed) % 50;
	if (!(kinds & UNMEASURED) || next(seed) % 2)
		put_thread(b, end, tid, 0, elapsed, instructions, 100);
}

static void put_random(struct bytes *file, uint64_t *seed, uint8_t machine, unsigned kinds)
{
	struct bytes tasks = {0};
	struct section about = {.type = TF_TYPE_TASKS};

	put_header(file, machine);
	put_task(&tasks, 1, 1, 0, "first");
	put_task(&tasks, 1, 1, 200, "second");
	put_task(&tasks, 2, 1, 0, "first");
	put_section(file, &about, &tasks);
	bytes_free(&tasks);
	for (uint32_t ring = 0; ring < RINGS; ring++) {
		uint64_t position = 0, end = 1 + next(seed) % 50;

		for (unsigned section = 0; section < 3; section++) {
			struct bytes records = {0};
			unsigned n = kinds & BIG ? 2500 : next(seed) % 20;

			while (n-- > 0) {
				put_group(&records, seed, end, kinds);
				end += next(seed) % 3 ? next(seed) % 6 * 8 : 0;
				if (kinds & GOES_BACK && end > 100 && next(seed) % 8 == 0)
					end -= 40;
			}
			size_t bytes = records.n;
			put_hooks(file, ring, position, TF_CODEC_NONE, &records);
			position += bytes;
			bytes_free(&records);
		}
	}
	put_end(file);
}

struct population {
	struct bytes files[FILES];
	struct trace *t;
	size_t n;
};

static void make(
	struct population *p, uint64_t seed, size_t files, unsigned machines, unsigned kinds)
{
	*p = (struct population){.n = files};
	ck_assert_int_eq(trace_new(&p->t), 0);
	for (size_t i = 0; i < p->n; i++) {
		put_random(&p->files[i], &seed, (uint8_t)(1 + i % machines), kinds);
		ck_assert_int_eq(trace_add_memory(p->t, p->files[i].p, p->files[i].n, "memory"), 0);
	}
}

static void unmake(struct population *p)
{
	trace_free(p->t);
	for (size_t i = 0; i < p->n; i++)
		bytes_free(&p->files[i]);
}

struct result {
	struct out out;
	char note[256];
};

static void take_note(void *ctx, const char *line)
{
	struct result *result = ctx;

	strncpy(result->note, line, sizeof result->note - 1);
}

/* sorted: by a filter that leaves nothing out, but might. */
static void run(const struct population *p, enum report_format format, enum report_weight weight,
	unsigned threads, bool sorted, struct result *result)
{
	struct filter filter;
	struct findings found = {0};

	*result = (struct result){0};
	out_memory(&result->out);
	filter_init(&filter);
	if (sorted)
		filter.from++;
	struct report r = {.out = &result->out,
		.format = format,
		.weight = weight,
		.filter = &filter,
		.threads = threads,
		.found = &found,
		.note = take_note,
		.ctx = result};
	report_about(&r, p->t);
	ck_assert_int_eq(report_run(&r, REPORT_FLAME), 0);
	ck_assert_int_eq(result->out.error, 0);
	uint64_t hooks = 0;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < RINGS; k++)
			if (findings_ring(&found, i, k))
				hooks += findings_ring(&found, i, k)->hooks;
	ck_assert_uint_eq(found.total.hooks, hooks);
	findings_free(&found);
}

static void compare(const struct population *p)
{
	for (unsigned i = 0; i < 16; i++) {
		enum report_format format = i % 2 ? FORMAT_SVG : FORMAT_FOLDED;
		enum report_weight weight = (enum report_weight)(i / 2 % 4);
		struct result logged, sorted;

		run(p, format, weight, 1 + i / 8 * 2, false, &logged);
		run(p, format, weight, 1, true, &sorted);
		ck_assert_uint_eq(logged.out.len, sorted.out.len);
		if (sorted.out.len)
			ck_assert_mem_eq(logged.out.buf, sorted.out.buf, sorted.out.len);
		ck_assert_str_eq(logged.note, sorted.note);
		out_discard(&logged.out);
		out_discard(&sorted.out);
	}
}

/* Does the log stand for the trace? If so, and o is not NULL, its lines. */
static int log_of(
	const struct population *p, enum report_weight weight, size_t budget, struct out *o)
{
	struct report r = {.format = FORMAT_FOLDED, .weight = weight, .threads = 1};
	struct flame_log log = {.r = &r, .budget = budget};
	struct flame_tree tree = {0};

	report_about(&r, p->t);
	ck_assert_int_eq(flame_tree_begin(&tree, false), 0);
	int rc = flame_log_write(&log, WANT_START | WANT_SYSTEM | WANT_THREAD, NULL);
	if (!rc)
		rc = flame_backward(&log, &tree);
	if (!rc && o) {
		struct pages frames = {0};

		ck_assert_int_eq(flame_lines(&tree, &frames), 0);
		ck_assert_int_eq(flame_folded(o, frames.at, &(uint64_t){0}), 0);
		pages_free(&frames);
	}
	flame_log_free(&log);
	flame_tree_free(&tree);
	ck_assert_int_ge(rc, 0);
	return rc;
}

static void compare_many(uint64_t from, size_t files, unsigned machines, unsigned kinds)
{
	for (uint64_t seed = from; seed < from + 12; seed++) {
		struct population p;

		make(&p, seed, files, machines, kinds);
		compare(&p);
		unmake(&p);
	}
}

START_TEST(one_file)
{
	struct population p;

	make(&p, 7, 1, 1, 0);
	ck_assert_int_eq(log_of(&p, WEIGHT_CYCLES, 0, NULL), 0);
	unmake(&p);
	compare_many(1, 1, 1, 0);
}
END_TEST

START_TEST(overlaps)
{
	struct population p;

	make(&p, 7, 1, 1, OVERLAPS);
	ck_assert_int_eq(log_of(&p, WEIGHT_CYCLES, 0, NULL), 0);
	unmake(&p);
	compare_many(100, 1, 1, OVERLAPS);
}
END_TEST

START_TEST(several_files_of_one_machine)
{
	compare_many(200, 2, 1, OVERLAPS);
	compare_many(300, 3, 1, 0);
}
END_TEST

START_TEST(several_machines)
{
	compare_many(400, 3, 2, 0);
	compare_many(500, 3, 3, OVERLAPS);
}
END_TEST

/* The log's lines are those of the sorted intervals. */
static void expect_sorted(const struct population *p, size_t budget)
{
	struct result sorted;
	struct out o;

	run(p, FORMAT_FOLDED, WEIGHT_CYCLES, 1, true, &sorted);
	out_memory(&o);
	ck_assert_int_eq(log_of(p, WEIGHT_CYCLES, budget, &o), 0);
	ck_assert_uint_eq(o.len, sorted.out.len);
	ck_assert_mem_eq(o.buf, sorted.out.buf, o.len);
	out_discard(&o);
	out_discard(&sorted.out);
}

START_TEST(many_in_memory_and_in_a_file)
{
	struct population p;

	make(&p, 3, 1, 1, BIG);
	expect_sorted(&p, 0);
	expect_sorted(&p, 1);
	unmake(&p);
}
END_TEST

START_TEST(stamps_that_go_back_are_sorted)
{
	struct population p;

	make(&p, 7, 1, 1, GOES_BACK);
	ck_assert_int_eq(log_of(&p, WEIGHT_CYCLES, 0, NULL), 1);
	unmake(&p);
	compare_many(600, 2, 2, GOES_BACK);
}
END_TEST

START_TEST(what_was_not_measured_is_sorted)
{
	struct population p;

	make(&p, 7, 1, 1, UNMEASURED);
	ck_assert_int_eq(log_of(&p, WEIGHT_CYCLES, 0, NULL), 0);
	ck_assert_int_eq(log_of(&p, WEIGHT_THREAD_CYCLES, 0, NULL), 1);
	unmake(&p);
	compare_many(700, 1, 1, UNMEASURED | OVERLAPS);
}
END_TEST

/* Each begins and ends a little before the next one, and all overlap. */
START_TEST(too_many_that_overlap_are_sorted)
{
	enum { N = 5000 };
	struct population p = {.n = 1};
	struct bytes records = {0};

	put_header(&p.files[0], 1);
	for (unsigned i = 1; i <= N; i++)
		put_thread(&records, N + i, 1, 0, N, 5, 5);
	put_hooks(&p.files[0], 0, 0, TF_CODEC_NONE, &records);
	bytes_free(&records);
	ck_assert_int_eq(trace_new(&p.t), 0);
	ck_assert_int_eq(trace_add_memory(p.t, p.files[0].p, p.files[0].n, "m"), 0);
	ck_assert_int_eq(log_of(&p, WEIGHT_CYCLES, 0, NULL), 1);
	unmake(&p);
}
END_TEST

/* So many that they are not looked up any more; then some again, and some that are long. */
START_TEST(names_that_are_nearly_all_new)
{
	enum { NEW = 36000, AGAIN = 2000, LONG = 256 };
	struct population p = {.n = 1};
	struct bytes records = {0};
	uint64_t position[RINGS] = {0};

	put_header(&p.files[0], 1);
	for (unsigned i = 0; i < NEW + AGAIN; i++) {
		char name[LONG + 1];

		memset(name, 'x', sizeof name);
		name[LONG - i % 4] = '\0';
		if (i < NEW || i % 3)
			snprintf(name, sizeof name, "r;%u", i < NEW ? i : i % 5);
		put_label(&records, 1000 + 3 * i, 1 + i % 2, 0, false, i % 7, name);
		if (i % 1000 < 999)
			continue;
		uint32_t ring = i / 1000 % RINGS;
		size_t bytes = records.n;
		put_hooks(&p.files[0], ring, position[ring], TF_CODEC_NONE, &records);
		position[ring] += bytes;
	}
	bytes_free(&records);
	ck_assert_int_eq(trace_new(&p.t), 0);
	ck_assert_int_eq(trace_add_memory(p.t, p.files[0].p, p.files[0].n, "m"), 0);
	expect_sorted(&p, 0);
	unmake(&p);
}
END_TEST

START_TEST(a_name_that_was_appended_often_is_found_as_one)
{
	enum { OFTEN = 1000, OTHERS = 3000 };
	struct flame_names names = {0};

	ck_assert_uint_ne(flame_names_add(&names, "first", 5), 0);
	uint32_t one = flame_names_append(&names, "again", 5);
	for (unsigned i = 1; i < OFTEN; i++)
		ck_assert_uint_ne(flame_names_append(&names, "again", 5), 0);
	for (unsigned i = 0; i < OTHERS; i++)
		ck_assert_uint_ne(flame_names_add(&names, (char *)&i, sizeof i), 0);
	ck_assert_uint_eq(names.slots.count, 1 + 1 + OTHERS);
	ck_assert_uint_eq(flame_names_add(&names, "again", 5), one);
	flame_names_free(&names);
}
END_TEST

SUITE_MAIN("flame", one_file, overlaps, several_files_of_one_machine, several_machines,
	many_in_memory_and_in_a_file, stamps_that_go_back_are_sorted,
	what_was_not_measured_is_sorted, too_many_that_overlap_are_sorted,
	names_that_are_nearly_all_new, a_name_that_was_appended_often_is_found_as_one)
