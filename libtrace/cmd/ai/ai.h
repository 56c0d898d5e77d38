/*
 * Shared by the files of the verb ai.
 *
 * libtrace/cmd/ai owns the verb ai. It includes cmd, counters, dump, measure and sink. Errors as in
 * cmd.h.
 */
#ifndef SWT_CMD_AI_AI_H
#define SWT_CMD_AI_AI_H

#include <time.h>

#include "../../../include/perfutil.h"
#include "../../dump/output.h"
#include "../cmd.h"

enum ai_format { AI_TEXT, AI_CSV, AI_JSON };

/* The report's destinations: standard output and a log. Reports the first failure and then stops
 * writing. */
struct ai_output {
	const struct verb *verb;
	bool logs, failed;
	struct output to, log;
};

/* log: a path, or NULL; truncates the file. Returns an exit code. */
int ai_output_open(struct ai_output *o, const struct verb *verb, const char *log);
void ai_output_write(struct ai_output *o, const char *text, size_t size);
/* Returns an exit code. */
int ai_output_close(struct ai_output *o);

struct ai_run {
	const struct verb *verb;
	enum ai_format format;
	bool processors, system; /* columns to report */
	bool stamped;		 /* -t */
	bool traced;		 /* --trace */
	uint64_t interval;	 /* ns */
	uint64_t run_time;	 /* ns; 0: without -r */
	uint64_t samples;	 /* 0: until a signal arrives */
	const char *log;	 /* -l, or NULL */
	int columns;		 /* number of processors in the last heading */
	unsigned rows;		 /* rows since the last heading, in text format */
	UINT32 flags;		 /* CPUUTIL_DATA flags reported so far */
};

struct ai_sample {
	const CPUUTIL_DATA *data;
	double elapsed; /* seconds */
	struct timespec at;
};

/* Prints the report's head, each sample, and its end. */
struct ai_printer {
	void (*begin)(struct ai_run *r, FILE *f);
	void (*sample)(struct ai_run *r, FILE *f, const struct ai_sample *s);
	void (*end)(struct ai_run *r, FILE *f,
		bool all); /* all: took the requested number of samples */
};
extern const struct ai_printer ai_text, ai_csv, ai_json;

/* Why a better method is not available; NULL if the best one is used. */
const char *ai_why(void);

/* Opens the source, samples and prints. Returns an exit code. */
int ai_follow(struct ai_run *r);

#endif
