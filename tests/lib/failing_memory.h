/*
 * Memory that runs out, in a program that is linked with --wrap of malloc, calloc and realloc: one
 * allocation fails, the others do not.
 */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The linker's own names. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static long until_failure = -1; /* how many succeed before one fails; < 0: all do */
static bool allocation_failed;

static bool fails(void)
{
	if (until_failure < 0 || until_failure-- > 0)
		return false;
	allocation_failed = true;
	return true;
}

/* The n-th allocation from now on will fail. */
static void fail_after(long n)
{
	allocation_failed = false;
	until_failure = n;
}

/* Ends that; none failed: there were no more than n. */
static bool no_more_failures(void)
{
	until_failure = -1;
	return !allocation_failed;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

#endif
