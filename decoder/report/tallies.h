/* Intervals read into a tally, for the reports that need no more of them. */
#ifndef SWT_DECODER_TALLIES_H
#define SWT_DECODER_TALLIES_H

#include "../model/stats/tally.h"
#include "../sink/csv.h"
#include "../sink/json.h"
#include "report.h"

/*
 * Reads r->trace, the intervals that the filter and the slice take, into *t, which starts
 * zeroed but for what is wanted, and settles it. 0 or a CPIDECODE_E code; *t has to be
 * freed either way.
 */
int tallies_read(struct report *r, struct tally *t);

/* An interval, valid during the call; on any thread below the threads of tallies_each. */
typedef int (*tallies_take_fn)(void *ctx, unsigned thread, const struct interval *iv);

/*
 * The same intervals, each once, in no order, on so many threads or fewer. wants: of enum
 * interval_want. *found, unless NULL, starts zeroed.
 */
int tallies_each(struct report *r, unsigned threads, unsigned wants, struct findings *found,
	tallies_take_fn fn, void *ctx);
/* How many threads there should be if each keeps so many bytes: all that r asks for, or fewer. */
unsigned tallies_threads(const struct report *r, uint64_t bytes);

/* The reports, of a tally that has all that they print: columns for cpus. */
void summary_print(struct report *r, const struct tally *t);
void cpus_print(struct report *r, const struct tally *t);

/* A note of processors that have no columns; nothing if all have. */
void tallies_tell_left_out(const struct report *r, const struct tally *t);

/* The first two columns of a group in CSV; in JSON also the major, if it is not CPI's. */
void tallies_csv_name(struct csv *c, const struct tally_group *g);
void tallies_json_name(struct json *j, const struct tally_group *g);
/*
 * What CPU utilisation has beyond others. In CSV these are columns where t has such groups; so
 * other traces' reports look as they always did. names: NULL-terminated, with room for
 * TALLIES_UTIL_NAMES more.
 */
enum { TALLIES_UTIL_NAMES = 5 };
void tallies_util_names(const char **names, const struct tally *t);
void tallies_csv_util(struct csv *c, const struct tally *t, const struct tally_group *g);
void tallies_json_util(struct json *j, const struct tally_group *g);
/* How CPU utilisation was measured: words of report_methods. In JSON with its key, and null of
 * none. */
void tallies_csv_methods(struct csv *c, uint32_t methods);
void tallies_json_methods(struct json *j, const char *key, uint32_t methods);
/* "minor 0x01": what an interval without a label is called. */
void tallies_text_minor(struct out *o, const struct tally_group *g);
/* The label, if there is one, the minor, and the major if it is not CPI's. */
void tallies_text_name(struct out *o, const struct tally_group *g);

/* How many of the intervals their quality hooks flagged, and for what; nothing if none. */
void tallies_flagged_line(const struct report *r, const struct tally *t);

#endif
