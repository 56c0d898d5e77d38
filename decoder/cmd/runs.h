/*
 * The runs that a diff compares: which files are one. A file is a run; a folder stands for all
 * traces and partial results in it; what was rotated away from a file (FILE.1, FILE.2) belongs to
 * its run.
 */
#ifndef SWT_DECODER_RUNS_H
#define SWT_DECODER_RUNS_H

#include "../report/report.h"

struct run {
	char **files; /* the first has the run's name */
	size_t nfiles, cap;
};

/* Starts zeroed. */
struct runs {
	struct run *runs;
	size_t n, cap;
	char **paths; /* that runs are made of */
	size_t npaths, paths_cap;
};

/* Adds a file, a folder, or all that match a pattern. Returns an exit code, and reports errors on
 * stderr. */
int runs_add(struct runs *r, const char *pattern);
/* After the last: paths become runs. An exit code. */
int runs_settle(struct runs *r);
void runs_free(struct runs *r);

#endif
