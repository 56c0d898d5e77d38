/*
 * cpidecode's command line.
 *
 * decoder/cmd owns cpidecode's command line: options, jobs, the server. It includes report, sink
 * and base. Errors: an enum exit_code, after a line on stderr.
 */
#ifndef SWT_DECODER_OPTIONS_H
#define SWT_DECODER_OPTIONS_H

#include <limits.h>

#include "../../formats/base/options.h"
#include "../report/export/partition.h"
#include "../report/hooks/where.h"
#include "../report/query/asked.h"
#include "../report/query/by.h"
#include "../report/query/where.h"
#include "../report/report.h"
#include "../report/values/formula.h"
#include "../report/values/percentiles.h"
#include "complain.h"
#include "../../formats/base/time_arg.h"

/* From OPT_LABEL to OPT_TO: filters. */
enum {
	OPT_REPORT = 1,
	OPT_FORMAT,
	OPT_WEIGHT,
	OPT_OUTPUT,
	OPT_LABEL,
	OPT_MAJOR,
	OPT_MINOR,
	OPT_CPU,
	OPT_TID,
	OPT_PID,
	OPT_FROM,
	OPT_WHERE,
	OPT_TO,
	OPT_STRICT,
	OPT_CSV_SAFE,
	OPT_SCHEMA,
	OPT_PARTIAL,
	OPT_SLICE,
	OPT_EXPECT,
	OPT_ALLOW_MISSING,
	OPT_FAIL_IF,
	OPT_METRIC,
	OPT_TOP,
	OPT_SORT,
	OPT_COLUMNS,
	OPT_PARTITION,
	OPT_COMPRESS,
	OPT_TIME,
	OPT_WIDTH,
	OPT_BY,
	OPT_HAVING,
	OPT_PERCENTILES,
	OPT_EXACT,
	OPT_TAIL,
	OPT_COMPENSATE,
	OPT_TILES,
	OPT_TILES_DIR,
	OPT_BEFORE,
	OPT_AFTER,
	OPT_SINGLE,
	OPT_AA,
	OPT_MEMORY,
	OPT_JOBS,
	OPT_PORT,
	OPT_VERSION,
};
extern const struct option cpidecode_options[];

/* The terminal's, if the report goes to one; else no limit. */
#define WIDTH_OF_TERMINAL UINT_MAX

struct options {
	enum report_kind report;
	enum report_format format;
	const char *weight;   /* report_set_weight; NULL: the default */
	struct filter filter; /* from and to are set once the trace's start is known */
	bool has_filter;      /* any of those of the filter was given */
	/* NULL: none. Settled once the trace is open. */
	const char *where_text;
	struct where *where;	       /* of intervals */
	struct hook_where *hook_where; /* of hooks */
	struct asked *asked;	       /* what those of intervals, --by and --sort name */
	const char *sort, *columns;    /* NULL: the defaults */
	const char *by_list;	       /* --by of summary and hooks; NULL: none */
	size_t top;		       /* 0: all */
	/* --by host of reports without keys; of_host: of the report at hand, NULL: all. */
	bool by_host;
	const struct report_host *of_host;
	bool names_hosts; /* --by host of reports that have a column or a frame instead */
	enum report_times times;
	bool has_times;
	unsigned width;	    /* of text; WIDTH_OF_TERMINAL: not given */
	struct by *by;	    /* NULL: by label and minor */
	const char *having; /* NULL: none; parsed once the columns are known */
	struct percentiles percentiles;
	bool exact;
	struct time_arg from, to;
	const char *output;		  /* NULL: standard output; also of a partial result */
	bool merge;			  /* the files are partial results */
	enum report_kind partial_of;	  /* the report, or that which a partial result is for */
	bool names_report;		  /* --report or --format was given */
	struct partial_arguments carried; /* a report's options: a partial result carries them */
	struct partial_arguments taken;	  /* of merge: those of its first part */
	char **arguments;		  /* the command line, behind the command or `merge` */
	int narguments;
	const char *expect; /* a list of the traces that are merged; NULL: none */
	bool allow_missing;
	bool serve;		    /* the page of FORMAT_HTML over HTTP */
	uint16_t port;		    /* 0: any */
	struct partition partition; /* output is a folder of files, one for each trace */
	bool is_further;	    /* not the first trace of a partition */
	const char *compression;    /* of FORMAT_PARQUET: lz4 or zstd; NULL: lz4 */
	unsigned slice, slices;	    /* slice `slice` (from 1) of `slices`; 0: all */
	const char **schemas;
	size_t nschemas, schema_room;
	bool compensate;
	enum page_tiles tiles;	       /* of FORMAT_HTML */
	struct out *tiles_out;	       /* of PAGE_TILES_SERVED */
	bool is_span;		       /* of FORMAT_HTML: as of struct report */
	struct section_starts *starts; /* the same */
	unsigned tail;		       /* tenths of a percent; 0: not given */
	struct formula *metrics;
	size_t nmetrics, metric_room;
	struct gate *gates;
	size_t ngates, gate_room;
	char **files; /* operands */
	size_t nfiles;
	char **sides[2]; /* of --before and --after: files, folders, patterns */
	size_t nsides[2];
	bool single, noise; /* --single-run, --aa */
	bool strict, csv_safe;
	unsigned threads; /* 0: one for each processor that the process may use */
	uint64_t memory;  /* bytes; 0: no limit */
};

/* Parses the command line, behind what the first part of a merge carries. Prints --help, --version
 * or an error and exits, or returns. */
void options_parse(struct options *o, int argc, char **argv);
void options_free(struct options *o);
/* Whether a merge takes the options that its parts carry: unless it names a report. */
bool options_take_carried(const struct options *o, const struct partial_arguments *carried);
/*
 * Parses what a partial result carries, and then the rest of the command line of `given`: a merge,
 * or a diff.
 * Prints an error and exits, or returns. carried has to outlive *o.
 */
void options_parse_carried(struct options *o, const struct options *given,
	const struct partial_arguments *carried, const char *path);
/* The width of text that goes to *out (NULL: nowhere); 0: no limit. */
unsigned options_width(const struct options *o, const struct out *out);

#endif
