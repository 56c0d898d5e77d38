/* Buffers: values, sums, differences, moments. */
#include "suite.h"

#include <string.h>
#include <time.h>

static cpc_t *cpc;
static cpc_set_t *set;
static cpc_buf_t *a, *b, *c, *small;

static void begin(void)
{
	cpc = open_quietly();
	set = set_of(cpc, "page-faults", 0, 0);
	small = cpc_buf_create(cpc, set);
	cpc_set_add_request(cpc, set, "task-clock", 0, CPC_COUNT_USER, 0, NULL);
	a = cpc_buf_create(cpc, set);
	b = cpc_buf_create(cpc, set);
	c = cpc_buf_create(cpc, set);
}

static void end(void)
{
	ck_assert_int_eq(cpc_close(cpc), 0);
}

static uint64_t buffer_get(cpc_buf_t *buf, int index)
{
	uint64_t v = 0;

	ck_assert_int_eq(cpc_buf_get(cpc, buf, index, &v), 0);
	return v;
}

static void buffer_set(cpc_buf_t *buf, uint64_t first, uint64_t second)
{
	ck_assert_int_eq(cpc_buf_set(cpc, buf, 0, first), 0);
	ck_assert_int_eq(cpc_buf_set(cpc, buf, 1, second), 0);
}

START_TEST(a_new_buffer_is_zero)
{
	ck_assert_uint_eq(buffer_get(a, 0), 0);
	ck_assert_uint_eq(buffer_get(a, 1), 0);
	ck_assert_int_eq(cpc_buf_hrtime(cpc, a), 0);
	ck_assert_uint_eq(cpc_buf_tick(cpc, a), 0);
}
END_TEST

START_TEST(values_are_subtracted_and_added)
{
	buffer_set(a, 10, 3);
	buffer_set(b, 4, 5);
	cpc_buf_sub(cpc, c, a, b);
	ck_assert_uint_eq(buffer_get(c, 0), 6);
	ck_assert_uint_eq(buffer_get(c, 1), UINT64_MAX - 1);
	cpc_buf_add(cpc, c, c, b);
	ck_assert_uint_eq(buffer_get(c, 0), 10);
	ck_assert_uint_eq(buffer_get(c, 1), 3);
	cpc_buf_copy(cpc, b, a);
	ck_assert_uint_eq(buffer_get(b, 0), 10);
	cpc_buf_zero(cpc, b);
	ck_assert_uint_eq(buffer_get(b, 0), 0);
	ck_assert_uint_eq(buffer_get(a, 0), 10);
}
END_TEST

START_TEST(a_sample_has_its_moment_and_ticks)
{
	struct timespec t;
	hrtime_t before, after;

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_assert_int_eq(cpc_set_sample(cpc, set, a), 0);
	clock_gettime(CLOCK_MONOTONIC, &t);
	before = (hrtime_t)t.tv_sec * 1000000000 + t.tv_nsec;
	fault(500);
	ck_assert_int_eq(cpc_set_sample(cpc, set, b), 0);
	clock_gettime(CLOCK_MONOTONIC, &t);
	after = (hrtime_t)t.tv_sec * 1000000000 + t.tv_nsec;
	ck_assert_int_le(cpc_buf_hrtime(cpc, a), before);
	ck_assert_int_ge(cpc_buf_hrtime(cpc, b), before);
	ck_assert_int_le(cpc_buf_hrtime(cpc, b), after);
	ck_assert_uint_gt(cpc_buf_tick(cpc, b), cpc_buf_tick(cpc, a));
	cpc_buf_sub(cpc, c, b, a);
	ck_assert_int_eq(cpc_buf_hrtime(cpc, c), cpc_buf_hrtime(cpc, b));
	ck_assert_uint_eq(cpc_buf_tick(cpc, c), cpc_buf_tick(cpc, b) - cpc_buf_tick(cpc, a));
	cpc_buf_add(cpc, c, a, b);
	ck_assert_int_eq(cpc_buf_hrtime(cpc, c), cpc_buf_hrtime(cpc, b));
	ck_assert_uint_eq(cpc_buf_tick(cpc, c), cpc_buf_tick(cpc, b) + cpc_buf_tick(cpc, a));
	cpc_buf_copy(cpc, c, a);
	ck_assert_int_eq(cpc_buf_hrtime(cpc, c), cpc_buf_hrtime(cpc, a));
}
END_TEST

START_TEST(entries_that_are_not_there_are_refused)
{
	uint64_t v;

	ck_fails(cpc_buf_get(cpc, a, 2, &v), EINVAL, "no request 2");
	ck_fails(cpc_buf_get(cpc, a, -1, &v), EINVAL, "no request -1");
	ck_fails(cpc_buf_set(cpc, a, 2, 1), EINVAL, "no request 2");
	ck_fails(cpc_buf_get(cpc, a, 0, NULL), EINVAL, "is NULL");
	ck_fails(cpc_buf_get(cpc, small, 1, &v), EINVAL, "has 1");
}
END_TEST

START_TEST(sizes_must_agree)
{
	buffer_set(a, 1, 2);
	told.times = 0;
	cpc_buf_sub(cpc, a, a, small);
	cpc_buf_add(cpc, a, small, a);
	cpc_buf_copy(cpc, a, small);
	cpc_buf_sub(cpc, small, a, a);
	cpc_buf_sub(cpc, NULL, a, a);
	cpc_buf_zero(cpc, NULL);
	ck_assert_int_eq(told.times, 6);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_uint_eq(buffer_get(a, 0), 1);
	ck_assert_uint_eq(buffer_get(a, 1), 2);
}
END_TEST

START_TEST(a_sample_needs_a_buffer_of_its_set)
{
	cpc_set_t *other = set_of(cpc, "page-faults", 0, 0);
	cpc_buf_t *foreign = cpc_buf_create(cpc, other);

	ck_assert_int_eq(cpc_bind_curlwp(cpc, set, 0), 0);
	ck_fails(cpc_set_sample(cpc, set, foreign), EINVAL, "not created for this set");
	ck_fails(cpc_set_sample(cpc, set, small), EINVAL, "2 requests");
	ck_fails(cpc_set_sample(cpc, set, NULL), EINVAL, "not a buffer");
	ck_assert_int_eq(cpc_buf_destroy(cpc, a), 0);
}
END_TEST

Suite *buffers_suite(void)
{
	return SUITE("buffers", .set_up = begin, .tear_down = end,
		TESTS(a_new_buffer_is_zero, values_are_subtracted_and_added,
			a_sample_has_its_moment_and_ticks, entries_that_are_not_there_are_refused,
			sizes_must_agree, a_sample_needs_a_buffer_of_its_set));
}
