/*
 * The flight recorder: a session whose buffers are dumped again and again, when a signal or a
 * condition asks for it. FILE is the newest dump, FILE.1 the one before it.
 *
 * The signals that end it are blocked and waited for, so a dump that has begun is completed
 * first: it goes to a plain file, which does not wait for anybody.
 */
#ifndef SWT_CMD_FLIGHT_H
#define SWT_CMD_FLIGHT_H

#include <limits.h>
#include <signal.h>

#include "cmd.h"

struct flight {
	const struct verb *verb;
	struct session session;
	char path[PATH_MAX]; /* as it was given */
	char file[PATH_MAX]; /* what it names, links followed */
	enum cmd_format format;
	enum tf_codec codec;
	uint32_t keep; /* older dumps; 0: all */
	sigset_t enders;
	uint32_t dumps, failed;
};

/* A number of older files, as an option's value. */
uint32_t flight_keep(const struct verb *verb, const char *value);

/* Checks FILE, opens the session, which must have trace buffers. An exit code. */
int flight_begin(struct flight *f);
void flight_end(struct flight *f);

/* Waits at most that long for one of the enders or of `more` (NULL: none): its number, or 0. */
int flight_wait(const struct flight *f, const sigset_t *more, uint64_t ns);

enum flight_rings { RINGS_SAME, RINGS_NEW, RINGS_GONE };
/* After an init the session is opened anew, and that is said; what is gone is said, too. */
enum flight_rings flight_follow(struct flight *f);

/* One dump. An exit code; what failed is said and counted. */
int flight_dump(struct flight *f);

/* `dump --on-signal`: at each `signal` until it is ended. An exit code. */
int flight_on_signal(struct flight *f, int signal);
/* A signal's number by its name, with or without SIG; 0: not one that can be chosen. */
int flight_signal(const char *name);

#endif
