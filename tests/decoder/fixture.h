/* For the tests of intervals: hooks, and the set that they are read into. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include <check.h>

#include "../../decoder/model/intervals/set.h"
#include "../lib/trace_build.h"

/* A trace of one HOOKS section per ring used, read into a set. */
struct fixture {
	struct bytes file, records;
	struct trace *t;
	struct interval_set set;
};

static inline void begin(struct fixture *f)
{
	*f = (struct fixture){0};
	put_header(&f->file, 1);
}

static inline void flush_ring(struct fixture *f, uint32_t ring)
{
	put_hooks(&f->file, ring, 0, TF_CODEC_NONE, &f->records);
}

static inline void read_with(struct fixture *f, const struct interval_stream_options *o)
{
	if (f->records.n)
		flush_ring(f, 0);
	ck_assert_int_eq(trace_new(&f->t), 0);
	ck_assert_int_eq(trace_add_memory(f->t, f->file.p, f->file.n, "m"), 0);
	ck_assert_int_eq(interval_set_read(&f->set, f->t, o), 0);
}

static inline const struct interval *read_set(struct fixture *f)
{
	const struct interval_stream_options o = {.from_ns = INT64_MIN, .wants = WANT_ALL};

	read_with(f, &o);
	return f->set.at;
}

static inline void end(struct fixture *f)
{
	interval_set_free(&f->set);
	trace_free(f->t);
	bytes_free(&f->file);
	bytes_free(&f->records);
}

#endif
