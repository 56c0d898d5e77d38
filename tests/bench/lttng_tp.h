/*
 * LTTng-UST tracepoints, the peers of swtrace's hooks.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_tp.h"

#if !defined(BENCH_LTTNG_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_TP_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(bench, empty, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())

LTTNG_UST_TRACEPOINT_EVENT(bench, array8,
	LTTNG_UST_TP_ARGS(const uint32_t *, w),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_array(uint32_t, w, w, 8)))

#define BENCH_EIGHT_ARGS                                                                           \
	LTTNG_UST_TP_ARGS(uint32_t, a, uint32_t, b, uint32_t, c, uint32_t, d, uint32_t, e,         \
		uint32_t, f, uint32_t, g, uint32_t, h)
#define BENCH_EIGHT_FIELDS                                                                         \
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, a, a)                                \
		lttng_ust_field_integer(uint32_t, b, b) lttng_ust_field_integer(uint32_t, c, c)    \
		lttng_ust_field_integer(uint32_t, d, d) lttng_ust_field_integer(uint32_t, e, e)    \
		lttng_ust_field_integer(uint32_t, f, f) lttng_ust_field_integer(uint32_t, g, g)    \
		lttng_ust_field_integer(uint32_t, h, h))

LTTNG_UST_TRACEPOINT_EVENT(bench, fields8, BENCH_EIGHT_ARGS, BENCH_EIGHT_FIELDS)
/* The same fields, but never enabled. */
LTTNG_UST_TRACEPOINT_EVENT(bench, off, BENCH_EIGHT_ARGS, BENCH_EIGHT_FIELDS)

LTTNG_UST_TRACEPOINT_EVENT(bench, string16,
	LTTNG_UST_TP_ARGS(const char *, s),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_string(s, s)))

/* The two ends of an interval, and again, never enabled. */
#define BENCH_LABEL_ARGS LTTNG_UST_TP_ARGS(const char *, label)
#define BENCH_LABEL_FIELDS LTTNG_UST_TP_FIELDS(lttng_ust_field_string(label, label))

LTTNG_UST_TRACEPOINT_EVENT(bench, begin, BENCH_LABEL_ARGS, BENCH_LABEL_FIELDS)
LTTNG_UST_TRACEPOINT_EVENT(bench, end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(bench, off_begin, BENCH_LABEL_ARGS, BENCH_LABEL_FIELDS)
LTTNG_UST_TRACEPOINT_EVENT(bench, off_end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
