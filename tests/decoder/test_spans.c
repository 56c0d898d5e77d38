/* Intervals of a span of time, of sections that may hold some, are those of the whole trace. */
#include <stdlib.h>

#include "../../decoder/model/hooks/section_starts.h"
#include "../../decoder/model/intervals/stream.h"
#include "../../formats/interval_hooks.h"
#include "../../include/cpidecode.h"
#include "../lib/suites.h"
#include "../lib/trace_build.h"
#include "compare.h"

/* Several slices of each ring: a slice has at least 1 MiB of sections. */
enum { RINGS = 3, SECTIONS = 20, GROUPS = 8, FILLER_WORDS = 10000, SPANS = 30 };

struct trace_of_sections {
	struct bytes file;
	struct trace *t;
	int64_t first_ns, last_ns;
};

/* Variants of a trace. */
enum {
	BEGINS = 1, /* an interval that began first, has no hooks of its own and is over at the end
		     */
	SET_BACK = 2, /* CLOCK_REALTIME, in the middle */
};

static void put_begin_or_over(struct bytes *b, uint64_t stamp, uint32_t minor, uint32_t number)
{
	const uint32_t words[] = {0, 0, 0, number, 0, 0};

	put_hook(b, stamp, 1, INTERVAL_MAJOR, minor, minor == INTERVAL_MINOR_OVER ? 4 : 6, words,
		NULL);
}

static void put_cost(struct bytes *b, uint64_t stamp, uint32_t tid, uint64_t elapsed)
{
	const uint32_t words[] = {
		INTERVAL_TIME_PAGE, INTERVAL_KNOWN_OWN_COST, 0, (uint32_t)elapsed, 1, 3};

	put_hook(b, stamp, tid, INTERVAL_MAJOR, INTERVAL_MINOR_TIME, 6, words, NULL);
}

static void put_set_back(struct bytes *file, uint64_t ticks)
{
	struct bytes syncs = {0};

	put_sync(&syncs, 2000, 5000001000, 1000);
	put_sync(&syncs, ticks, 5000000000, ticks);
	put_section(file, &(struct section){.type = TF_TYPE_CLOCK}, &syncs);
	bytes_free(&syncs);
}

/* Most intervals are short, some begin anywhere before. */
static void make_sections(struct trace_of_sections *s, unsigned kinds)
{
	static const uint32_t filler[FILLER_WORDS];
	uint64_t seed = 7, stamp = 2000;

	*s = (struct trace_of_sections){0};
	put_header(&s->file, 1);
	if (kinds & SET_BACK)
		put_set_back(&s->file, 2000 + SECTIONS * GROUPS * 25);
	for (uint32_t ring = 0; ring < RINGS; ring++) {
		uint64_t position = 0;

		stamp = 2000 + ring;
		for (unsigned section = 0; section < SECTIONS; section++) {
			struct bytes records = {0};

			if (kinds & BEGINS && !ring && !section)
				put_begin_or_over(&records, stamp, INTERVAL_MINOR_BEGIN, 1);
			for (unsigned i = 0; i < GROUPS; i++) {
				const uint64_t elapsed =
					random31(&seed) % (random31(&seed) % 40 ? 300 : stamp);

				const uint32_t tid = 1 + random31(&seed) % 4;

				put_thread(&records, stamp, tid, 0, elapsed, 1, 1);
				put_cost(&records, stamp, tid, elapsed);
				put_hook(&records, stamp, 9, 0x10, 1, FILLER_WORDS, filler, NULL);
				stamp += 1 + random31(&seed) % 100;
			}
			if (kinds & BEGINS && !ring && section + 1 == SECTIONS)
				put_begin_or_over(&records, stamp, INTERVAL_MINOR_OVER, 1);
			const size_t n = records.n;
			put_hooks(&s->file, ring, position, TF_CODEC_NONE, &records);
			position += n;
			bytes_free(&records);
		}
	}
	put_end(&s->file);
	ck_assert_int_eq(trace_new(&s->t), 0);
	ck_assert_int_eq(trace_add_memory(s->t, s->file.p, s->file.n, "m"), 0);
	ck_assert(trace_span(s->t, &s->first_ns, &s->last_ns));
}

static void unmake_sections(struct trace_of_sections *s)
{
	trace_free(s->t);
	bytes_free(&s->file);
}

struct told {
	int64_t start_ns, end_ns, parent;
	struct interval_hook hook, parent_hook;
	uint64_t own_nested;
	uint32_t depth, flags;
};

struct answer {
	struct told *at;
	size_t n;
	uint64_t hooks; /* that were read */
};

struct span {
	int64_t from_ns, to_ns;
};

static bool overlaps(void *ctx, const struct interval *iv)
{
	const struct span *span = ctx;

	return iv->end_ns >= span->from_ns && iv->start_ns <= span->to_ns;
}

/* noted, known: NULL or what the stream notes and what it knows. window: bytes of memory of a
 * stream that sorts in a window; 0: one that does not. */
static struct answer ask_within(const struct trace *t, struct span span,
	struct section_starts *noted, const struct section_starts *known, size_t window)
{
	struct interval_stream_options o = {.from_ns = span.from_ns,
		.windowed = window,
		.budget = window,
		.filter = overlaps,
		.ctx = &span,
		.filter_wants = WANT_START,
		.wants = WANT_START | WANT_FLAGS | WANT_OWN_COST,
		.nested_cost = true,
		.threads = 2,
		.open = true,
		.noted = noted,
		.known = known,
		.known_to_ns = span.to_ns};
	struct findings found = {0};
	struct interval_stream *s;
	const struct interval *iv;
	struct answer answer = {0};

	ck_assert_int_eq(interval_stream_open(t, &o, &s, &found), 0);
	answer.at = calloc(interval_stream_count(s) + 1, sizeof *answer.at);
	ck_assert_ptr_nonnull(answer.at);
	while (interval_stream_next(s, &iv) > 0)
		answer.at[answer.n++] = (struct told){.start_ns = iv->start_ns,
			.end_ns = iv->end_ns,
			.parent = iv->parent,
			.hook = {iv->machine, iv->ring, iv->position},
			.parent_hook = iv->depth ? iv->parent_hook : (struct interval_hook){0},
			.own_nested = iv->own_nested,
			.depth = iv->depth,
			.flags = iv->flags};
	ck_assert_uint_eq(answer.n, interval_stream_count(s));
	answer.hooks = found.total.hooks;
	interval_stream_close(s);
	findings_free(&found);
	return answer;
}

static struct answer read_span(const struct trace *t, struct span span,
	struct section_starts *noted, const struct section_starts *known)
{
	return ask_within(t, span, noted, known, 0);
}

static struct span choose_span(const struct trace_of_sections *s, uint64_t *seed)
{
	const uint64_t all = (uint64_t)(s->last_ns - s->first_ns);
	const int64_t from = s->first_ns + (int64_t)(random31(seed) % all);

	return (struct span){from, from + (int64_t)(random31(seed) % (all / 8))};
}

static struct section_starts *know_all(const struct trace *t)
{
	struct section_starts *starts = section_starts_new(t);
	ck_assert_ptr_nonnull(starts);
	struct answer all = read_span(t, (struct span){INT64_MIN, INT64_MAX}, starts, NULL);

	ck_assert_uint_ge(all.n, RINGS * SECTIONS * GROUPS);
	free(all.at);
	return starts;
}

static void same_answers(const struct answer *a, const struct answer *b)
{
	ck_assert_uint_eq(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		ck_assert_mem_eq(&a->at[i], &b->at[i], sizeof a->at[i]);
}

/* As `all`, except own_nested of intervals that end after the span. */
static void same_but_late_costs(
	const struct answer *some, const struct answer *all, struct span span)
{
	ck_assert_uint_eq(some->n, all->n);
	for (size_t i = 0; i < all->n; i++) {
		struct told expected = all->at[i], told = some->at[i];

		if (expected.end_ns > span.to_ns) {
			expected.own_nested = NOT_MEASURED;
			expected.flags &= ~(uint32_t)IV_OWN_COST;
			told.flags &= ~(uint32_t)IV_OWN_COST;
		}
		ck_assert_mem_eq(&told, &expected, sizeof told);
	}
}

/* Asks with all starts known and with none, and adds the hooks that are read. */
static void ask_both(const struct trace_of_sections *s, struct span span,
	const struct section_starts *known, const struct section_starts *unknown,
	uint64_t *known_hooks, uint64_t *hooks)
{
	struct answer all = read_span(s->t, span, NULL, NULL);
	struct answer some = read_span(s->t, span, NULL, known);
	struct answer none_known = read_span(s->t, span, NULL, unknown);

	same_but_late_costs(&some, &all, span);
	same_answers(&none_known, &some);
	ck_assert_uint_eq(none_known.hooks, all.hooks);
	ck_assert_uint_le(some.hooks, all.hooks);
	*known_hooks += some.hooks;
	*hooks += all.hooks;
	free(all.at);
	free(some.at);
	free(none_known.at);
}

static void ask_spans(unsigned kinds, uint64_t *known_hooks, uint64_t *hooks)
{
	struct trace_of_sections s;
	uint64_t seed = 3;

	make_sections(&s, kinds);
	struct section_starts *known = know_all(s.t), *unknown = section_starts_new(s.t);
	ck_assert_ptr_nonnull(unknown);
	*known_hooks = *hooks = 0;
	for (unsigned i = 0; i < SPANS; i++)
		ask_both(&s, choose_span(&s, &seed), known, unknown, known_hooks, hooks);
	section_starts_free(known);
	section_starts_free(unknown);
	unmake_sections(&s);
}

START_TEST(known_starts_spare_reading_and_change_nothing)
{
	uint64_t known_hooks, hooks;

	ask_spans(0, &known_hooks, &hooks);
	ck_assert_uint_lt(known_hooks, hooks * 3 / 4);
}
END_TEST

START_TEST(a_clock_that_was_set_back_spares_nothing)
{
	uint64_t known_hooks, hooks;

	ask_spans(SET_BACK, &known_hooks, &hooks);
	ck_assert_uint_eq(known_hooks, hooks);
}
END_TEST

/* That one is over may stand in any section. */
START_TEST(sections_with_begins_are_always_read)
{
	struct trace_of_sections s;
	uint64_t seed = 5;

	make_sections(&s, BEGINS);
	struct section_starts *starts = know_all(s.t);
	for (unsigned i = 0; i < SPANS; i++) {
		struct span span = choose_span(&s, &seed);

		span.from_ns = s.first_ns;
		struct answer some = read_span(s.t, span, NULL, starts);
		ck_assert_uint_gt(some.n, 0);
		for (size_t k = 0; k < some.n; k++)
			ck_assert(!(some.at[k].flags & IV_OPEN));
		free(some.at);
	}
	section_starts_free(starts);
	unmake_sections(&s);
}
END_TEST

/* Most intervals that began anywhere before come late to a small window. */
START_TEST(intervals_of_a_window_are_the_same)
{
	static const size_t windows[] = {1, 1000, 5000, 20000, 200000, 1000000};
	struct trace_of_sections s;
	uint64_t seed = 9;

	make_sections(&s, (unsigned)_i);
	for (unsigned i = 0; i < sizeof windows / sizeof *windows; i++) {
		const struct span everything = {INT64_MIN, INT64_MAX};
		const struct span span = i % 2 ? choose_span(&s, &seed) : everything;
		struct section_starts *starts = section_starts_new(s.t);
		ck_assert_ptr_nonnull(starts);
		struct answer all = read_span(s.t, span, NULL, NULL);
		struct answer windowed = ask_within(s.t, span, starts, NULL, windows[i]);
		struct answer some = read_span(s.t, span, NULL, starts);

		same_answers(&windowed, &all);
		ck_assert_uint_eq(windowed.hooks, all.hooks);
		same_but_late_costs(&some, &all, span);
		free(all.at);
		free(windowed.at);
		free(some.at);
		section_starts_free(starts);
	}
	unmake_sections(&s);
}
END_TEST

int main(void)
{
	return suites_run(
		SUITE("spans", .timeout = 300,
			TESTS(known_starts_spare_reading_and_change_nothing,
				a_clock_that_was_set_back_spares_nothing,
				sections_with_begins_are_always_read),
			LOOPS({intervals_of_a_window_are_the_same, 0, (BEGINS | SET_BACK) + 1})),
		NULL);
}
