/*
 * Groups files into the runs that a diff compares. A file is a run. A folder means all
 * traces and partial results in it. Files rotated away from a file (FILE.1, FILE.2) belong to
 * its run.
 */
#ifndef SWT_DECODER_RUNS_H
#define SWT_DECODER_RUNS_H

#include "../../formats/base/hash_index.h"
#include "../report/report.h"

struct diff_run {
	char **files; /* the first gives the run its name */
	size_t nfiles, cap;
};

/* Starts zeroed. */
struct runs {
	struct diff_run *runs;
	size_t n, cap;
	struct hash_index by_name; /* of the runs */
	char **paths;		   /* before they are grouped into runs */
	size_t npaths, paths_cap;
};

/* Adds a file, a folder, or all that match a pattern. Returns an exit code, and reports errors on
 * stderr. */
int runs_add(struct runs *r, const char *pattern);
/* Groups the paths into runs, after the last was added. Returns an exit code. */
int runs_settle(struct runs *r);
void runs_free(struct runs *r);

#endif
