/*
 * What many intervals amount to, by label, minor and major: counts, exact sums, histograms. Two
 * tallies merge into what one of all their intervals would be, bit by bit: in whatever
 * order intervals were added, by however many threads or machines.
 */
#ifndef SWT_DECODER_MODEL_STATS_TALLY_H
#define SWT_DECODER_MODEL_STATS_TALLY_H

#include "../../../formats/cpuutil_hooks.h"
#include "histogram.h"
#include "../../base/intern.h"
#include "ratio.h"
#include "timeline.h"

enum {
	/* Processors whose columns are kept: a bound for memory, far above any machine's. */
	TALLY_CPUS = 16384,
	TALLY_FLAGS = 4,
	TALLY_RECENT = 64,
};

_Static_assert(IV_FLAGGED == ((1u << TALLY_FLAGS) - 1) * IV_MULTIPLEXED, "flags in a row");

/* What is kept beyond counts, times and ratios. */
enum tally_wanted {
	TALLY_WANT_CPUS = 1 << 0,   /* each processor's ratios */
	TALLY_WANT_COUNTS = 1 << 1, /* what CPIs and instructions single intervals had */
	TALLY_WANT_ORDER = 1 << 2,  /* when intervals ended: end_ns is needed */
};

/* Which CPI, and whose instructions. */
enum tally_value {
	TALLY_THREAD_CPI,
	TALLY_SCALED_CPI,
	TALLY_RAW_CPI,
	TALLY_THREAD_INSTRUCTIONS,
	TALLY_INSTRUCTIONS,
	TALLY_VALUES,
};

/* A CPI in a histogram: whole units of that part of 1. */
#define TALLY_CPI_ONE 10000

struct tally_column {
	struct ratio raw, scaled, busy;
};

struct tally_spread {
	struct histogram values;
	exact_sum sum;
};

/* One of a group's first intervals, as far as a detail is made of it. */
struct tally_first {
	const struct tally_first *next; /* NULL: the last; in no order */
	int64_t end_ns;
	double elapsed_ns;
	uint64_t elapsed, instructions, cycles, busy_cycles, thread_instructions, thread_cycles;
	double raw_cpi, scaled_cpi, thread_cpi, busy_pct;
	uint32_t flags;
};

/* Sums of several intervals' figures. */
struct tally_detail {
	uint64_t scripted;	       /* how many intervals' counters were, or may be */
	uint64_t quality;	       /* how many have a quality hook, */
	uint64_t flagged;	       /* were flagged by it, */
	uint64_t by_flag[TALLY_FLAGS]; /* and for what: IV_MULTIPLEXED and the bits above it */
	struct ratios ratios;
	struct tally_spread *spreads; /* TALLY_VALUES of them; NULL: not wanted */
	/* NULL: not wanted. With fewer values than time, as of an older partial result: not known.
	 */
	struct timeline *order;
};

struct tally_group {
	const char *label; /* label_len bytes; lives as long as the tally */
	uint32_t label_len;
	bool has_label;
	uint8_t mm, major;
	struct histogram time; /* nanoseconds, rounded to whole ones */
	exact_sum total;       /* of 1/EXACT_PER_NS ns */
	/*
	 * What was measured beyond time: of few intervals as it is, which takes much less memory
	 * than sums; of more in sums. Both NULL: nothing. tally_detail has it in one form.
	 */
	const struct tally_first *first;
	struct tally_detail *detail;
	struct tally_column *columns; /* of ncolumns processors; NULL: none */
	/* Of CPU utilisation: the system's, and beside columns; else NULL. */
	struct util_ratios *util, *util_columns;
	uint32_t methods; /* how they were measured: bits of tally_method */
	uint32_t ncolumns, columns_cap;
	uint64_t hash;
	size_t place; /* in tally.groups, once it is settled */
};

/* Starts zeroed but for wanted. */
struct tally {
	unsigned wanted; /* enum tally_wanted, or'ed */
	struct tally_group **groups;
	size_t count, cap;
	bool has_util;		    /* groups of CPU utilisation */
	struct tally_group **table; /* by hash; places of them */
	size_t places;
	struct tally_group *recent[TALLY_RECENT]; /* that were found, by a hash of their ends */
	uint64_t cpus_left_out;			  /* intervals with more processors than are kept */
	struct intern memory;			  /* groups and labels */
};

/* All return 0 or CPIDECODE_ENOMEM: then the tally can only be freed. */
int tally_add(struct tally *t, const struct interval *iv);
int tally_merge(struct tally *t, const struct tally *from);
int tally_merge_group(struct tally *t, const struct tally_group *from);
/* Moves what from has, which is empty then; the two have no group in common. Or neither changes. */
int tally_take(struct tally *t, struct tally *from);
/* Of the name of the group that the interval belongs to; a group has it, too. */
uint64_t tally_hash(const struct interval *iv);
/* The group of that name, a new one if there is none; NULL: no memory. */
struct tally_group *tally_group_of(struct tally *t, bool has_label, const char *label,
	uint32_t label_len, uint8_t major, uint8_t mm);
/* Room for so many processors; those that are new start zeroed. */
int tally_need_columns(struct tally_group *g, uint32_t n);
/* The group's own detail, with what the tally wants in it; NULL: no memory. */
struct tally_detail *tally_need_detail(struct tally *t, struct tally_group *g);
/* After the last interval: groups by total time, longest first, then by name. */
int tally_settle(struct tally *t);

/* Room for the detail of a group that has none of its own. */
struct tally_scratch {
	struct tally_detail detail;
	struct tally_spread spreads[TALLY_VALUES];
};
/* Valid as long as both are; nothing to free. Without the order of a single interval. */
const struct tally_detail *tally_detail(const struct tally_group *g, struct tally_scratch *s);

/* NULL: none. Only its name matters of key. */
const struct tally_group *tally_find(const struct tally *t, const struct tally_group *key);
/* No label before every label; then by bytes, then minor, then major. */
int tally_compare_names(const struct tally_group *a, const struct tally_group *b);
void tally_free(struct tally *t);

/* A method's bit; of all that nobody knows the same, of none that is told, none. */
#define TALLY_METHOD_UNKNOWN (1u << CPUUTIL_METHODS)
static inline uint32_t tally_method(uint64_t method)
{
	if (method == NOT_MEASURED)
		return 0;
	return method < CPUUTIL_METHODS ? 1u << method : TALLY_METHOD_UNKNOWN;
}

/* Durations of which a double has no tenths: they are told in whole nanoseconds. */
#define TALLY_LONG_NS 0x1p49

/* An nth of a total in whole nanoseconds; UINT64_MAX if it is more. n is not 0. */
static inline uint64_t tally_whole_ns(exact_sum total, uint64_t n)
{
	exact_sum ns = exact_divide(total, (exact_sum)n * EXACT_PER_NS);
	return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

/* The group's total in nanoseconds. */
static inline double tally_total_ns(const struct tally_group *g)
{
	return (double)g->total / EXACT_PER_NS;
}

#endif
