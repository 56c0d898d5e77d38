/*
 * The checks that PerfLib's documentation asks of a consumer of a PERF_DATA_HEADER block, and
 * perflib.h's further promises.
 */
#ifndef SWT_TESTS_PERFLIB_WALK_H
#define SWT_TESTS_PERFLIB_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "../../include/perflib.h"

/* NULL, or a description of the error. */
const char *walk(const void *data, size_t bytes);

/* Parts of a block that walk has found right. */
struct result {
	PERF_COUNTER_HEADER header;
	const unsigned char *body; /* behind the header */
	ULONG counters, instances; /* as far as the type has them */
};

/* The result at this position. */
bool walk_result(const void *data, ULONG index, struct result *result);

/* A value: its size, which may be 0, or -1 if there is none such. instance: which of them, counter:
 * its id; ignored where the type has none. */
int walk_value(const struct result *r, ULONG instance, ULONG counter, ULONGLONG *value);

/* An instance's name. */
const char *walk_instance(const struct result *r, ULONG instance, ULONG *id);

#endif
