/*
 * Compares the runs before with the runs after, by label and minor. A run is a tally, and each run
 * gives one figure. With several hosts on a side the unit of comparison is the host instead of the
 * run (hosts.c): its figure is the mean of its runs'.
 *
 * decoder/report/diff owns comparing runs. It includes report, base, model, query, sink and values.
 * Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_DIFF_DIFF_H
#define SWT_DECODER_REPORT_DIFF_DIFF_H

#include "../../model/stats/compare.h"
#include "../gate.h"
#include "../query/by.h"
#include "../report.h"
#include "../tallies.h"
#include "../values/columns.h"
#include "../values/events.h"
#include "../values/metrics.h"
#include "../values/percentiles.h"

/* The chance that is accepted of calling anything a change where nothing changed. */
#define DIFF_ALPHA 0.01

enum diff_when { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

struct judgement {
	enum verdict verdict;
	double p; /* chance of a difference so large where there is none; NAN: not known */
};

/* Figures of a run; with several, what their runs have in the mean, of max the greatest. NAN: not
 * there. */
struct diff_value {
	double before, after;
	struct judgement judged;
};

/* A group as one run has it. */
struct diff_entry {
	const struct tally_group *group;
	size_t run;
	enum diff_when side;
};

struct diff_row {
	const struct diff_entry *entries[DIFF_SIDES]; /* of those runs that have it */
	size_t runs[DIFF_SIDES];
	const char *cpi_of, *instructions_of; /* "thread", "scaled", ...; NULL: n/a */
	enum tally_value cpi, instructions;   /* of these, unless NULL */
	struct diff_value *values;	      /* of each metric */
};

/* Metrics: those of enum metric, then the events of the runs by their names' bytes, whose figure of
 * a run is the mean of the intervals that counted it, then the derived ones, then percentiles. */
struct diff {
	struct diff_row *rows; /* the largest change of total time first, then by name */
	size_t count, common;  /* common: on both sides */
	double alpha;	       /* of each row */
	size_t runs[DIFF_SIDES];
	struct diff_entry *entries;
	double *figures[DIFF_SIDES]; /* room for one of each run */
	/* Host number of each run, common to both sides; NULL: the unit is the run. */
	uint32_t *hosts[DIFF_SIDES];
	size_t nhosts[DIFF_SIDES];
	uint32_t *figure_hosts[DIFF_SIDES]; /* of figures, rising */
	struct diff_host_sum *sums;	    /* scratch, for each number */
	size_t nsums;
	unsigned metrics;
	struct event_names events;
	struct value_name *spelled; /* of events */
	struct derived_set derived; /* their metrics follow those of events */
	const struct percentile *percentiles[PERCENTILES]; /* in addition to those of enum metric */
	unsigned npercentiles;
	struct diff_value *values;
	const struct by *by; /* NULL: by label and minor */
	struct column keys[BY_KEYS];
};

/* 0, CPIDECODE_ENOMEM, or as derived_make. The tallies have to stay, settled, with counts. */
int diff_make(struct diff *d, struct report *r, const struct diff_runs *before,
	const struct diff_runs *after);
void diff_free(struct diff *d);

static inline const struct tally_group *diff_name(const struct diff_row *row)
{
	return (row->runs[DIFF_AFTER] ? row->entries[DIFF_AFTER] : row->entries[DIFF_BEFORE])
		->group;
}

static inline bool diff_in_both(const struct diff_row *row)
{
	return row->runs[DIFF_BEFORE] && row->runs[DIFF_AFTER];
}

/* One run a side: the variance between runs is unknown. */
static inline bool diff_is_single(const struct diff *d)
{
	return d->runs[DIFF_BEFORE] == 1 && d->runs[DIFF_AFTER] == 1;
}

/* NULL: the metric is none of them. */
static inline const struct percentile *diff_percentile(const struct diff *d, unsigned m)
{
	const unsigned first = d->metrics - d->npercentiles;

	return m >= first ? d->percentiles[m - first] : NULL;
}

/* Whether metric m is a time, in nanoseconds. */
static inline bool diff_is_time(const struct diff *d, unsigned m)
{
	return metric_is_time(m) || diff_percentile(d, m);
}

/* Also of those of enum metric. */
static inline bool diff_is_percentile(const struct diff *d, unsigned m)
{
	return (m >= METRIC_P50 && m <= METRIC_P99) || diff_percentile(d, m);
}

static inline uint32_t diff_millionths(const struct diff *d, unsigned m)
{
	const struct percentile *p = diff_percentile(d, m);

	return p ? p->parts : metric_percent(m) * PERCENTILE_PARTS;
}

/* The summary's figure of a percentile. */
static inline uint64_t diff_at_percentile(
	const struct diff *d, unsigned m, const struct tally_group *g)
{
	return histogram_at_rank(
		&g->time, histogram_rank_millionth(g->time.count, diff_millionths(d, m)));
}

/* Whether anything tests that metric. */
static inline bool diff_has_test(const struct diff *d, unsigned m)
{
	if (m == METRIC_COUNT || m == METRIC_TOTAL || m == METRIC_MAX)
		return false;
	return diff_is_time(d, m) || !diff_is_single(d);
}

/* How far the row's metric is from what null says; NAN: too few. 0 or CPIDECODE_ENOMEM. */
int diff_distance(const struct diff *d, const struct diff_row *row, unsigned m,
	struct compare_null null, struct compare_distance *distance);
/* The figures of the units of a side (runs, or hosts) that have the metric, valid until the next
 * call for it. */
struct compare_runs diff_figures(
	const struct diff *d, const struct diff_row *row, unsigned m, enum diff_when side);

/* Decides whether the unit is the host. 0 or CPIDECODE_ENOMEM. */
int diff_find_hosts(struct diff *d, const struct report *r, const struct diff_runs *before,
	const struct diff_runs *after);
void diff_free_hosts(struct diff *d);
/* Joins figures[side], one for each run that has the row (NAN: none), to one for each unit. */
struct compare_runs diff_join_units(
	const struct diff *d, const struct diff_row *row, enum diff_when side);
/* Compares joined figures; by pairs if both sides have the same hosts. */
struct compare_distance diff_compare_units(const struct diff *d, struct compare_runs before,
	struct compare_runs after, struct compare_null null);
/* The number of units of the side; then of those that have the row. */
size_t diff_units(const struct diff *d, enum diff_when side);
size_t diff_row_units(const struct diff *d, const struct diff_row *row, enum diff_when side);

static inline bool diff_by_host(const struct diff *d)
{
	return d->hosts[DIFF_BEFORE];
}

static inline const char *diff_unit_name(const struct diff *d)
{
	return diff_by_host(d) ? "hosts" : "runs";
}

static inline double diff_percent(double before, double after)
{
	return before == 0 ? NAN : 100 * (after - before) / before;
}

/* Said of one run a side. */
#define DIFF_SINGLE "one run each: differences between runs are not in this"

/* With its sign and %; n/a. */
void diff_spell_percent(struct out *o, double percent);
/* The same of a change, and whether it is more than noise. */
void diff_spell_change(struct out *o, const struct diff_value *v);

/* Label and minor behind the columns of text. */
#define DIFF_LABEL                                                                                 \
	"label", "label", .left = true, .place = PLACE_LAST, .get = tallies_get_label,             \
			  .text = tallies_spell_label
void diff_spell_name(struct out *o, const struct diff *d, const struct tally_group *g);
/* Whether the gate's label, if it has one, matches the row's, or the value of a key. */
bool diff_matches(const struct diff *d, const struct gate *gate, const struct diff_row *row);

/* How a metric is called where it is a row or a key: any bytes. */
int diff_spell_events(struct diff *d);
int diff_make_derived(struct diff *d, struct report *r);
struct value_name diff_metric_name(const struct diff *d, unsigned m);
unsigned diff_metric_decimals(const struct diff *d, unsigned m);

/* Flags of the columns that a diff and its noise share. */
enum { DIFF_HAS_OF = TALLIES_HAS_NEXT, DIFF_IN_METRIC = IN_CSV | IN_NESTED };

/* The noise of a metric. NAN: too few runs. */
struct noise {
	double value; /* the mean of all runs */
	double share; /* standard deviation between runs of a side, in percent of it */
	double least; /* the change that this many runs show, in percent */
};

/* The text's table of events, derived metrics and percentiles, after that of labels: a row for each
 * label that has one. noise: of a metric, NULL: a table of changes. */
void diff_print_events(struct report *r, const struct diff *d,
	struct noise (*noise)(const struct diff *d, const struct diff_row *row, unsigned m));
/* Whether a run of either side has the event of that metric in the row. */
bool diff_has_event(const struct diff *d, const struct diff_row *row, unsigned m);
/* Which CPI or instructions the row compares, see diff_row; NULL: n/a, or another metric. */
const char *diff_kind_name(const struct diff_row *row, unsigned m);

/* Whether a gate is about an unknown metric: it is noted, and r->is_misused. */
bool diff_refuse_gates(struct report *r, const struct diff *d);

/*
 * A note for each row that fails a gate, and for gates that say nothing. r->gates_failed is
 * how many did. 0 or CPIDECODE_ENOMEM.
 */
int diff_gates(struct report *r, const struct diff *d);

/* The noise between runs of one program, and the least change that as many could show. */
void diff_print_noise(struct report *r, const struct diff *d);

#endif
