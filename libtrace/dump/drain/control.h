/*
 * Starts and ends a session's drain when it is turned on and off, for the library's calls and the
 * swtrace command. Sessions are opened with SESSION_CONTROL and locked. Functions return 0 or a PU_
 * code, with *error (or NULL) filled in.
 */
#ifndef SWT_DUMP_DRAIN_CONTROL_H
#define SWT_DUMP_DRAIN_CONTROL_H

#include "drain.h"

/* Makes a name absolute, since the drain does not run in this directory; "-" stays. */
int drain_set_path(struct drain_config *config, const char *path, struct session_error *error);

/* Ring size where none is asked for: bridges the time until a drain gets the processor. */
void drain_size_rings(struct session_config *config);

/*
 * Turns a session in continuous mode on and starts its drain unless one runs. *resumed: tracing was
 * on already, but its drain was gone. The lock is not held across the start.
 */
int drain_on(struct session *s, bool *resumed, struct session_error *error);

/*
 * After tracing was turned off: waits until the drain has ended its file, or ends it if the drain
 * was killed (*finished). Gives the lock up. PU_ERROR_FACILITY_BUSY: no progress for 10 s.
 */
int drain_end(struct session *s, const struct drain_config *config, bool *finished,
	struct session_error *error);

#endif
