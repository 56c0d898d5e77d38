/* Conditions on other intervals select the same ones from a trace read backward as from intervals
 * that are sorted. */
#include <stdlib.h>

#include "../../decoder/model/intervals/backward.h"
#include "../../decoder/report/query/lineage.h"
#include "built.h"
#include "compare.h"

enum { RINGS = 3, FEW_THREADS = 3, SEEDS = 20, LONG_GROUPS = 3000, SMALL_BUDGET = 1 << 20 };

static const char *const conditions[] = {
	"parent.elapsed>100ns",
	"absent(parent.parent_id) or depth=2",
	"root.elapsed>300ns and depth>1",
	"absent(root.parent_id)",
	"self_ns>30",
	"self_ns<5 and not depth=0",
	"own_nested_ns>20 or absent(own_nested_ns)",
	"under(elapsed>200ns)",
	"under(label=a and depth>0)",
	"contains(elapsed<20ns)",
	"contains(label=a and parent.label=b)",
	"contains(contains(label=a)) or self_ns=0",
	"contains(under(label=b)) and under(label=c)",
	"not contains(depth=3) and parent.start_ns>0",
};

/* Some start or end together, overlap, have no length, or began before the clock. */
static void put_random_group(struct bytes *b, uint64_t *seed, unsigned threads, uint64_t end)
{
	static const char *const labels[] = {"a", "b", "c"};
	const uint32_t tid = 1 + random31(seed) % threads;
	const uint64_t elapsed =
		random31(seed) % 4 ? random31(seed) % 500 : random31(seed) % 8 * 50;

	put_label(b, end, tid, 0, false, elapsed, labels[random31(seed) % 3]);
	if (random31(seed) % 2) {
		const uint32_t time[] = {INTERVAL_TIME_PAGE, INTERVAL_KNOWN_OWN_COST, 0,
			(uint32_t)elapsed, 1, 1 + random31(seed) % 9};

		put_hook(b, end, tid, INTERVAL_MAJOR, INTERVAL_MINOR_TIME, 6, time, NULL);
	}
}

/* groups: of each ring, of which a section has 40 at most. */
static struct bytes build_file(uint64_t seed, unsigned threads, unsigned groups)
{
	struct bytes file = {0}, records = {0};

	put_header(&file, 1);
	for (uint32_t ring = 0; ring < RINGS; ring++) {
		uint64_t position = 0, end = 1 + random31(&seed) % 50;

		for (unsigned left = groups; left;) {
			unsigned n = 1 + random31(&seed) % 40;

			for (n = n < left ? n : left, left -= n; n; n--) {
				put_random_group(&records, &seed, threads, end);
				end += random31(&seed) % 3 ? random31(&seed) % 60 : 0;
			}
			const size_t bytes = records.n;
			put_hooks(&file, ring, position, TF_CODEC_NONE, &records);
			position += bytes;
		}
	}
	bytes_free(&records);
	return file;
}

/* The places of the selected intervals. */
struct chosen {
	uint64_t *at;
	size_t count, cap;
};

static int chosen_add(void *ctx, const struct interval *iv)
{
	struct chosen *c = ctx;

	if (c->count == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->at = realloc(c->at, c->cap * sizeof *c->at);
		ck_assert_ptr_nonnull(c->at);
	}
	ck_assert(iv->has_label);
	c->at[c->count++] = (uint64_t)iv->ring << 48 | iv->position;
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool match_some(void *ctx, const struct interval *iv)
{
	(void)ctx;
	return iv->position / 8 % 5 != 0;
}

static void choose_sorted(
	const struct trace *t, const struct interval_stream_options *o, struct chosen *c)
{
	struct interval_stream *s;
	const struct interval *iv;
	int rc;

	ck_assert_int_eq(interval_stream_open(t, o, &s, NULL), 0);
	while ((rc = interval_stream_next(s, &iv)) > 0)
		chosen_add(c, iv);
	ck_assert_int_eq(rc, 0);
	interval_stream_close(s);
}

static void compare_chosen(
	const char *condition, const struct chosen *sorted, const struct chosen *backward)
{
	ck_assert_msg(sorted->count == backward->count, "%s: %zu and %zu intervals", condition,
		sorted->count, backward->count);
	if (!sorted->count)
		return;
	qsort(sorted->at, sorted->count, sizeof *sorted->at, compare_places);
	qsort(backward->at, backward->count, sizeof *backward->at, compare_places);
	ck_assert_msg(memcmp(sorted->at, backward->at, sorted->count * sizeof *sorted->at) == 0,
		"%s: others", condition);
}

/* What reading backward selects: by a condition on what is nested in an interval, and by others. */
struct expected {
	int inside, others;
};

/* Backward, and then with the same query sorted, as a reader does that cannot go on backward. */
static void compare_ways(const struct trace *t, const char *condition,
	struct interval_stream_options *o, const struct expected *e)
{
	struct expression_error error;
	struct chosen sorted = {0}, backward = {0};
	struct lineage lineage;
	struct interval_query query;
	struct where w;

	ck_assert_msg(where_parse(&w, condition, NULL, 0, &error), "%s", condition);
	where_settle(&w, t);
	ck_assert(w.nests);
	const int expected = w.asks_inside ? e->inside : e->others;
	lineage_init(&lineage, &w, t, &query);
	ck_assert(interval_backward_suits(t, &query));
	o->query = &query;
	ck_assert_int_eq(interval_backward_each(t, o, chosen_add, &backward, NULL), expected);
	choose_sorted(t, o, &sorted);
	if (!expected)
		compare_chosen(condition, &sorted, &backward);
	lineage_free(&lineage);
	where_free(&w);
	free(sorted.at);
	free(backward.at);
}

static void compare_all_as(const struct bytes *file, size_t budget, const struct expected *e)
{
	struct trace *t;

	ck_assert_int_eq(trace_new(&t), 0);
	trace_set_verify(t, VERIFY_LATER);
	ck_assert_int_eq(trace_add_memory(t, file->p, file->n, "memory"), 0);
	for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
		struct interval_stream_options o = {.from_ns = INT64_MIN,
			.filter = i % 2 ? match_some : NULL,
			.threads = 1 + i % 3,
			.wants = WANT_START | WANT_SYSTEM,
			.by_machine = true,
			.unnested = true,
			.budget = budget};

		compare_ways(t, conditions[i], &o, e);
	}
	trace_free(t);
}

static void compare_all(const struct bytes *file, size_t budget, int expected)
{
	compare_all_as(file, budget, &(struct expected){expected, expected});
}

START_TEST(one_slice_of_each_ring)
{
	struct bytes file = build_file((uint64_t)_i, FEW_THREADS, 1 + 7 * (unsigned)_i);

	compare_all(&file, 0, 0);
	bytes_free(&file);
}
END_TEST

START_TEST(many_slices)
{
	struct bytes file = build_file(7, FEW_THREADS, LONG_GROUPS);

	compare_all(&file, SMALL_BUDGET, 0);
	compare_all(&file, 1, INTERVAL_BACKWARD_UNSUITED);
	bytes_free(&file);
}
END_TEST

/* Stacks of threads are dropped while others are open; of the last file hardly any is used twice.
 */
START_TEST(many_threads)
{
	static const unsigned threads[] = {20, 100, 500, 100000};

	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		struct bytes file = build_file(i, threads[i], LONG_GROUPS);

		compare_all(&file, SMALL_BUDGET, 0);
		bytes_free(&file);
	}
}
END_TEST

/* Its thread comes before and after many others. */
START_TEST(one_that_began_before_the_clock)
{
	enum { OTHERS = 200 };
	struct bytes records = {0};

	put_header(&built, 1);
	put_label(&records, 10, 1, 0, false, 1, "a");
	for (uint32_t i = 0; i < OTHERS; i++)
		put_label(&records, 20 + i, 2 + i, 0, false, 1, "b");
	put_label(&records, 20 + OTHERS, 1, 0, false, 1000, "c");
	put_hooks(&built, 0, 0, TF_CODEC_NONE, &records);
	compare_all(&built, 0, 0);
	bytes_free(&records);
}
END_TEST

/* A section that is a slice of its own has later stamps than its header promises. */
START_TEST(stamps_beyond_their_section)
{
	enum { SLICE_BUDGET = 256 << 10, SLICE = 65400 };
	struct bytes records = {0};
	struct section s = {.type = TF_TYPE_HOOKS, .first = 1, .last = 50};
	uint64_t seed = 3;

	put_header(&built, 1);
	while (records.n < SLICE)
		put_label(&records, ++s.hooks, 1, 0, false, random31(&seed) % 50, "a");
	put_section(&built, &s, &records);
	compare_all(&built, SLICE_BUDGET, INTERVAL_BACKWARD_UNSUITED);
	bytes_free(&records);
}
END_TEST

/* Each overlaps all others: of two, the one that ends earlier also starts earlier. */
START_TEST(many_that_overlap)
{
	enum { INTERVALS = 4000 };
	struct bytes records = {0};

	put_header(&built, 1);
	for (uint64_t i = 0; i < INTERVALS; i++)
		put_label(&records, INTERVALS + i, 1, 0, false, INTERVALS, i % 2 ? "a" : "b");
	put_hooks(&built, 0, 0, TF_CODEC_NONE, &records);
	compare_all(&built, 0, INTERVAL_BACKWARD_UNSUITED);
	bytes_free(&records);
}
END_TEST

/* Each waits for what is nested in it, with a copy of its long label. */
START_TEST(much_to_hold)
{
	enum { LABEL = 1000, INTERVALS = SMALL_BUDGET / LABEL, SECTION = 64 << 10 };
	struct bytes records = {0};
	uint64_t position = 0;
	char label[LABEL + 1];

	memset(label, 'a', LABEL);
	label[LABEL] = '\0';
	put_header(&built, 1);
	for (uint64_t i = 0; i < INTERVALS; i++) {
		/* Labels of several lengths: match_some selects by position. */
		put_label(&records, INTERVALS + i, 1, 0, false, 2 * i, label + i % 32);
		if (records.n < SECTION && i + 1 < INTERVALS)
			continue;
		const size_t bytes = records.n;
		put_hooks(&built, 0, position, TF_CODEC_NONE, &records);
		position += bytes;
	}
	compare_all_as(&built, SMALL_BUDGET, &(struct expected){INTERVAL_BACKWARD_UNSUITED, 0});
	compare_all(&built, 4 * SMALL_BUDGET, 0);
	bytes_free(&records);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("lineage", .timeout = 300, .tear_down = built_free,
			TESTS(many_slices, many_threads, one_that_began_before_the_clock,
				stamps_beyond_their_section, many_that_overlap, much_to_hold),
			LOOPS({one_slice_of_each_ring, 0, SEEDS})),
		NULL);
}
