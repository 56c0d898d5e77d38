/* Lanes of exports: those that a search through all of them chooses. */
#include <stdlib.h>

#include "../../decoder/report/export/lanes.h"
#include "../../decoder/base/grow.h"
#include "../lib/suites.h"
#include "compare.h"

/* The calls that a writer received. */
struct event {
	bool begins;
	uint32_t tid;
	unsigned lane;
	int64_t place, time; /* of a begin; of an end */
};

struct events {
	struct event *at;
	size_t count, room;
};

static int add_event(struct events *e, struct event event)
{
	ck_assert(!array_grow(&e->at, e->count, &e->room, sizeof *e->at));
	e->at[e->count++] = event;
	return 0;
}

static int begin_thread(void *ctx, struct lane_thread *t)
{
	(void)ctx;
	(void)t;
	return 0;
}

static int begin_lane(void *ctx, struct lane_thread *t, struct lane *l)
{
	(void)ctx;
	ck_assert_ptr_eq(l, &t->lanes[l->index]);
	return 0;
}

static int begin_slice(
	void *ctx, struct lane_thread *t, struct lane *l, const struct interval *iv, int64_t end)
{
	ck_assert_int_eq(end, iv->end_ns);
	ck_assert_int_eq(l->open[l->count - 1].place, iv->place);
	return add_event(ctx, (struct event){true, t->tid, l->index, iv->place, end});
}

static int end_slice(void *ctx, struct lane_thread *t, struct lane *l, int64_t end)
{
	return add_event(ctx, (struct event){false, t->tid, l->index, -1, end});
}

static const struct lane_writer writer = {.begin_thread = begin_thread,
	.begin_lane = begin_lane,
	.begin_slice = begin_slice,
	.end_slice = end_slice};

/* The lanes of one thread by their definition. */
enum { MOST = 1000 };
struct simple {
	struct open_slice open[MOST];
	size_t count;
	int64_t last;
};

static void simple_pop(
	struct simple *lane, unsigned index, int64_t now, int64_t keep, struct events *to)
{
	for (; lane->count && lane->open[lane->count - 1].end <= now &&
		lane->open[lane->count - 1].place != keep;
		lane->count--) {
		lane->last = lane->open[lane->count - 1].end;
		add_event(to, (struct event){false, 1, index, -1, lane->last});
	}
}

static void simple_add(struct simple *lanes, unsigned *n, const struct interval *iv,
	struct events *to, uint64_t *overlaps)
{
	int chosen = -1;
	bool nested = false;

	for (unsigned i = 0; i < *n && !nested; i++) {
		struct simple *lane = &lanes[i];
		const struct open_slice *top;

		simple_pop(lane, i, iv->start_ns, iv->parent < 0 ? -2 : iv->parent, to);
		top = lane->count ? &lane->open[lane->count - 1] : NULL;
		nested = top && iv->parent >= 0 && top->place == iv->parent &&
			 top->start <= iv->start_ns && iv->end_ns <= top->end &&
			 lane->last <= iv->start_ns;
		if (nested || (!top && chosen < 0 && lane->last <= iv->start_ns))
			chosen = (int)i;
	}
	if (chosen < 0) {
		chosen = (int)(*n)++;
		lanes[chosen] = (struct simple){.last = INT64_MIN};
	}
	*overlaps += !nested && (iv->parent >= 0 || chosen > 0);
	struct simple *lane = &lanes[chosen];
	lane->open[lane->count++] = (struct open_slice){iv->start_ns, iv->end_ns, iv->place};
	lane->last = iv->start_ns;
	add_event(to, (struct event){true, 1, (unsigned)chosen, iv->place, iv->end_ns});
}

/* Intervals in order of their starts, longer first, whose parent is the last one around them. */
static void make_intervals(struct interval *at, size_t n, uint64_t seed, uint32_t longest)
{
	int64_t now = 0;

	for (size_t i = 0; i < n; i++) {
		struct interval *iv = &at[i];

		now += random31(&seed) % 4 ? random31(&seed) % 5 : 0;
		*iv = (struct interval){
			.start_ns = now, .end_ns = now + random31(&seed) % longest, .tid = 1};
		iv->place = (int64_t)i;
		iv->parent = -1;
		if (i && at[i - 1].start_ns == now && at[i - 1].end_ns < iv->end_ns)
			iv->end_ns = at[i - 1].end_ns;
		for (size_t k = i; k-- > 0 && iv->parent < 0;)
			if (at[k].end_ns >= iv->end_ns)
				iv->parent = (int64_t)k;
		/* Nested by ticks, where the clock was set. */
		if (i && random31(&seed) % 8 == 0)
			iv->parent = (int64_t)i - 1;
	}
}

/* _i: the seed; the longer intervals are, the more lanes. */
START_TEST(lanes_are_those_of_a_search)
{
	static struct interval at[MOST];
	static const uint32_t longest[] = {3, 10, 50, 300, 3000};
	struct simple *simple = calloc(MOST, sizeof *simple);
	struct events fast = {0}, slow = {0};
	uint64_t overlaps = 0;
	unsigned n = 0;
	struct lanes l;
	const size_t count = _i % 5 > 2 ? MOST / 2 : MOST;

	ck_assert_ptr_nonnull(simple);
	make_intervals(at, count, (uint64_t)_i + 1, longest[_i % 5]);
	lanes_init(&l, &writer, &fast);
	for (size_t i = 0; i < count; i++) {
		ck_assert_int_eq(lanes_add(&l, &at[i]), 0);
		simple_add(simple, &n, &at[i], &slow, &overlaps);
	}
	ck_assert_int_eq(lanes_end(&l), 0);
	for (unsigned i = 0; i < n; i++)
		simple_pop(&simple[i], i, INT64_MAX, -2, &slow);
	ck_assert_uint_eq(l.overlaps, overlaps);
	ck_assert_uint_gt(overlaps, 0);
	ck_assert_uint_eq(fast.count, slow.count);
	for (size_t i = 0; i < fast.count; i++) {
		ck_assert_uint_eq(fast.at[i].begins, slow.at[i].begins);
		ck_assert_uint_eq(fast.at[i].lane, slow.at[i].lane);
		ck_assert_int_eq(fast.at[i].place, slow.at[i].place);
		ck_assert_int_eq(fast.at[i].time, slow.at[i].time);
	}
	free(fast.at);
	free(slow.at);
	free(simple);
}
END_TEST

/* Many that overlap: each has a lane of its own, and the first is free again once it is over. */
START_TEST(lanes_are_used_again)
{
	enum { N = 20000 };
	struct events events = {0};
	struct lanes l;

	lanes_init(&l, &writer, &events);
	for (int64_t i = 0; i < N; i++) {
		struct interval iv = {
			.start_ns = i, .end_ns = N + i, .tid = 7, .place = i, .parent = -1};

		ck_assert_int_eq(lanes_add(&l, &iv), 0);
		ck_assert_uint_eq(events.at[i].lane, (unsigned)i);
	}
	struct interval next = {
		.start_ns = N + 2, .end_ns = 3 * N, .tid = 7, .place = N, .parent = -1};
	ck_assert_int_eq(lanes_add(&l, &next), 0);
	ck_assert_uint_eq(events.count, N + 4); /* three have ended */
	ck_assert_uint_eq(events.at[N + 3].lane, 0);
	ck_assert_int_eq(lanes_end(&l), 0);
	ck_assert_uint_eq(events.count, 2 * (N + 1));
	free(events.at);
}
END_TEST

int main(void)
{
	return suites_run(SUITE("lanes", .timeout = 60, TESTS(lanes_are_used_again),
				  LOOPS({lanes_are_those_of_a_search, 0, 10})),
		NULL);
}
