/* What is said on stderr beside the report: progress, losses, damage, clocks. */
#ifndef SWT_DECODER_TELL_H
#define SWT_DECODER_TELL_H

#include "../model/trace/findings.h"
#include "../report/losses.h"

/*
 * A line each: losses, damage, what the clocks did, and how well those of several traces agree.
 * Returns whether data was lost or damaged.
 */
bool tell_losses(const struct trace *t, const struct findings *found);

/* A file that was read, here or on another machine. */
struct told_part {
	const char *path;
	const uint8_t *trace_id;
	struct trace_rotation rotation;
};

/* Rotated files that are missing among n; returns whether any should be there. Sorts them. */
bool tell_rotated(struct told_part *parts, size_t n);

/* Where reading ended with CPIDECODE_EREAD, and errno then; false: not told, not in a section. */
bool tell_unreadable(const struct trace *t, const struct findings *found, int error);

/* Hooks lost by their causes; returns whether any was. Records that were never committed. */
bool tell_lost(const char *path, const struct losses *l);
void tell_torn(const char *where, uint64_t n);
/* What happened to a file's clocks: the first n of all findings. */
void tell_findings(const char *name, const struct clock_finding *findings, size_t n, uint64_t all);

/* What a file is called: "-" is standard input. */
const char *told_name(const char *path);

/* The ending of a noun. */
const char *plural(uint64_t n);

/* On a terminal, once a second has passed. done of total; total 0: not known. */
void progress_start(void);
void progress_show(const char *what, uint64_t done, uint64_t total);
void progress_end(void);

#endif
