/*
 * --switches: the kernel's context switches of all processors, and the waker of each thread,
 * recorded while tracing is on.
 */
#ifndef SWT_CMD_SWITCHES_H
#define SWT_CMD_SWITCHES_H

#include "cmd.h"

#define SWITCHES_OPTION(id)                                                                                 \
	{                                                                                                   \
		id, "--switches",                                                                           \
			.help = "also records the kernel's context switches of all processors: "            \
				"who ran\n              instead and when (root, CAP_PERFMON or "            \
				"perf_event_paranoid <= 0), and\n              who woke each thread (root)" \
	}

/* Whether they can be recorded here; otherwise reports why not, and returns the exit code. */
int switches_check(const struct verb *verb);

/* Starts recording, where tracing is on. stays: beyond the end of this process. *channel: to be
 * passed to switches_end. Reports a failure and returns an exit code. */
int switches_begin(const struct verb *verb, const struct session_location *location,
	uint32_t generation, bool stays, int *channel);

/* Ends recording before tracing is turned off, and reports missing records. channel: -1: none. Does
 * nothing if nothing is recorded. Returns whether the recording is complete. */
bool switches_end(const struct verb *verb, const struct session *s, int channel);

/* How many hooks the session's last recorder wrote: they are no program's. */
uint64_t switches_hooks(const struct session *s);

/* The process of the session's last recorder, which is no program; 0: none. */
uint32_t switches_recorder(const struct session *s);

#endif
