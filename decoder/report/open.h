/* Opens the traces of a report. */
#ifndef SWT_DECODER_REPORT_OPEN_H
#define SWT_DECODER_REPORT_OPEN_H

#include "../model/trace/trace.h"

struct trace_input {
	const char **schemas; /* paths of the user's schemas, which override those of the traces */
	size_t nschemas;
	char **files; /* "-": standard input */
	size_t nfiles;
	bool verify_all;	    /* verify all checksums on opening */
	trace_progress_fn progress; /* NULL: none */
	/* Prepares reading one stream while it arrives, as tallies_read_arriving; NULL: none. */
	int (*read_arriving)(struct trace *t, unsigned wanted, unsigned threads);
	unsigned wanted;  /* enum tally_wanted */
	unsigned threads; /* as of struct report */
};

/* The step of opening that failed. */
struct trace_opening {
	enum {
		OPEN_NEW,
		OPEN_SCHEMA_FILE, /* reading it: errno says why */
		OPEN_SCHEMA,	  /* its text; of CPIDECODE_ESCHEMA, `schema` says why */
		OPEN_FILE,
		OPEN_TOGETHER, /* each is a trace, but they cannot be merged */
	} step;
	const char *path;
	struct schema_error schema;
};

/* 0, or a CPIDECODE_E code, with errno of the failure. Pass *t to report_close in either case. */
int report_open(const struct trace_input *input, struct trace **t, struct trace_opening *at);
void report_close(struct trace *t); /* NULL is fine */

/* META's host of the file of that number, in the order of the input; NULL: none. */
const char *report_host_of(const struct trace *t, size_t file);

/* CLOCK_REALTIME of the first hook of all files; 0: none. */
int64_t report_start(const struct trace *t);
bool report_has_hooks(const struct trace *t);

/* The starts of struct report, of which nothing is known yet. NULL: no memory. */
struct section_starts *report_new_starts(const struct trace *t);
void report_free_starts(struct section_starts *s); /* NULL is fine */

/* Slice `slice` (from 1) of `of`, for struct report; the caller frees it. NULL: no memory. */
struct tick_range *report_slice(const struct trace *t, unsigned slice, unsigned of);

#endif
