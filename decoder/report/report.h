/*
 * What is said. A report takes what the model made of the files and says it through a
 * sink; it opens nothing and prints nowhere else. What has to be said beside the
 * report (on stderr) goes through note.
 */
#ifndef SWT_DECODER_REPORT_H
#define SWT_DECODER_REPORT_H

#include "../../include/cpidecode.h"
#include "../model/trace.h"
#include "../sink/out.h"
#include "filter.h"

enum report_kind {
	REPORT_SUMMARY,
	REPORT_INTERVALS,
	REPORT_HOOKS,
	REPORT_CPUS,
	REPORT_INFO,
	REPORT_FLAME,
};

enum report_format {
	FORMAT_TEXT,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_FOLDED,
	FORMAT_SVG,
};

enum report_weight {
	WEIGHT_CYCLES,
	WEIGHT_NS,
	WEIGHT_INSTRUCTIONS,
	WEIGHT_THREAD_CYCLES,
};

struct report {
	struct out *out;
	enum report_format format;
	enum report_weight weight;
	const struct filter *filter;
	bool scripted;	  /* a file's counters were scripted */
	const char *host; /* NULL: unknown, or several */
	const struct trace *trace;
	const struct interval *intervals; /* all of them, by start, longer first */
	size_t nintervals;
	void (*progress)(const struct hook_iter *it); /* NULL: nobody watches */
	void (*note)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/* Said first in every text report of a trace with scripted counters. */
#define REPORT_SCRIPTED "scripted counters: the counts and CPIs below were not measured"

void report_scripted_line(const struct report *r);

/* How many of the intervals their quality hooks flagged, and for what; nothing if none. */
void report_flagged_line(const struct report *r);

/* Each: 0 or a CPIDECODE_E code; failures of the output show in r->out->error. */
int report_summary(struct report *r);
int report_intervals(struct report *r);
int report_cpus(struct report *r);
int report_flame(struct report *r);
int report_hooks(struct report *r, struct hook_iter *it);
/* The iterator has been read to its end. */
int report_info(struct report *r, const struct hook_iter *it);

/* NULL: the trace knows the thread by its number only. */
static inline const char *report_task_name(const struct task *task)
{
	return task && task->name[0] ? task->name : NULL;
}

/* The words of an interval's flags, joined by '+'. */
void report_flags(struct out *o, uint32_t flags);

#endif
