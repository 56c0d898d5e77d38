/*
 * Sums over many intervals, by label, minor and major: counts, exact sums, histograms. Two
 * tallies merge into what one of all their intervals would be, bit by bit: in whatever
 * order intervals were added, by however many threads or machines.
 *
 * decoder/model/stats/tally owns the sums over intervals. It includes base, hooks, intervals,
 * stats and trace. Errors as in trace/trace.h.
 */
#ifndef SWT_DECODER_MODEL_STATS_TALLY_TALLY_H
#define SWT_DECODER_MODEL_STATS_TALLY_TALLY_H

#include "../../../../formats/base/hash_index.h"
#include "../../../../formats/cpi_hooks.h"
#include "../../../../formats/cpuutil_hooks.h"
#include "../columns.h"
#include "../histogram.h"
#include "../../../base/intern.h"
#include "../sums.h"
#include "../timeline.h"
#include "../../trace/labels.h"
#include "../../trace/trace.h"

enum {
	/* Processors whose columns are kept: a bound for memory, far above any machine's. */
	TALLY_CPUS = 16384,
	TALLY_RECENT = 64,
	/* Events of a group: those whose names come first by their bytes, so that the kept ones
	 * depend on no order. A process counts INTERVAL_EVENTS_MAX. */
	TALLY_EVENTS = 256,
	TALLY_RECENT_EVENTS = 16,
	/* Limits of a group's containers, shown and kept. If the owner's is not shown by its name,
	 * it comes before all others, so that it is always kept. */
	TALLY_CONTAINERS = 16,
	TALLY_CONTAINERS_KEPT = TALLY_CONTAINERS + 1,
};

/* Figures kept beyond counts, times and ratios. */
enum tally_wanted {
	TALLY_WANT_CPUS = 1 << 0,	/* each processor's ratios */
	TALLY_WANT_VALUES = 1 << 1,	/* CPIs and instructions of single intervals */
	TALLY_WANT_ORDER = 1 << 2,	/* when intervals ended: end_ns is needed */
	TALLY_WANT_TYPES = 1 << 3,	/* TALLY_SEEN_THREAD of summary hooks: types is needed */
	TALLY_WANT_CONTAINERS = 1 << 4, /* where the threads were: task is needed */
	TALLY_WANT_OWNERS = 1 << 5,	/* and the owners' by name, if it is known */
};

/* Bits of tally.seen in addition to those of enum interval_flag. They show why a figure is n/a. */
enum tally_seen {
	TALLY_SEEN_CPI = 1 << 16,    /* a CPI interval */
	TALLY_SEEN_THREAD = 1 << 17, /* CPI_HOOK_THREAD: the thread's fields, measured or not */
	TALLY_SEEN_ON_CPU = 1 << 18, /* the thread's time on a processor */
};
_Static_assert((int)IV_OWN_COST < (int)TALLY_SEEN_CPI, "bits of their own");

/* Which CPI, and whose instructions. */
enum tally_value {
	TALLY_THREAD_CPI,
	TALLY_SCALED_CPI,
	TALLY_RAW_CPI,
	TALLY_THREAD_INSTRUCTIONS,
	TALLY_INSTRUCTIONS,
	TALLY_VALUES,
};

/* A CPI in a histogram is rounded to a multiple of 1/TALLY_CPI_ONE. */
#define TALLY_CPI_ONE 10000

struct tally_spread {
	struct histogram values;
	exact_sum sum;
};

/* An event's counts in a group's intervals. */
struct tally_event {
	struct tally_event *next; /* by the names' bytes, a shorter name before longer ones */
	exact_sum sum;
	uint64_t known;	 /* intervals that counted it */
	uint64_t scaled; /* of these, those whose count was scaled up */
	uint32_t hash, length;
	char name[]; /* length bytes, any bytes */
};

/* Figures that few tallies want, or few groups have. */
struct tally_extra {
	/* For CPU utilisation the system's come first, then the processors'. */
	struct ratio_columns columns;
	struct tally_spread **spreads; /* of TALLY_VALUES; NULL: none. tally_spread returns one */
	uint32_t methods;	       /* how they were measured: bits of tally_method */
	uint32_t num_events;	       /* at most TALLY_EVENTS */
	struct tally_event *events;
	struct tally_container *containers; /* NULL: all intervals were in the tally's owner's */
	uint32_t num_containers;
	bool containers_left_out;
	/* The containers' names with commas between, "-" for the owner's among others; set by
	 * tally_spell_containers. NULL: all in the owner's, or not known. */
	const char *container;
	bool shows_container;
};

_Static_assert(TALLY_CPUS < UINT16_MAX, "columns count the system and processors in 16 bits");

/* Very many labels make this most of the memory: it is as small as it can be. */
struct tally_group {
	struct histogram time; /* nanoseconds, rounded to whole ones */
	exact_sum total;       /* of 1/EXACT_PER_NS ns */
	/* Figures beyond time: tally_sums returns them. NULL: none. */
	union {
		uint64_t *packed; /* of few intervals; room words */
		struct sums *sums;
	};
	struct tally_extra *extra; /* NULL: nothing of that */
	/* NULL: not wanted. With fewer values than time, as of a partial result of an older
	 * version: unknown.
	 */
	struct timeline *order;
	uint32_t hash, index; /* index: in tally.groups, once it is settled */
	uint32_t label_len;
	uint8_t mm, major, room;
	bool has_label : 1, has_sums : 1; /* has_sums: they are not packed */
	char label[];			  /* label_len bytes, and a 0 */
};

/* Starts zeroed but for wanted, is_brief and trace. */
struct tally {
	unsigned wanted;	   /* enum tally_wanted, or'ed */
	bool is_brief;		   /* read and merged into another at once: packing does not pay */
	const struct trace *trace; /* of the intervals that are added; NULL: without events */
	struct tally_group **groups;
	size_t count, cap;
	struct hash_index by_name;		  /* of groups */
	bool has_util;				  /* groups of CPU utilisation */
	struct tally_group *recent[TALLY_RECENT]; /* that were found, by a hash of their ends */
	struct tally_recent_event {
		struct trace_text text; /* with a hash of the tally's */
		uint32_t index;		/* in the trace's texts */
		bool is_set;
	} recent_events[TALLY_RECENT_EVENTS]; /* by index */
	uint64_t cpus_left_out;		      /* intervals with more processors than are kept */
	/* A partial result has none of these. */
	uint32_t seen;		      /* in any CPI interval; 0: none */
	uint64_t children_lost;	      /* intervals that are IV_CHILDREN_LOST */
	exact_sum children_lost_time; /* as a group's total */
	bool events_left_out;	      /* some group had more than TALLY_EVENTS */
	/* The container of groups without a list: its name lives as long as the trace, or is in
	 * memory. With TALLY_WANT_OWNERS that of the trace's first machine. NULL: the session's
	 * owner's, or unknown. */
	const char *owner;
	const char *known_owner; /* any known owner's, which lists keep; memory as above */
	struct intern memory;	 /* groups and labels */
	struct columns_buffer buffer;
};

/* All return 0 or CPIDECODE_ENOMEM: then the tally can only be freed. */
int tally_add(struct tally *t, const struct interval *iv);
int tally_merge(struct tally *t, const struct tally *from);
/* Merges a group of a tally with the same owner. */
int tally_merge_group(struct tally *t, const struct tally_group *from);
/* The same under another label. */
int tally_merge_group_as(
	struct tally *t, const struct tally_group *from, const char *label, uint32_t label_len);
/* Figures of no group: cpus_left_out and the members after it. */
void tally_merge_facts(struct tally *t, const struct tally *from);
/* Moves what from has, which is empty then; the two have no group in common. Or neither changes. */
int tally_absorb(struct tally *t, struct tally *from);
/* The hash of the name of the group that the interval belongs to, which the group keeps. */
uint32_t tally_hash(const struct interval *iv);
/* The group of that name, a new one if there is none; NULL: no memory. */
struct tally_group *tally_group_of(struct tally *t, bool has_label, const char *label,
	uint32_t label_len, uint8_t major, uint8_t mm);
/* The group's columns, by columns_change; its times have to be there already. */
int tally_change_columns(
	struct tally *t, struct tally_group *g, uint32_t n, columns_change_fn change, void *ctx);
/* Adds the columns of an interval that is in the group's times. */
int tally_add_columns(struct tally *t, struct tally_group *g, const struct interval *iv);
/* The events of an interval that is in the group's times. */
int tally_add_events(struct tally *t, struct tally_group *g, const struct interval *iv);
/* Adds the sums of `from`, with the name after it. */
int tally_merge_event(struct tally *t, struct tally_group *g, const struct tally_event *from,
	const char *name, uint32_t length);
int tally_merge_events(struct tally *t, struct tally_group *g, const struct tally_group *from);
/* Adds the container of the interval's thread. */
const char *tally_container_of(const struct tally *t, const struct interval *iv);
/* Whether it is the name of the tally's owner's. */
bool tally_is_of_owner(const struct tally *t, const char *name);
/* Gives a group with that many intervals a list, if it has none. */
int tally_list_owner(struct tally *t, struct tally_extra *extra, uint64_t intervals);
/* The name lives as long as the trace; NULL: the container of the session's owner, or unknown. */
int tally_add_container(struct tally *t, struct tally_extra *extra, const char *name);
/* Merges another group's containers, of a tally with that owner. Copies the names. */
int tally_merge_containers(struct tally *t, struct tally_extra *extra,
	const struct tally_extra *more, const char *owner);
/* The tally's owner, from its trace or from tally_set_owner. */
const char *tally_owner(const struct tally *t);
/* Sets the tally's owners to copies. owner: of groups without a list; known: any known one. */
int tally_set_owner(struct tally *t, const char *owner, const char *known);
/* Calls add for up to `most` names of a group that has a list, NULL first, until it does not return
 * 0. */
int tally_each_container(const struct tally_extra *extra, uint32_t most,
	int (*add)(void *ctx, const char *name), void *ctx);
/* Whether all intervals of a group were in the container of that name. */
bool tally_is_in(const struct tally *t, const struct tally_extra *extra, const char *name);
/* Sets `container` of all groups. hidden: the owner's name, which is shown as "-", or NULL. */
int tally_show_containers(struct tally *t, const char *hidden);
/* Like tally_show_containers, for groups that all have an extra. */
int tally_spell_containers(struct tally *t, const char *hidden);
/* NULL: no memory. */
struct tally_extra *tally_need_extra(struct tally *t, struct tally_group *g);
struct tally_spread *tally_need_spread(
	struct tally *t, struct tally_group *g, enum tally_value value);
struct timeline *tally_need_order(struct tally *t, struct tally_group *g);
/* Instead of the group's; its times have to be there already. */
int tally_set_sums(struct tally *t, struct tally_group *g, const struct sums *s);
/* After the last interval: groups by total time, longest first, then by name. */
int tally_settle(struct tally *t);

/* Valid as long as both are. */
const struct sums *tally_sums(const struct tally_group *g, struct sums *scratch);
/* All zero where a group has none. */
const struct tally_extra *tally_extra(const struct tally_group *g);
/* NULL: not wanted, or no values. */
const struct tally_spread *tally_spread(const struct tally_group *g, enum tally_value value);
/* The system's ratios of CPU utilisation, all zero where the group has none. Valid as long as
 * scratch and the group. */
const struct ratio *tally_util(const struct tally_group *g, struct columns_reader *scratch);
/* NULL: no interval of the group names that event. */
const struct tally_event *tally_find_event(
	const struct tally_group *g, const char *name, uint32_t length);
/* The order of events in a group: below 0, 0, above. */
int tally_compare_events(const char *a, uint32_t a_length, const char *b, uint32_t b_length);
/* The mean of the intervals that counted it; NAN: none did. */
static inline double tally_event_mean(const struct tally_event *e)
{
	return e->known ? (double)e->sum / (double)e->known : NAN;
}
/* How many processors a group has columns of. */
uint32_t tally_processors(const struct tally_group *g);
/* columns_next gives those of processor 0 next. */
void tally_first_processor(const struct tally_group *g, struct columns_reader *r);

/* NULL: none. */
const struct tally_group *tally_find(const struct tally *t, bool has_label, const char *label,
	uint32_t label_len, uint8_t major, uint8_t mm);
/* No label before every label; then by bytes, then minor, then major. */
int tally_compare_names(const struct tally_group *a, const struct tally_group *b);
void tally_free(struct tally *t);

static inline bool tally_is_util(const struct tally_group *g)
{
	return g->major == CPUUTIL_MAJOR;
}

/* A method's bit. All unknown methods share one; an interval without a method has none. */
#define TALLY_METHOD_UNKNOWN (1u << CPUUTIL_METHODS)
static inline uint32_t tally_method(uint64_t method)
{
	if (method == NOT_MEASURED)
		return 0;
	return method < CPUUTIL_METHODS ? 1u << method : TALLY_METHOD_UNKNOWN;
}

/* Durations of which a double has no tenths: they are printed in whole nanoseconds. */
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
