/* Opening a built trace and reading it to its end. */
#ifndef SWT_TESTS_DECODER_OPEN_H
#define SWT_TESTS_DECODER_OPEN_H

#include <check.h>

#include "../../decoder/model/trace/trace.h"
#include "../lib/trace_build.h"

static inline struct trace *opened(const struct bytes *b)
{
	struct trace *t;

	ck_assert_int_eq(trace_new(&t), 0);
	ck_assert_int_eq(trace_add_memory(t, b->p, b->n, "memory"), 0);
	return t;
}

/* A trace of built files. */
struct built_trace {
	struct bytes files[3];
	size_t count;
	struct trace *t;
};

static inline void built_trace_open(struct built_trace *b)
{
	ck_assert_int_eq(trace_new(&b->t), 0);
	for (size_t i = 0; i < b->count; i++)
		ck_assert_int_eq(trace_add_memory(b->t, b->files[i].p, b->files[i].n, "memory"), 0);
}

static inline void built_trace_close(struct built_trace *b)
{
	trace_free(b->t);
	for (size_t i = 0; i < b->count; i++)
		bytes_free(&b->files[i]);
}

/* Reads everything; checks the order within a file. */
static inline uint64_t read_hooks(const struct trace *t, struct hook_counts *counts)
{
	struct hook_iter *it;
	const struct hook *h;
	uint64_t n = 0;
	int rc;

	ck_assert_int_eq(hook_iter_open(t, &it), 0);
	while ((rc = hook_iter_next(it, &h)) > 0)
		n++;
	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(hook_iter_next(it, &h), 0);
	hook_iter_counts(it, counts);
	ck_assert_uint_eq(counts->hooks, n);
	hook_iter_close(it);
	return n;
}

#endif
