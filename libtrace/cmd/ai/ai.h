/*
 * What the files of the verb ai share.
 */
#ifndef SWT_CMD_AI_AI_H
#define SWT_CMD_AI_AI_H

#include <time.h>

#include "../../../include/perfutil.h"
#include "../../dump/output.h"
#include "../cmd.h"

enum ai_format { AI_TEXT, AI_CSV, AI_JSON };

/* Where the report goes: standard output, and a log. A failure is told once; then nothing
 * more is written. */
struct ai_output {
	const struct verb *verb;
	bool logs, failed;
	struct output to, log;
};

/* log: a path, or NULL; what it held is gone. An exit code. */
int ai_output_open(struct ai_output *o, const struct verb *verb, const char *log);
void ai_output_write(struct ai_output *o, const char *text, size_t size);
/* An exit code. */
int ai_output_close(struct ai_output *o);

struct ai_run {
	const struct verb *verb;
	enum ai_format format;
	bool processors, system; /* what is reported */
	bool stamped;		 /* -t */
	bool traced;		 /* --trace */
	uint64_t interval;	 /* ns */
	uint64_t samples;	 /* 0: until a signal */
	char run_time[48];	 /* of -r, for people; "" without */
	const char *log;	 /* of -l, or NULL */
	int columns;		 /* processors that the heading above is of */
	unsigned rows;		 /* since it, in text */
	UINT32 flags;		 /* of CPUUTIL_DATA, those that were told */
};

struct ai_sample {
	const CPUUTIL_DATA *data;
	double elapsed; /* seconds */
	struct timespec at;
};

/* What a report begins with, has for each sample, and ends with. */
struct ai_printer {
	void (*begin)(struct ai_run *r, FILE *f);
	void (*sample)(struct ai_run *r, FILE *f, const struct ai_sample *s);
	void (*end)(struct ai_run *r, FILE *f, bool all); /* all: the number asked for */
};
extern const struct ai_printer ai_text, ai_csv, ai_json;

/* Why the method is not the best one; NULL: it is. */
const char *ai_why(void);

/* Opens, samples, prints. An exit code. */
int ai_follow(struct ai_run *r);

#endif
