/*
 * What to say beside a report, a line each: losses, damage, clocks. Knows no stream: the caller's
 * function says each line.
 */
#ifndef SWT_DECODER_REPORT_NOTES_H
#define SWT_DECODER_REPORT_NOTES_H

#include "../../model/stats/partial.h"
#include "../../model/trace/findings.h"
#include "../losses.h"

/* Says one line, without a newline; as printf. */
typedef void (*notes_say)(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A line each: losses, damage, what the clocks did, and how well those of several traces agree.
 * Returns whether data was lost or damaged.
 */
bool notes_trace(notes_say say, const struct trace *t, const struct findings *found);

/* A file that was read, here or on another machine. */
struct notes_part {
	const char *path;
	const uint8_t *trace_id;
	struct trace_rotation rotation;
};

/* As notes_trace, of the traces in a partial result, and slices that are missing. */
bool notes_partial(notes_say say, const struct partial *p);

/* Rotated files that are missing among n; returns whether any should be there. Sorts them. */
bool notes_rotated(notes_say say, struct notes_part *parts, size_t n);

/* Where reading ended with CPIDECODE_EREAD, and errno then; false: not told, not in a section. */
bool notes_unreadable(
	notes_say say, const struct trace *t, const struct findings *found, int error);

/* Hooks lost by their causes; returns whether any was. Records that were never committed. */
bool notes_lost(notes_say say, const char *path, const struct losses *l);
void notes_torn(notes_say say, const char *where, uint64_t n);
/* What happened to a file's clocks: the first n of all findings. */
void notes_findings(notes_say say, const char *name, const struct clock_finding *findings, size_t n,
	uint64_t all);

/* What a file is called: "-" is standard input. */
const char *notes_name(const char *path);

/* The ending of a noun. */
const char *notes_plural(uint64_t n);

#endif
