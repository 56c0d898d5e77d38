/*
 * A drain's rounds until it is asked to stop: shared by `record` and the drain that `on` starts.
 */
#ifndef SWT_DUMP_DRAIN_STREAM_H
#define SWT_DUMP_DRAIN_STREAM_H

#include "drain.h"

struct stream {
	struct session *session; /* for control, its lock not held */
	struct drain *drain;
	int wake;	/* readable: poll at once; -1: none */
	uint64_t until; /* CLOCK_MONOTONIC, ns; 0: no end */
	/* Asked at least every 100 ms; false ends it. */
	bool (*wanted)(void *arg);
	void *arg;
	struct session_error error;
};

/* A closed pipe and the file size limit are errors to report, not ends of the process. For a
 * command that is started later they are as they were. */
void stream_catch_signals(void);

/* Waits at most that long, or until `wake` is readable, which is then read. */
void stream_sleep(int wake, uint64_t ns);

/* Until tracing is off, the rings are gone, it is not wanted or its time is over: 0. A PU_
 * code: the drain failed, `error` says how. */
int stream_follow(struct stream *s);

/* Turns tracing off, has the drain write the rest and end its file. 0, or the PU_ code and
 * `error` of what failed, now or before. */
int stream_finish(struct stream *s);

#endif
