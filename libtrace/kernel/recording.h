/*
 * The recorder's process: the records of all processors become hooks. One thread for all: it moves
 * to each processor whose records it reads, so that the hooks are in that processor's ring.
 */
#ifndef SWT_KERNEL_RECORDING_H
#define SWT_KERNEL_RECORDING_H

#include "../session/session.h"

struct recording;

/*
 * Takes over the process: its environment, signals and descriptors. stays: a closed channel does
 * not end it. NULL: *rc is a negative errno, with an explanation in *error; the process is to end.
 * Without wake-ups it records, too: *error then says why.
 */
struct recording *recording_open(const struct session_location *location, uint32_t generation,
	int channel, bool stays, int *rc, struct session_error *error);

/* Records until SIGTERM, or until tracing is off. */
void recording_follow(struct recording *r);

#endif
