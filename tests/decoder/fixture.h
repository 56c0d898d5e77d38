/* For the tests of intervals: hooks, and the set that they are read into. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include <check.h>

#include "../../decoder/model/intervals/set.h"
#include "../lib/suites.h"
#include "../lib/trace_build.h"

/* A trace of one HOOKS section per ring used, read into a set. */
static struct fixture {
	struct bytes file, records;
	struct trace *t;
	struct interval_set set;
} made;

/* Runs after each test, too. */
static inline void end(void)
{
	interval_set_free(&made.set);
	trace_free(made.t);
	bytes_free(&made.file);
	bytes_free(&made.records);
	made.t = NULL;
}

static inline void begin(void)
{
	end();
	put_header(&made.file, 1);
}

static inline void flush_ring(uint32_t ring)
{
	put_hooks(&made.file, ring, 0, TF_CODEC_NONE, &made.records);
}

static inline void read_with(const struct interval_stream_options *o)
{
	if (made.records.n)
		flush_ring(0);
	ck_assert_int_eq(trace_new(&made.t), 0);
	ck_assert_int_eq(trace_add_memory(made.t, made.file.p, made.file.n, "m"), 0);
	ck_assert_int_eq(interval_set_read(&made.set, made.t, o), 0);
}

static inline const struct interval *read_set(void)
{
	const struct interval_stream_options o = {.from_ns = INT64_MIN, .wants = WANT_ALL};

	read_with(&o);
	return made.set.at;
}

/* SUITE_MAIN of tests that make such a trace. */
#define FIXTURE_MAIN(name, ...)                                                                    \
	int main(void)                                                                             \
	{                                                                                          \
		return suites_run(                                                                 \
			SUITE(name, .timeout = 300, .tear_down = end, TESTS(__VA_ARGS__)), NULL);  \
	}

#endif
