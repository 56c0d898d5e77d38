/*
 * The drain of continuous mode: streams finished sections of the rings to a trace.bin while
 * programs continue to write, and so makes room for them.
 *
 * Exact: every hook of a ring is written once, or counted: as torn (the drain took it
 * uncommitted), as lost by the writers (full: the drain was behind; or another cause), or as lost
 * by the drain (it could not be written: disk full). A section is released to the writers after it
 * was written. A drain that was killed in between leaves it in both places; a drain that resumes
 * the file reads from it how far it got, and continues there.
 *
 * With several threads a round queues finished sections in the order of their stamps, and each
 * thread copies and compresses one at a time. The drain's own thread decides whether a section
 * waits, and writes it, in the order of the queue; a section is released after it and all those of
 * its ring before it were written. So all of this holds however many threads there are. At the end
 * of a round the queue is empty.
 *
 * The file has its own name from the start, is valid to its last complete section at any moment,
 * and replaces an older trace of that name. Rotation renames it to FILE.1 (the
 * newest), FILE.2, ...; each file has its own header, META, SCHEMA, TASKS, CLOCK, LOSS (of
 * its own time) and END; all have the same trace id.
 *
 * libtrace/dump/drain owns the drain and its daemon. It includes dump, core, ring and session.
 * Errors as in dump/dump.h.
 */
#ifndef SWT_DUMP_DRAIN_DRAIN_H
#define SWT_DUMP_DRAIN_DRAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../../formats/trace_file.h"
#include "../../session/session.h"

enum { DRAIN_THREADS_MAX = 64 };

struct drain_config {
	char path[PATH_MAX]; /* absolute, or "-": standard output */
	enum tf_codec codec;
	uint64_t rotate;    /* bytes of a file before the next is begun; 0: one file */
	uint32_t keep;	    /* rotated files that are kept; 0: all */
	uint32_t threads;   /* that copy and compress, the drain's own included; 0: 1 */
	char command[1024]; /* that is traced; "": unknown */
};

/* The configuration that `init` leaves in the session's directory (SHM_DRAIN_NAME, text,
 * mode 0600) for the drain that `on` starts. PU_ERROR_NO_BUFFER: there is none. */
int drain_save(struct session *s, const struct drain_config *config, struct session_error *error);
int drain_load(struct session *s, struct drain_config *config, struct session_error *error);

/*
 * New rings. `config` is left for the drain; in the other modes its path is the name of the default
 * dump, "" for none. PU_ERROR_FACILITY_BUSY: the drain of the old rings is not finished. On
 * failure the older rings and their configuration stay.
 */
int drain_init(struct session *s, const struct session_config *rings,
	const struct drain_config *config, struct session_error *error);

/*
 * How far the files got. The control page (struct shm_drain) has the same figures for other
 * processes.
 */
struct drain_status {
	uint64_t bytes, hooks, torn;	/* written, all files, those taken up included */
	uint64_t lost_full, lost_other; /* by the writers, since the generation began */
	uint64_t lost_unwritten;	/* by the drain, after a failure */
	uint64_t waiting;		/* bytes in the rings that are not queued yet */
	uint64_t rotations;
	uint32_t damaged; /* rings that were truncated or made no sense */
};

struct drain;

/*
 * Becomes the drain of a session in continuous mode and begins its file, or goes on with one
 * that this generation's drain left unfinished or finished (a file of the same trace id). The
 * handle s stays the caller's and must outlive the drain; opened with SESSION_CONTROL, its lock
 * held by the caller or not at all (drain_round acquires and releases it itself if it has to, so
 * the caller must not hold it during drain_round).
 *
 * PU_ERROR_FACILITY_BUSY: there is a drain already. PU_ERROR_INCORRECT_STATE: not in
 * continuous mode. PU_ERR_FILE_ERROR: the file cannot be made.
 */
int drain_open(struct drain **drain, struct session *s, const struct drain_config *config,
	struct session_error *error);

/*
 * Writes finished sections. 1: wrote some, 0: there were none, or a PU_ code: the file could not be
 * written. The file is valid then; the drain can only be finished.
 */
int drain_round(struct drain *d, struct session_error *error);

/* Milliseconds from the begin of the last round to that of the next, by how fast the rings fill. */
unsigned drain_pause(const struct drain *d);

/* The session's rings were freed or replaced: nothing new will come. */
bool drain_orphaned(const struct drain *d);

/*
 * Drains everything, unfinished sections too (tracing should be off), and ends the file with LOSS,
 * CLOCK and END, or as far as it can: a full disk costs sections, never the file. 0, or the PU_
 * code and line of the error, now or in a round before.
 */
int drain_finish(struct drain *d, struct session_error *error);

/* Also of a drain that failed: lost_unwritten counts the hooks that it could not write once it
 * finished. */
void drain_status(const struct drain *d, struct drain_status *status);

/* Releases the drain's lock and frees it; without drain_finish as if it had been killed. */
void drain_close(struct drain *d);

#endif
