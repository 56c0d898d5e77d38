/*
 * Notes to a report, one line each: losses, damage, clocks. The caller's function prints each line.
 *
 * decoder/report/notes owns the notes to reports. It includes report, model, sink and values.
 * Errors as in report.h.
 */
#ifndef SWT_DECODER_REPORT_NOTES_H
#define SWT_DECODER_REPORT_NOTES_H

#include "../../model/stats/partial/partial.h"
#include "../../model/trace/findings.h"
#include "../losses.h"

/* Prints one line, given without a newline, as printf. */
typedef void (*notes_say)(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Notes losses, damage, clock findings, and how well the clocks of several traces agree. Returns
 * whether data was lost or damaged.
 */
bool notes_trace(notes_say say, const struct trace *t, const struct findings *found);

/* A file that was read, here or on another machine. */
struct notes_part {
	const char *path;
	const uint8_t *trace_id;
	struct trace_rotation rotation;
};

/* Like notes_trace, for the traces of a partial result; also notes missing slices. */
bool notes_partial(notes_say say, const struct partial *p);
/* For several hosts: the error of each clock, and how well they agree. */
void notes_hosts(notes_say say, const struct partial *p);

/* Notes missing rotated files among n, and sorts them. Returns whether one is missing that
 * should exist. */
bool notes_rotated(notes_say say, struct notes_part *parts, size_t n);

/* Notes where reading failed with CPIDECODE_EREAD, and errno. False: not in a section, no note. */
bool notes_unreadable(
	notes_say say, const struct trace *t, const struct findings *found, int error);

/* Notes hooks lost by cause, and records never committed. Returns whether any was. */
bool notes_lost(notes_say say, const char *path, const struct losses *l);
void notes_torn(notes_say say, const char *where, uint64_t n);
/* Notes a file's clock findings: the first n of all. */
void notes_findings(notes_say say, const char *name, const struct clock_finding *findings, size_t n,
	uint64_t all);

/* A file's display name: "-" is standard input. */
const char *notes_name(const char *path);

#endif
