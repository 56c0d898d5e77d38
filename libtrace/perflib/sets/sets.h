/*
 * The built-in countersets. Each is a definition and its operations, and reads its data from
 * the kernel itself. perflib(3) describes their counters.
 *
 * libtrace/perflib/sets owns the built-in countersets. It includes perflib, core and counters.
 * Errors as in counterset.h.
 */
#ifndef SWT_PERFLIB_SETS_H
#define SWT_PERFLIB_SETS_H

#include "../columns.h"

/* The provider of all built-in countersets. */
#define SETS_PROVIDER                                                                              \
	{                                                                                          \
		0x7d1c5a2e, 0x90b4, 0x4b0f,                                                        \
		{                                                                                  \
			0x8e, 0x37, 0x1f, 0x62, 0xd9, 0x4c, 0x05, 0xab                             \
		}                                                                                  \
	}
/* Members of each set's definition: it has several instances of `counters`. */
#define SETS_DEFINITION                                                                            \
	.provider = SETS_PROVIDER, .provider_name = "SWTRACE",                                     \
	.type = PERF_COUNTERSET_MULTI_INSTANCES, .detail = PERF_DETAIL_NOVICE, .counter = counters

extern const struct counterset processor_set, rings_set, cpi_set, process_set;

#define DEFINE(column, number, kind, attributes, level, base_id, sum, title, text)                 \
	[column] = {.id = (number),                                                                \
		.type = (kind),                                                                    \
		.attrib = (attributes),                                                            \
		.detail = (level),                                                                 \
		.base = (base_id),                                                                 \
		.aggregate = (sum),                                                                \
		.name = (title),                                                                   \
		.help = (text)}
/* A counter without a base. */
#define COUNTER(column, kind, sum, title, text)                                                    \
	DEFINE(column, column, kind, 0, PERF_DETAIL_NOVICE, PERF_NO_COUNTER, sum, title, text)
#define RATE(column, title, text)                                                                  \
	COUNTER(column, PERF_COUNTER_BULK_COUNT, PERF_AGGREGATE_TOTAL, title, text)
#define COUNT(column, title, text)                                                                 \
	COUNTER(column, PERF_COUNTER_LARGE_RAWCOUNT, PERF_AGGREGATE_TOTAL, title, text)

#endif
