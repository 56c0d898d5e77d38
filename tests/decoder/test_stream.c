/* Intervals sorted outside of memory, or in a window, are those that are sorted in
 * it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "../../formats/cpuutil_hooks.h"
#include "../../formats/interval_hooks.h"
#include "../../formats/scope_hooks.h"
#include "../../decoder/model/hooks/pass.h"
#include "../../decoder/model/intervals/set.h"
#include "../../include/cpidecode.h"
#include "compare.h"
#include "open.h"
#include "../lib/sanitized.h"
#include "built.h"

enum { FILES = 3, RINGS = 4, MOST = 1000, SEEDS = WITH_TSAN ? 1 : 3 };

/* Some start or end together, some are of no length, some began before the clock. */
static void put_group(struct bytes *b, uint64_t *seed, uint64_t end)
{
	static char big[20000];
	uint32_t tid = 1 + random31(seed) % 3, cpus = random31(seed) % 4,
		 words[9005] = {1, cpus, 0, 0};
	uint64_t elapsed = random31(seed) % 4 ? random31(seed) % 400 : random31(seed) % 8 * 50;
	const char *label = random31(seed) % 3 ? "some label" : random31(seed) % 2 ? "x" : NULL;

	if (random31(seed) % 64 == 0) {
		memset(big, 'b', sizeof big - 1);
		big[random31(seed) % 100] = 'a';
		label = big;
	}
	if (random31(seed) % 64 == 0)
		words[1] = cpus = 1000;
	words[3] = (uint32_t)elapsed;
	if (label)
		put_label(b, end, tid, 0, false, elapsed, label);
	if (cpus) {
		for (unsigned i = 4; i < 4 + 6 * cpus; i++)
			words[i] = random31(seed) % 3;
		put_hook(b, end, tid, CPI_MAJOR, CPI_MINOR_PER_CPU, 4 + 6 * cpus, words, NULL);
	}
	if (random31(seed) % 4 == 0) {
		const uint32_t head[] = {7, 1, cpus, 0, (uint32_t)elapsed};

		for (unsigned i = 5; i < 5 + 9 * cpus; i++)
			words[i] = random31(seed) % 3;
		memcpy(words, head, sizeof head);
		put_hook(b, end, tid, CPUUTIL_MAJOR, CPUUTIL_MINOR_PER_CPU, 5 + 8 * cpus, words,
			NULL);
	}
	if (!label || random31(seed) % 2)
		put_thread(b, end, tid, 0, elapsed, random31(seed) % 3,
			random31(seed) % 4 ? 100 : UINT64_C(100) << 32);
	if (random31(seed) % 3) {
		const uint32_t inside = random31(seed) % 20, pair = inside + random31(seed) % 50;
		const uint32_t time[] = {INTERVAL_TIME_PAGE, INTERVAL_KNOWN_OWN_COST, 0,
			(uint32_t)elapsed, inside, pair};

		put_hook(b, end, tid, INTERVAL_MAJOR, INTERVAL_MINOR_TIME, 6, time, NULL);
	}
}

/* A light interval whose label is the file's, or one that the file lacks. */
static void put_named_scope(struct bytes *b, uint64_t *seed, uint64_t end)
{
	const uint32_t words[] = {0, 1 + random31(seed) % 250, 0, random31(seed) % 400};

	put_hook(b, end, 1 + random31(seed) % 3, SCOPE_MAJOR, SCOPE_MINOR_PLAIN, 4, words, NULL);
}

/* A light interval, few or many of its arguments with few or many bytes. */
static void put_scope(struct bytes *b, uint64_t *seed, uint64_t end)
{
	static char big[9000];
	const uint32_t n = random31(seed) % 16 ? random31(seed) % 3 : 300,
		       elapsed = random31(seed) % 400;
	uint32_t words[6 + 4 * 300] = {SCOPE_KNOWN_TEXT, 0, 0, elapsed, n, 3};
	const char *strings[] = {"a scope", "name", "text", NULL};

	memset(big, 'x', sizeof big - 1);
	if (random31(seed) % 16 == 0)
		strings[2] = big;
	for (uint32_t i = 0; i < n; i++) {
		words[6 + 4 * i] = i ? 1 + 2 * (random31(seed) % 250) : 0;
		words[7 + 4 * i] = i ? 1 + random31(seed) % 3 : INTERVAL_ARG_TEXT;
		words[9 + 4 * i] = random31(seed);
	}
	put_hook(b, end, 1 + random31(seed) % 3, SCOPE_MAJOR, SCOPE_MINOR_ARGS, 6 + 4 * n, words,
		strings);
}

static void put_random(struct bytes *file, uint64_t *seed, uint8_t machine)
{
	struct bytes entries = {0};

	put_header(file, machine);
	/* Another machine's ticks are another time. */
	put_le64(file->p + TF_H_SYNC + TF_SYNC_TICKS, 1000 + 20 * machine);
	seal_header(file->p);
	for (unsigned i = 0; i < 200; i++) {
		char entry[17] = {3};

		snprintf(entry + TF_LABEL_TEXT, 9, "%03u", i);
		bytes_put(&entries, entry, 16);
	}
	put_section(file, &(struct section){.type = TF_TYPE_LABELS}, &entries);
	bytes_free(&entries);
	for (uint32_t ring = 0; ring < RINGS; ring++) {
		uint64_t position = 0, end = 1 + random31(seed) % 50;

		for (unsigned section = 0; section < 3; section++) {
			struct bytes records = {0};

			for (unsigned i = random31(seed) % 20; i-- > 0;) {
				put_group(&records, seed, end);
				if (random31(seed) % 4 == 0)
					put_scope(&records, seed, end);
				else if (random31(seed) % 4 == 0)
					put_named_scope(&records, seed, end);
				end += random31(seed) % 3 ? random31(seed) % 60 : 0;
			}
			size_t n = records.n;
			put_hooks(file, ring, position, TF_CODEC_NONE, &records);
			position += n;
			bytes_free(&records);
		}
	}
}

static void build_random(struct built_trace *p, uint64_t seed, unsigned machines)
{
	*p = (struct built_trace){.count = machines == 1 ? 1 + random31(&seed) % 2 : FILES};
	for (size_t i = 0; i < p->count; i++)
		put_random(&p->files[i], &seed, (uint8_t)(1 + i % machines));
	built_trace_open(p);
}

static bool match_two_thirds(void *ctx, const struct interval *iv)
{
	(void)ctx;
	return iv->position / 8 % 3 != 0;
}

/* By time, longer first; of one machine by ticks, in which those before tick 0 are 0. */
static void check_order(const struct interval *a, const struct interval *b)
{
	if (a->machine != b->machine)
		ck_assert(a->start_ns < b->start_ns ||
			  (a->start_ns == b->start_ns && a->end_ns >= b->end_ns));
	else if (a->start_ticks == b->start_ticks && a->start_ticks)
		ck_assert_uint_ge(a->end_ticks, b->end_ticks);
	else
		ck_assert_uint_le(a->start_ticks, b->start_ticks);
}

/* By its definition: the last before it, of its thread, that does not end before it. */
static void check_depths(const struct interval_set *all)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct interval *iv = &all->at[i];
		size_t outer = i;

		while (outer-- > 0) {
			const struct interval *o = &all->at[outer];

			if (o->machine == iv->machine && o->tid == iv->tid &&
				o->end_ticks >= iv->end_ticks)
				break;
		}
		bool none = outer == SIZE_MAX;
		ck_assert_uint_eq(iv->depth, none ? 0 : all->at[outer].depth + 1);
		ck_assert_int_eq(iv->parent, none ? -1 : (int64_t)outer);
	}
}

static const struct interval *find(const struct interval_set *set, const struct interval *iv)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct interval *s = &set->at[i];

		if (s->position == iv->position && s->ring == iv->ring && s->file == iv->file)
			return s;
	}
	return NULL;
}

/* The intervals that a builder reads and the filter passes. */
struct reading {
	const struct interval_stream_options *options;
	const struct interval_set *set;
	const struct trace *t;
	size_t count;
};

static int check_slice(void *ctx, struct pass_slice *slice)
{
	struct reading *r = ctx;
	const struct interval_stream_options *o = r->options;
	struct interval_builder *b;
	const struct interval *iv;
	int rc;

	ck_assert_int_eq(interval_builder_new(r->t, o->wants, &b), 0);
	while ((rc = interval_read(b, slice, &iv)) > 0) {
		if (o->filter && !o->filter(o->ctx, iv))
			continue;
		const struct interval *kept = find(r->set, iv);

		ck_assert_ptr_nonnull(kept);
		same(kept, iv, o->wants);
		r->count++;
	}
	interval_builder_free(b);
	return rc;
}

static void check_content(const struct trace *t, const struct interval_stream_options *o,
	const struct interval_set *set)
{
	struct reading r = {.options = o, .set = set, .t = t};
	const struct pass pass = {.trace = t,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = 1,
		.read = check_slice,
		.ctx = &r};

	ck_assert_int_eq(pass_run(&pass, NULL), 0);
	ck_assert_uint_eq(r.count, set->count);
}

static void check(
	struct interval_stream *s, const struct interval_set *set, unsigned wants, bool by_machine)
{
	const struct interval *iv;
	uint32_t machine = 0;

	ck_assert_uint_eq(interval_stream_count(s), set->count);
	for (size_t i = 0; i < set->count; i++) {
		ck_assert_int_eq(interval_stream_next(s, &iv), 1);
		const struct interval *expected = by_machine ? find(set, iv) : &set->at[i];
		ck_assert_ptr_nonnull(expected);
		ck_assert(iv->file == expected->file && iv->ring == expected->ring);
		same(iv, expected, wants);
		ck_assert_uint_eq(iv->depth, expected->depth);
		ck_assert_int_eq(iv->place, (int64_t)i);
		if (!by_machine)
			ck_assert_int_eq(iv->parent, expected->parent);
		ck_assert_uint_ge(iv->machine, machine);
		machine = by_machine ? iv->machine : 0;
	}
	ck_assert_int_eq(interval_stream_next(s, &iv), 0);
}

/* A walk that is broken off. */
static void check_some(struct interval_stream *s, const struct interval_set *set)
{
	const struct interval *iv;

	for (size_t i = 0; i < set->count / 3; i++)
		ck_assert_int_eq(interval_stream_next(s, &iv), 1);
}

static void compare(const struct built_trace *p, const struct interval_stream_options *o)
{
	const struct interval_stream_options how = {.from_ns = INT64_MIN,
		.filter = o->filter,
		.threads = 1,
		.wants = WANT_ALL | (o->wants & WANT_VALUES)};
	struct interval_set set = {0};
	struct interval_stream *s;

	ck_assert_int_eq(interval_set_read(&set, p->t, &how), 0);
	check_content(p->t, &how, &set);
	for (unsigned i = 0; i < 2; i++) {
		struct interval_stream_options options = *o;

		options.windowed = i;
		ck_assert_int_eq(interval_stream_open(p->t, &options, &s, NULL), 0);
		check(s, &set, o->wants, o->by_machine);
		ck_assert_int_eq(interval_stream_rewind(s), 0);
		check_some(s, &set);
		ck_assert_int_eq(interval_stream_rewind(s), 0);
		check(s, &set, o->wants, o->by_machine);
		interval_stream_close(s);
	}
	interval_set_free(&set);
}

/* Sorted and nested by definition. */
static void check_all(const struct built_trace *p)
{
	const struct interval_stream_options how = {.from_ns = INT64_MIN, .wants = WANT_ALL};
	struct interval_set all = {0};

	ck_assert_int_eq(interval_set_read(&all, p->t, &how), 0);
	ck_assert_uint_gt(all.count, 20);
	for (size_t i = 1; i < all.count; i++)
		check_order(&all.at[i - 1], &all.at[i]);
	check_depths(&all);
	interval_set_free(&all);
}

static void compare_all(const struct built_trace *p)
{
	static const size_t budgets[] = {1, 30000, 100000, 0};
	static const unsigned wants[] = {
		WANT_ALL | WANT_START, WANT_START, WANT_START | WANT_SYSTEM | WANT_THREAD};

	check_all(p);
	for (unsigned i = 0; i < 24; i++) {
		struct interval_stream_options o = {.from_ns = INT64_MIN,
			.filter = i % 2 ? match_two_thirds : NULL,
			.threads = 1 + i % 3,
			.wants = wants[i % 3] | (i % 4 < 2 ? WANT_VALUES : 0),
			.by_machine = i / 3 % 2,
			.budget = budgets[i / 6]};

		compare(p, &o);
	}
}

START_TEST(one_machine)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct built_trace p;

		build_random(&p, seed, 1);
		compare_all(&p);
		built_trace_close(&p);
	}
}
END_TEST

START_TEST(several_machines)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct built_trace p;

		build_random(&p, 100 + seed, 2 + seed % 2);
		compare_all(&p);
		built_trace_close(&p);
	}
}
END_TEST

/* By its definition: the pairs of all intervals that an interval contains. */
static uint64_t *sum_nested(const struct interval_set *all)
{
	uint64_t *sums = calloc(all->count, sizeof *sums);
	bool *told = calloc(all->count, sizeof *told);

	for (size_t i = 0; i < all->count; i++) {
		const uint64_t pair = all->at[i].own_pair;

		if (pair == NOT_MEASURED)
			continue;
		told[i] = true;
		for (int64_t outer = all->at[i].parent; outer >= 0; outer = all->at[outer].parent) {
			sums[outer] += pair;
			told[outer] = true;
		}
	}
	for (size_t i = 0; i < all->count; i++)
		if (!told[i])
			sums[i] = NOT_MEASURED;
	free(told);
	return sums;
}

static void check_cost(const struct interval *iv, const struct interval *measured, uint64_t nested)
{
	uint64_t inside = measured->own_inside == NOT_MEASURED ? 0 : measured->own_inside;
	uint64_t cost = inside + (nested == NOT_MEASURED ? 0 : nested);
	uint64_t elapsed = measured->elapsed;

	ck_assert_uint_eq(iv->own_nested, nested);
	ck_assert_int_eq((iv->flags & IV_OWN_COST) != 0, 20 * cost > elapsed);
	ck_assert_uint_eq(iv->elapsed, cost < elapsed ? elapsed - cost : 0);
}

static void compare_costs(const struct built_trace *p, const struct interval_stream_options *o)
{
	const struct interval_stream_options how = {.from_ns = INT64_MIN, .wants = WANT_ALL};
	struct interval_set all = {0};
	struct interval_stream *s;
	const struct interval *iv;

	ck_assert_int_eq(interval_set_read(&all, p->t, &how), 0);
	uint64_t *sums = sum_nested(&all);
	ck_assert_int_eq(interval_stream_open(p->t, o, &s, NULL), 0);
	for (unsigned pass = 0; pass < 2; pass++) {
		int rc;

		while ((rc = interval_stream_next(s, &iv)) > 0) {
			const struct interval *measured = find(&all, iv);

			ck_assert_ptr_nonnull(measured);
			check_cost(iv, measured, sums[measured - all.at]);
		}
		ck_assert_int_eq(rc, 0);
		ck_assert_int_eq(interval_stream_rewind(s), 0);
	}
	interval_stream_close(s);
	interval_set_free(&all);
	free(sums);
}

START_TEST(costs_of_nested_intervals_are_summed)
{
	static const size_t budgets[] = {1, 30000, 0};

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct built_trace p;

		build_random(&p, 200 + seed, 1 + seed % 3);
		for (unsigned i = 0; i < 12; i++) {
			struct interval_stream_options o = {.from_ns = INT64_MIN,
				.filter = i % 2 ? match_two_thirds : NULL,
				.threads = 1 + i % 3,
				.wants = WANT_START | WANT_OWN_COST,
				.by_machine = i / 2 % 2,
				.nested_cost = true,
				.compensate = true,
				.budget = budgets[i / 4]};

			compare_costs(&p, &o);
			o.windowed = true;
			compare_costs(&p, &o);
		}
		built_trace_close(&p);
	}
}
END_TEST

/* Each interval a run of its own: more than are merged at one time. */
START_TEST(more_runs_than_are_merged_at_once)
{
	struct built_trace p = {.count = 1};
	struct bytes records = {0};
	struct interval_stream_options o = {
		.from_ns = INT64_MIN, .wants = WANT_ALL, .threads = 1, .budget = 1};
	uint64_t seed = 5;

	put_header(&p.files[0], 1);
	for (unsigned i = 0; i < MOST; i++)
		put_thread(&records, 5000 + i, 1 + i % 7, 0, random31(&seed) % 5000, 1, 1);
	put_hooks(&p.files[0], 0, 0, TF_CODEC_NONE, &records);
	bytes_free(&records);
	ck_assert_int_eq(trace_new(&p.t), 0);
	ck_assert_int_eq(trace_add_memory(p.t, p.files[0].p, p.files[0].n, "m"), 0);
	compare(&p, &o);
	built_trace_close(&p);
}
END_TEST

/* Threads come and go; and on one of them everything is open at the end. */
START_TEST(many_threads_and_deep_nesting)
{
	enum { N = WITH_TSAN ? 5000 : 50000 };
	struct bytes records = {0}, others = {0};
	struct interval_stream_options o = {
		.from_ns = INT64_MIN, .wants = WANT_FLAGS, .budget = 300000, .windowed = _i};
	struct interval_stream *s;
	struct trace *t;
	const struct interval *iv;

	put_header(&built, 1);
	for (unsigned i = 1; i <= N; i++) {
		put_thread(&records, N + i, 1, 0, 2 * i, 5, 5);
		if (i % 10 == 0)
			put_thread(&others, i, 1 + i, 0, i % 7, 5, 5);
	}
	put_hooks(&built, 0, 0, TF_CODEC_LZ4, &records);
	put_hooks(&built, 1, 0, TF_CODEC_LZ4, &others);
	bytes_free(&records);
	bytes_free(&others);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "m"), 0);
	ck_assert_int_eq(interval_stream_open(t, &o, &s, NULL), 0);
	ck_assert_uint_eq(interval_stream_count(s), N + N / 10);
	for (unsigned deep = 0, n = 0; n < N + N / 10; n++) {
		ck_assert_int_eq(interval_stream_next(s, &iv), 1);
		ck_assert_uint_eq(iv->depth, iv->tid == 1 ? deep : 0);
		deep += iv->tid == 1;
	}
	ck_assert_int_eq(interval_stream_next(s, &iv), 0);
	interval_stream_close(s);
	trace_free(t);
}
END_TEST

static void fails(const struct built_trace *p, int error)
{
	for (unsigned i = 0; i < 2; i++) {
		struct interval_stream_options o = {
			.from_ns = INT64_MIN, .wants = WANT_ALL, .budget = 20000, .windowed = i};
		struct interval_stream *s;

		ck_assert_int_eq(interval_stream_open(p->t, &o, &s, NULL), CPIDECODE_ESPOOL);
		ck_assert_int_eq(errno, error);
		ck_assert_ptr_null(s);
	}
}

START_TEST(a_file_that_cannot_be_made_or_written)
{
	struct built_trace p;
	struct rlimit none = {0, RLIM_INFINITY}, old;

	build_random(&p, 1, 1);
	ck_assert_int_eq(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
	fails(&p, ENOENT);
	ck_assert_int_eq(unsetenv("TMPDIR"), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	none.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	fails(&p, EFBIG);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
	built_trace_close(&p);
}
END_TEST

START_TEST(no_intervals)
{
	struct interval_stream_options o = {.from_ns = INT64_MIN, .wants = WANT_ALL};
	struct interval_stream *s;
	struct trace *t;
	const struct interval *iv;

	put_header(&built, 1);
	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, built.p, built.n, "m"), 0);
	ck_assert_int_eq(interval_stream_open(t, &o, &s, NULL), 0);
	ck_assert_int_eq(interval_stream_next(s, &iv), 0);
	ck_assert_int_eq(interval_stream_rewind(s), 0);
	ck_assert_int_eq(interval_stream_next(s, &iv), 0);
	interval_stream_close(s);
	trace_free(t);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("stream", .timeout = 300, .tear_down = built_free,
			TESTS(one_machine, several_machines, costs_of_nested_intervals_are_summed,
				more_runs_than_are_merged_at_once,
				a_file_that_cannot_be_made_or_written, no_intervals),
			LOOPS({many_threads_and_deep_nesting, 0, 2})),
		NULL);
}
