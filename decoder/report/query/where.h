/*
 * --where: a condition of intervals, in the language of formats/base/expression.h. Its words are
 * the columns of intervals (values/interval_columns.h) and a few of its own, their arguments,
 * events and metrics, and each of these of the parent and of the outermost interval around. Its
 * functions are under() and contains().
 *
 * A condition that asks nothing of other intervals is tested as intervals are read. Of others
 * (nests), each leaf is: where_selection has a bit for each, and lineage.h the rest.
 */
#ifndef SWT_DECODER_REPORT_QUERY_WHERE_H
#define SWT_DECODER_REPORT_QUERY_WHERE_H

#include "../../../formats/base/expression.h"
#include "../../model/trace/trace.h"
#include "../values/metrics.h"

#define WHERE_WORDS                                                                                \
	"a column: those of --report intervals --format csv, elapsed, elapsed_ns, cpi, "           \
	"self_ns, host, arg.NAME, event.NAME; parent. or root. before it"

enum {
	WHERE_LEAVES = 64, /* of a condition that asks other intervals */
	WHERE_CALLS = 32,
};

/* Whose word it is. No interval is around the root. */
enum where_scope { WHERE_OWN, WHERE_PARENT, WHERE_GRANDPARENT, WHERE_ROOT, WHERE_AROUND_ROOT };

enum where_source {
	WHERE_COLUMN,
	WHERE_ELAPSED, /* whole ns */
	WHERE_CPI,     /* the thread's, else the system's, else that of its events */
	WHERE_OWN_INSIDE,
	WHERE_HOST,
	WHERE_VALUE, /* an argument or event */
	WHERE_METRIC,
	/* Known only once intervals are nested. */
	WHERE_DEPTH,
	/* Only after those nested in it. */
	WHERE_SELF,
	WHERE_OWN_NESTED,
};

struct where_word {
	enum where_scope scope;
	enum where_source source;
	union {
		const struct column *column; /* of WHERE_COLUMN */
		/* With WHERE_METRIC, set by where_find_events; NULL: the trace lacks its events. */
		const struct derived *metric;
	};
	const char *name; /* of WHERE_VALUE, and with may_be_event */
	uint32_t length;
	uint8_t kind; /* enum value_kind */
	/* The trace decides: a metric, or an event of that name. */
	bool may_be_event, may_be_metric;
	uint32_t at;	/* offset in the text */
	uint32_t index; /* trace_text_at; set by where_settle */
};

enum where_function { WHERE_UNDER, WHERE_CONTAINS };

struct where {
	const char *text; /* as given; names point into it */
	struct expression expression;
	struct where_word words[EXPRESSION_NODES];
	uint32_t nwords;
	unsigned wants; /* enum interval_want */
	bool asks_task, asks_time;
	bool asks_metrics;
	bool asks_events;	       /* a word may be an event's: needs where_find_events */
	bool nests;		       /* it asks depths, self_ns or other intervals */
	bool asks_inside;	       /* contains(), self_ns, ...: needs the nested intervals */
	bool asks_inside_around;       /* those of an interval around, too */
	uint8_t bit[EXPRESSION_NODES]; /* of a leaf or a call: its bit; of nests only */
	unsigned ncalls;
	uint16_t calls[WHERE_CALLS];   /* nodes, those inside others first */
	uint32_t cycles, instructions; /* trace_text_at of the events of WHERE_CPI */
	struct derived_set metrics;    /* of the trace; where_free frees it */
	/* The user's formulas, while the condition is parsed. */
	const struct formula *formulas;
	size_t nformulas;
};

/* False: *error has the error and its position. text is kept. formulas: of --metric. */
bool where_parse(struct where *w, const char *text, const struct formula *formulas,
	size_t nformulas, struct expression_error *error);
/* Finds the names of values in the trace; before anything is tested. */
void where_settle(struct where *w, const struct trace *t);
void where_free(struct where *w);
/* The bits that where_selection may set, from 0. nests: true. */
unsigned where_selection_bits(const struct where *w);
/* Whether conditions have a meaning of their own for a name that is no column's. */
bool where_is_word(const char *name);

/*
 * A column alone, as a condition has it: w->words[0]. False: no column of intervals has that name,
 * nor begins an argument's or event's so, or it is a text or known only once intervals are nested.
 */
bool where_parse_column(struct where *w, const char *name);
/* The parts of intervals to be read for a column of interval_columns: enum interval_want. */
unsigned where_column_wants(const char *name);
/* Its value, a number or none. */
struct expression_value where_get_column(
	const struct where *w, const struct trace *t, const struct interval *iv);

/* A leaf, of what a table has in a cell. */
bool where_test_cell(
	const struct expression *e, const struct expression_node *leaf, struct cell cell);

/* On any thread. nests: false. */
bool where_holds(const struct where *w, const struct trace *t, const struct interval *iv);
/* The leaves that hold of the interval itself, whatever interval they ask; depth and self_ns are
 * left out. */
uint64_t where_selection(const struct where *w, const struct trace *t, const struct interval *iv);

#endif
