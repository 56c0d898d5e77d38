/*
 * A job of the command: one report or file, made of a trace, of merged partial results, or of runs
 * to compare. Functions that return an exit code have said on stderr what failed.
 */
#ifndef SWT_DECODER_CMD_JOB_H
#define SWT_DECODER_CMD_JOB_H

#include "../report/flame/sides.h"
#include "options.h"

/* The input: a trace, merged partial results, or runs to compare. */
struct job {
	struct options *o;
	struct trace *t;
	struct partial *parts;
	size_t nparts;
	const struct hosts *hosts; /* by_host.h: a report of each; NULL: one of all */
	const char *absent;	   /* missing parts, for the head of the report */
	bool is_diff;
	struct flame_sides *sides; /* of a differential flame graph */
	size_t before;		   /* the leading parts that belong to the "before" side */
	bool bad;		   /* data was lost or damaged */
	bool is_misused;
	size_t gates_failed;
};

/* The result of reading a run of a diff: one of both. */
struct job_target {
	struct partial *partial;
	struct flame_sides *sides;
	unsigned side;
};

/* Opens the trace of o's files as *t, for report_close also after a failure. Returns an exit code.
 */
int job_open_trace(struct options *o, struct trace **t);

/* Writes the report to out, or reads the trace into *into (NULL: none). Returns a library code;
 * CPIDECODE_EINVAL: the reason is printed. */
int job_run_report(struct trace *t, const struct options *o, struct out *out,
	const struct job_target *into, bool *bad, bool *is_misused);

/* Writes the page that is shown while the page of --format html is made. Returns the same. */
int job_write_early(const struct job *job, struct out *out);

/* Writes what the job is for to out. Returns as job_run_report. */
int job_run(struct job *job, struct out *out);

/* The same to the file that the options name. Returns an exit code. */
int job_write_report(struct job *job);

/* Whether a report would replace one of its traces. */
bool job_output_is_input(const char *output, char *const *files, size_t n);

/* Removes the file that job_write_report has not finished. For signal handlers. */
void job_remove_unfinished(void);

#endif
