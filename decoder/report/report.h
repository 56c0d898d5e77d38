/*
 * Reports. Each reads the trace through the model and writes through a sink, nowhere else. open.h
 * opens traces; notes to the report (on stderr) go through note and notes/notes.h.
 *
 * decoder/report owns the contents of output: columns as data, a file or a folder per report. It
 * includes model, io, sink and base. Errors: 0 or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_REPORT_H
#define SWT_DECODER_REPORT_H

#include "../../include/cpidecode.h"
#include "../model/trace/findings.h"
#include "../model/hooks/pass.h"
#include "../model/intervals/intervals.h"
#include "../model/stats/partial/partial.h"
#include "../sink/page.h"
#include "../sink/units.h"
#include "filter.h"
#include "gate.h"

/* Options that a report accepts in addition to filters. */
enum report_takes {
	TAKES_ROWS = 1 << 0,	    /* --top, --sort and --columns */
	TAKES_METRICS = 1 << 1,	    /* --metric */
	TAKES_BY = 1 << 2,	    /* --by, a list */
	TAKES_BY_HOST = 1 << 3,	    /* --by host */
	TAKES_PERCENTILES = 1 << 4, /* --percentiles */
	TAKES_PARTIAL = 1 << 5,	    /* --partial, --slice and merge */
	TAKES_CSV = 1 << 6,	    /* --format csv */
	TAKES_HAVING = 1 << 7,	    /* --having: it has groups */
};

/* Each report that has a name: its constant, its name on the command line and in cpidecode.h, its
 * function, enum report_takes, and a line or more of --help. */
#define REPORTS(X)                                                                                 \
	X(SUMMARY, "summary", report_summary,                                                      \
		TAKES_ROWS | TAKES_METRICS | TAKES_BY | TAKES_PERCENTILES | TAKES_PARTIAL |        \
			TAKES_CSV | TAKES_HAVING,                                                  \
		"per label and minor: count, times, CPIs, busy (default)")                         \
	X(INTERVALS, "intervals", report_intervals,                                                \
		TAKES_ROWS | TAKES_METRICS | TAKES_BY_HOST | TAKES_CSV, "every interval")          \
	X(HOOKS, "hooks", report_hooks,                                                            \
		TAKES_ROWS | TAKES_HAVING | TAKES_BY | TAKES_BY_HOST | TAKES_CSV, "every hook")    \
	X(CPUS, "cpus", report_cpus,                                                               \
		TAKES_ROWS | TAKES_HAVING | TAKES_BY_HOST | TAKES_PARTIAL | TAKES_CSV,             \
		"per label and minor: a column per processor, System first")                       \
	X(INFO, "info", report_info, 0, "about the files: rings, losses, damage, tasks, schemas")  \
	X(DIFF, "diff", report_diff_alone,                                                         \
		TAKES_ROWS | TAKES_HAVING | TAKES_METRICS | TAKES_BY | TAKES_PERCENTILES |         \
			TAKES_CSV,                                                                 \
		"of runs before and after (traces, partial results, folders of\n"                  \
		"                      them): what changed, and whether it is more than noise")    \
	X(WHY, "why", report_why,                                                                  \
		TAKES_ROWS | TAKES_HAVING | TAKES_METRICS | TAKES_BY_HOST | TAKES_PARTIAL |        \
			TAKES_CSV,                                                                 \
		"what makes the slowest intervals slower than those in the middle")                \
	X(HISTOGRAM, "histogram", report_histogram,                                                \
		TAKES_ROWS | TAKES_HAVING | TAKES_BY | TAKES_PARTIAL | TAKES_CSV,                  \
		"per label and minor: histogram of elapsed times, by powers of two")               \
	X(SLOWEST, "slowest", report_slowest, TAKES_BY_HOST | TAKES_PARTIAL,                       \
		"the longest intervals: the containers and contents of each,\n"                    \
		"                      next to the median one of its label")                       \
	X(GAPS, "gaps", report_gaps,                                                               \
		TAKES_ROWS | TAKES_HAVING | TAKES_BY | TAKES_BY_HOST | TAKES_PARTIAL | TAKES_CSV,  \
		"per label and minor: the time between one and the next on a\n"                    \
		"                      thread, and what filled it")                                \
	X(HEATMAP, "heatmap", report_heatmap,                                                      \
		TAKES_ROWS | TAKES_HAVING | TAKES_BY_HOST | TAKES_PARTIAL | TAKES_CSV,             \
		"counts by start and elapsed time (also svg)")

enum report_kind {
#define REPORT_KIND(kind, ...) REPORT_##kind,
	REPORTS(REPORT_KIND) REPORT_NAMES,
#undef REPORT_KIND
	/* A flame graph is a format. */
	REPORT_FLAME = REPORT_NAMES,
	REPORT_EXPORT,	/* the intervals in another tool's format */
	REPORT_PARTIAL, /* a partial result (formats/partial.md), which reports are made from */
};

/* Each export of the intervals: its constant, its name, its function (export/export.h), whether it
 * may do harm in a terminal, and a line or more of --help. */
#define EXPORTS(X)                                                                                 \
	X(PERFETTO, "perfetto", export_perfetto, true,                                             \
		"the intervals for ui.perfetto.dev and trace_processor")                           \
	X(CHROME, "chrome", export_chrome, false,                                                  \
		"the same as JSON trace events, for chrome://tracing")                             \
	X(SPEEDSCOPE, "speedscope", export_speedscope, false,                                      \
		"names and times of the intervals, for speedscope.app")                            \
	X(CALLGRIND, "callgrind", export_callgrind, false,                                         \
		"sums by label, own and with calls, for kcachegrind")                              \
	X(PPROF, "pprof", export_pprof, true, "the same by stack and thread, for go tool pprof")   \
	X(PARQUET, "parquet", export_parquet, true,                                                \
		"the intervals, or hooks, as a table, for DuckDB, pandas, Spark")                  \
	X(SQLITE, "sqlite", export_sqlite, false,                                                  \
		"a database of the intervals, for SQL (with -o FILE)")                             \
	X(HTML, "html", export_html, false,                                                        \
		"a page for a browser: timeline, summary, histogram, flame graph")

/* Each format. Those of reports have no function of their own. */
#define FORMATS(X)                                                                                  \
	X(TEXT, "text", NULL, false, "human-readable (default)")                                    \
	X(CSV, "csv", NULL, false, "RFC 4180, with a header line (not for info)")                   \
	X(JSON, "json", NULL, false, "one object a line")                                           \
	X(FOLDED, "folded", NULL, false, "stacks of nested intervals and their values")             \
	X(SVG, "svg", NULL, false,                                                                  \
		"the same as an interactive flame graph, coloured by CPI; of\n"                     \
		"                      --report diff what grew and shrank, of heatmap its picture") \
	X(NRM2, "nrm2", NULL, true, "the hooks as a file of the original toolkit's format")         \
	X(CTF, "ctf", NULL, false, "the hooks for babeltrace2, Trace Compass (with -o FOLDER)")     \
	EXPORTS(X)

enum report_format {
#define FORMAT_KIND(kind, ...) FORMAT_##kind,
	FORMATS(FORMAT_KIND) FORMAT_NAMES,
#undef FORMAT_KIND
};

enum report_weight {
	WEIGHT_CYCLES,
	WEIGHT_NS,
	WEIGHT_INSTRUCTIONS,
	WEIGHT_THREAD_CYCLES,
	WEIGHT_EVENT, /* named by report.weight_event */
};

enum { WEIGHT_NAMES = WEIGHT_THREAD_CYCLES + 1 };
extern const char *const report_names[REPORT_NAMES];
extern const char *const format_names[FORMAT_NAMES];
extern const char *const weight_names[WEIGHT_NAMES];
/* Whether it accepts one of these (enum report_takes). */
bool report_takes(enum report_kind kind, unsigned takes);
bool format_is_binary(enum report_format format);
/* The name's index, or -1. */
int report_name_find(const char *name, const char *const *names, size_t n);

/* The names of enum report_times. */
extern const char *const times_names[TIMES_NAMES];

/* The host that a report is of, one of several reports in one output. */
struct report_host {
	const char *name; /* NULL: unknown */
	bool is_first;
	uint32_t following; /* hosts after it */
};

struct report {
	struct out *out;
	const char *folder;    /* instead of out, of FORMAT_CTF; NULL: none */
	enum page_tiles tiles; /* of FORMAT_HTML: where the intervals are */
	struct out *tiles_out; /* of PAGE_TILES_SERVED, always beyond the page's most; NULL: none */
	bool is_span; /* of FORMAT_HTML: without the reports, which read all of the trace again */
	/* FORMAT_HTML: reading notes these, or a span is read by them; NULL: neither. */
	struct section_starts *starts;
	/* FORMAT_PARQUET: the path has the host; the file is not the first of a partition, whose
	 * notes cover all. */
	bool is_host_in_path, is_further;
	bool is_zstd;	 /* of FORMAT_PARQUET: the pages, else LZ4 */
	bool has_values; /* of FORMAT_PARQUET: some interval may have arguments or events */
	enum report_format format;
	enum report_weight weight;
	const char *weight_event; /* as reports spell it: event.NAME is NAME, too */
	const struct filter *filter;
	struct where *where;		     /* of intervals: query/where.h; NULL: none */
	const struct hook_where *hook_where; /* of hooks: hooks/where.h; NULL: none */
	/* With TAKES_ROWS: */
	const char *columns; /* names with commas between, instead of all; NULL: all. Also of
				FORMAT_PARQUET */
	const char *sort;    /* a column, behind a '-' falling; NULL: the default order */
	size_t top;	     /* rows, or groups, at most; 0: all. Also of slowest */
	const char *by_list; /* of hooks and gaps: query/hook_counts.h, gaps.h; NULL: none */
	/* With --by host; NULL: of all. */
	const struct report_host *of_host;
	bool names_hosts; /* the same of intervals, hooks and stacks: a column, or a frame */
	/* The summary's: */
	struct by *by;	    /* query/by.h; NULL: by label and minor. Also of histogram */
	const char *having; /* of TAKES_HAVING: query/having.h; NULL: none */
	const struct percentiles *percentiles; /* values/percentiles.h; NULL: 50, 90, 99 */
	bool exact;			       /* with percentiles: of all values */
	bool scripted;			       /* a file's counters were scripted */
	size_t ntraces;			       /* merged ones; 0: unknown */
	const char *absent;		       /* lines of text for report_head_lines; NULL: none */
	const char *host, *command;	       /* of META; NULL: unknown, or several */
	const struct trace *trace;
	enum report_kind partial_of; /* of REPORT_PARTIAL: the report that it is for */
	const struct partial_arguments *arguments; /* of a partial result; NULL: none */
	const struct partial *merged;		   /* instead of a trace; NULL: none, or several */
	/* Slices of the trace, by machine; NULL: all of it. Only reports of tallies use them. */
	const struct tick_range *slices;
	unsigned threads; /* 0: one for each processor that the process may use */
	struct findings
		*found; /* starts zeroed; findings of reading the trace, also after an error */
	/* Stored bytes read; false cancels: CPIDECODE_ECANCELED. NULL: none. */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void (*note)(void *ctx, const char *line); /* without a newline; may be NULL */
	void *ctx;
	unsigned width;		  /* of text, in cells of a terminal; 0: no limit */
	enum report_times times;  /* of text */
	bool compensate;	  /* subtracts the library's own cost from times */
	unsigned tail;		  /* for why: tenths of a percent; 0: REPORT_TAIL */
	struct report *twin;	  /* of why: the same answers in another format; NULL: none */
	const struct gate *gates; /* for a diff */
	size_t ngates, gates_failed;
	const struct formula *metrics; /* values/formula.h; for summary, intervals and diff */
	size_t nmetrics;
	bool is_misused; /* with CPIDECODE_EINVAL: an option names what the trace does not have */
};

/* A format of REPORT_HOOKS alone. */
static inline bool report_is_hooks(enum report_format format)
{
	return format == FORMAT_NRM2 || format == FORMAT_CTF;
}

/* A format of REPORT_EXPORT. */
static inline bool report_is_export(enum report_format format)
{
	return format > FORMAT_CTF;
}

/* A weight outside weight_names is an event. */
void report_set_weight(struct report *r, const char *name);
/* Sets trace, scripted, host and command. */
void report_about(struct report *r, const struct trace *t);

/* Runs a report. 0 or a CPIDECODE_E code; failures of the output are in r->out->error. */
int report_run(struct report *r, enum report_kind kind);

/* Frees the findings of reading the trace. */
void report_end(struct report *r);

/* A pass over the hooks in the filter's range of time, on the report's threads. */
struct pass_slice;
struct pass report_pass(
	const struct report *r, int (*read)(void *ctx, struct pass_slice *s), void *ctx);

void report_note(const struct report *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Notes that a report found no intervals. Names the report of hooks if the trace has hooks. */
void report_note_no_intervals(const struct report *r);

/*
 * Notes how many of all intervals may lack nested ones that were overwritten (IV_CHILDREN_LOST),
 * and their share (0 to 1) of that unit. The line ends with the consequence. Nothing if none.
 */
void report_note_children_lost(const struct report *r, uint64_t lost, uint64_t all, double share,
	const char *unit, const char *consequence);

/* Counts what that note says, of intervals that have ended. Starts zeroed. */
struct report_children_lost {
	uint64_t lost, all;
	exact_sum lost_time, time;
};
void report_count_children_lost(struct report_children_lost *c, const struct interval *iv);
void report_note_counted_lost(
	const struct report *r, const struct report_children_lost *c, const char *consequence);
/* A consequence. */
#define REPORT_SELF_BOUNDS ", so self times are upper bounds"

enum { REPORT_TAIL = 990, REPORT_MAX_THREADS = PASS_MAX_THREADS };

/* The first line of every text report of a trace with scripted counters. report_head_lines
 * prints it, and the one after it. */
#define REPORT_SCRIPTED "scripted counters: the counts and CPIs below were not measured"

void report_head_lines(const struct report *r);

/* The line after it, with r->compensate. */
#define REPORT_COMPENSATED "the library's own cost is subtracted from times where the trace has it"

/*
 * Notes, with r->compensate, how many of the intervals that were read have the library's own cost.
 */
void report_note_compensated(const struct report *r, uint64_t with_cost, uint64_t of);

/* Each as report_run. */
#define REPORT_FUNCTION(kind, name, function, ...) int function(struct report *r);
REPORTS(REPORT_FUNCTION)
#undef REPORT_FUNCTION
int report_flame(struct report *r);
/* The stacks of r's trace, with FORMAT_SVG, added to side 0 or 1 of a differential flame graph
 * (flame/sides.h). */
struct flame_sides;
int report_flame_side(struct report *r, struct flame_sides *sides, unsigned side);
/* The stacks of r's trace, added to *p; and the graph of merged ones. */
int report_flame_partial(struct report *r, struct partial *p);
int report_flame_merged(struct report *r, const struct partial *p);
/* The same for the cells of a heat map. */
int report_heatmap_partial(struct report *r, struct partial *p);
int report_heatmap_merged(struct report *r, const struct partial *p);
/* The same for the slowest intervals. CPIDECODE_EINVAL is noted. */
int report_slowest_partial(struct report *r, struct partial *p);
int report_slowest_merged(struct report *r, const struct partial *p);
/* The same for gaps and their fillers. */
int report_gaps_partial(struct report *r, struct partial *p);
int report_gaps_merged(struct report *r, const struct partial *p);
/* The same for why. */
int report_why_partial(struct report *r, struct partial *p);
int report_why_merged(struct report *r, const struct partial *p);
int report_export(struct report *r);
int report_partial(struct report *r);
/* The hooks in FORMAT_NRM2. CPIDECODE_EINVAL, noted: the files have not one clock, as an NRM2 file
 * has. */
int report_nrm2(struct report *r);
/* The hooks in FORMAT_CTF, to r->folder. CPIDECODE_EINVAL, noted: it cannot be written. */
int report_ctf(struct report *r);
/* The hooks in FORMAT_PARQUET. */
int report_parquet_hooks(struct report *r);

/* Makes the partial result; *p starts zeroed except for its tally's `wanted`. */
int report_make_partial(struct report *r, struct partial *p);

/* The runs of one side of a diff. */
struct diff_runs {
	const struct partial *runs;
	size_t n;
};

/*
 * The changes. A note for each gate that fails; r->gates_failed is how many did. Or, with noise,
 * the differences between runs without a change, and the smallest change they could show.
 */
int report_diff(struct report *r, const struct diff_runs *before, const struct diff_runs *after,
	bool noise);

/* A report of merged partial results: summary, cpus or again a partial result. */
int report_merged(struct report *r, enum report_kind kind, const struct partial *p);
/* The tally.wanted of a merged result that the report is made of. */
unsigned report_merged_wants(enum report_kind kind);

/* The name of an interval: its label, or `minor 0xMM` in `room`. */
enum { REPORT_NAME_ROOM = 16 };
const char *report_name(const struct interval *iv, char room[REPORT_NAME_ROOM], size_t *length);
/* NULL: the trace has no name for the thread. */
static inline const char *report_task_name(const struct task *task)
{
	return task && task->name[0] ? task->name : NULL;
}

/* The words of an interval's flags, joined by '+'. */
void report_flags(struct out *o, uint32_t flags);
/* The words of enum cpuutil_method for tally_method's bits, joined by '+'; "" for none. */
void report_methods(struct out *o, uint32_t methods);
/* The same, but n/a for none. */
void report_methods_text(struct out *o, uint32_t methods);
/* The minor in two digits; after the major and a colon if it is not CPI's. */
void report_code(struct out *o, uint8_t major, uint8_t mm);

#endif
