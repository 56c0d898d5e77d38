/*
 * Dumping a session's rings as a trace.bin (formats/trace-file.md), whether tracing is
 * on or not. Nothing in the session changes.
 *
 * libtrace/dump owns the way from rings to a trace file: sections, codecs, the drain. It includes
 * session, ring and core. Errors: a negative PU_ code and a line in struct session_error
 * (session/fail.h).
 */
#ifndef SWT_DUMP_DUMP_H
#define SWT_DUMP_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/trace_file.h"
#include "../session/keep.h"

/* Why a dump was made, for its META. */
struct dump_reason {
	const char *condition, *match; /* that was met, and what met it */
	const char *window;	       /* arguments for cpidecode that show it; NULL: unknown */
	uint64_t start;		       /* ticks: the beginning of what met it; 0: unknown */
	uint64_t before_ns;	       /* how much before that is asked for; 0: not */
};

struct dump_options {
	const char *path; /* "-": standard output, which may be a pipe; NULL: fd */
	int fd;		  /* without a path: an empty file, which stays open */
	enum tf_codec codec;
	const char *command;		  /* the traced command; NULL: unknown */
	const struct dump_reason *reason; /* NULL: none in particular */
	/* Called after every section, and when a signal interrupts a write. If it returns false,
	 * the dump gives up with PU_FAILURE. May be NULL. */
	bool (*progress)(void *arg, uint64_t done, uint64_t total);
	void *progress_arg;
};

struct dump_result {
	uint64_t bytes; /* of the file */
	uint64_t hooks, torn, lost, overwritten;
	uint64_t loss[SHM_LOSSES]; /* hooks lost, by cause */
	bool normal;		   /* normal mode: a full ring keeps its first hooks */
	uint32_t sections;	   /* of hooks, in the rings */
	uint32_t there, missed;	   /* sections at the cut; overwritten before they were read */
	enum keep_refusal keep;	   /* why they could be */
	uint64_t waited_ns;	   /* for another dump, before the cut */
	uint32_t later;		   /* rings whose overwritten count goes beyond the cut */
	uint32_t damaged;	   /* truncated or invalid rings */
	uint64_t before_ns;	   /* of what the reason asks for, in all rings */
};

/*
 * The file appears complete, by rename, or not at all; a device or a FIFO is written to directly.
 * The dump holds every hook that was committed in the rings when it began and was not overwritten
 * before its turn came: none is in wrap mode, where the owner dumps and there is memory for a
 * second set of sections (session/keep.h). rings.h says what the ledger then counts. s: opened for
 * reading at least. result may be NULL.
 */
int dump_write(struct session *s, const struct dump_options *options, struct dump_result *result,
	struct session_error *error);

/* Returns a copy of `file`, or, for NULL, of TraceSetName's, which another thread may change
 * meanwhile. */
char *dump_name(const char *file);

#endif
