/* Lost hooks by program, from a file's TASKLOSS entries, for the info report. */
#ifndef SWT_DECODER_REPORT_INFO_PROGRAMS_H
#define SWT_DECODER_REPORT_INFO_PROGRAMS_H

#include "../../model/trace/task_losses.h"
#include "../../sink/document.h"
#include "../report.h"

/* The tasks of one process and thread name. */
struct info_program {
	uint32_t pid;
	const char *name;
	uint64_t lost;
};

/* Losses in the time of the file; starts zeroed. */
struct info_programs {
	struct info_program *at; /* by descending losses, then by name and process */
	size_t count;
	uint64_t all, unknown; /* unknown: lost by unknown tasks */
	uint64_t before;       /* hooks lost before the file began */
};

/* 0 or CPIDECODE_ENOMEM. */
int info_programs_sum(
	struct info_programs *p, const struct trace *trace, const struct trace_file *f);
void info_programs_free(struct info_programs *p);

/* A table, or a member; nothing for files without TASKLOSS. */
void info_write_programs(
	struct document *d, const struct info_programs *p, const struct trace_file *f);

#endif
