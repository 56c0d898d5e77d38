/*
 * LTTng-UST tracepoints, as a module of the benchmark.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_tp.h"

#include "peers.h"
#include "work.h"

static uint32_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const char string[] = "sixteen letters.";

#define EIGHT(w) w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
#define WORDS                                                                                      \
	const uint32_t *w = words;                                                                 \
	__asm__ volatile("" : "+r"(w))

/* clang-format off */
OP_LOOPS(empty, , lttng_ust_tracepoint(bench, empty))
OP_LOOPS(array8, , lttng_ust_tracepoint(bench, array8, words))
OP_LOOPS(fields8, WORDS, lttng_ust_tracepoint(bench, fields8, EIGHT(w)))
OP_LOOPS(off, WORDS, lttng_ust_tracepoint(bench, off, EIGHT(w)))
OP_LOOPS(string16, , lttng_ust_tracepoint(bench, string16, string))
OP_LOOPS(pair, , lttng_ust_tracepoint(bench, begin, "bench"); lttng_ust_tracepoint(bench, end))
OP_LOOPS(pair_off, , lttng_ust_tracepoint(bench, off_begin, "bench");
	lttng_ust_tracepoint(bench, off_end))

static const struct op ops[] = {
	{"lttng_off", tight_off, work_off, 0, HERE, false},
	{"lttng_empty", tight_empty, work_empty, 0, HERE, false},
	{"lttng_array8", tight_array8, work_array8, 0, HERE, false},
	{"lttng_fields8", tight_fields8, work_fields8, 0, HERE, false},
	{"lttng_string16", tight_string16, work_string16, 0, HERE, false},
	{0},
};

static const struct op interval_peers[] = {
	{"lttng_off", tight_pair_off, work_pair_off, 0, HERE, false},
	{"lttng", tight_pair, work_pair, 0, HERE, false},
	{0},
};
/* clang-format on */

static const char *const events[] = {
	"empty", "array8", "fields8", "string16", "begin", "end", NULL};

static bool ready(void)
{
	return lttng_ust_tracepoint_enabled(bench, empty) &&
	       lttng_ust_tracepoint_enabled(bench, array8) &&
	       lttng_ust_tracepoint_enabled(bench, fields8) &&
	       lttng_ust_tracepoint_enabled(bench, string16) &&
	       lttng_ust_tracepoint_enabled(bench, begin) &&
	       lttng_ust_tracepoint_enabled(bench, end) &&
	       !lttng_ust_tracepoint_enabled(bench, off) &&
	       !lttng_ust_tracepoint_enabled(bench, off_begin) &&
	       !lttng_ust_tracepoint_enabled(bench, off_end);
}

static void hit(uint64_t turns)
{
	tight_empty(turns);
	tight_array8(turns);
	tight_fields8(turns);
	tight_string16(turns);
	tight_pair(turns);
}

__attribute__((visibility("default"))) const struct peers bench_peers = {
	.ops = ops,
	.interval_ops = interval_peers,
	.ready = ready,
	.hit = hit,
	.events = events,
};
