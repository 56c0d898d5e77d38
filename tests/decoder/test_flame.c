/* Folded stacks are those of a simple model; pictures are the same for any number of threads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/model/intervals/stream.h"
#include "../../decoder/report/flame/collect.h"
#include "../../decoder/report/report.h"
#include "../../decoder/sink/escapes.h"
#include "../../include/cpidecode.h"
#include "../lib/trace_build.h"
#include "compare.h"
#include "open.h"
#include "../lib/suites.h"

enum { RINGS = 3 };

/* Variants of a generated trace. */
enum {
	OVERLAPS = 1,	/* intervals that begin at any time, not nested on purpose */
	GOES_BACK = 2,	/* stamps of a ring */
	UNMEASURED = 4, /* no instructions in some */
	BIG = 8,	/* several runs of a sorter */
};

static const char *const labels[] = {"a", "b", "a;b", "a\\x3bb", "", "minor 0x00", "outer",
	"tab\there", "\xff", "a longer name of a frame", "a longer name of another"};

static void put_group(struct bytes *b, uint64_t *seed, uint64_t end, unsigned kinds)
{
	uint32_t tid = 1 + random31(seed) % 3;
	uint64_t elapsed = random31(seed) % 8 * 8;

	if (kinds & OVERLAPS)
		elapsed = random31(seed) % 3 ? random31(seed) % 400 : 0;
	else if (random31(seed) % 8 == 0)
		elapsed = end - random31(seed) % 3; /* nearly everything */
	if (random31(seed) % 4)
		put_label(b, end, tid, 0, false, elapsed,
			labels[random31(seed) % (sizeof labels / sizeof *labels)]);
	uint64_t instructions =
		kinds & UNMEASURED && random31(seed) % 4 == 0 ? 0 : random31(seed) % 50;
	if (!(kinds & UNMEASURED) || random31(seed) % 2)
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
		uint64_t position = 0, end = 1 + random31(seed) % 50;

		for (unsigned section = 0; section < 3; section++) {
			struct bytes records = {0};
			unsigned n = kinds & BIG ? 2500 : random31(seed) % 20;

			while (n-- > 0) {
				put_group(&records, seed, end, kinds);
				end += random31(seed) % 3 ? random31(seed) % 6 * 8 : 0;
				if (kinds & GOES_BACK && end > 100 && random31(seed) % 8 == 0)
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

static void build_random(
	struct built_trace *p, uint64_t seed, size_t files, unsigned machines, unsigned kinds)
{
	*p = (struct built_trace){.count = files};
	for (size_t i = 0; i < files; i++)
		put_random(&p->files[i], &seed, (uint8_t)(1 + i % machines), kinds);
	built_trace_open(p);
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

static void make_report(const struct built_trace *p, enum report_format format,
	enum report_weight weight, const struct filter *filter, unsigned threads,
	struct result *result)
{
	struct findings found = {0};

	*result = (struct result){0};
	out_memory(&result->out);
	struct report r = {.out = &result->out,
		.format = format,
		.weight = weight,
		.filter = filter,
		.threads = threads,
		.found = &found,
		.note = take_note,
		.ctx = result};
	report_about(&r, p->t);
	ck_assert_int_eq(report_run(&r, REPORT_FLAME), 0);
	ck_assert_int_eq(result->out.error, 0);
	uint64_t hooks = 0;
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < trace_file(p->t, i)->nrings; k++)
			if (findings_ring(&found, i, k))
				hooks += findings_ring(&found, i, k)->hooks;
	ck_assert_uint_eq(found.total.hooks, hooks);
	findings_free(&found);
}

/* The model: an interval's stack is that of its parent and its name, and its self weight what is
 * left of its own. */
struct model_interval {
	char *stack;
	uint64_t weight, nested;
	bool counts;
};

static char *model_stack(const struct interval *iv, const char *parent)
{
	struct out o;

	out_memory(&o);
	if (parent) {
		out_str(&o, parent);
	} else {
		const char *task = report_task_name(iv->task);
		char tid[24];

		snprintf(tid, sizeof tid, "tid %u", iv->tid);
		/* The process, called as thread 1 is when the thread is named. */
		if (task) {
			const char *process = iv->tid == 1 ? task : "first";

			escape_frame(&o, process, strlen(process));
			out_char(&o, ';');
		}
		escape_frame(&o, task ? task : tid, strlen(task ? task : tid));
	}
	out_char(&o, ';');
	if (iv->has_label) {
		escape_frame(&o, iv->label, iv->label_len);
	} else {
		char minor[12];

		snprintf(minor, sizeof minor, "minor 0x%02X", iv->mm);
		escape_frame(&o, minor, strlen(minor));
	}
	out_char(&o, '\0');
	ck_assert_int_eq(o.error, 0);
	return o.buf;
}

static int by_stack(const void *a, const void *b)
{
	return strcmp(((const struct model_interval *)a)->stack,
		((const struct model_interval *)b)->stack);
}

/* Returns how many intervals are selected and not measured. */
static unsigned model_run(const struct built_trace *p, enum report_weight weight,
	const struct filter *filter, struct out *o)
{
	struct interval_stream_options how = {
		.from_ns = INT64_MIN, .threads = 1, .wants = WANT_ALL, .by_machine = true};
	struct interval_stream *s;
	const struct interval *iv;
	unsigned left_out = 0;

	ck_assert_int_eq(interval_stream_open(p->t, &how, &s, NULL), 0);
	size_t n = interval_stream_count(s), count = 0;
	struct model_interval *all = calloc(n + 1, sizeof *all);
	for (; interval_stream_next(s, &iv) > 0; count++) {
		struct model_interval *parent = iv->parent < 0 ? NULL : &all[iv->parent];
		uint64_t w = flame_weight(weight, iv);
		bool selected = filter_interval(filter, iv), measured = w != NOT_MEASURED;

		if (parent && measured)
			parent->nested += w;
		left_out += selected && !measured;
		all[count] = (struct model_interval){
			model_stack(iv, parent ? parent->stack : NULL), w, 0, selected && measured};
	}
	interval_stream_close(s);
	ck_assert_uint_eq(count, n);
	for (size_t i = 0; i < n; i++)
		all[i].weight = all[i].weight > all[i].nested ? all[i].weight - all[i].nested : 0;
	qsort(all, n, sizeof *all, by_stack);
	for (size_t i = 0, end; i < n; i = end) {
		uint64_t sum = 0;
		bool counts = false;

		for (end = i; end < n && strcmp(all[end].stack, all[i].stack) == 0; end++) {
			sum += all[end].counts ? all[end].weight : 0;
			counts |= all[end].counts;
		}
		if (!counts)
			continue;
		out_str(o, all[i].stack);
		out_char(o, ' ');
		out_u64(o, sum);
		out_char(o, '\n');
	}
	for (size_t i = 0; i < n; i++)
		free(all[i].stack);
	free(all);
	return left_out;
}

static void expect_same(const struct out *a, const struct out *b)
{
	ck_assert_uint_eq(a->len, b->len);
	if (b->len)
		ck_assert_mem_eq(a->buf, b->buf, b->len);
}

static void compare_lines(
	const struct built_trace *p, enum report_weight weight, const struct filter *filter)
{
	struct result result;
	struct out model;

	make_report(p, FORMAT_FOLDED, weight, filter, 1, &result);
	out_memory(&model);
	unsigned left_out = model_run(p, weight, filter, &model);
	expect_same(&result.out, &model);
	ck_assert_uint_eq(left_out ? (unsigned)atoi(result.note) : 0, left_out);
	out_discard(&result.out);
	out_discard(&model);
}

static void compare_threads(const struct built_trace *p, enum report_format format,
	enum report_weight weight, const struct filter *filter)
{
	struct result one, three;

	make_report(p, format, weight, filter, 1, &one);
	make_report(p, format, weight, filter, 3, &three);
	expect_same(&one.out, &three.out);
	ck_assert_str_eq(one.note, three.note);
	out_discard(&one.out);
	out_discard(&three.out);
}

static void compare(const struct built_trace *p)
{
	struct filter all, some;

	filter_init(&all);
	filter_init(&some);
	some.label = "a*";
	for (unsigned i = 0; i < WEIGHT_NAMES; i++) {
		const struct filter *filters[] = {&all, &some};

		for (unsigned k = 0; k < 2; k++) {
			compare_lines(p, (enum report_weight)i, filters[k]);
			compare_threads(p, FORMAT_FOLDED, (enum report_weight)i, filters[k]);
			compare_threads(p, FORMAT_SVG, (enum report_weight)i, filters[k]);
		}
	}
}

static void compare_many(uint64_t from, size_t files, unsigned machines, unsigned kinds)
{
	for (uint64_t seed = from; seed < from + 12; seed++) {
		struct built_trace p;

		build_random(&p, seed, files, machines, kinds);
		compare(&p);
		built_trace_close(&p);
	}
}

START_TEST(one_file)
{
	compare_many(1, 1, 1, 0);
}
END_TEST

START_TEST(overlapping_intervals_match_the_reference)
{
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

START_TEST(stamps_that_go_back)
{
	compare_many(600, 2, 2, GOES_BACK);
}
END_TEST

START_TEST(unmeasured_weights)
{
	compare_many(700, 1, 1, UNMEASURED | OVERLAPS);
}
END_TEST

/* Collects with that budget; each record's bytes, and its name in place of its number. */
static void collect(const struct built_trace *p, size_t budget, struct out *o)
{
	struct filter filter;
	struct flame_names names = {0};
	const struct flame_record *r;

	filter_init(&filter);
	struct report report = {.format = FORMAT_SVG, .filter = &filter, .threads = 1};
	report_about(&report, p->t);
	struct flame_collection c = {.r = &report, .budget = budget, .names = &names};
	out_memory(o);
	ck_assert_int_eq(flame_collect(&c), 0);
	while (flame_collection_next(&c, &r) > 0) {
		struct flame_name name =
			flame_names_get(&names, flame_collection_name(&c, r, r->name));

		out_bytes(o, (const char *)r, r->sort.size);
		out_bytes(o, name.at, name.len);
	}
	flame_collection_free(&c);
	flame_names_free(&names);
}

START_TEST(records_in_memory_and_in_a_file)
{
	struct built_trace p;
	struct filter all;
	struct out memory, file;

	build_random(&p, 3, 1, 1, BIG);
	collect(&p, 0, &memory);
	ck_assert_uint_gt(memory.len, 0);
	for (size_t budget = 1; budget < 1000000; budget = budget * 60 + 1) {
		collect(&p, budget, &file);
		expect_same(&memory, &file);
		out_discard(&file);
	}
	out_discard(&memory);
	filter_init(&all);
	compare_threads(&p, FORMAT_FOLDED, WEIGHT_CYCLES, &all);
	built_trace_close(&p);
}
END_TEST

/* Each begins and ends a little before the next one, and all overlap. */
START_TEST(many_that_overlap)
{
	enum { N = 5000 };
	struct built_trace p = {.count = 1};
	struct bytes records = {0};
	struct filter all;

	put_header(&p.files[0], 1);
	for (unsigned i = 1; i <= N; i++)
		put_thread(&records, N + i, 1, 0, N, 5, 5);
	put_hooks(&p.files[0], 0, 0, TF_CODEC_NONE, &records);
	bytes_free(&records);
	ck_assert_int_eq(trace_new(&p.t), 0);
	ck_assert_int_eq(trace_add_memory(p.t, p.files[0].p, p.files[0].n, "m"), 0);
	filter_init(&all);
	compare_lines(&p, WEIGHT_CYCLES, &all);
	built_trace_close(&p);
}
END_TEST

/* More names than are looked up one by one, some of them again, some long. */
START_TEST(many_names_on_several_threads)
{
	enum { NEW = 12000, AGAIN = 2000, LONG = 5000 };
	struct built_trace p = {.count = 1};
	struct bytes records = {0};
	uint64_t position[RINGS] = {0};
	struct filter all;

	put_header(&p.files[0], 1);
	for (unsigned i = 0; i < NEW + AGAIN; i++) {
		char name[LONG + 1];

		if (i < NEW || i % 100) {
			snprintf(name, sizeof name, "r;%u", i < NEW ? i : i % 5);
		} else {
			memset(name, 'x', sizeof name);
			name[LONG - i % 4] = '\0';
		}
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
	filter_init(&all);
	compare_lines(&p, WEIGHT_CYCLES, &all);
	compare_threads(&p, FORMAT_FOLDED, WEIGHT_CYCLES, &all);
	built_trace_close(&p);
}
END_TEST

SUITE_MAIN("flame", one_file, overlapping_intervals_match_the_reference,
	several_files_of_one_machine, several_machines, stamps_that_go_back, unmeasured_weights,
	records_in_memory_and_in_a_file, many_that_overlap, many_names_on_several_threads)
