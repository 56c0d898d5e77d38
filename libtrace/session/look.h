/*
 * The session that this process traces in: where it is, and its control page, shown at the gate.
 * Called with attach.c's lock held. Control mappings are never unmapped: a writer may be reading
 * one.
 */
#ifndef SWT_SESSION_LOOK_H
#define SWT_SESSION_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "session.h"

struct look {
	struct session_place place;
	const struct shm_control *control; /* NULL: no session, or `done` is false */
	dev_t device;			   /* of the control file */
	ino_t inode;
	uint64_t at; /* the last look: CLOCK_MONOTONIC_RAW ns; 0: there was none */
	bool done;   /* some look said what there is, if only that there is no session */
	int rc;	     /* of the last look */
};

/*
 * Looks, and shows another control page, or "off", if there is another session now, or none:
 * *is_new then. Returns 0, or the PU_ code of what was short (descriptors, memory): nothing has
 * changed then. A session that this process may not use is as if absent.
 */
int look_again(struct look *look, bool *is_new);

/* Every hook finds the gate closed from now on. */
void look_close_gate(void);

#endif
