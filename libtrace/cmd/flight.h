/*
 * The flight recorder: dumps a session's buffers repeatedly, when a signal or a condition asks for
 * it. FILE is the newest dump, FILE.1 the one before.
 *
 * Signals that end it are blocked and received with sigtimedwait, so a dump in progress completes
 * first; it goes to a regular file, which cannot block on a reader.
 */
#ifndef SWT_CMD_FLIGHT_H
#define SWT_CMD_FLIGHT_H

#include <limits.h>
#include <signal.h>

#include "cmd.h"

struct flight {
	const struct verb *verb;
	struct session session;
	char path[PATH_MAX]; /* as given */
	char file[PATH_MAX]; /* with symbolic links resolved */
	enum cmd_format format;
	enum tf_codec codec;
	uint32_t keep; /* number of earlier dumps to keep; 0: all */
	sigset_t enders;
	uint32_t dumps, failed;
};

/* Parses the number of dumps to keep. */
uint32_t flight_keep(const struct verb *verb, const char *value);

/* Checks FILE and opens the session, which must have trace buffers. Returns an exit code. */
int flight_begin(struct flight *f);
void flight_end(struct flight *f);

/* Waits at most ns for an ending signal or one of `more` (NULL: none). Returns the signal, or 0. */
int flight_wait(const struct flight *f, const sigset_t *more, uint64_t ns);

enum flight_rings { RINGS_SAME, RINGS_NEW, RINGS_GONE };
/* Whether the session still has the buffers that it was opened with. */
enum flight_rings flight_check_rings(const struct session *s);
/* Reopens the session after an init, and reports new or freed buffers. */
enum flight_rings flight_follow(struct flight *f);

struct dump_reason;

/* Writes one dump, for this reason or NULL. Returns an exit code; reports and counts failures. */
int flight_dump(struct flight *f, const struct dump_reason *reason);

/* `dump --on-signal`: dumps at each `signal` until it is ended. Returns an exit code. */
int flight_on_signal(struct flight *f, int signal);
/* A signal's number by name, with or without SIG; 0 if it cannot be used. */
int flight_signal(const char *name);

#endif
