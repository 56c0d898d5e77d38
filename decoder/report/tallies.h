/* Reads intervals into a tally, for reports that need only sums. */
#ifndef SWT_DECODER_TALLIES_H
#define SWT_DECODER_TALLIES_H

#include "../model/stats/tally/tally.h"
#include "rows.h"

/*
 * Reads r->trace, the intervals that pass the filter and the slice, into *t, which starts zeroed
 * but for its wants, and settles it. 0 or a CPIDECODE_E code; *t has to be freed either way.
 */
int tallies_read(struct report *r, struct tally *t);
/* report_note_children_lost of a tally that was read. A partial result lacks what it counts, and
 * its report has the same bytes. */
void tallies_note_children_lost(
	const struct report *r, const struct tally *t, const char *consequence);

/* An interval, valid during the call; on any thread below the threads of tallies_each. */
typedef int (*tallies_visit_fn)(void *ctx, unsigned thread, const struct interval *iv);

/*
 * The same intervals, each once, in no order, on that many threads or fewer. wants: of enum
 * interval_want. *found, unless NULL, starts zeroed.
 */
int tallies_each(struct report *r, unsigned threads, unsigned wants, struct findings *found,
	tallies_visit_fn fn, void *ctx);
/* Whether the interval ended in r->slices. */
bool tallies_is_in_slice(const struct report *r, const struct interval *iv);
/* Limits findings to r->slices: merged results add those of their parts. */
int tallies_find_in_slice(struct report *r, unsigned wants, struct findings *found);
/* The parts of intervals that a tally with these wants reads: enum interval_want. */
unsigned tallies_wants(unsigned wanted);
/* The groups that each of that many threads keeps apart from struct tally_shared. */
size_t tallies_own_groups(unsigned threads);
/* The number of threads to use if each needs that many bytes: at most as many as r asks for. */
unsigned tallies_threads(const struct report *r, uint64_t bytes);

/* The reports, of a tally that has all that they print: columns for cpus. */
/* groups: those whose tally t is, NULL: t is of none. 0 or a CPIDECODE_E code. */
struct groups;
int summary_print(struct report *r, const struct tally *t, const struct groups *groups);
int cpus_print(struct report *r, const struct tally *t);
int histogram_print(struct report *r, const struct tally *t, const struct groups *groups);
/* The groups, in their order, that the summary prints; a report whose rows are parts of them shows
 * these. *chosen is a copy of *t, whose array of groups (NULL: those of t as they are) the caller
 * frees. Returns the same. */
int summary_choose(
	struct report *r, const struct tally *t, const struct groups *groups, struct tally *chosen);

/* Notes the processors without columns, if any. */
void tallies_tell_left_out(const struct report *r, const struct tally *t);

/*
 * Columns of rows that begin with a const struct tally_group *: how the group is called and what
 * every report of groups says of it. Text has the name last. In CSV what CPU utilisation has beyond
 * others, and the major, are columns where the report has groups of it, or of another major than
 * CPI's; so other traces' reports look as they always did.
 */
enum {
	TALLIES_HAS_UTIL = 1 << 0,
	TALLIES_HAS_MAJOR = 1 << 1, /* another than CPI's */
	TALLIES_HAS_CONTAINER = 1 << 2,
	TALLIES_HAS_NEXT = 1 << 3, /* the first bit of a report's own */
	TALLIES_HAS_ALL = TALLIES_HAS_NEXT - 1,
};
unsigned tallies_has(const struct tally_group *g);
/* What any group has. */
unsigned tallies_have(const struct tally *t);
/* The columns of a table: in CSV, hosts that share one have them all. */
static inline unsigned tallies_of_hosts(const struct report *r, unsigned has)
{
	return has | (r->of_host && r->format == FORMAT_CSV ? TALLIES_HAS_ALL : 0);
}
#define TALLIES_LABEL                                                                              \
	"label", "label", .left = true, .place = PLACE_FIRST, .get = tallies_get_label,            \
			  .text = tallies_spell_label
#define TALLIES_MINOR                                                                              \
	"minor", "mm", .place = 8, .spare = 10, .get = tallies_get_minor, .text = tallies_spell_code
#define TALLIES_MAJOR "major", .when = TALLIES_HAS_MAJOR, .get = tallies_get_major
#define TALLIES_COUNT "count", "count", .get = tallies_get_count
#define TALLIES_METHOD                                                                             \
	"method", "method", .left = true, .spare = 12, .when = TALLIES_HAS_UTIL,                   \
			    .get = tallies_get_methods
/* Where the trace has several and the tally wants them. */
#define TALLIES_CONTAINER                                                                          \
	"container", "container", .left = true, .place = 7, .spare = 6, .is_text = true,           \
				  .none = "-", .when = TALLIES_HAS_CONTAINER,                      \
				  .get = tallies_get_container
/* TALLY_WANT_CONTAINERS, or 0. */
unsigned tallies_want_containers(const struct report *r);
struct cell tallies_get_container(const void *row);
struct cell tallies_get_label(const void *row);
struct cell tallies_get_minor(const void *row);
struct cell tallies_get_major(const void *row);
struct cell tallies_get_count(const void *row);
/* The methods of CPU utilisation. */
struct cell tallies_get_methods(const void *row);
void tallies_spell_label(struct out *o, const void *row);
void tallies_spell_code(struct out *o, const void *row);
/* rows_pass; of no groups, text says so instead. */
bool tallies_pass(struct rows *rows, const struct report *r, size_t groups);

/* The label, if any, the minor, and the major if it is not CPI's. */
void tallies_text_name(struct out *o, const struct tally_group *g);

/* The same, the method of CPU utilisation, the containers if asked for, and the number of
 * intervals. */
void tallies_text_heading(struct out *o, const struct tally_group *g, bool with_containers);

/* The number of intervals flagged by their quality hooks, and the flags; nothing if none. */
void tallies_flagged_line(const struct report *r, const struct tally *t);

#endif
