/*
 * The drain as a daemon.
 */
#ifndef SWT_DUMP_DRAIN_DAEMON_H
#define SWT_DUMP_DRAIN_DAEMON_H

#include "drain.h"

/*
 * Starts the drain of this session in a process of its own, and waits until its file is begun.
 * The session's lock is not to be held. It drains until tracing is turned off, but not before
 * daemon_go: a descriptor for that is in *go. 0 or a PU_ code.
 */
int daemon_start(const struct session *s, const struct drain_config *config, int *go,
	struct session_error *error);
/* From here on tracing that is off is the end. */
void daemon_go(int go);

#endif
