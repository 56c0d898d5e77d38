/*
 * --by host of reports that have no keys (cpus, why, slowest, gaps): groups the input by META's
 * host. A job makes the report of each, in order of their names, in one output.
 */
#ifndef SWT_DECODER_CMD_BY_HOST_H
#define SWT_DECODER_CMD_BY_HOST_H

#include "options.h"

struct host {
	char *name;   /* NULL: unknown */
	char **files; /* borrowed from the options */
	size_t nfiles, cap;
};

/* Starts zeroed. Sorted by the names' bytes; the unknown host is last. */
struct hosts {
	struct host *at;
	size_t n, cap;
};

/* Groups the files of an open trace. Returns an exit code. */
int by_host_group_trace(struct hosts *h, const struct options *o, const struct trace *t);
/* Groups partial results. Skips unreadable ones, which merging reports; refuses one of several
 * hosts. Returns an exit code. */
int by_host_group_partials(struct hosts *h, const struct options *o);
/* Checks that a partial result made for --by host is of one host. Returns an exit code. */
int by_host_check_one(const struct partial *p);
void by_host_free(struct hosts *h);

/* Reads and merges the partial results of one host. Silent: merging all files has already reported
 * errors. 0 or a CPIDECODE_E code. */
int by_host_read_partials(const struct options *o, struct partial *p);

#endif
