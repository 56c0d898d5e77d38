/*
 * Derived metrics of a report: the formulas that the user gave, and of the built-in ones those
 * whose events the trace counted. An operand is an event of that name if there is one, else a
 * column of the intervals' own.
 */
#ifndef SWT_DECODER_REPORT_VALUES_METRICS_H
#define SWT_DECODER_REPORT_VALUES_METRICS_H

#include "../../model/intervals/intervals.h"
#include "events.h"
#include "formula.h"

enum { METRIC_DECIMALS = 4 };

/* Before a metric's name that is taken. */
#define METRIC_PREFIX "metric."

struct metric_operand {
	const struct metric_column *own; /* NULL: an event */
	struct event_name event;
	uint32_t index; /* trace_text_at of the event; TEXT_NONE: of no trace */
};

struct derived {
	const struct formula *formula;
	const char *name; /* metric.NAME where NAME is taken */
	struct metric_operand operands[FORMULA_OPERANDS];
};

/* Starts zeroed but for is_word; to be freed in any case. */
struct derived_set {
	struct derived *at;
	size_t count;
	/* Whether a name means something else in conditions: a metric of the user does not get it.
	 * NULL: none does. */
	bool (*is_word)(const char *name);
	struct formula *builtin;
	struct intern memory;
};

/*
 * names: the events of the report. taken: names of the report's other columns. 0, CPIDECODE_ENOMEM,
 * or CPIDECODE_EINVAL: a formula's operand is neither, which is noted, and r->is_misused.
 */
int derived_make(struct derived_set *d, struct report *r, const struct event_names *names,
	const char *const *taken, size_t ntaken);
/*
 * Of a group: operands are the means of the intervals that have them. So a ratio of counts that the
 * same intervals have is the ratio of their sums. NAN: n/a.
 */
double derived_of_group(const struct derived *d, const struct tally_group *g);
/* index: trace_text_at. NAN: n/a. */
double derived_of_event(const struct interval *iv, uint32_t index);
double derived_of_interval(const struct derived *d, const struct interval *iv);
/* The column that an operand is; NULL: it is an event. */
const char *derived_column_name(const struct metric_operand *o);
/* Whether groups have its operands: some columns are known of intervals alone. */
bool derived_is_of_groups(const struct derived *d);
/* The parts of intervals that any of them asks for: enum interval_want. */
enum { DERIVED_WANTS = WANT_SYSTEM | WANT_THREAD | WANT_QUALITY | WANT_EVENTS };
/* Whether a metric of that name, or metric.NAME, can be in a set of a report with these formulas of
 * the user. */
bool derived_may_be(const struct formula *formulas, size_t n, const char *name, size_t length);
/* Whether the metric of two intervals together is the sum of both: operands are counts and times,
 * added, subtracted, and times or through numbers. */
bool derived_is_additive(const struct derived *d);
enum { DERIVED_TAKEN = 80 };
/* The names of a report's own columns, up to that many: how many. */
size_t derived_list_names(const struct column *own, const char *taken[DERIVED_TAKEN]);
/* The columns of a list (NULL: none), and after them one for each metric, whose `of` is a struct
 * derived; with heading also in text. To be freed; NULL: no memory. */
struct column *derived_add_columns(
	const struct derived_set *d, const struct column *before, event_get_fn get, bool heading);
void derived_free(struct derived_set *d);

#endif
