/*
 * Intervals rebuilt from groups of hooks: streamed as they end.
 *
 * decoder/model/intervals owns intervals: building, sorting, nesting, streaming. It includes base,
 * clock, group, hooks and trace. Errors as in trace/trace.h.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_INTERVALS_H
#define SWT_DECODER_MODEL_INTERVALS_INTERVALS_H

#include "../trace/findings.h"

/* Nothing is known of it. */
extern const struct interval interval_blank;

/* Parts of intervals that a caller wants. The other members of an interval are undefined. */
enum interval_want {
	WANT_START = 1u << 0,	/* start_ns; from an interval_stream also end_ns */
	WANT_SYSTEM = 1u << 1,	/* the system's ratios and counts */
	WANT_THREAD = 1u << 2,	/* the thread's */
	WANT_QUALITY = 1u << 3, /* IV_FLAGGED, on_cpu_ns to faults */
	WANT_CPUS = 1u << 4,	/* cpus and num_cpus */
	WANT_FLAGS = 1u << 5,	/* types, num_cpus, IV_INCONSISTENT, IV_MALFORMED */
	WANT_ALL = (1u << 6) - 1,
	WANT_METHOD = 1u << 6, /* of CPU utilisation; WANT_SYSTEM has it, too */
	/* Reads only by the schema's cursor: slower, same result. */
	WANT_BY_CURSOR = 1u << 7,
	WANT_VALUES = 1u << 8,	  /* named values; WANT_ALL does not have them */
	WANT_TYPES = 1u << 9,	  /* types; WANT_FLAGS has them, too */
	WANT_OWN_COST = 1u << 10, /* own_inside, own_pair, IV_OWN_COST; WANT_FLAGS has them, too */
	/* Events, and their IV_MULTIPLEXED. They are named values: WANT_VALUES includes them. */
	WANT_EVENTS = 1u << 11,
	/* Leaves out elapsed_ns, long_ns, on_cpu_ns and off_cpu_ns: interval_record_get finds them.
	 */
	WANT_UNTIMED = 1u << 12,
};

/*
 * Streaming. Feed the hooks of a pass's slice, all of them and in order, to interval_feed; it hands
 * out the group that this hook ended, if it ended one. After the last hook, interval_flush until it
 * hands out nothing; then the next slice may be fed. Intervals come roughly in order of their
 * stamps; depth is 0 and parent -1. A builder is for one thread at a time.
 */
struct interval_builder;
struct pass_slice;

/* wants: of enum interval_want. */
int interval_builder_new(const struct trace *t, unsigned wants, struct interval_builder **b);
/* 1 and an interval (valid until the next call), 0: none, or a negative code. */
int interval_feed(struct interval_builder *b, const struct hook *h, const struct interval **iv);
int interval_flush(struct interval_builder *b, const struct interval **iv);
/* Does all of that: returns the next interval of a slice (1), 0 after its last, or a negative
 * code. */
int interval_read(struct interval_builder *b, struct pass_slice *s, const struct interval **iv);
/* Whether it has read begin or over hooks since it was last asked. */
bool interval_builder_had_begins(struct interval_builder *b);
/*
 * Adds the builder's other findings: labels and names without a text, intervals that have begun,
 * and whether some hook belongs to no interval. Once, after the last slice. 0 or CPIDECODE_ENOMEM.
 */
int interval_builder_tell(struct interval_builder *b, struct findings *found);
void interval_builder_free(struct interval_builder *b);

#endif
