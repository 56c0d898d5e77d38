/*
 * --by host of reports that have no keys (cpus, why, slowest, gaps): groups the input by META's
 * host. A job makes the report of each, in order of their names, in one output.
 */
#ifndef SWT_DECODER_CMD_BY_HOST_H
#define SWT_DECODER_CMD_BY_HOST_H

#include "../report/partial/results.h"
#include "options.h"

/* A trace, or a result in a file of partial results. */
struct host_input {
	char *host; /* NULL: unknown */
	char *file; /* borrowed from the options */
	struct results_range range;
	size_t number; /* of inputs before it */
};

struct host {
	const char *name; /* NULL: unknown */
	struct host_input *inputs;
	char **files; /* of the inputs */
	size_t ninputs;
};

/* Starts zeroed. Sorted by the names' bytes; the unknown host is last. */
struct hosts {
	struct host *at;
	size_t n;
	struct host_input *inputs; /* of all */
	size_t ninputs, cap;
	char **files;
};

/* Groups the files of an open trace. Returns an exit code. */
int by_host_group_trace(struct hosts *h, const struct options *o, const struct trace *t);
/* Groups the results in files of partial results. Skips unreadable ones, which merging reports;
 * refuses one of several hosts. Returns an exit code. */
int by_host_group_partials(struct hosts *h, const struct options *o);
void by_host_free(struct hosts *h);

/* Reads and merges the partial results of one host. Silent: merging all files has already reported
 * errors. 0 or a CPIDECODE_E code. */
int by_host_read_partials(const struct host *h, struct partial *p);

#endif
