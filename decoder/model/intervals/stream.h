/*
 * All intervals, one after the other: by start, longer first, then in the order of the hooks in
 * the trace. Depths count every interval of the thread, also those that the filter leaves
 * out; parent is the place, from 0, of the innermost container among those handed out (-1 also
 * where it comes later, as a clock was set back between them). For an interval of depth d, the
 * innermost that holds it is the last one of depth d - 1 on its thread and machine.
 *
 * Intervals that do not fit into memory wait in an unlinked temporary file (in TMPDIR, else
 * /var/tmp, else /tmp), so memory is bounded however many there are. Of each
 * thread the intervals that are open at one time are held, a few bytes each: that grows with the
 * nesting.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_STREAM_H
#define SWT_DECODER_MODEL_INTERVALS_STREAM_H

#include "../trace/findings.h"
#include "intervals.h"
#include "nesting.h"

struct interval_record;
struct interval_stream;
struct section_starts;

/* Gets the intervals that a query selects of those it meets. */
struct interval_taker {
	int (*take)(void *ctx, const struct interval_record *r); /* 0 or a negative code */
	void *ctx;
	size_t most_held; /* bytes of records that the query may hold at a time */
};

/*
 * Selects intervals by others of their thread: those that contain them, and those that are nested
 * in them. Each interval gets a selection as it is read, also one that the filter leaves out. Then
 * all are walked in order, parents first: to gather, if it gathers, and to select. Functions return
 * 0 or a negative code.
 */
struct interval_query {
	void *ctx;
	unsigned wants; /* enum interval_want, of selection */
	bool gathers;
	/* Called on any thread, before the depth is known. */
	uint64_t (*selection)(void *ctx, const struct interval *iv);
	int (*gather)(void *ctx, const struct nest_key *key, uint32_t file, uint64_t selection);
	int (*select)(void *ctx, const struct nest_key *key, uint32_t file, uint64_t selection,
		bool *selected);
	/* After each walk, and one that was broken off. */
	void (*end)(void *ctx);
	/*
	 * Instead of the walks, all at once (backward.h): the intervals in order of their ends, the
	 * last one first, of one end by start, parents first. r: its record, valid during the call;
	 * NULL: the filter leaves it out. meet_end: after the last one. They pass each selected
	 * one to the taker, which lives as long. meet may return INTERVAL_BACKWARD_UNSUITED.
	 * NULL: this query needs the walks.
	 */
	int (*meet)(void *ctx, const struct nest_key *key, uint32_t file, uint64_t selection,
		const struct interval_record *r, const struct interval_taker *taker);
	int (*meet_end)(void *ctx);
};

struct interval_stream_options {
	/* Called on any thread, before the depth is known. NULL: all. */
	bool (*filter)(void *ctx, const struct interval *iv);
	/* Whether the depths or costs of others need an interval that the filter leaves out.
	 * Intervals of a thread that overlap none of these may be skipped. Called like the filter.
	 * NULL: all are needed. */
	bool (*near)(void *ctx, const struct interval *iv);
	void *ctx; /* of both */
	/* Read for the filter in addition to `wants`, and not kept. WANT_UNTIMED: the filter, if
	 * there is one, `near` and the query do without what that leaves out. */
	unsigned filter_wants;
	const struct interval_query *query; /* NULL: none */
	/* A number of each interval, also of those that the filter leaves out: parent_name of those
	 * directly in it. A query then has the lower 32 bits of a selection. Called as the filter.
	 * NULL: none. */
	uint32_t (*name)(void *ctx, const struct interval *iv);
	/* In stored bytes. NULL: none. */
	bool (*progress)(void *progress_ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* Notes the least starts of the sections that it reads; NULL: does not. */
	struct section_starts *noted;
	/*
	 * For a filter of no interval that begins after known_to_ns: skips sections by
	 * section_starts_after. Intervals that end after it then get no own_nested, whatever is
	 * known. NULL: reads all.
	 */
	const struct section_starts *known;
	int64_t known_to_ns;
	int64_t from_ns;  /* skips intervals that end before; INT64_MIN: none */
	unsigned threads; /* 0: one for each processor that the process may use */
	unsigned wants;	  /* enum interval_want */
	unsigned spared;  /* enum hook_spared: of hooks, what no one of these needs */
	/* Returns the intervals machine by machine, by ticks: less work for several machines. */
	bool by_machine;
	/* Leave depth, parent and parent_hook undefined. */
	bool unnested;
	/*
	 * Sums own_nested, and includes it in IV_OWN_COST, if the trace has costs: that needs one
	 * more walk. With from_ns, intervals that began before it get none. Needs WANT_START and
	 * WANT_OWN_COST.
	 */
	bool nested_cost;
	bool compensate; /* and subtracts the costs (own_cost_subtract) */
	bool open;	 /* also those that are open (IV_OPEN); needs `found` */
	/* Sorts in a window (window.h) where the trace is of one machine, and not chosen
	 * by a query: less is read and merged. */
	bool windowed;
	size_t budget; /* bytes in memory before the file is used; 0: 24 MiB */
};

/* Reads the trace. *found, unless NULL, starts zeroed. 0 or a code (ESPOOL: errno has the cause).
 */
int interval_stream_open(const struct trace *t, const struct interval_stream_options *options,
	struct interval_stream **s, struct findings *found);
/* 1 and an interval (valid until the next call), 0 at the end, or a negative code. */
int interval_stream_next(struct interval_stream *s, const struct interval **iv);
/* Rewinds to the first one. */
int interval_stream_rewind(struct interval_stream *s);
/* How many pass the filter. */
uint64_t interval_stream_count(const struct interval_stream *s);
/* How many of these have their own cost. */
uint64_t interval_stream_with_cost(const struct interval_stream *s);
void interval_stream_close(struct interval_stream *s); /* NULL is fine */

#endif
