/*
 * Records the context switches and wake-ups of all processors into a session's rings, in a process
 * of its own that writes hooks of major 0xC3 (formats/kernel_hooks.h). One at a time for a session:
 * it holds a lock on SHM_KERNEL_NAME in the session's directory, where its figures are.
 *
 * Functions return 0 or a negative errno, with an explanation in *error.
 */
#ifndef SWT_KERNEL_RECORDER_H
#define SWT_KERNEL_RECORDER_H

#include "../session/session.h"

/* Tries whether this process may read the records. */
int kernel_recorder_probe(struct session_error *error);

/*
 * Starts the recorder of the session's rings, where tracing is on. stays: it continues without this
 * process, until kernel_recorder_stop, or tracing is off. Otherwise it also ends with this process,
 * or when *channel (to be closed by the caller) is closed. -EBUSY: there is one. 0: *error, unless
 * its text is empty, has a line that says why wake-ups are not recorded.
 */
int kernel_recorder_start(const struct session_location *location, uint32_t generation, bool stays,
	int *channel, struct session_error *error);

/* Whether a recorder runs, and the figures of the last one; all zeros: there was none. */
bool kernel_recorder_is_running(const struct session *s, struct shm_kernel *figures);

/* Waits until all records so far are hooks. False: the recorder does not answer. Does nothing
 * without one. */
bool kernel_recorder_flush(const struct session *s);

/* The same, and ends the recorder; call it before tracing is turned off. */
bool kernel_recorder_stop(const struct session *s, struct shm_kernel *figures);

#endif
